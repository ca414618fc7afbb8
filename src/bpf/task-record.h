/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* task-record - reads the counters of all threads of the host in one pass, without a file for any of them, by a BPF
 * iterator (src/bpf/task-record.bpf.c, which shares the first half of this header). task-record-sample.c makes samples
 * of the records by the rows of registry/bpf-places.def; a value is seen exactly if /proc and taskstats would have it,
 * and one that the program does not carry is in skipped. Opening fails if ctprof was built without BPF, or if the
 * kernel, the user's rights or a namespace of our own forbid it; then /proc is the source. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TASK_RECORD_COMM_BYTES = 16,
	TASK_RECORD_NAME_BYTES = 64, /* of a thread of the kernel */
	TASK_RECORD_WORK_BYTES = 32,
	TASK_RECORD_CPUS_MAX = 8192,
};

/* The data that this kernel keeps, the same for all threads. */
enum task_record_kept {
	TASK_RECORD_SCHED_INFO = 1 << 0, /* timeslices, wait_ns */
	TASK_RECORD_SCHEDSTATS = 1 << 1, /* scheduler statistics; they may not count now */
	TASK_RECORD_BLOCK_SUM = 1 << 2,  /* with sum_block_runtime */
	TASK_RECORD_FORCEIDLE = 1 << 3,  /* with core_forceidle_sum */
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
	TASK_RECORD_PREV_CPUTIME =
	        1 << 16, /* CPU time by mode is a share of run_ns, and never falls */
	TASK_RECORD_POINTER = 1 << 17,
	TASK_RECORD_EXITED_STATS = 1 << 18, /* taskstats of exited threads */
};

/* Flags of a record; three of them mark records that are not threads. */
enum task_record_flags {
	TASK_RECORD_IS_PROCESS = 1 << 0, /* a struct process_record */
	TASK_RECORD_IS_CPUS = 1 << 1,    /* a struct task_record_cpus */
	TASK_RECORD_IS_NAME = 1 << 11,   /* a struct task_record_name */
	TASK_RECORD_EXITING = 1 << 2,    /* on its way out, or has ended */
	TASK_RECORD_KERNEL = 1 << 3,     /* a kernel thread */
	TASK_RECORD_TRACED = 1 << 4,     /* traced by any process */
	TASK_RECORD_WORKER = 1 << 5,     /* works for a process in the kernel, as for io_uring */
	TASK_RECORD_ON_EXT = 1 << 6,     /* a sched_ext scheduler runs it */
	/* The kernel would add time to its CPU time by mode that is not in it yet. */
	TASK_RECORD_TIME_RUNS = 1 << 7,
	TASK_RECORD_HAS_DELAYS = 1 << 8, /* it has a delay record */
	TASK_RECORD_HAS_STATS = 1 << 9,  /* of a process: taskstats of exited threads */
	TASK_RECORD_HAS_CPUS = 1 << 10,  /* cpus is valid */
	/* A thread of the process exited during the reading. */
	TASK_RECORD_CHANGED = 1 << 12,
	TASK_RECORD_KNOWS_IOWAIT = 1 << 13,
	TASK_RECORD_IOWAIT = 1 << 14, /* it is blocked on I/O */
};

/* The upper half of a thread's flags is the number of threads that its process had at its turn, modulo 65536. */
enum { TASK_RECORD_THREADS_SHIFT = 16 };

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
	uint32_t cpus; /* the number of its set of CPUs */
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
	uint64_t prev_user_ns, prev_system_ns;
	uint64_t voluntary_csw, nonvoluntary_csw;
	uint64_t minflt, majflt;
	uint64_t timeslices, wait_ns, wait_max_ns, wait_min_ns;
	uint64_t nr_migrations;
	struct thread_schedstats schedstats;
	struct thread_io io;
	struct thread_delay_times delays[THREAD_DELAY_COUNT];
	uint64_t hiwater_rss_pages, hiwater_vm_pages; /* vm is 0 if it has no memory */
	uint64_t cgroup_id;                           /* of the cgroup2 hierarchy */
	uint64_t
	        css_set; /* opaque: threads with the same number have the same cgroups, in all hierarchies */
	union {
		uint64_t pointer; /* the thread pointer; 0: it has none */
		uint64_t name;    /* of a kernel thread: 1 + the place among the names, or 0 */
	};
};
_Static_assert(sizeof(struct task_record) == 648, "a hundred thousand of them are 65 MB");

