/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* task-record - the counters of all threads of the host in one pass, without a file for any of them, by a BPF iterator
 * (src/bpf/task-record.bpf.c, which shares the first half of this header). task-record-sample.c makes samples
 * of the records by the rows of registry/bpf-places.def; a value is there exactly where /proc and taskstats would have given
 * it, and one that the program does not carry is in skipped. Where ctprof was built
 * without BPF, or the kernel, the user's rights or a namespace of our own forbid it, opening fails, and /proc is left. */
#include <stddef.h>
#include <stdint.h>

enum {
	TASK_RECORD_COMM_BYTES = 16,
	TASK_RECORD_NAME_BYTES = 64, /* of a thread of the kernel */
	TASK_RECORD_WORK_BYTES = 32,
	TASK_RECORD_CPUS_MAX = 8192,
};

/* What of the records this kernel keeps: the same for all threads. */
enum task_record_kept {
	TASK_RECORD_SCHED_INFO = 1 << 0, /* timeslices, wait_ns */
	TASK_RECORD_SCHEDSTATS = 1 << 1, /* scheduler statistics; they may not count now */
	TASK_RECORD_BLOCK_SUM = 1 << 2,  /* sum_block_runtime among them */
	TASK_RECORD_FORCEIDLE = 1 << 3,  /* core_forceidle_sum among them */
	TASK_RECORD_SLICE = 1 << 4,
	TASK_RECORD_EXT = 1 << 5,    /* sched_ext */
	TASK_RECORD_CHARS = 1 << 6,  /* rchar, wchar, syscr, syscw */
	TASK_RECORD_BYTES = 1 << 7,  /* read_bytes and its like */
	TASK_RECORD_DELAYS = 1 << 8, /* buckets blkio, swapin, freepages and thrashing */
	TASK_RECORD_COMPACT = 1 << 9,
	TASK_RECORD_WPCOPY = 1 << 10,
	TASK_RECORD_IRQ = 1 << 11,
	TASK_RECORD_DELAY_MAX = 1 << 12, /* of each bucket, and the shortest */
	TASK_RECORD_DELAY_MIN = 1 << 13,
	TASK_RECORD_HIWATER = 1 << 14,
	TASK_RECORD_CGROUP = 1 << 15,
	TASK_RECORD_TOLD = 1 << 16, /* CPU time by mode is a share of run_ns, and never falls */
	TASK_RECORD_POINTER = 1 << 17,
	TASK_RECORD_EXITED_STATS = 1 << 18, /* taskstats of exited threads */
};

/* Of a record; the first three say what else it is than a thread. */
enum task_record_flags {
	TASK_RECORD_IS_PROCESS = 1 << 0, /* a struct process_record */
	TASK_RECORD_IS_CPUS = 1 << 1,    /* a struct task_record_cpus */
	TASK_RECORD_IS_NAME = 1 << 11,   /* a struct task_record_name */
	TASK_RECORD_EXITING = 1 << 2,    /* on its way out, or has ended */
	TASK_RECORD_KERNEL = 1 << 3,     /* a thread of the kernel */
	TASK_RECORD_TRACED = 1 << 4,     /* by anybody */
	TASK_RECORD_WORKER = 1 << 5,     /* works for a process in the kernel, as for io_uring */
	TASK_RECORD_ON_EXT = 1 << 6,     /* a sched_ext scheduler runs it */
	/* The kernel would add to its CPU time by mode what is not in it yet. */
	TASK_RECORD_TIME_RUNS = 1 << 7,
	TASK_RECORD_HAS_DELAYS = 1 << 8, /* it has a delay record */
	TASK_RECORD_HAS_STATS = 1 << 9,  /* of a process: taskstats of exited threads */
	TASK_RECORD_HAS_CPUS = 1 << 10,  /* cpus means something */
	/* Of a process: a thread of it exited while it was read. */
	TASK_RECORD_CHANGED = 1 << 12,
};

enum thread_delay {
	THREAD_DELAY_blkio,
	THREAD_DELAY_swapin,
	THREAD_DELAY_freepages,
	THREAD_DELAY_thrashing,
	THREAD_DELAY_compact,
	THREAD_DELAY_wpcopy,
	THREAD_DELAY_irq,
	THREAD_DELAY_COUNT,
};

struct thread_delay_times {
	uint64_t total_ns, max_ns, min_ns;
};

struct thread_io {
	uint64_t rchar, wchar, syscr, syscw;
	uint64_t read_bytes, write_bytes, cancelled_write_bytes;
};

