// SPDX-License-Identifier: GPL-2.0-or-later
#include "file-look.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ctprof/clock.h"
#include "ctprof/fd.h"
#include "ctprof/helper.h"
#include "ctprof/mem.h"
#include "ctprof/strmap.h"

enum {
	/* Whatever the process made of the path since: a FIFO or a terminal is not to be waited for. */
	OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	LOOK_MS = 4000,
	REAP_MS = 50,
};

/* What makes a file the same one. */
struct identity {
	uint64_t device, inode, seconds, nanoseconds, bytes;
};

struct question {
	uint32_t tgid, tid;
	uint64_t start, end, inode;
	char path[PATH_MAX];
};

struct answer {
	int32_t result;
	struct jemalloc_object object;
};

struct file_looker {
	pid_t helper; /* 0: none */
	int socket;
};

/* The helper's own. */
struct helper {
	struct question question;
	struct strmap by_identity; /* struct jemalloc_object, owned */
	struct jemalloc_inspector *inspector;
};

/* The very file that is mapped, also where it has been removed or lies on another mount; for CAP_CHECKPOINT_RESTORE, and
 * before Linux 5.9 CAP_SYS_ADMIN. */
static int open_mapping(const struct question *question)
{
	char name[96];
	int fd;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
	         question->tgid, question->start, question->end);
	fd = open(name, OPEN_FLAGS);
	return fd < 0 ? -errno : fd;
}

/* The root of the process; one whose leader has exited has it in its other threads only. */
static int open_root(const struct question *question)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/task/%" PRIu32 "/root", question->tgid,
	         question->tid);
	return fd_open_path_at(AT_FDCWD, name);
}

