// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes one record for each thread of the host, with the counters in the kernel's memory. The loader resolves fields
 * that have moved or may be missing; kept has a bit for the data that the kernel keeps. */
#include "bpf/task-record.h"
#include "kernel.h"
#include "task-record-program.h"

const volatile struct task_record_constants constants = {};
struct task_record_control control = {};
/* The set of CPUs that was written last, if there is one. */
__u64 last_words[TASK_RECORD_CPUS_MAX / 64] = {};

/* Set if the thread has other CPUs than those. In memory, where the verifier does not follow its value: it would check the rest of the
 * program once for each. */
__u32 other_cpus = 0;

/* Too large for the stack. */
struct task_record thread = {};
struct process_record process = {};
struct task_record_cpus cpus = {};
struct task_record_name name = {};
char LICENSE[] SEC("license") = "GPL";

/* Forces the compiler to read memory again, to compare it with an earlier reading. */
#define FORGET() asm volatile("" ::: "memory")

#define KEEPS(field_, bit_) (bpf_core_field_exists(field_) ? (bit_) : 0)

static __always_inline void find_kept(const struct task_struct *task)
{
	const struct task_struct___statistics *before = (const void *)task;
	const struct signal_struct *signal = NULL;
	const struct task_delay_info *delays = NULL;
	const struct mm_struct *mm = NULL;
	__u32 bits = KEEPS(task->sched_info.pcount, TASK_RECORD_SCHED_INFO);

	bits |= KEEPS(task->stats.wait_sum, TASK_RECORD_SCHEDSTATS);
	bits |= KEEPS(before->se.statistics.wait_sum, TASK_RECORD_SCHEDSTATS);
	bits |= KEEPS(task->stats.sum_block_runtime, TASK_RECORD_BLOCK_SUM);
	bits |= KEEPS(before->se.statistics.sum_block_runtime, TASK_RECORD_BLOCK_SUM);
	bits |= KEEPS(task->stats.core_forceidle_sum, TASK_RECORD_FORCEIDLE);
	bits |= KEEPS(task->se.slice, TASK_RECORD_SLICE);
	bits |= KEEPS(task->scx, TASK_RECORD_EXT);
	bits |= KEEPS(task->ioac.rchar, TASK_RECORD_CHARS);
	bits |= KEEPS(task->ioac.read_bytes, TASK_RECORD_BYTES);
	bits |= KEEPS(task->delays, TASK_RECORD_DELAYS);
	bits |= KEEPS(delays->compact_delay, TASK_RECORD_COMPACT);
	bits |= KEEPS(delays->wpcopy_delay, TASK_RECORD_WPCOPY);
	bits |= KEEPS(delays->irq_delay, TASK_RECORD_IRQ);
	bits |= KEEPS(task->sched_info.max_run_delay, TASK_RECORD_DELAY_MAX);
	bits |= KEEPS(task->sched_info.min_run_delay, TASK_RECORD_DELAY_MIN);
	bits |= KEEPS(task->acct_rss_mem1, KEEPS(mm->hiwater_vm, TASK_RECORD_HIWATER));
	bits |= KEEPS(task->cgroups, TASK_RECORD_CGROUP);
	bits |= KEEPS(task->prev_cputime.utime, TASK_RECORD_PREV_CPUTIME);
	bits |= KEEPS(task->thread.fsbase, TASK_RECORD_POINTER);
	bits |= KEEPS(task->thread.uw.tp_value, TASK_RECORD_POINTER);
	bits |= KEEPS(signal->stats, TASK_RECORD_EXITED_STATS);
	control.kept = bits;
}

/* Returns the letter in /proc by the kernel's own rules. */
static __always_inline char letter_of(const struct task_struct *task)
{
	__u64 state = state_of(task), shown = (state | (__u64)task->exit_state) & STATES_SHOWN;

	if ((state & (STATE_FROZEN | STATE_LOCK_WAIT)))
		return 'D';
	if ((state & STATE_IDLE) == STATE_IDLE)
		return 'I';
	if (shown & STATE_PARKED)
		return 'P';
	if (shown & STATE_ZOMBIE)
		return 'Z';
	if (shown & STATE_DEAD)
		return 'X';
	if (shown & STATE_TRACED)
		return 't';
	if (shown & STATE_STOPPED)
		return 'T';
	if (shown & STATE_UNINTERRUPTIBLE)
		return 'D';
	return shown & STATE_INTERRUPTIBLE ? 'S' : 'R';
}

