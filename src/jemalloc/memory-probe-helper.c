// SPDX-License-Identifier: GPL-2.0-or-later
/* The helper process. It is the one who traces: if it ends, in whatever way, the kernel lets go of every thread, and it ends
 * with us. Made by fork() of a process with threads, it allocates nothing. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/helper.h"
#include "memory-probe-parts.h"

/* SIGCHLD, which is only ever waited for, says that a thread has stopped. */
static void set_signals(void)
{
	sigset_t mask;

	helper_ignore_signals();
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* What tracing takes, reading the memory of others, and a real-time priority while threads are stopped. It opens files of
 * /proc only. As it stays its user, no other user's process can stop it while it has stopped threads. */
static const uint64_t capabilities = UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_SYS_NICE;

/* A session of its own, so that neither a terminal nor a kill of our whole group stops it. */
static void become_helper(int socket_fd, int guard_fd, pid_t parent)
{
	set_signals();
	(void)setsid();
	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	helper_close_others(socket_fd, guard_fd);
	helper_keep_capabilities(capabilities);
	helper_end_with(parent);
	(void)prctl(PR_SET_NAME, "ctprof-probe");
}

static bool is_same(const struct process_identity *a, const struct process_identity *b)
{
	return a->start_time == b->start_time && a->start_code == b->start_code &&
	       a->start_stack == b->start_stack;
}

static void end_as_missing(struct probe_shared *shared)
{
	for (size_t i = 0; i < shared->thread_count; i++) {
		struct probe_thread *thread = &shared->threads[i];

		if (thread->step != PROBE_STEP_DONE || thread->tag == PROBE_TAG_ok)
			probe_thread_end(thread, PROBE_TAG_pid_missing);
	}
}

static bool is_anybody_attached(const struct probe_shared *shared)
{
	for (size_t i = 0; i < shared->thread_count; i++)
		if (shared->threads[i].is_attached)
			return true;
	return false;
}

/* Memory comes after all threads have been let go, for reading it may take for ever. */
static void answer(struct probe_shared *shared)
{
	struct process_identity after;

	thread_stop_all(shared);
	if (is_anybody_attached(shared)) {
		shared->wants_successor = true;
		_exit(0);
	}
	memory_read_all(shared);
	if (!process_identity_read(shared->tgid, &after) || !is_same(&shared->identity, &after))
		end_as_missing(shared);
}

void memory_probe_help(int socket_fd, int guard_fd, pid_t parent, struct probe_shared *shared)
{
	char byte;

	become_helper(socket_fd, guard_fd, parent);
	for (;;) {
		ssize_t n = recv(socket_fd, &byte, 1, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1)
			_exit(0);
		answer(shared);
		if (send(socket_fd, &byte, 1, MSG_NOSIGNAL) != 1)
			_exit(1);
	}
}
