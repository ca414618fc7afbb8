// SPDX-License-Identifier: GPL-2.0-or-later
#include "file-look.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/mem.h"
#include "base/regular-file.h"
#include "base/strmap.h"

enum {
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
	enum file_systems allowed;
	char path[PATH_MAX];
};

struct answer {
	int32_t result;
	struct jemalloc_object object;
};

struct file_looker {
	pid_t helper; /* 0: none */
	int socket;
	struct helper_guard *guard; /* borrowed */
	enum file_systems allowed;
	bool is_left; /* a helper could not be ended: no other one is started */
};

/* The helper's own. */
struct helper {
	struct question question;
	struct strmap by_identity; /* struct jemalloc_object, owned */
	struct jemalloc_inspector *inspector;
};

/* Opens the file that is mapped, also where it has been removed or lies on another mount. That takes
 * CAP_CHECKPOINT_RESTORE. */
static int open_mapping(const struct question *question)
{
	char name[96];

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
	         question->tgid, question->start, question->end);
	return regular_file_open_link(name, question->allowed);
}

/* Opens the root of the process; one whose leader has exited has it in its other threads only. */
static int open_root(const struct question *question)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/task/%" PRIu32 "/root", question->tgid,
	         question->tid);
	return fd_open_path_at(AT_FDCWD, name);
}

/* Opens what lies at the path of the mapping now, where it is the file that is mapped. */
static int open_in_root(const struct question *question, int root_fd)
{
	int fd = root_fd < 0 ? root_fd
	                     : regular_file_open(root_fd, question->path, question->allowed);
	struct stat status;

	if (fd >= 0 && (fstat(fd, &status) < 0 || status.st_ino != question->inode)) {
		fd_closep(&fd);
		return -ENOENT;
	}
	return fd == -EMEDIUMTYPE ? -ENOENT : fd;
}

/* Where neither way leads to the file, and the first is closed for want of rights, so is the file. */
static int open_mapped(const struct question *question, int root_fd)
{
	int first = open_mapping(question), fd = first;

	if (first < 0 && first != -EMEDIUMTYPE && first != -EREMOTE)
		fd = open_in_root(question, root_fd);
	if (fd < 0 && error_is_denied(first) && fd != -EREMOTE)
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
	jemalloc_inspector_allow(helper->inspector, helper->question.allowed);
	jemalloc_inspector_look(helper->inspector, fd, root_fd, slash ? directory : NULL,
	                        ret_object);
}

/* What is no regular file, such as a device, has no jemalloc. */
static int look(struct helper *helper, struct jemalloc_object *ret_object)
{
	cleanup_(fd_closep) int root_fd = open_root(&helper->question);
	cleanup_(fd_closep) int fd = open_mapped(&helper->question, root_fd);
	struct strmap_entry *entry;
	struct identity identity;
	struct stat status;

	*ret_object = (struct jemalloc_object){.tag = PROBE_TAG_jemalloc_not_found};
	if (fd == -EMEDIUMTYPE)
		return 0;
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0)
		return -errno;
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

/* What it takes to follow links in /proc to files that others have mapped, and to read files that are not ours. */
static const uint64_t capabilities = UINT64_C(1) << CAP_SYS_PTRACE |
                                     UINT64_C(1) << CAP_DAC_READ_SEARCH |
                                     UINT64_C(1) << CAP_CHECKPOINT_RESTORE;

static void become_helper(int socket, int guard_fd, pid_t parent)
{
	helper_ignore_signals();
	helper_close_others(socket, guard_fd);
	helper_become_stranger(capabilities);
	helper_end_with(parent);
	(void)prctl(PR_SET_NAME, "ctprof-look");
}

noreturn_ static void help(int socket, int guard_fd, pid_t parent)
{
	struct helper helper = {.inspector = NULL};

	become_helper(socket, guard_fd, parent);
	helper.inspector = jemalloc_inspector_new();
	jemalloc_inspector_set_guard(helper.inspector, guard_fd);
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

struct file_looker *file_looker_new(struct helper_guard *guard)
{
	struct file_looker *looker = mem_calloc(1, sizeof(*looker));

	looker->guard = guard;
	looker->socket = -1;
	return looker;
}

void file_looker_allow(struct file_looker *looker, enum file_systems allowed)
{
	looker->allowed = allowed;
}

/* One that is not at work ends by itself, and its own helper before it. */
static void stop(struct file_looker *looker, bool is_at_work)
{
	fd_closep(&looker->socket);
	if (looker->helper > 0) {
		if (is_at_work)
			(void)kill(looker->helper, SIGKILL);
		/* From now on it is seen by everybody as one that was left behind. */
		looker->is_left = !helper_reap(looker->helper, REAP_MS);
		if (looker->is_left)
			helper_guard_leave(looker->guard);
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
	int sockets[2], error, r;

	if (looker->helper > 0)
		return 0;
	r = looker->is_left ? -EBUSY : helper_guard_enter(looker->guard);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	looker->helper = fork();
	error = errno;
	if (looker->helper == 0)
		help(sockets[1], looker->guard->helper_fd, own);
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
static int await(const struct file_looker *looker, uint64_t wait_ns, struct answer *ret_answer)
{
	uint64_t longest_ns = LOOK_MS * NS_PER_MS;
	int r = fd_await_input(looker->socket,
	                       clock_now_ns(CLOCK_MONOTONIC) +
	                               (wait_ns < longest_ns ? wait_ns : longest_ns));

	if (r == -ETIME)
		return r;
	return r == 0 && recv(looker->socket, ret_answer, sizeof(*ret_answer), MSG_DONTWAIT) ==
	                               (ssize_t)sizeof(*ret_answer)
	               ? 0
	               : -EPIPE;
}

int file_looker_look(struct file_looker *looker, uint32_t tgid, uint32_t tid,
                     const struct mapped_file *mapped, uint64_t wait_ns,
                     struct jemalloc_object *ret_object)
{
	struct question question = {.tgid = tgid,
	                            .tid = tid,
	                            .start = mapped->start,
	                            .end = mapped->end,
	                            .inode = mapped->inode,
	                            .allowed = looker->allowed};
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
	            ? await(looker, wait_ns, &answer)
	            : -EPIPE;
	if (r < 0) {
		stop(looker, true);
		return r == -EPIPE ? 0 : r;
	}
	*ret_object = answer.object;
	return answer.result;
}