/* A process, read with its leader, before or after other threads of it, with the totals of the threads that have exited
 * by then. */
struct process_record {
	uint32_t flags;
	uint32_t tgid;
	uint32_t uid; /* effective, of the leader */
	uint32_t nr_threads;
	uint32_t ppid;          /* of the parent */
	uint32_t pgrp, session; /* the largest number: it has none any more */
	uint32_t unused;
	uint64_t read_boottime_ns;
	uint64_t born_boottime_ns; /* of the leader */
	uint64_t run_ns;
	uint64_t sampled_user_ns, sampled_system_ns;
	uint64_t prev_user_ns, prev_system_ns; /* of the whole process */
	uint64_t start_stack; /* the start of its program's stack; 0: it has no memory */
	uint64_t rss_pages,
	        vsize_pages; /* of its memory now; 0: it has none, or its leader has exited */
	uint64_t minflt, majflt;
	/* The work of children that it has waited for. */
	uint64_t children_user_ns, children_system_ns, children_minflt, children_majflt;
	struct thread_io io; /* of these children as well */
	/* Its taskstats; those of exiting threads may be in them already. */
	uint64_t stats_cpu_count, stats_cpu_delay_ns, stats_run_ns, stats_real_ns;
	uint64_t stats_delay_counts[THREAD_DELAY_COUNT];
	uint64_t stats_delay_ns[THREAD_DELAY_COUNT];
};

/* A set of CPUs, which applies to all threads behind it until the next one. words has the given number of bytes. */
struct task_record_cpus {
	uint32_t flags;
	uint32_t bytes; /* their number */
	uint64_t words[TASK_RECORD_CPUS_MAX / 64];
};

/* The full name of the kernel thread that comes next. */
struct task_record_name {
	uint32_t flags;
	uint32_t mark; /* '+' while it works, '-' while it does not, 0 if it is no worker */
	char full[TASK_RECORD_NAME_BYTES]; /* empty if comm is the whole name */
	char work[TASK_RECORD_WORK_BYTES]; /* its last work */
};

#ifndef __bpf__
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "taskstats/taskstats.h"

/* A name as /proc shows it, with at most one byte less. */
struct task_record_text {
	char bytes[TASK_RECORD_NAME_BYTES];
};

/* One pass over the host, in the order of the kernel: by tid, over all processes. */
struct task_record_pass {
	const struct task_record *threads;
	size_t thread_count;
	const struct process_record *
	        processes; /* by tgid, one at most of each; one is missing if its leader was not met */
	size_t process_count;
	/* Indices of threads, by process: by tgid, birth of the process, the leader first, then by tid. */
	const uint32_t *order;
	const struct cpu_mask *cpus; /* online ones only, as the kernel shows them */
	const struct task_record_text *names;
	uint64_t begin_boottime_ns, end_boottime_ns;
};

struct task_record_reader;

/* Loads the program. Returns 0, or -errno: -EOPNOTSUPP if ctprof was built without BPF, -EPERM in a pid namespace of
 * our own. */
must_check_ int task_record_open(struct task_record_reader **ret_reader);
void task_record_freep(struct task_record_reader **reader);
/* Returns the name of the way in which the program was loaded: kept, light or libbpf (src/bpf/bpf-load.h). */
const char *task_record_loader(const struct task_record_reader *reader);

/* Reads all threads of the host that it does not hide from BPF: /proc may have more processes. The arrays are the
 * reader's and are good until the next call. Returns 0, or -errno. */
must_check_ int task_record_read(struct task_record_reader *reader,
                                 struct task_record_pass *ret_pass);

