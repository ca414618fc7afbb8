// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/mem.h"
#include "debug-open.h"
#include "helper-message.h"
#include "inspector-child.h"
#include "jemalloc/jemalloc-inspect.h"

enum {
	FILE_MS = 2000,
	REAP_MS = 1000,
	DEBUG_FILES_MAX = 8,
	ATTEMPTS = 2, /* one that was killed while it waited for work was not killed by the file */
};

struct jemalloc_inspector {
	pid_t child; /* 0: none */
	int socket;
	int guard_fd; /* borrowed; kept open by the child; -1: none */
	enum file_systems allowed;
	bool is_left; /* a child could not be ended: no other one is started */
};

/* One file. */
struct look {
	const struct local_root *root;
	const char *directory;
	uint64_t deadline_ns;
};

struct jemalloc_inspector *jemalloc_inspector_new(void)
{
	struct jemalloc_inspector *inspector = mem_calloc(1, sizeof(*inspector));

	inspector->socket = -1;
	inspector->guard_fd = -1;
	return inspector;
}

void jemalloc_inspector_set_guard(struct jemalloc_inspector *inspector, int guard_fd)
{
	inspector->guard_fd = guard_fd;
}

void jemalloc_inspector_allow(struct jemalloc_inspector *inspector, enum file_systems allowed)
{
	inspector->allowed = allowed;
}

static void stop(struct jemalloc_inspector *inspector)
{
	fd_closep(&inspector->socket);
	if (inspector->child == 0)
		return;
	(void)kill(inspector->child, SIGKILL);
	inspector->is_left = !helper_reap(inspector->child, REAP_MS);
	inspector->child = 0;
}

struct jemalloc_inspector *jemalloc_inspector_free(struct jemalloc_inspector *inspector)
{
	if (inspector)
		stop(inspector);
	free(inspector);
	return NULL;
}

void jemalloc_inspector_freep(struct jemalloc_inspector **inspector)
{
	*inspector = jemalloc_inspector_free(*inspector);
}

/* Signals are blocked meanwhile, so that none of our handlers runs in the child. */
static int start(struct jemalloc_inspector *inspector)
{
	sigset_t all, before;
	pid_t own = getpid();
	int sockets[2];
	int error;

	if (inspector->child != 0)
		return 0;
	if (inspector->is_left)
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	inspector->child = fork();
	error = errno;
	if (inspector->child == 0)
		inspector_child_run(sockets[1], inspector->guard_fd, own);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	fd_closep(&sockets[1]);
	inspector->socket = sockets[0];
	if (inspector->child > 0)
		return 0;
	inspector->child = 0;
	fd_closep(&inspector->socket);
	return -error;
}

/* Returns 0, -ETIME past the deadline, or -EPIPE where the child is gone. */
static int receive(const struct jemalloc_inspector *inspector, const struct look *look,
                   struct helper_message *answer)
{
	int r = fd_await_input(inspector->socket, look->deadline_ns);

	if (r < 0)
		return r == -ETIME ? r : -EPIPE;
	return helper_message_receive(inspector->socket, answer, NULL);
}

static int send_debug_file(const struct jemalloc_inspector *inspector, const struct look *look,
                           const struct helper_message *question)
{
	static const struct helper_message answer = {.kind = HELPER_DEBUG_FILE};
	cleanup_(fd_closep) int fd = -1;

	if (question->wanted.build_id_len > sizeof(question->wanted.build_id) ||
	    !memchr(question->wanted.link, '\0', sizeof(question->wanted.link)))
		return -EPIPE;
	fd = debug_open(inspector->allowed, look->root, look->directory, question->wanted.build_id,
	                question->wanted.build_id_len, question->wanted.link);
	return helper_message_send(inspector->socket, &answer, fd < 0 ? -1 : fd);
}

static int ask(struct jemalloc_inspector *inspector, const struct look *look, int fd,
               struct jemalloc_object *ret_object)
{
	static const struct helper_message question = {.kind = HELPER_INSPECT};
	int r = start(inspector);

	if (r == 0)
		r = helper_message_send(inspector->socket, &question, fd);
	for (unsigned i = 0; r == 0 && i <= DEBUG_FILES_MAX; i++) {
		struct helper_message answer;

		r = receive(inspector, look, &answer);
		if (r == 0 && answer.kind != HELPER_WANT_DEBUG_FILE)
			return helper_message_object(&answer, HELPER_INSPECTED, ret_object);
		if (r == 0)
			r = send_debug_file(inspector, look, &answer);
	}
	return r < 0 ? r : -EPIPE;
}

void jemalloc_inspector_run(struct jemalloc_inspector *inspector, int fd,
                            const struct local_root *root, const char *directory,
                            struct jemalloc_object *ret_object)
{
	const struct look look = {
	        .root = root,
	        .directory = directory,
	        .deadline_ns = clock_now_ns(CLOCK_MONOTONIC) + FILE_MS * NS_PER_MS,
	};
	int r = -EPIPE;

	*ret_object = (struct jemalloc_object){.tag = PROBE_TAG_worker_panic};
	for (int i = 0; i < ATTEMPTS && r == -EPIPE; i++) {
		r = ask(inspector, &look, fd, ret_object);
		if (r < 0 && r != -EBUSY)
			stop(inspector);
	}
	if (r == -EBUSY)
		ret_object->tag = PROBE_TAG_earlier_helper;
}
