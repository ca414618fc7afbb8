/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* thread-pointer - reads the thread pointers of a process's threads, without stopping any, from the records of
 * src/bpf/task-record.h. They come from the kernel's memory. A thread that does not run has its pointer there. The
 * pointer of one that runs at this moment is in the CPU, and memory has an older one
 *   x86-64: only if it has set %fs with WRFSBASE since it last came to a CPU, as some runtimes with threads of their
 *   own do.
 *     arch_prctl(), clone() and fork() write to memory as well, on kernels with FSGSBASE and without; C libraries use
 *     these.
 *   aarch64: only if it has written TPIDR_EL0 since it last came to a CPU, as a C library does once, just after
 *   execve();
 *     clone() writes to memory.
 * Such a pointer is one that the thread had before, or 0. There are none, and no message, if BPF does not work. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

enum thread_pointer_flags {
	THREAD_POINTER_TRACED = 1,          /* by any process */
	THREAD_POINTER_STOPPED = 2,         /* state T or t */
	THREAD_POINTER_UNINTERRUPTIBLE = 4, /* state D */
	THREAD_POINTER_EXITING = 8,         /* PF_EXITING: exiting, or a zombie */
};

/* Ids are those of the initial pid namespace. */
struct thread_pointer {
	uint32_t tid;
	uint32_t flags; /* of enum thread_pointer_flags */
	uint64_t born_boottime_ns;
	uint64_t pointer; /* 0: it has none: a kernel thread, or no thread-local storage yet */
};

struct task_record;
struct task_record_reader;

/* Returns that of a thread of a pass. */
struct thread_pointer thread_pointer_of(const struct task_record *thread);

/* Sorts by tid. */
void thread_pointers_sort(struct thread_pointer *threads, size_t count);

struct thread_pointers;

/* Loads the program. Returns 0, or -errno as task_record_open(). */
must_check_ int thread_pointers_open(struct thread_pointers **ret_pointers);
/* Uses a program that is loaded, and borrowed; passes of it stay as they are. Never NULL. */
struct thread_pointers *thread_pointers_of(struct task_record_reader *reader);
void thread_pointers_freep(struct thread_pointers **pointers);

/* Reads all threads of a process, in the order of their ids; the array is the reader's and is good until the next call. Returns
 * their number, 0 where the process is gone; or -errno. */
must_check_ ssize_t thread_pointers_read(struct thread_pointers *pointers, uint32_t tgid,
                                         const struct thread_pointer **ret_threads);