/* Reads the threads of one process; a pass stays as it is. The array, in the order of the kernel, is the reader's and is good
 * until the next call. Returns their number, 0 if the process is gone; or -errno. Linux 6.1 goes through the threads of the
 * process alone, earlier kernels through those of the host. */
must_check_ ssize_t task_record_read_process(struct task_record_reader *reader, uint32_t tgid,
                                             const struct task_record **ret_threads);

/* Returns the process of a thread of the pass, or NULL if its leader was not met. A process of the same tgid that was
 * born at another time is another process. */
const struct process_record *task_record_process(const struct task_record_pass *pass,
                                                 const struct task_record *thread);

/* Returns whether two threads of a pass are of the same process. */
static inline bool task_record_same_process(const struct task_record *a,
                                            const struct task_record *b)
{
	return a->tgid == b->tgid && a->process_born_boottime_ns == b->process_born_boottime_ns;
}

/* The rules of the whole host for making samples of records. */
struct task_record_rules {
	uint32_t kept; /* of enum task_record_kept */
	/* Metrics that this kernel prints at the moment, of the sources schedstat, sched, io and status; all of the
	 * others. */
	struct metric_set printed;
	/* For each source OUTCOME_read, or the reason why it has no values, as in the capture's tally. */
	enum source_outcome outcomes[SOURCE_COUNT];
	struct taskstats_rules taskstats;
	uint64_t ticks_per_second;
	uint64_t page_bytes;
};

/* Finds the rules: the data that the kernel keeps from the program, after a pass; the metrics that it prints at the
 * moment from the files of this thread, and those of pids 1 and 2 if they are readable. @proc_fd is /proc. */
void task_record_rules_init(struct task_record_rules *rules,
                            const struct task_record_reader *reader, int proc_fd,
                            const struct taskstats_rules *taskstats);

/* Fills an empty sample from a thread of the pass: tid, tgid, comm, birth, all metrics of the sources stat, schedstat,
 * sched, io, affinity and taskstats, and their outcomes; and with @process, which is the thread's or NULL,
 * read_boottime_ns, uid and at the leader nr_threads and the memory. The caller adds the rest: the other data of the process (pcomm,
 * exe, memory, totals), the cgroup, jemalloc, and metrics without a source. */
void task_record_sample(const struct task_record_rules *rules, const struct task_record_pass *pass,
                        const struct task_record *values, const struct process_record *process,
                        struct thread_sample *sample);

/* Sums over the living threads of a process, for its totals. */
struct process_record_sum {
	uint64_t read_boottime_ns; /* of the process */
	uint32_t nr_threads;       /* the same */
	uint32_t threads;          /* that were there then, or before */
	uint64_t run_ns, sampled_user_ns, sampled_system_ns;
	uint64_t minflt, majflt;
	struct thread_io io;
	uint64_t cpu_count, cpu_delay_ns, stats_run_ns, stats_real_ns;
	uint64_t delay_counts[THREAD_DELAY_COUNT], delay_ns[THREAD_DELAY_COUNT];
	bool any_exiting, any_time_runs;
	bool any_before, any_behind; /* the leader, in the order of the pass */
	bool any_changed; /* the process had another number of threads at the turn of one */
};
/* Returns the sum over no thread of the process; NULL: its leader was not met. */
struct process_record_sum process_record_begin(const struct process_record *process);
void process_record_add(struct process_record_sum *sum, const struct task_record *values);

/* Returns whether the sum has each thread that had not exited when the process was read, and none that had: only then
 * its work is in the totals once. */
bool process_record_are_whole(const struct process_record *process,
                              const struct process_record_sum *sum);

/* Fills process_totals of @sample, has_process_totals, and the outcomes of the sources of process totals: the work of
 * exited threads and of the threads of @sum, which are those of the pass. Taskstats are OUTCOME_gone if a thread
 * was exiting, since it may be in them once or twice. */
void process_record_totals(const struct task_record_rules *rules,
                           const struct process_record *process,
                           const struct process_record_sum *sum, struct thread_sample *sample);
#endif
