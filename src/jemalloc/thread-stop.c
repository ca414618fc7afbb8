// SPDX-License-Identifier: GPL-2.0-or-later
/* Asks threads to stop, reads their thread pointers when they have, and lets go of each at once. Those who sleep stop within
 * microseconds, and few of them are asked between two looks at who has stopped, so that nobody is stopped for long. Those
 * who wait for a CPU stop when they get one: they are asked early, and all of them wait at the same time. */
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/scan.h"
#include "memory-probe-shared.h"
#include "procfs/proc-text.h"
#include "procfs/procfs.h"

enum {
	ASK_TOGETHER = 4,
	IN_FLIGHT_MAX = 512, /* looking at who has stopped takes longer the more there are */
	NAP_NS = 500000,
	STOP_WITHIN_NS = 250000000,
	BLOCKED_LOOKS = 5,
	BLOCKED_NAP_NS = NS_PER_MS,
	STATE_FIELD = 3,
	FLAGS_FIELD = 9,
};

/* Flags of the kernel in /proc/<pid>/stat; the last one since Linux 6.4. */
enum {
	FLAG_EXITING = 0x4,
	FLAG_IO_WORKER = 0x10,
	FLAG_USER_WORKER = 0x4000,
	FLAG_KERNEL_THREAD = 0x200000,
};

struct stopper {
	struct probe_shared *shared;
	size_t next;      /* thread to ask, in their order */
	size_t in_flight; /* asked, and neither let go nor given up */
};

static enum probe_tag tag_of_error(int error)
{
	return error_is_denied(-error) ? PROBE_TAG_not_permitted : PROBE_TAG_pid_missing;
}

/* Returns the obstacle to stopping a thread, if any. A thread that the kernel runs for a process, as for io_uring, has no
 * thread-local storage. */
static enum probe_tag obstacle_of(const struct probe_shared *shared,
                                  const struct probe_thread *thread)
{
	char text[PROC_TEXT_BYTES];
	ssize_t len = proc_text_read(shared->tgid, thread->tid, "stat", text);
	const char *close;
	uint64_t flags;

	if (len < 0)
		return tag_of_error((int)-len);
	close = memrchr(text, ')', (size_t)len);
	if (!close || close + 2 >= text + len ||
	    !stat_field(text, (size_t)len, FLAGS_FIELD, &flags))
		return PROBE_TAG_pid_missing;
	if (close[2] == 'Z' || close[2] == 'X')
		return PROBE_TAG_zombie;
	if (flags & FLAG_EXITING)
		return PROBE_TAG_pid_missing;
	if (flags & (FLAG_KERNEL_THREAD | FLAG_IO_WORKER | FLAG_USER_WORKER))
		return PROBE_TAG_readlink_failure;
	switch (close[2]) {
	case 't':
		return PROBE_TAG_traced;
	case 'T':
		return PROBE_TAG_stopped;
	case 'D':
		return PROBE_TAG_uninterruptible;
	}
	return PROBE_TAG_ok;
}

static void check_thread(struct probe_shared *shared, struct probe_thread *thread)
{
	enum probe_tag tag = obstacle_of(shared, thread);

	if (tag == PROBE_TAG_ok)
		thread->step = PROBE_STEP_ASK;
	else if (tag == PROBE_TAG_uninterruptible)
		thread->step = PROBE_STEP_BLOCKED;
	else
		probe_thread_end(thread, tag);
}

/* The kernel refuses with EPERM what is traced, what is dead and what this user may not trace. */
static enum probe_tag why_refused(const struct probe_shared *shared,
                                  const struct probe_thread *thread)
{
	char text[PROC_TEXT_BYTES];
	enum probe_tag tag = obstacle_of(shared, thread);
	ssize_t len = proc_text_read(shared->tgid, thread->tid, "status", text);
	struct span rest, line, key, value;

	if (tag == PROBE_TAG_zombie || tag == PROBE_TAG_pid_missing || tag == PROBE_TAG_traced)
		return tag;
	if (len < 0)
		return tag_of_error((int)-len);
	rest = (struct span){text, (size_t)len};
	while (scan_line(&rest, &line))
		if (scan_pair(line, &key, &value) && span_is(key, "TracerPid"))
			return span_is(value, "0") ? PROBE_TAG_ptrace_seize : PROBE_TAG_traced;
	return PROBE_TAG_ptrace_seize;
}

