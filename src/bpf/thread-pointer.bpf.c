// SPDX-License-Identifier: GPL-2.0-or-later
/* The thread pointers of one process's threads, as the kernel has them in memory. That is where a thread that does not run
 * has its pointer. Of one that runs at this moment the CPU has it, and memory an older one
 *   x86-64: only if it has set %fs with WRFSBASE since it last came to a CPU, as some runtimes with threads of their own do.
 *     arch_prctl(), clone() and fork() write to memory as well, on kernels with FSGSBASE and without; C libraries use these.
 *   aarch64: only if it has written TPIDR_EL0 since it last came to a CPU, as a C library does once, just after execve();
 *     clone() writes to memory.
 * Such a pointer is one that the thread had before, or 0. */
#include "bpf/thread-pointer.h"
#include "kernel.h"

__u32 wanted_tgid = 0;
/* How many threads the process had when the first was met. */
__u32 thread_count = 0;
char LICENSE[] SEC("license") = "GPL";

static __always_inline __u32 flags_of(const struct task_struct *task)
{
	__u64 state = state_of(task);
	__u32 flags = 0;

	if (task->ptrace)
		flags |= THREAD_POINTER_TRACED;
	if (state & (STATE_STOPPED | STATE_TRACED))
		flags |= THREAD_POINTER_STOPPED;
	if ((state & STATE_FROZEN) || ((state & STATE_UNINTERRUPTIBLE) && !(state & STATE_NO_LOAD)))
		flags |= THREAD_POINTER_UNINTERRUPTIBLE;
	if (task->flags & FLAG_EXITING)
		flags |= THREAD_POINTER_EXITING;
	return flags;
}

/* What works for a process in the kernel, as for io_uring, has a copy of its creator's pointer. */
static __always_inline __u64 pointer_of(const struct task_struct *task)
{
	if (task->flags & (FLAG_KERNEL_THREAD | FLAG_USER_WORKER | FLAG_IO_WORKER))
		return 0;
	if (bpf_core_field_exists(task->thread.fsbase))
		return task->thread.fsbase;
	if (bpf_core_field_exists(task->thread.uw.tp_value))
		return task->thread.uw.tp_value;
	return 0;
}

SEC("iter/task")
int thread_pointer(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread_pointer record = {};

	if (!task || (__u32)task->tgid != wanted_tgid)
		return 0;
	if (thread_count == 0)
		thread_count = (__u32)BPF_CORE_READ(task, signal, nr_threads);
	record.tid = (__u32)task->pid;
	record.flags = flags_of(task);
	record.born_boottime_ns = task->start_boottime;
	record.pointer = pointer_of(task);
	/* Where the buffer is full the kernel comes back to this thread once it is empty. */
	bpf_seq_write(context->meta->seq, &record, sizeof(record));
	return 0;
}
