/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* thread-end - the counters of threads at their last switch, when they never run again, by a BPF program
 * (src/bpf/thread-end.bpf.c, which shares this header). Where ctprof was built without BPF, or the kernel, the
 * user's rights or a pid namespace of our own forbid it, there are none, and nobody says a word. */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

/* What of a thread_end the kernel keeps. */
enum thread_end_kept {
	THREAD_END_SCHED_INFO = 1, /* CONFIG_SCHED_INFO: timeslices, wait_ns */
	THREAD_END_CHARS = 2,      /* CONFIG_TASK_XACCT: rchar, wchar, syscr, syscw */
	THREAD_END_BYTES = 4,      /* CONFIG_TASK_IO_ACCOUNTING: read_bytes and its like */
	THREAD_END_CGROUP = 8,     /* CONFIG_CGROUPS */
};

enum { THREAD_END_COMM_BYTES = 16 };

/* One record of the ring buffer. Ids are those of the initial pid namespace, times those of CLOCK_BOOTTIME. */
struct thread_end {
	uint32_t tid;
	uint32_t tgid;
	uint32_t uid; /* effective */
	uint32_t kept;
	uint32_t policy;
	int32_t nice;
	uint64_t born_boottime_ns;
	uint64_t process_born_boottime_ns; /* birth of the thread group leader; 0: not known */
	uint64_t ended_boottime_ns;
	uint64_t run_ns;
	uint64_t
	        sampled_user_ns; /* as ticks found it; thread_end_cpu_time() makes CPU time of these */
	uint64_t sampled_system_ns;
	uint64_t told_user_ns; /* the most that the kernel has told anybody */
	uint64_t told_system_ns;
	uint64_t voluntary_csw;
	uint64_t nonvoluntary_csw;
	uint64_t minflt;
	uint64_t majflt;
	uint64_t timeslices;
	uint64_t wait_ns;
	uint64_t nr_migrations;
	uint64_t rchar, wchar, syscr, syscw;
	uint64_t read_bytes, write_bytes, cancelled_write_bytes;
	uint64_t cgroup_id; /* of the cgroup2 hierarchy */
	char comm[THREAD_END_COMM_BYTES];
	char pcomm
	        [THREAD_END_COMM_BYTES]; /* of the thread group leader; empty where it is not known */
};

/* What the kernel makes CPU time by mode of. */
struct cpu_time_found {
	uint64_t run_ns;
	uint64_t sampled_user_ns, sampled_system_ns; /* as ticks found it */
	uint64_t told_user_ns, told_system_ns;       /* the most that it has told anybody */
};

/* CPU time by mode, as the kernel tells it: run_ns in the proportion that ticks have found, and never less than it
 * has told before. The two add up to run_ns. */
void cpu_time_divide(const struct cpu_time_found *found, uint64_t *ret_user_ns,
                     uint64_t *ret_system_ns);
void thread_end_cpu_time(const struct thread_end *end, uint64_t *ret_user_ns,
                         uint64_t *ret_system_ns);

struct thread_end_reader;

/* Loads the program and attaches it: what ends from the return on will be read. Returns 0, or -errno: -EOPNOTSUPP
 * where ctprof was built without BPF, -EPERM in a pid namespace of our own. */
must_check_ int thread_end_reader_open(struct thread_end_reader **ret_reader);
void thread_end_reader_freep(struct thread_end_reader **reader);

/* Hands everything that is in the ring buffer to @take, in order; @end is borrowed until it returns. Never waits. */
void thread_end_reader_read(struct thread_end_reader *reader,
                            void (*take)(void *context, const struct thread_end *end),
                            void *context);

/* How many ends found the ring buffer full. */
uint64_t thread_end_reader_lost(const struct thread_end_reader *reader);
