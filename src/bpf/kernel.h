/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* kernel - the fields of the kernel's structures that the BPF programs read; the loader finds their places. The part of
 * a name behind ___ is not in the kernel's name: it distinguishes shapes of one structure. */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed int __s32;
typedef signed long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#include <bpf/bpf_helpers.h>
/* This order is required. */
#include <bpf/bpf_core_read.h>

/* Numbers of the kernel's interface, and internal ones that have never changed. */
enum {
	STATE_INTERRUPTIBLE = 0x1,
	STATE_UNINTERRUPTIBLE = 0x2,
	STATE_STOPPED = 0x4,
	STATE_TRACED = 0x8,
	STATE_DEAD = 0x10, /* this and the next are exit states */
	STATE_ZOMBIE = 0x20,
	STATE_PARKED = 0x40,
	STATE_LEAVING = 0x80, /* dead, and leaves its CPU for the last time */
	STATES_SHOWN = 0x7f,
	STATE_NO_LOAD = 0x400,
	STATE_IDLE = STATE_UNINTERRUPTIBLE | STATE_NO_LOAD,
	STATE_LOCK_WAIT = 0x1000, /* since Linux 5.16 */
	STATE_FROZEN = 0x8000,    /* since Linux 6.1 */
	FLAG_EXITING = 0x4,
	FLAG_IO_WORKER = 0x10,
	FLAG_QUEUE_WORKER = 0x20,
	FLAG_USER_WORKER = 0x4000, /* since Linux 6.4 */
	FLAG_KERNEL_THREAD = 0x200000,
	PRIORITY_ZERO = 100,
	NICE_ZERO = 120,
	PAGES_OF_FILES = 0,
	PAGES_ANONYMOUS = 1,
	PAGES_SHARED = 3,
	PAGES_KINDS = 4,
	PIDS_GROUP = 2, /* PIDTYPE_PGID and PIDTYPE_SID, since Linux 4.19 */
	PIDS_SESSION = 3,
	PIDS_KINDS = 4,
	CPUS_HEADER_BYTES = 8,
	COMM_BYTES = 16,
	WORK_BYTES = 32,
};
#define SLICE_MAX 0xffffffffu

#define KERNELS __attribute__((preserve_access_index))

struct kernfs_node {
	__u64 id;
	struct kernfs_node *parent;
	const char *name;
} KERNELS;

/* Since Linux 6.15. */
struct kernfs_node___rcu {
	struct kernfs_node *__parent;
} KERNELS;

struct cgroup {
	struct kernfs_node *kn;
} KERNELS;

struct css_set {
	struct cgroup *dfl_cgrp;
} KERNELS;

typedef struct {
	__u32 val;
} KERNELS kuid_t;

struct cred {
	kuid_t euid;
} KERNELS;

struct cpumask {
	unsigned long bits[1];
} KERNELS;

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	/* Since Linux 6.14. */
	unsigned long long max_run_delay;
	unsigned long long min_run_delay;
} KERNELS;

struct task_io_accounting {
	__u64 rchar, wchar, syscr, syscw;
	__u64 read_bytes, write_bytes, cancelled_write_bytes;
} KERNELS;

struct prev_cputime {
	__u64 utime, stime;
} KERNELS;

enum vtime_state { VTIME_INACTIVE, VTIME_IDLE, VTIME_SYS };

struct vtime {
	enum vtime_state state;
} KERNELS;

/* Empty without CONFIG_SCHEDSTATS. */
struct sched_statistics {
	__u64 wait_max, wait_count, wait_sum;
	__u64 iowait_count, iowait_sum;
	__u64 sleep_max;
	__s64 sum_sleep_runtime;
	__u64 block_max;
	__s64 sum_block_runtime; /* since Linux 5.16 */
	__u64 exec_max, slice_max;
	__u64 nr_failed_migrations_affine, nr_failed_migrations_running;
	__u64 nr_failed_migrations_hot, nr_forced_migrations;
	__u64 nr_wakeups, nr_wakeups_sync, nr_wakeups_migrate, nr_wakeups_local;
	__u64 nr_wakeups_remote, nr_wakeups_affine, nr_wakeups_affine_attempts;
	__u64 core_forceidle_sum; /* CONFIG_SCHED_CORE, since Linux 5.17 */
} KERNELS;

struct sched_entity {
	__u64 sum_exec_runtime;
	__u64 nr_migrations;
	__u64 slice; /* since Linux 6.6 */
} KERNELS;