static void ask(struct stopper *stopper, struct probe_thread *thread)
{
	thread->asked_ns = clock_now_ns(CLOCK_MONOTONIC);
	/* Before it is, so that whatever ends us now is counted. */
	thread->is_attached = true;
	if (ptrace(PTRACE_SEIZE, (pid_t)thread->tid, NULL, NULL) < 0) {
		int error = errno;

		thread->is_attached = false;
		if (error == EPERM)
			probe_thread_end(thread, why_refused(stopper->shared, thread));
		else
			probe_thread_end(thread, error == ESRCH ? PROBE_TAG_pid_missing
			                                        : PROBE_TAG_ptrace_seize);
		return;
	}
	stopper->in_flight++;
	thread->step = PROBE_STEP_ASKED;
	/* A thread that dies meanwhile is waited for like the others. */
	if (ptrace(PTRACE_INTERRUPT, (pid_t)thread->tid, NULL, NULL) < 0 && errno != ESRCH)
		probe_thread_end(thread, PROBE_TAG_ptrace_interrupt);
}

/* Returns 0, or why there is none. */
static enum probe_tag read_pointer(pid_t tid, uint64_t *ret_pointer)
{
#ifdef __x86_64__
	struct user_regs_struct registers;
	struct iovec where = {&registers, sizeof(registers)};
	const unsigned long what = NT_PRSTATUS;
#elif defined(__aarch64__)
	uint64_t registers;
	struct iovec where = {&registers, sizeof(registers)};
	const unsigned long what = NT_ARM_TLS;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
	const size_t size = where.iov_len;

	if (ptrace(PTRACE_GETREGSET, tid, (void *)what, &where) < 0)
		return errno == ESRCH ? PROBE_TAG_pid_missing : PROBE_TAG_get_regset;
	if (where.iov_len != size)
		return PROBE_TAG_arch_mismatch;
#endif
#ifdef __x86_64__
	*ret_pointer = registers.fs_base;
	return PROBE_TAG_ok;
#elif defined(__aarch64__)
	*ret_pointer = registers;
	return PROBE_TAG_ok;
#else
	(void)tid;
	(void)ret_pointer;
	return PROBE_TAG_arch_mismatch;
#endif
}

static struct probe_thread *find(struct probe_shared *shared, pid_t tid)
{
	size_t low = 0, high = shared->thread_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shared->threads[middle].tid < (uint32_t)tid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < shared->thread_count && shared->threads[low].tid == (uint32_t)tid)
		return &shared->threads[low];
	return NULL;
}

static void set_pointer(struct probe_thread *thread, enum probe_tag tag, uint64_t pointer)
{
	/* One that has been given up is welcome late. */
	if (thread->step == PROBE_STEP_DONE && thread->tag != PROBE_TAG_waitpid &&
	    thread->tag != PROBE_TAG_uninterruptible)
		return;
	thread->pointer = pointer;
	if (tag == PROBE_TAG_ok)
		thread->step = PROBE_STEP_READ;
	else
		probe_thread_end(thread, tag);
}

static void forget(struct stopper *stopper, struct probe_thread *thread)
{
	if (thread->step == PROBE_STEP_ASKED) {
		probe_thread_end(thread, PROBE_TAG_pid_missing);
		stopper->in_flight--;
	}
	thread->is_attached = false;
}

/* It may have stopped for us, with its whole process, or because of a signal, which is delivered then. A thread that called execve()
 * may have the number of another one. */
static void handle_stopped(struct stopper *stopper, pid_t tid, int status)
{
	bool is_signal = status >> 16 == 0;
	unsigned long signal = is_signal ? (unsigned long)WSTOPSIG(status) : 0;
	struct probe_thread *thread = find(stopper->shared, tid);
	bool was_asked = thread && thread->step == PROBE_STEP_ASKED;
	uint64_t pointer = 0;
	enum probe_tag tag = read_pointer(tid, &pointer);

	/* Only what was killed cannot be let go; its end is yet to come. */
	if (ptrace(PTRACE_DETACH, tid, NULL, (void *)signal) < 0 || !thread || !thread->is_attached)
		return;
	set_pointer(thread, tag, pointer);
	probe_count_stop(stopper->shared, thread);
	stopper->in_flight -= was_asked;
}

