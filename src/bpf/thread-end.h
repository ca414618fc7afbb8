/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* thread-end - reads the counters of threads at their last switch, after which they never run again, by a BPF program
 * (src/bpf/thread-end.bpf.c, which shares this header). There are none, without a message, if ctprof was built without
 * BPF, or if the kernel, the user's rights or a pid namespace of our own forbid it. */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

/* The data of a thread_end that the kernel keeps. */
enum thread_end_kept {
	THREAD_END_SCHED_INFO = 1, /* CONFIG_SCHED_INFO: timeslices, wait_ns */
	THREAD_END_CHARS = 2,      /* CONFIG_TASK_XACCT: rchar, wchar, syscr, syscw */
	THREAD_END_BYTES = 4,      /* CONFIG_TASK_IO_ACCOUNTING: read_bytes and the like */
	THREAD_END_CGROUP = 8,     /* CONFIG_CGROUPS */
	/* CONFIG_TASK_DELAY_ACCT: the kernel has these as delays waiting for a CPU, too. */
	THREAD_END_CPU_DELAY = 16,     /* timeslices, wait_ns */
	THREAD_END_CPU_DELAY_MAX = 32, /* wait_max_ns, since Linux 6.14 */
	THREAD_END_CPU_DELAY_MIN = 64, /* wait_min_ns, since Linux 6.14 */
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
	uint64_t sampled_user_ns; /* by ticks; thread_end_cpu_time() computes CPU time from these */
	uint64_t sampled_system_ns;
	uint64_t prev_user_ns; /* the most that the kernel has shown */
	uint64_t prev_system_ns;
	uint64_t voluntary_csw;
	uint64_t nonvoluntary_csw;
	uint64_t minflt;
	uint64_t majflt;
	uint64_t timeslices;
	uint64_t wait_ns;
	uint64_t wait_max_ns, wait_min_ns; /* of one wait */
	uint64_t nr_migrations;
	uint64_t rchar, wchar, syscr, syscw;
	uint64_t read_bytes, write_bytes, cancelled_write_bytes;
	uint64_t cgroup_id; /* of the cgroup2 hierarchy */
	char comm[THREAD_END_COMM_BYTES];
	char pcomm
	        [THREAD_END_COMM_BYTES]; /* of the thread group leader; empty if it is not known */
};

/* The numbers from which the kernel computes CPU time by mode. */
struct cpu_time_found {
	uint64_t run_ns;
	uint64_t sampled_user_ns, sampled_system_ns; /* by ticks */
	uint64_t prev_user_ns, prev_system_ns;       /* the most that it has shown */
};

/* Computes CPU time by mode, as the kernel does: run_ns in the proportion of the ticks, and never less than it has
 * shown before. The two add up to run_ns. */
void cpu_time_divide(const struct cpu_time_found *found, uint64_t *ret_user_ns,
                     uint64_t *ret_system_ns);
void thread_end_cpu_time(const struct thread_end *end, uint64_t *ret_user_ns,
                         uint64_t *ret_system_ns);

enum {
	THREAD_END_LEVELS = 16,
	THREAD_END_NAME_BYTES = 128,
};

/* Another record of the ring buffer, in front of the first end in a cgroup: its names, which may be gone when the end is read. A
 * cgroup that is deeper, or has a name of THREAD_END_NAME_BYTES - 1 bytes or more, has none. */
struct thread_end_cgroup {
	uint64_t count; /* of levels, from the cgroup up to the root of the hierarchy */
	struct {
		uint64_t id;
		char name[THREAD_END_NAME_BYTES]; /* that of the root is empty */
	} levels[THREAD_END_LEVELS];
};

struct thread_end_reader;

/* Loads the program and attaches it: ends from the return on will be read. Those of threads in a cgroup of version 2 and below it,
 * by its number, which is the inode of its directory; 0: of all threads. Returns 0, or -errno: -EOPNOTSUPP if ctprof was
 * built without BPF, -EPERM in a pid namespace of our own. */
must_check_ int thread_end_reader_open(uint64_t wanted_cgroup,
                                       struct thread_end_reader **ret_reader);
void thread_end_reader_freep(struct thread_end_reader **reader);

/* Receives the records of the ring buffer, which are borrowed until it returns. */
struct thread_end_handler {
	void (*end)(struct thread_end_handler *self, const struct thread_end *end);
	/* Comes before the ends in it, and may come again. */
	void (*cgroup)(struct thread_end_handler *self, const struct thread_end_cgroup *cgroup);
};

/* Passes everything in the ring buffer to @handler, in order. Never waits. */
void thread_end_reader_read(struct thread_end_reader *reader, struct thread_end_handler *handler);

/* Returns how many threads of the cgroup have begun to exit, and have no end yet. A thread that was waited for has begun. */
uint64_t thread_end_reader_pending(const struct thread_end_reader *reader);

/* Returns how many ends found the ring buffer full. */
uint64_t thread_end_reader_lost(const struct thread_end_reader *reader);