static __always_inline __u32 flags_of(const struct task_struct *task)
{
	__u32 flags = task->flags, found = 0;

	if ((flags & FLAG_EXITING) || task->exit_state)
		found |= TASK_RECORD_EXITING;
	if (flags & FLAG_KERNEL_THREAD)
		found |= TASK_RECORD_KERNEL;
	if (flags & (FLAG_USER_WORKER | FLAG_IO_WORKER))
		found |= TASK_RECORD_WORKER;
	if (task->ptrace)
		found |= TASK_RECORD_TRACED;
	if (bpf_core_field_exists(task->scx) && control.ext_class &&
	    (__u64)(unsigned long)task->sched_class == control.ext_class)
		found |= TASK_RECORD_ON_EXT;
	if (bpf_core_field_exists(task->in_iowait)) {
		found |= TASK_RECORD_KNOWS_IOWAIT;
		/* A thread that was woken has the mark until it runs. */
		if (BPF_CORE_READ_BITFIELD(task, in_iowait) && state_of(task) != 0)
			found |= TASK_RECORD_IOWAIT;
	}
	if (bpf_core_field_exists(task->vtime.state) && task->vtime.state > VTIME_IDLE)
		found |= TASK_RECORD_TIME_RUNS;
	return found;
}

static __always_inline __u32 cpu_of(const struct task_struct *task)
{
	const struct task_struct___cpu *before = (const void *)task;

	if (bpf_core_field_exists(task->thread_info.cpu))
		return task->thread_info.cpu;
	if (bpf_core_field_exists(before->cpu))
		return before->cpu;
	return 0;
}

static __always_inline void read_scheduling(const struct task_struct *task)
{
	thread.processor = (__u16)cpu_of(task);
	thread.priority = (short)(task->prio - PRIORITY_ZERO);
	thread.nice = (signed char)(task->static_prio - NICE_ZERO);
	thread.rt_priority = (__u8)task->rt_priority;
	thread.policy = (__u8)task->policy;
	thread.state = letter_of(task);
	thread.nr_migrations = task->se.nr_migrations;
	if (bpf_core_field_exists(task->se.slice)) {
		__u64 slice = task->se.slice;

		thread.slice_ns = slice < SLICE_MAX ? (__u32)slice : SLICE_MAX;
	}
	if (bpf_core_field_exists(task->sched_info.pcount)) {
		thread.timeslices = task->sched_info.pcount;
		thread.wait_ns = task->sched_info.run_delay;
	}
	if (bpf_core_field_exists(task->sched_info.max_run_delay))
		thread.wait_max_ns = task->sched_info.max_run_delay;
	if (bpf_core_field_exists(task->sched_info.min_run_delay))
		thread.wait_min_ns = task->sched_info.min_run_delay;
}

/* Returns the birth of the process. The leader of a thread that has been released may be gone itself; its memory is
 * then used for something else. The birth is read before the check, so that the checked one is no older. */
static __always_inline __u64 birth_of_process(const struct task_struct *task)
{
	const struct task_struct *leader = task->group_leader;
	__u64 born = leader->start_boottime;

	FORGET();
	/* One condition: the verifier would check what comes behind once for each of two. */
	return (leader->pid ^ task->tgid) | (leader->tgid ^ task->tgid) ? 0 : born;
}

static __always_inline void read_time(const struct task_struct *task)
{
	thread.born_boottime_ns = task->start_boottime;
	thread.process_born_boottime_ns = birth_of_process(task);
	thread.run_ns = task->se.sum_exec_runtime;
	thread.sampled_user_ns = task->utime;
	thread.sampled_system_ns = task->stime;
	if (bpf_core_field_exists(task->prev_cputime.utime)) {
		thread.prev_user_ns = task->prev_cputime.utime;
		thread.prev_system_ns = task->prev_cputime.stime;
	}
	thread.voluntary_csw = task->nvcsw;
	thread.nonvoluntary_csw = task->nivcsw;
	thread.minflt = task->min_flt;
	thread.majflt = task->maj_flt;
}