static void forget_all(struct stopper *stopper)
{
	struct probe_shared *shared = stopper->shared;

	for (size_t i = 0; i < shared->thread_count; i++)
		if (shared->threads[i].is_attached)
			forget(stopper, &shared->threads[i]);
	stopper->in_flight = 0;
}

/* Returns whether there was anything. */
static bool handle_all_stopped(struct stopper *stopper)
{
	bool any = false;

	for (;;) {
		uint64_t before = clock_now_ns(CLOCK_MONOTONIC);
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);

		if (tid == 0)
			stopper->shared->last_look_ns = before;
		else if (tid < 0 && errno == ECHILD)
			forget_all(stopper);
		if (tid <= 0)
			return any;
		any = true;
		if (WIFSTOPPED(status)) {
			handle_stopped(stopper, tid, status);
		} else {
			struct probe_thread *thread = find(stopper->shared, tid);

			if (thread && thread->is_attached)
				forget(stopper, thread);
		}
	}
}

/* They stay attached: only a thread that has stopped can be let go, or all of them by our end. */
static void give_up_late(struct stopper *stopper)
{
	struct probe_shared *shared = stopper->shared;
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < shared->thread_count; i++) {
		struct probe_thread *thread = &shared->threads[i];
		enum probe_tag tag;

		if (thread->step != PROBE_STEP_ASKED || now - thread->asked_ns < STOP_WITHIN_NS)
			continue;
		tag = obstacle_of(shared, thread);
		probe_thread_end(thread, tag == PROBE_TAG_ok ? PROBE_TAG_waitpid : tag);
		stopper->in_flight--;
	}
}

/* Ended early by a thread that stops. */
static void nap(long ns)
{
	const struct timespec time = {.tv_nsec = ns};
	sigset_t stopped;

	sigemptyset(&stopped);
	sigaddset(&stopped, SIGCHLD);
	(void)sigtimedwait(&stopped, NULL, &time);
}

static bool ask_next(struct stopper *stopper)
{
	struct probe_shared *shared = stopper->shared;
	unsigned asked = 0;

	while (asked < ASK_TOGETHER && stopper->in_flight < IN_FLIGHT_MAX &&
	       stopper->next < shared->thread_count) {
		struct probe_thread *thread = &shared->threads[stopper->next++];

		if (thread->step != PROBE_STEP_ASK)
			continue;
		ask(stopper, thread);
		asked++;
	}
	return asked > 0;
}

/* All that may be asked. */
static void stop_round(struct probe_shared *shared)
{
	struct stopper stopper = {.shared = shared};

	for (;;) {
		bool asked = ask_next(&stopper);
		bool took = handle_all_stopped(&stopper);

		if (asked || took)
			continue;
		if (stopper.in_flight == 0 && stopper.next >= shared->thread_count)
			return;
		nap(NAP_NS);
		give_up_late(&stopper);
	}
}

static bool look_at_those(struct probe_shared *shared, enum probe_step step)
{
	bool any = false;

	for (size_t i = 0; i < shared->thread_count; i++) {
		if (shared->threads[i].step != step)
			continue;
		check_thread(shared, &shared->threads[i]);
		any = true;
	}
	return any;
}

/* Uninterruptible sleep is mostly a matter of a moment. */
static void stop_blocked(struct probe_shared *shared)
{
	for (int i = 0; i < BLOCKED_LOOKS; i++) {
		nap(BLOCKED_NAP_NS);
		if (!look_at_those(shared, PROBE_STEP_BLOCKED))
			return;
		stop_round(shared);
	}
	for (size_t i = 0; i < shared->thread_count; i++)
		if (shared->threads[i].step == PROBE_STEP_BLOCKED)
			probe_thread_end(&shared->threads[i], PROBE_TAG_uninterruptible);
}

/* With a real-time priority, where that is allowed: whom we keep waiting is stopped. */
static void set_priority(int policy, int priority)
{
	const struct sched_param parameter = {.sched_priority = priority};

	(void)sched_setscheduler(0, policy, &parameter);
}

void thread_stop_all(struct probe_shared *shared)
{
	/* All of them beforehand: meanwhile nobody is stopped. */
	if (!look_at_those(shared, PROBE_STEP_LOOK))
		return;
	set_priority(SCHED_FIFO, 1);
	stop_round(shared);
	stop_blocked(shared);
	set_priority(SCHED_OTHER, 0);
}
