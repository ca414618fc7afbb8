// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports a thread's last switch: it is dead, leaves its CPU and never comes back, so its counters have their last
 * values. All other events of an exit come earlier. */
#include "bpf/thread-end.h"
#include "kernel.h"

/* Numbers of the kernel's interface. */
enum {
	MAP_RINGBUF = 27,
	RINGBUF_NO_WAKEUP = 1,
	RING_BYTES = 8 << 20,
	REPORTED_BITS = 10,
};

#define HASH_FACTOR 0x9e3779b97f4a7c15ull

struct {
	__uint(type, MAP_RINGBUF);
	__uint(max_entries, RING_BYTES);
} ring SEC(".maps");

/* Only threads in this cgroup of version 2 and below it, unless it is 0. */
const volatile __u64 wanted_cgroup = 0;

__u64 lost = 0;
/* Threads in that cgroup that began to exit, and those whose end is in the ring or lost. */
__u64 begun = 0, ended = 0;
/* Cgroups whose names are in the ring, or were; by the hash of their numbers. */
__u64 reported[1 << REPORTED_BITS] = {};
char LICENSE[] SEC("license") = "GPL";

static __always_inline void read_cpu_time(const struct task_struct *task, struct thread_end *end)
{
	end->run_ns = task->se.sum_exec_runtime;
	end->nr_migrations = task->se.nr_migrations;
	end->sampled_user_ns = task->utime;
	end->sampled_system_ns = task->stime;
	if (bpf_core_field_exists(task->prev_cputime.utime)) {
		end->prev_user_ns = task->prev_cputime.utime;
		end->prev_system_ns = task->prev_cputime.stime;
	}
}

static __always_inline void read_waits(const struct task_struct *task, struct thread_end *end)
{
	if (bpf_core_field_exists(task->sched_info.pcount)) {
		end->timeslices = task->sched_info.pcount;
		end->wait_ns = task->sched_info.run_delay;
		end->kept |= THREAD_END_SCHED_INFO;
	}
	if (!bpf_core_field_exists(task->delays))
		return;
	if (bpf_core_field_exists(task->sched_info.pcount))
		end->kept |= THREAD_END_CPU_DELAY;
	if (bpf_core_field_exists(task->sched_info.max_run_delay)) {
		end->wait_max_ns = task->sched_info.max_run_delay;
		end->kept |= THREAD_END_CPU_DELAY_MAX;
	}
	if (bpf_core_field_exists(task->sched_info.min_run_delay)) {
		end->wait_min_ns = task->sched_info.min_run_delay;
		end->kept |= THREAD_END_CPU_DELAY_MIN;
	}
}

static __always_inline void read_io(const struct task_struct *task, struct thread_end *end)
{
	if (bpf_core_field_exists(task->ioac.rchar)) {
		end->rchar = task->ioac.rchar;
		end->wchar = task->ioac.wchar;
		end->syscr = task->ioac.syscr;
		end->syscw = task->ioac.syscw;
		end->kept |= THREAD_END_CHARS;
	}
	if (bpf_core_field_exists(task->ioac.read_bytes)) {
		end->read_bytes = task->ioac.read_bytes;
		end->write_bytes = task->ioac.write_bytes;
		end->cancelled_write_bytes = task->ioac.cancelled_write_bytes;
		end->kept |= THREAD_END_BYTES;
	}
}

/* The leader of a thread that has been released may be gone itself, and its memory used for something else. Its birth
 * is read before that is checked. */
static __always_inline void read_leader(const struct task_struct *task, struct thread_end *end)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	__u64 born = BPF_CORE_READ(leader, start_boottime);

	if ((__u32)BPF_CORE_READ(leader, pid) != end->tgid ||
	    (__u32)BPF_CORE_READ(leader, tgid) != end->tgid)
		return;
	bpf_core_read(end->pcomm, sizeof(end->pcomm), &leader->comm);
	end->process_born_boottime_ns = born;
}

static __always_inline void read_names(struct task_struct *task, struct thread_end *end)
{
	bpf_probe_read_kernel(end->comm, sizeof(end->comm), task->comm);
	read_leader(task, end);
	end->uid = BPF_CORE_READ(task, cred, euid.val);
	if (bpf_core_field_exists(task->cgroups)) {
		end->cgroup_id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
		end->kept |= THREAD_END_CGROUP;
	}
}