/* The scheduler statistics, by the kernel's names. */
struct thread_schedstats {
	uint64_t wait_max, wait_count, wait_sum;
	uint64_t iowait_count, iowait_sum;
	uint64_t sleep_max, sum_sleep_runtime;
	uint64_t block_max, sum_block_runtime;
	uint64_t exec_max, slice_max;
	uint64_t nr_failed_migrations_affine, nr_failed_migrations_running;
	uint64_t nr_failed_migrations_hot, nr_forced_migrations;
	uint64_t nr_wakeups, nr_wakeups_sync, nr_wakeups_migrate, nr_wakeups_local;
	uint64_t nr_wakeups_remote, nr_wakeups_affine, nr_wakeups_affine_attempts;
	uint64_t core_forceidle_sum;
};

/* A thread. Ids are those of the initial pid namespace, the birth by CLOCK_BOOTTIME. */
struct task_record {
	uint32_t flags;
	uint32_t tid;
	uint32_t tgid;
	uint32_t cpus; /* which of the sets of CPUs it may run on */
	char comm[TASK_RECORD_COMM_BYTES];
	uint32_t slice_ns; /* the largest number stands for all larger ones */
	uint16_t processor;
	int16_t priority; /* as /proc has it */
	int8_t nice;
	uint8_t rt_priority;
	uint8_t policy;
	char state; /* the letter */
	uint32_t delay_counts[THREAD_DELAY_COUNT];
	uint64_t born_boottime_ns;
	uint64_t process_born_boottime_ns; /* birth of its leader; 0: the leader was gone */
	uint64_t run_ns;
	uint64_t sampled_user_ns, sampled_system_ns; /* see thread_end_cpu_time() */
	uint64_t told_user_ns, told_system_ns;
	uint64_t voluntary_csw, nonvoluntary_csw;
	uint64_t minflt, majflt;
	uint64_t timeslices, wait_ns, wait_max_ns, wait_min_ns;
	uint64_t nr_migrations;
	struct thread_schedstats schedstats;
	struct thread_io io;
	struct thread_delay_times delays[THREAD_DELAY_COUNT];
	uint64_t hiwater_rss_pages, hiwater_vm_pages; /* vm is 0 where it has no memory */
	uint64_t cgroup_id;                           /* of the cgroup2 hierarchy */
	uint64_t
	        css_set; /* opaque: threads with the same number have the same cgroups, in all hierarchies */
	union {
		uint64_t pointer; /* the thread pointer; 0: it has none */
		uint64_t name;    /* of a kernel's thread: 1 + the place among the names, or 0 */
	};
};
_Static_assert(sizeof(struct task_record) == 648, "a hundred thousand of them are 65 MB");

/* A process, read with its leader, before or behind other threads of it: what the threads that have exited by then have
 * left. */
struct process_record {
	uint32_t flags;
	uint32_t tgid;
	uint32_t uid; /* effective, of the leader */
	uint32_t nr_threads;
	uint64_t read_boottime_ns;
	uint64_t born_boottime_ns; /* of the leader */
	uint64_t run_ns;
	uint64_t sampled_user_ns, sampled_system_ns;
	uint64_t told_user_ns, told_system_ns; /* of the whole process */
	uint64_t start_stack; /* where the stack of its program starts; 0: it has no memory */
	uint64_t minflt, majflt;
	/* Of children that it has waited for. */
	uint64_t children_user_ns, children_system_ns, children_minflt, children_majflt;
	struct thread_io io; /* of these children as well */
	/* Its taskstats; those of threads that are on their way out may be in them already. */
	uint64_t stats_cpu_count, stats_cpu_delay_ns, stats_run_ns;
	uint64_t stats_delay_counts[THREAD_DELAY_COUNT];
	uint64_t stats_delay_ns[THREAD_DELAY_COUNT];
};

/* A set of CPUs, which all threads behind it have until the next one. So much of words is there as bytes says. */
struct task_record_cpus {
	uint32_t flags;
	uint32_t bytes; /* how many there are */
	uint64_t words[TASK_RECORD_CPUS_MAX / 64];
};

/* What the kernel tells of the thread of its own that comes next, beyond the comm. */
struct task_record_name {
	uint32_t flags;
	uint32_t mark; /* '+' while it works, '-' while it does not, 0 where it is no worker */
	char full[TASK_RECORD_NAME_BYTES]; /* empty where comm is all */
	char work[TASK_RECORD_WORK_BYTES]; /* what it worked for last */
};

#ifndef __bpf__
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "taskstats/taskstats.h"

/* A name as /proc tells it, of at most one byte less. */
struct task_record_text {
	char bytes[TASK_RECORD_NAME_BYTES];
};