/* What lies at its path now, as the process sees it; links in there lead nowhere else. */
static int open_in_root(const struct question *question, int root_fd)
{
	struct open_how how = {.flags = OPEN_FLAGS,
	                       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int fd;

	if (root_fd < 0)
		return root_fd;
	fd = (int)syscall(SYS_openat2, root_fd, question->path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

/* Where neither way leads to the file, and the first is closed for want of rights, so is the file. */
static int open_mapped(const struct question *question, int root_fd, struct stat *ret_status)
{
	int first = open_mapping(question);
	int fd = first < 0 ? open_in_root(question, root_fd) : first;

	if (fd >= 0 &&
	    (fstat(fd, ret_status) < 0 || (first < 0 && ret_status->st_ino != question->inode))) {
		fd_closep(&fd);
		fd = -ENOENT;
	}
	if (fd < 0 && (first == -EPERM || first == -EACCES))
		return -EACCES;
	return fd;
}

static void inspect(struct helper *helper, int fd, int root_fd, struct jemalloc_object *ret_object)
{
	const char *path = helper->question.path;
	cleanup_(mem_freep) char *directory = mem_copy(path, strlen(path));
	char *slash = strrchr(directory, '/');

	if (slash)
		*slash = '\0';
	jemalloc_inspector_look(helper->inspector, fd, root_fd, slash ? directory : NULL,
	                        ret_object);
}

/* What is no regular file, such as a device, has no jemalloc. */
static int look(struct helper *helper, struct jemalloc_object *ret_object)
{
	cleanup_(fd_closep) int root_fd = open_root(&helper->question);
	struct stat status = {0};
	cleanup_(fd_closep) int fd = open_mapped(&helper->question, root_fd, &status);
	struct strmap_entry *entry;
	struct identity identity;

	*ret_object = (struct jemalloc_object){.tag = PROBE_TAG_jemalloc_not_found};
	if (fd < 0)
		return fd;
	if (!S_ISREG(status.st_mode))
		return 0;
	identity = (struct identity){
	        .device = status.st_dev,
	        .inode = status.st_ino,
	        .seconds = (uint64_t)status.st_mtim.tv_sec,
	        .nanoseconds = (uint64_t)status.st_mtim.tv_nsec,
	        .bytes = (uint64_t)status.st_size,
	};
	entry = strmap_add(&helper->by_identity, (const char *)&identity, sizeof(identity));
	if (!entry->value) {
		struct jemalloc_object *object = mem_calloc(1, sizeof(*object));

		entry->value = object;
		inspect(helper, fd, root_fd, object);
	}
	*ret_object = *(const struct jemalloc_object *)entry->value;
	return 0;
}

static void become_helper(int socket, pid_t parent)
{
	helper_ignore_signals();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	(void)prctl(PR_SET_NAME, "ctprof-look");
	if (socket > 0)
		(void)close_range(0, (unsigned)socket - 1, 0);
	(void)close_range((unsigned)socket + 1, ~0U, 0);
}

noreturn_ static void help(int socket, pid_t parent)
{
	struct helper helper = {.inspector = NULL};

	become_helper(socket, parent);
	helper.inspector = jemalloc_inspector_new();
	for (;;) {
		struct answer answer = {0};
		ssize_t len = recv(socket, &helper.question, sizeof(helper.question), 0);

		if (len < 0 && errno == EINTR)
			continue;
		if (len != (ssize_t)sizeof(helper.question))
			break;
		answer.result = look(&helper, &answer.object);
		if (send(socket, &answer, sizeof(answer), MSG_NOSIGNAL) != (ssize_t)sizeof(answer))
			break;
	}
	jemalloc_inspector_free(helper.inspector);
	_exit(0);
}

struct file_looker *file_looker_new(void)
{
	struct file_looker *looker = mem_calloc(1, sizeof(*looker));

	looker->socket = -1;
	return looker;
}

/* One that is not at work ends by itself, and its own helper before it. */
static void stop(struct file_looker *looker, bool is_at_work)
{
	fd_closep(&looker->socket);
	if (looker->helper > 0) {
		if (is_at_work)
			(void)kill(looker->helper, SIGKILL);
		helper_reap(looker->helper, REAP_MS);
	}
	looker->helper = 0;
}

struct file_looker *file_looker_free(struct file_looker *looker)
{
	if (looker)
		stop(looker, false);
	free(looker);
	return NULL;
}

void file_looker_freep(struct file_looker **looker)
{
	*looker = file_looker_free(*looker);
}

/* Signals are blocked meanwhile, so that none of our handlers runs in the helper. */
static int start(struct file_looker *looker)
{
	sigset_t all, before;
	pid_t own = getpid();
	int sockets[2], error;

	if (looker->helper > 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	looker->helper = fork();
	error = errno;
	if (looker->helper == 0)
		help(sockets[1], own);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(sockets[1]);
	looker->socket = sockets[0];
	if (looker->helper > 0)
		return 0;
	looker->helper = 0;
	fd_closep(&looker->socket);
	return -error;
}

void file_looker_start(struct file_looker *looker)
{
	/* What is in the way will be so when a file is to be looked into. */
	(void)start(looker);
}

/* Returns 0, -ETIME, or -EPIPE where the helper is gone. */
static int await(const struct file_looker *looker, struct answer *ret_answer)
{
	int r = fd_await_input(looker->socket, clock_now_ns(CLOCK_MONOTONIC) + LOOK_MS * CLOCK_MS);

	if (r == -ETIME)
		return r;
	return r == 0 && recv(looker->socket, ret_answer, sizeof(*ret_answer), MSG_DONTWAIT) ==
	                               (ssize_t)sizeof(*ret_answer)
	               ? 0
	               : -EPIPE;
}

int file_looker_look(struct file_looker *looker, uint32_t tgid, uint32_t tid,
                     const struct mapped_file *mapped, struct jemalloc_object *ret_object)
{
	struct question question = {.tgid = tgid,
	                            .tid = tid,
	                            .start = mapped->start,
	                            .end = mapped->end,
	                            .inode = mapped->inode};
	struct answer answer;
	int r = start(looker);

	*ret_object = (struct jemalloc_object){.tag = PROBE_TAG_worker_panic};
	if (r < 0)
		return r;
	/* A longer one cannot be opened by it. */
	if (mapped->path.len < sizeof(question.path))
		memcpy(question.path, mapped->path.text, mapped->path.len);
	r = send(looker->socket, &question, sizeof(question), MSG_NOSIGNAL) ==
	                    (ssize_t)sizeof(question)
	            ? await(looker, &answer)
	            : -EPIPE;
	if (r < 0) {
		stop(looker, true);
		return r == -EPIPE ? 0 : r;
	}
	*ret_object = answer.object;
	return answer.result;
}
