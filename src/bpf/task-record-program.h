/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* task-record-program - the BPF program of task-record.bpf.c in the kernel: its variables, which the program shares
 * with its reader, and the three ways to load it. */
#include <stdint.h>

/* Set before the program is loaded; the verifier takes them for constants. */
struct task_record_constants {
	uint32_t cpu_bytes;               /* of a set of CPUs that are worth reading */
	uint32_t workers_have_full_names; /* in /proc, since Linux 6.11 */
	uint32_t has_rdonly_cast;         /* since Linux 6.2 */
};

/* Set before each walk by the reader, and changed by the program. */
struct task_record_control {
	uint64_t ext_class;      /* the address of sched_ext's class; 0: no thread can be in it */
	uint32_t kept;           /* enum task_record_kept; set by the program */
	uint32_t wanted_tgid;    /* the process whose threads are wanted; 0: all */
	uint32_t wanted_threads; /* how many it had when the first of them was met; 0 before */
	uint32_t has_last_cpus;  /* whether the program has written a set of CPUs */
};

#ifndef __bpf__
#include <stdbool.h>

#include "ctprof/base/macro.h"

struct task_record_program {
	struct task_record_control *control; /* the program's own memory */
	int program_fd, link_fd;             /* link_fd: an iterator over all threads of the host */
	void *skeleton;                      /* owned */
	void (*destroy)(void *skeleton);
};

/* Loads the program by a program of the kernel that does libbpf's work there (Linux 5.17 and newer). It takes a tenth of
 * the time, since nothing reads the kernel's types into user space. */
must_check_ int task_record_load_light(const struct task_record_constants *constants,
                                       struct task_record_program *ret_program);
/* Loads it by libbpf, on every kernel that has the iterator. With @keep it is kept for task_record_load_kept(). */
must_check_ int task_record_load_libbpf(const struct task_record_constants *constants, bool keep,
                                        struct task_record_program *ret_program);
/* Loads what was kept since this boot, in half the time of the light way; kept-program.h has the errors. The others return
 * 0 or -errno. */
must_check_ int task_record_load_kept(const struct task_record_constants *constants,
                                      struct task_record_program *ret_program);
#endif