/* Reads statistics by the thread, not by a pointer to them: for each structure that a path begins with, the kernel searches all of its
 * types, and it forgets one for another of the same hash. */
#define COPY_SCHEDSTATS(from_)                                                           \
	do {                                                                             \
		struct thread_schedstats *to = &thread.schedstats;                       \
                                                                                         \
		to->wait_max = (from_).wait_max;                                         \
		to->wait_count = (from_).wait_count;                                     \
		to->wait_sum = (from_).wait_sum;                                         \
		to->iowait_count = (from_).iowait_count;                                 \
		to->iowait_sum = (from_).iowait_sum;                                     \
		to->sleep_max = (from_).sleep_max;                                       \
		to->sum_sleep_runtime = (__u64)(from_).sum_sleep_runtime;                \
		to->block_max = (from_).block_max;                                       \
		if (bpf_core_field_exists((from_).sum_block_runtime))                    \
			to->sum_block_runtime = (__u64)(from_).sum_block_runtime;        \
		to->exec_max = (from_).exec_max;                                         \
		to->slice_max = (from_).slice_max;                                       \
		to->nr_failed_migrations_affine = (from_).nr_failed_migrations_affine;   \
		to->nr_failed_migrations_running = (from_).nr_failed_migrations_running; \
		to->nr_failed_migrations_hot = (from_).nr_failed_migrations_hot;         \
		to->nr_forced_migrations = (from_).nr_forced_migrations;                 \
		to->nr_wakeups = (from_).nr_wakeups;                                     \
		to->nr_wakeups_sync = (from_).nr_wakeups_sync;                           \
		to->nr_wakeups_migrate = (from_).nr_wakeups_migrate;                     \
		to->nr_wakeups_local = (from_).nr_wakeups_local;                         \
		to->nr_wakeups_remote = (from_).nr_wakeups_remote;                       \
		to->nr_wakeups_affine = (from_).nr_wakeups_affine;                       \
		to->nr_wakeups_affine_attempts = (from_).nr_wakeups_affine_attempts;     \
		if (bpf_core_field_exists((from_).core_forceidle_sum))                   \
			to->core_forceidle_sum = (from_).core_forceidle_sum;             \
	} while (0)

static __always_inline void read_schedstats(const struct task_struct *task)
{
	const struct task_struct___statistics *before = (const void *)task;

	if (bpf_core_field_exists(task->stats.wait_sum))
		COPY_SCHEDSTATS(task->stats);
	else if (bpf_core_field_exists(before->se.statistics.wait_sum))
		COPY_SCHEDSTATS(before->se.statistics);
}

static __always_inline void copy_io(const struct task_io_accounting *from, struct thread_io *to)
{
	if (bpf_core_field_exists(from->rchar)) {
		to->rchar = from->rchar;
		to->wchar = from->wchar;
		to->syscr = from->syscr;
		to->syscw = from->syscw;
	}
	if (bpf_core_field_exists(from->read_bytes)) {
		to->read_bytes = from->read_bytes;
		to->write_bytes = from->write_bytes;
		to->cancelled_write_bytes = from->cancelled_write_bytes;
	}
}

