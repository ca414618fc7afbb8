// SPDX-License-Identifier: GPL-2.0-or-later
/* The helper process. It is the one who traces: if it ends, in whatever way, the kernel lets go of every thread, and it ends
 * with us. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/own-names.h"
#include "helper-message.h"
#include "helper-program.h"
#include "helper-sandbox.h"
#include "memory-probe-shared.h"

/* SIGCHLD, which is only ever waited for, says that a thread has stopped. */
static void set_signals(void)
{
	sigset_t mask;

	helper_ignore_signals();
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* A session of its own, so that neither a terminal nor a kill of our whole group stops it. The process keeps its user: so no other
 * user's process can stop it while it has stopped threads. */
static void become_helper(pid_t parent)
{
	set_signals();
	(void)setsid();
	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	helper_keep_capabilities(helper_capabilities[HELPER_FOR_MEMORY]);
	helper_end_with(parent);
	(void)prctl(PR_SET_NAME, own_names[OWN_NAME_probe]);
	/* Its first call opens a file. */
	(void)boot_clock_now_ns();
	helper_sandbox_enter(HELPER_SANDBOX_MEMORY);
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

/* Maps the memory behind a descriptor. Returns NULL where that fails. */
static struct probe_shared *map(int fd)
{
	struct stat status;
	void *memory;

	if (fstat(fd, &status) < 0 || status.st_size < (off_t)sizeof(struct probe_shared))
		return NULL;
	memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void memory_probe_help(int socket, pid_t parent)
{
	struct helper_message message;
	struct probe_shared *shared = NULL;
	int fd;

	become_helper(parent);
	while (helper_message_receive(socket, &message, &fd) == 0 && message.kind == HELPER_PROBE) {
		if (fd >= 0)
			shared = map(fd);
		fd_closep(&fd);
		if (!shared)
			break;
		answer(shared);
		message.kind = HELPER_PROBED;
		if (helper_message_send(socket, &message, -1) < 0)
			break;
	}
	_exit(0);
}