#define DELAY(name_)             \
	__u64 name_##_delay;     \
	__u64 name_##_delay_max; \
	__u64 name_##_delay_min; \
	__u32 name_##_count;
struct task_delay_info {
	DELAY(blkio)
	DELAY(swapin)
	DELAY(freepages)
	DELAY(thrashing)
	DELAY(compact) /* since Linux 5.17 */
	DELAY(wpcopy)  /* since Linux 5.19 */
	DELAY(irq)     /* since Linux 6.3 */
} KERNELS;
#undef DELAY

#define DELAY(name_)         \
	__u64 name_##_count; \
	__u64 name_##_delay_total;
struct taskstats {
	__u64 cpu_count, cpu_delay_total, cpu_run_real_total, cpu_run_virtual_total;
	DELAY(blkio)
	DELAY(swapin)
	DELAY(freepages)
	DELAY(thrashing)
	DELAY(compact)
	DELAY(wpcopy)
	DELAY(irq)
} KERNELS;
#undef DELAY

struct upid {
	int nr;
} KERNELS;

/* The numbers of a process in its pid namespaces, the initial one first. */
struct pid {
	struct upid numbers[1];
} KERNELS;

struct signal_struct {
	int nr_threads;
	struct pid *pids[PIDS_KINDS];
	__u64 utime, stime, cutime, cstime;
	struct prev_cputime prev_cputime;
	unsigned long min_flt, maj_flt, cmin_flt, cmaj_flt;
	struct task_io_accounting ioac;
	unsigned long long sum_sched_runtime;
	struct taskstats *stats;
} KERNELS;

struct percpu_counter {
	__s64 count;
} KERNELS;

struct mm_struct {
	unsigned long hiwater_rss, hiwater_vm, total_vm, start_stack;
	struct percpu_counter rss_stat[PAGES_KINDS];
} KERNELS;

/* Before Linux 6.2. */
typedef struct {
	__s64 counter;
} KERNELS atomic64_t;

struct mm_rss_stat {
	atomic64_t count[PAGES_KINDS];
} KERNELS;

struct mm_struct___atomic {
	struct mm_rss_stat rss_stat;
} KERNELS;

struct kthread {
	void *data;
	char *full_name; /* since Linux 5.17 */
} KERNELS;

struct worker_pool;
struct work_struct;

struct worker {
	struct work_struct *current_work;
	struct worker_pool *pool;
	char desc[WORK_BYTES];
} KERNELS;

/* One field or the other, by architecture. */
struct thread_struct {
	unsigned long fsbase;
	struct {
		unsigned long tp_value;
	} uw;
} KERNELS;

struct thread_info {
	__u32 cpu; /* since Linux 5.16 */
} KERNELS;

struct sched_class;

struct sched_ext_entity {
	__u32 flags;
} KERNELS;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	unsigned int ptrace;
	int prio, static_prio;
	unsigned int rt_priority;
	unsigned int policy;
	const struct sched_class *sched_class;
	struct sched_entity se;
	struct sched_ext_entity scx;
	struct sched_statistics stats; /* since Linux 5.16 */
	struct cpumask cpus_mask;
	struct sched_info sched_info;
	struct mm_struct *mm;
	int exit_state;
	unsigned in_iowait : 1;
	int pid, tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	__u64 utime, stime;
	struct prev_cputime prev_cputime;
	struct vtime vtime;
	unsigned long nvcsw, nivcsw;
	__u64 start_boottime;
	unsigned long min_flt, maj_flt;
	const struct cred *real_cred, *cred;
	char comm[COMM_BYTES];
	struct signal_struct *signal;
	struct task_io_accounting ioac;
	__u64 acct_rss_mem1;
	struct css_set *cgroups;
	struct task_delay_info *delays;
	int *set_child_tid;
	void *worker_private; /* since Linux 5.17 */
	struct thread_struct thread;
} KERNELS;

/* Before Linux 5.14. */
struct task_struct___state {
	long state;
} KERNELS;

/* Before Linux 5.16. */
struct task_struct___cpu {
	unsigned int cpu;
} KERNELS;

struct sched_entity___statistics {
	struct sched_statistics statistics;
} KERNELS;

struct task_struct___statistics {
	struct sched_entity___statistics se;
} KERNELS;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL at the end */
};

static __always_inline __u64 state_of(const struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return (__u64)((const struct task_struct___state *)task)->state;
}
