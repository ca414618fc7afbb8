/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* thread-pointer - the thread pointers of a process's threads, without stopping any, by a BPF iterator
 * (src/bpf/thread-pointer.bpf.c, which shares this header). Where ctprof was built without BPF, or the kernel, the
 * user's rights or a pid namespace of our own forbid it, there are none, and nobody says a word. */
#include <stddef.h>
#include <stdint.h>
#ifndef __bpf__
#include <sys/types.h>
#endif

#include "ctprof/base/macro.h"

enum thread_pointer_flags {
	THREAD_POINTER_TRACED = 1,          /* by anybody */
	THREAD_POINTER_STOPPED = 2,         /* state T or t */
	THREAD_POINTER_UNINTERRUPTIBLE = 4, /* state D */
	THREAD_POINTER_EXITING = 8,         /* PF_EXITING: on its way out, or a zombie */
};

/* One record of the iterator. Ids are those of the initial pid namespace. */
struct thread_pointer {
	uint32_t tid;
	uint32_t flags; /* of enum thread_pointer_flags */
	uint64_t born_boottime_ns;
	uint64_t pointer; /* 0: it has none: a kernel thread, or no thread-local storage yet */
};

#ifndef __bpf__
struct thread_pointers;

/* Loads the program. Returns 0, or -errno: -EOPNOTSUPP where ctprof was built without BPF, -EPERM in a pid namespace of our
 * own. */
must_check_ int thread_pointers_open(struct thread_pointers **ret_pointers);
void thread_pointers_freep(struct thread_pointers **pointers);

/* All threads of a process, in the order of their ids; the array is the reader's and is good until the next call. Returns
 * their number, 0 where the process is gone; or -errno. */
must_check_ ssize_t thread_pointers_read(struct thread_pointers *pointers, uint32_t tgid,
                                         const struct thread_pointer **ret_threads);
#endif