/* One pass over the host, in the order of the kernel: by tid, over all processes. */
struct task_record_pass {
	const struct task_record *threads;
	size_t thread_count;
	const struct process_record *
	        processes; /* by tgid, one at most of each; one is missing where its leader was not met */
	size_t process_count;
	/* Indices of threads, by process: by tgid, birth of the process, the leader first, then by tid. */
	const uint32_t *order;
	const struct cpu_mask *cpus; /* online ones only, as the kernel tells them */
	const struct task_record_text *names;
	uint64_t begin_boottime_ns, end_boottime_ns;
};

struct task_record_reader;

/* Loads the program. Returns 0, or -errno: -EOPNOTSUPP where ctprof was built without BPF, -EPERM in a pid namespace of our
 * own. */
must_check_ int task_record_open(struct task_record_reader **ret_reader);
void task_record_freep(struct task_record_reader **reader);

/* Reads all threads of the host that it does not hide from BPF: /proc may know of more processes. The arrays are the reader's and are good until the next call. Returns 0, or -errno. */
must_check_ int task_record_read(struct task_record_reader *reader,
                                 struct task_record_pass *ret_pass);

/* Reads the threads of one process; a pass stays as it is. The array, in the order of the kernel, is the reader's and is good
 * until the next call. Returns their number, 0 if the process is gone; or -errno. Linux 6.1 goes through the threads of the
 * process alone, earlier kernels through those of the host. */
must_check_ ssize_t task_record_read_process(struct task_record_reader *reader, uint32_t tgid,
                                             const struct task_record **ret_threads);

/* The process of a thread of the pass, or NULL where its leader was not met. A process of the same tgid that was born at
 * another time is another process. */
const struct process_record *task_record_process(const struct task_record_pass *pass,
                                                 const struct task_record *thread);

/* Whether two threads of a pass are of the same process. */
static inline bool task_record_same_process(const struct task_record *a,
                                            const struct task_record *b)
{
	return a->tgid == b->tgid && a->process_born_boottime_ns == b->process_born_boottime_ns;
}

/* What holds for the whole host while records are made into samples. */
struct task_record_rules {
	uint32_t kept; /* of enum task_record_kept */
	/* Metrics that this kernel prints at the moment, of the sources schedstat, sched, io and status; all of the others. */
	struct metric_set printed;
	/* For each source OUTCOME_read, or why it gives nothing, as the capture's tally has it. */
	enum source_outcome outcomes[SOURCE_COUNT];
	struct taskstats_rules taskstats;
	uint64_t ticks_per_second;
	uint64_t page_bytes;
};

/* Finds the rules out: what the kernel keeps from the program, after a pass; what it prints at the moment from the files
 * of this thread, and those of pids 1 and 2 where they can be read. @proc_fd is /proc. */
void task_record_rules_init(struct task_record_rules *rules,
                            const struct task_record_reader *reader, int proc_fd,
                            const struct taskstats_rules *taskstats);

/* Fills an empty sample from a thread of the pass: tid, tgid, comm, birth, all metrics of the sources stat, schedstat, sched,
 * io, affinity and taskstats, and their outcomes; and with @process, which is the thread's or NULL, read_boottime_ns, uid
 * and at the leader nr_threads. Left to the caller: everything else of the process (pcomm, exe, memory, totals), the
 * cgroup, jemalloc, and what no source gives. */
void task_record_sample(const struct task_record_rules *rules, const struct task_record_pass *pass,
                        const struct task_record *values, const struct process_record *process,
                        struct thread_sample *sample);

/* Sums over the living threads of a process, for its totals. */
struct process_record_sum {
	uint64_t read_boottime_ns; /* of the process; set by the caller */
	uint32_t threads;          /* that were there then, or before */
	uint64_t run_ns, sampled_user_ns, sampled_system_ns;
	uint64_t minflt, majflt;
	struct thread_io io;
	uint64_t cpu_count, cpu_delay_ns, stats_run_ns;
	uint64_t delay_counts[THREAD_DELAY_COUNT], delay_ns[THREAD_DELAY_COUNT];
	bool any_exiting, any_time_runs;
	bool any_before, any_behind; /* the leader, in the order of the pass */
};
void process_record_add(struct process_record_sum *sum, const struct task_record *values);

/* Whether the sum has each thread that had not exited when the process was read, and none that had: only then its work is in the
 * totals once. */
bool process_record_are_whole(const struct process_record *process,
                              const struct process_record_sum *sum);

/* Fills process_totals of @sample, has_process_totals, and the outcomes of the sources of process totals: what exited threads
 * have left and what the threads of @sum have, which are those of the pass. Taskstats are OUTCOME_malformed where a thread was on
 * its way out, for nobody can tell whether it is in them once or twice. */
void process_record_totals(const struct task_record_rules *rules,
                           const struct process_record *process,
                           const struct process_record_sum *sum, struct thread_sample *sample);
#endif