static __always_inline const struct kernfs_node *parent_of(const struct kernfs_node *node)
{
	const struct kernfs_node___rcu *newer = (const void *)node;
	const struct kernfs_node *parent = NULL;

	if (bpf_core_field_exists(newer->__parent))
		bpf_core_read(&parent, sizeof(parent), &newer->__parent);
	else
		bpf_core_read(&parent, sizeof(parent), &node->parent);
	return parent;
}

/* Returns whether the cgroup has no more levels, and no longer names, than the record has room for. */
static __always_inline int read_levels(const struct kernfs_node *node,
                                       struct thread_end_cgroup *cgroup)
{
	cgroup->count = 0;
	for (int i = 0; i < THREAD_END_LEVELS; i++) {
		const char *name = NULL;

		if (!node)
			return 1;
		bpf_core_read(&cgroup->levels[i].id, sizeof(cgroup->levels[i].id), &node->id);
		bpf_core_read(&name, sizeof(name), &node->name);
		if (bpf_probe_read_kernel_str(cgroup->levels[i].name, THREAD_END_NAME_BYTES,
		                              name) >= THREAD_END_NAME_BYTES)
			return 0;
		cgroup->count++;
		node = parent_of(node);
	}
	return !node;
}

/* Once for each cgroup, but for those that share a place in the table. */
static __always_inline void report_cgroup(const struct task_struct *task, __u64 id)
{
	__u32 place = (id * HASH_FACTOR) >> (64 - REPORTED_BITS);
	struct thread_end_cgroup *cgroup;

	if (wanted_cgroup != 0 || reported[place] == id)
		return;
	cgroup = bpf_ringbuf_reserve(&ring, sizeof(*cgroup), 0);
	if (!cgroup)
		return;
	reported[place] = id;
	if (read_levels(BPF_CORE_READ(task, cgroups, dfl_cgrp, kn), cgroup))
		bpf_ringbuf_submit(cgroup, RINGBUF_NO_WAKEUP);
	else
		bpf_ringbuf_discard(cgroup, RINGBUF_NO_WAKEUP);
}

/* Returns whether the thread that runs is in the wanted cgroup. A level that the thread's cgroup does not have is 0. */
static __always_inline int is_wanted(const struct task_struct *task)
{
	enum { LEVELS_MAX = 64 };

	if (!bpf_core_field_exists(task->cgroups))
		return 0;
	for (int level = 0; level < LEVELS_MAX; level++) {
		__u64 id = bpf_get_current_ancestor_cgroup_id(level);

		if (id == wanted_cgroup)
			return 1;
		if (id == 0)
			return 0;
	}
	return 0;
}

/* Comes before anybody can wait for the thread. Its argument is the thread, which runs. */
SEC("tp_btf/sched_process_exit")
int thread_exit(__u64 *arguments)
{
	const struct task_struct *task = (const struct task_struct *)arguments[0];

	if (wanted_cgroup != 0 && is_wanted(task))
		__sync_fetch_and_add(&begun, 1);
	return 0;
}

/* The arguments of the tracepoint: whether the thread was preempted, the thread that leaves, the one that comes. */
SEC("tp_btf/sched_switch")
int thread_end(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[1];
	struct thread_end *end;

	if (!(state_of(task) & STATE_LEAVING))
		return 0;
	/* It is still the current thread. */
	if (wanted_cgroup != 0 && !is_wanted(task))
		return 0;
	if (bpf_core_field_exists(task->cgroups))
		report_cgroup(task, BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id));
	end = bpf_ringbuf_reserve(&ring, sizeof(*end), 0);
	if (!end) {
		__sync_fetch_and_add(&lost, 1);
		__sync_fetch_and_add(&ended, 1);
		return 0;
	}
	__builtin_memset(end, 0, sizeof(*end));
	end->tid = (__u32)task->pid;
	end->tgid = (__u32)task->tgid;
	end->policy = task->policy;
	end->nice = task->static_prio - NICE_ZERO;
	end->born_boottime_ns = task->start_boottime;
	end->ended_boottime_ns = bpf_ktime_get_boot_ns();
	end->voluntary_csw = task->nvcsw;
	end->nonvoluntary_csw = task->nivcsw;
	end->minflt = task->min_flt;
	end->majflt = task->maj_flt;
	read_cpu_time(task, end);
	read_waits(task, end);
	read_io(task, end);
	read_names(task, end);
	/* The reader polls often enough: a wakeup for each end would cost more than all the rest. */
	bpf_ringbuf_submit(end, RINGBUF_NO_WAKEUP);
	__sync_fetch_and_add(&ended, 1);
	return 0;
}