/* Kernels have all maxima or none; minima came later. */
#define COPY_DELAY(name_)                                                                       \
	do {                                                                                    \
		if (!bpf_core_field_exists(delays->name_##_delay))                              \
			break;                                                                  \
		thread.delay_counts[THREAD_DELAY_##name_] = delays->name_##_count;              \
		thread.delays[THREAD_DELAY_##name_].total_ns = delays->name_##_delay;           \
		if (bpf_core_field_exists(delays->name_##_delay_max))                           \
			thread.delays[THREAD_DELAY_##name_].max_ns = delays->name_##_delay_max; \
		if (bpf_core_field_exists(delays->name_##_delay_min))                           \
			thread.delays[THREAD_DELAY_##name_].min_ns = delays->name_##_delay_min; \
	} while (0)

static __always_inline void read_delays(const struct task_struct *task)
{
	const struct task_delay_info *delays;

	if (!bpf_core_field_exists(task->delays))
		return;
	delays = task->delays;
	if (!delays) {
		__builtin_memset(thread.delay_counts, 0, sizeof(thread.delay_counts));
		__builtin_memset(thread.delays, 0, sizeof(thread.delays));
		return;
	}
	thread.flags |= TASK_RECORD_HAS_DELAYS;
	COPY_DELAY(blkio);
	COPY_DELAY(swapin);
	COPY_DELAY(freepages);
	COPY_DELAY(thrashing);
	COPY_DELAY(compact);
	COPY_DELAY(wpcopy);
	COPY_DELAY(irq);
}

static __always_inline __u64 at_least_zero(__s64 value)
{
	return value > 0 ? (__u64)value : 0;
}

/* Returns the sum that the kernel computes for taskstats and prints in stat, which does not include the counters of single CPUs either. */
static __always_inline __u64 resident_pages(const struct mm_struct *mm)
{
	const struct mm_struct___atomic *before = (const void *)mm;
	__s64 counts[PAGES_KINDS] = {};

	if (bpf_core_field_exists(mm->rss_stat[0].count))
		return at_least_zero(mm->rss_stat[PAGES_OF_FILES].count) +
		       at_least_zero(mm->rss_stat[PAGES_ANONYMOUS].count) +
		       at_least_zero(mm->rss_stat[PAGES_SHARED].count);
	/* The verifier of these kernels does not support arrays of such a type. */
	if (bpf_core_field_exists(before->rss_stat.count))
		bpf_core_read(counts, sizeof(counts), &before->rss_stat.count);
	return at_least_zero(counts[PAGES_OF_FILES]) + at_least_zero(counts[PAGES_ANONYMOUS]) +
	       at_least_zero(counts[PAGES_SHARED]);
}

/* Memory can be gone at any moment, but not before the thread has released it. */
static __always_inline void read_sizes(const struct task_struct *task)
{
	const struct mm_struct *mm = task->mm;
	__u64 resident, mapped;

	if (!mm || (task->flags & FLAG_KERNEL_THREAD))
		return;
	resident = resident_pages(mm);
	mapped = mm->total_vm;
	FORGET();
	if (task->mm != mm)
		return;
	process.rss_pages = resident;
	process.vsize_pages = mapped;
}

/* The peaks of the memory. */
static __always_inline void read_memory(const struct task_struct *task)
{
	const struct mm_struct *mm = task->mm;
	__u64 resident, mapped, pages;

	thread.hiwater_rss_pages = 0;
	thread.hiwater_vm_pages = 0;
	if (!mm || (task->flags & FLAG_KERNEL_THREAD))
		return;
	resident = mm->hiwater_rss;
	pages = resident_pages(mm);
	resident = pages > resident ? pages : resident;
	mapped = mm->hiwater_vm;
	pages = mm->total_vm;
	mapped = pages > mapped ? pages : mapped;
	FORGET();
	if (task->mm != mm)
		return;
	thread.hiwater_rss_pages = resident;
	thread.hiwater_vm_pages = mapped;
}

static __always_inline void read_places(const struct task_struct *task)
{
	if (bpf_core_field_exists(task->cgroups)) {
		thread.css_set = (__u64)(unsigned long)task->cgroups;
		thread.cgroup_id = task->cgroups->dfl_cgrp->kn->id;
	}
	if (bpf_core_field_exists(task->thread.fsbase))
		thread.pointer = task->thread.fsbase;
	else if (bpf_core_field_exists(task->thread.uw.tp_value))
		thread.pointer = task->thread.uw.tp_value;
	/* A thread that works for a process in the kernel, as for io_uring, has a copy of its creator's pointer. */
	if (thread.flags & (TASK_RECORD_KERNEL | TASK_RECORD_WORKER))
		thread.pointer = 0;
	bpf_core_read(thread.comm, sizeof(thread.comm), &task->comm);
}

/* Returns the length of a set of CPUs in bytes. */
static __always_inline __u32 bytes_of_cpus(const struct task_struct *task)
{
	__u32 bytes = bpf_core_field_size(task->cpus_mask);

	if (bytes > constants.cpu_bytes)
		bytes = constants.cpu_bytes;
	return bytes < sizeof(cpus.words) ? bytes : sizeof(cpus.words);
}

/* Returns whether the thread has other CPUs than the one before it; they are in cpus then. */
static __always_inline int has_other_cpus(const struct task_struct *task, __u32 bytes)
{
	bpf_core_read(cpus.words, bytes, &task->cpus_mask);
	if (!control.has_last_cpus)
		return 1;
	for (__u32 i = 0; i < sizeof(cpus.words) / sizeof(cpus.words[0]); i++) {
		if (i >= bytes / sizeof(cpus.words[0]))
			break;
		if (cpus.words[i] != last_words[i])
			return 1;
	}
	return 0;
}

static __always_inline const struct kthread *kthread_of(const struct task_struct *task)
{
	if (bpf_core_field_exists(task->worker_private))
		return task->worker_private;
	return (const void *)task->set_child_tid;
}

/* Reads names of the kernel's own threads that are longer than a comm, and the last work of workers. The name can
 * change or go away during the reading, though that is rare; so it is copied as bytes of any content. */
static __always_inline int has_name(const struct task_struct *task)
{
	const struct kthread *kthread;
	const struct worker *worker;
	const struct worker_pool *pool = NULL;
	const struct work_struct *work = NULL;
	const char *full = NULL;

	if (!(task->flags & FLAG_KERNEL_THREAD))
		return 0;
	kthread = kthread_of(task);
	if (!kthread)
		return 0;
	name.flags = TASK_RECORD_IS_NAME;
	name.mark = 0;
	name.full[0] = '\0';
	name.work[0] = '\0';
	if (bpf_core_field_exists(kthread->full_name))
		bpf_core_read(&full, sizeof(full), &kthread->full_name);
	if ((task->flags & FLAG_QUEUE_WORKER) && !constants.workers_have_full_names)
		full = NULL;
	if (full)
		bpf_probe_read_kernel_str(name.full, sizeof(name.full), full);
	if (!(task->flags & FLAG_QUEUE_WORKER))
		return full != NULL;
	worker = BPF_CORE_READ(kthread, data);
	bpf_core_read(&pool, sizeof(pool), &worker->pool);
	if (!pool)
		return full != NULL;
	bpf_core_read(&work, sizeof(work), &worker->current_work);
	bpf_core_read_str(name.work, sizeof(name.work), &worker->desc);
	if (name.work[0])
		name.mark = work ? '+' : '-';
	return full != NULL || name.mark;
}

static __always_inline void read_exited_stats(const struct taskstats *stats)
{
	process.flags |= TASK_RECORD_HAS_STATS;
	process.stats_cpu_count = stats->cpu_count;
	process.stats_cpu_delay_ns = stats->cpu_delay_total;
	process.stats_run_ns = stats->cpu_run_virtual_total;
	process.stats_real_ns = stats->cpu_run_real_total;
#define COPY_STATS(name_)                                                                  \
	if (bpf_core_field_exists(stats->name_##_count)) {                                 \
		process.stats_delay_counts[THREAD_DELAY_##name_] = stats->name_##_count;   \
		process.stats_delay_ns[THREAD_DELAY_##name_] = stats->name_##_delay_total; \
	}
	COPY_STATS(blkio)
	COPY_STATS(swapin)
	COPY_STATS(freepages)
	COPY_STATS(thrashing)
	COPY_STATS(compact)
	COPY_STATS(wpcopy)
	COPY_STATS(irq)
#undef COPY_STATS
}

/* Returns the number of a process group or session in the initial pid namespace; -1 if the process has been released. */
static __always_inline __u32 number_of(const struct signal_struct *signal, int kind)
{
	const struct pid *pid = signal->pids[kind];

	return pid ? (__u32)pid->numbers[0].nr : (__u32)-1;
}

static __always_inline void read_process(const struct task_struct *task)
{
	const struct signal_struct *signal = task->signal;
	const struct mm_struct *mm = task->mm;
	const struct taskstats *stats;

	__builtin_memset(&process, 0, sizeof(process));
	process.flags = TASK_RECORD_IS_PROCESS;
	process.tgid = (__u32)task->tgid;
	process.uid = task->real_cred->euid.val;
	process.read_boottime_ns = bpf_ktime_get_boot_ns();
	process.born_boottime_ns = task->start_boottime;
	process.nr_threads = (__u32)signal->nr_threads;
	process.ppid = (__u32)task->real_parent->tgid;
	process.pgrp = number_of(signal, PIDS_GROUP);
	process.session = number_of(signal, PIDS_SESSION);
	process.start_stack = mm ? mm->start_stack : 0;
	read_sizes(task);
	process.run_ns = signal->sum_sched_runtime;
	process.sampled_user_ns = signal->utime;
	process.sampled_system_ns = signal->stime;
	if (bpf_core_field_exists(signal->prev_cputime.utime)) {
		process.prev_user_ns = signal->prev_cputime.utime;
		process.prev_system_ns = signal->prev_cputime.stime;
	}
	process.minflt = signal->min_flt;
	process.majflt = signal->maj_flt;
	process.children_user_ns = signal->cutime;
	process.children_system_ns = signal->cstime;
	process.children_minflt = signal->cmin_flt;
	process.children_majflt = signal->cmaj_flt;
	if (bpf_core_field_exists(signal->ioac))
		copy_io(&signal->ioac, &process.io);
	if (!bpf_core_field_exists(signal->stats))
		return;
	stats = signal->stats;
	if (stats)
		read_exited_stats(stats);
}

static __always_inline void read_thread(const struct task_struct *task)
{
	thread.flags = flags_of(task) | TASK_RECORD_HAS_CPUS |
	               (__u32)task->signal->nr_threads << TASK_RECORD_THREADS_SHIFT;
	thread.tid = (__u32)task->pid;
	thread.tgid = (__u32)task->tgid;
	read_scheduling(task);
	read_time(task);
	read_schedstats(task);
	if (bpf_core_field_exists(task->ioac))
		copy_io(&task->ioac, &thread.io);
	read_delays(task);
	read_memory(task);
	read_places(task);
}

/* Returns the pointer as one without any guarantee. */
extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

/* For each pointer that is found by a trusted one, the verifier searches all names of types, several times: that was a
 * third of the loading time. */
static __always_inline const struct task_struct *untrusted(const struct task_struct *task)
{
	if (constants.has_rdonly_cast)
		return bpf_rdonly_cast(task, bpf_core_type_id_kernel(struct task_struct));
	return task;
}

/* If the buffer is full, the kernel drops all that was written for this thread, and comes back to it when the buffer is
 * empty. */
SEC("iter/task")
int task_record(struct bpf_iter__task *context)
{
	const struct task_struct *task = context->task;
	struct seq_file *seq = context->meta->seq;
	__u32 bytes;

	if (!task)
		return 0;
	task = untrusted(task);
	if (control.wanted_tgid && (__u32)task->tgid != control.wanted_tgid)
		return 0;
	if (control.wanted_threads == 0)
		control.wanted_threads = (__u32)task->signal->nr_threads;
	find_kept(task);
	bytes = bytes_of_cpus(task);
	other_cpus = (__u32)has_other_cpus(task, bytes);
	if (other_cpus) {
		cpus.flags = TASK_RECORD_IS_CPUS;
		cpus.bytes = bytes;
		if (bpf_seq_write(seq, &cpus, bytes + CPUS_HEADER_BYTES) < 0)
			return 0;
	}
	if (task->pid == task->tgid) {
		read_process(task);
		FORGET();
		if ((__u32)task->signal->nr_threads != process.nr_threads)
			process.flags |= TASK_RECORD_CHANGED;
		if (bpf_seq_write(seq, &process, sizeof(process)) < 0)
			return 0;
	}
	read_thread(task);
	/* Behind the thread, so that all paths that begin with its memory are together, see COPY_SCHEDSTATS(). */
	if (has_name(task) && bpf_seq_write(seq, &name, sizeof(name)) < 0)
		return 0;
	if (bpf_seq_write(seq, &thread, sizeof(thread)) < 0)
		return 0;
	if (other_cpus) {
		control.has_last_cpus = 1;
		bpf_probe_read_kernel(last_words, bytes, cpus.words);
	}
	return 0;
}
