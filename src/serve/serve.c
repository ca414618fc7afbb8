// SPDX-License-Identifier: GPL-2.0-or-later
#include "serve/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/helper.h"
#include "base/mem.h"
#include "serve-child.h"

enum { BACKLOG = 64, END_MS = 1000 };

struct serve {
	pid_t pid;  /* 0: it has ended */
	int socket; /* to it */
	bool is_busy;
	bool wants_whole;
};

static int listen_at(const struct serve_address *address, struct strbuf *reterr)
{
	const struct sockaddr *at = (const struct sockaddr *)&address->socket;
	int fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r;
	const int one = 1;

	/* A port whose last connections linger can be used again. */
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    bind(fd, at, address->len) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	r = -errno;
	fd_closep(&fd);
	strbuf_add_str(reterr, strerror(-r));
	return r;
}

/* Waits until the process is ready. */
static int await(struct serve *serve, struct strbuf *reterr)
{
	char word = 0;
	ssize_t r;

	do
		r = recv(serve->socket, &word, 1, 0);
	while (r < 0 && errno == EINTR);
	if (r == 1 && word == SERVE_READY)
		return 0;
	strbuf_add_str(reterr, r == 1 && word == SERVE_NO_LIBRARY
	                               ? "libmicrohttpd.so.12 is needed for it"
	                               : "the process that serves did not begin");
	return -ENOSYS;
}

int serve_start(const struct serve_address *address, const struct report_options *options,
                struct serve **ret, struct strbuf *ret_where, struct strbuf *reterr)
{
	cleanup_(serve_freep) struct serve *serve = mem_calloc(1, sizeof(*serve));
	cleanup_(fd_closep) int listen_fd = -1;
	cleanup_(fd_closep) int theirs = -1;
	pid_t parent = getpid();
	int pair[2], r;

	serve->socket = -1;
	listen_fd = listen_at(address, reterr);
	if (listen_fd < 0)
		return listen_fd;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	serve->socket = pair[0];
	theirs = pair[1];
	serve->pid = fork();
	if (serve->pid < 0) {
		serve->pid = 0;
		return -errno;
	}
	if (serve->pid == 0)
		serve_child_run(listen_fd, theirs, parent, address->is_loopback, options);
	fd_closep(&theirs);
	r = await(serve, reterr);
	if (r < 0)
		return r;
	serve->wants_whole = true;
	serve_address_add(listen_fd, ret_where);
	*ret = serve;
	serve = NULL;
	return 0;
}

/* Reads what the process says, without waiting. Returns false if it has ended. */
static bool hear(struct serve *serve)
{
	char word;
	ssize_t r;

	while ((r = recv(serve->socket, &word, 1, MSG_DONTWAIT)) == 1) {
		serve->is_busy = false;
		serve->wants_whole = serve->wants_whole || word == SERVE_WANTS_WHOLE;
	}
	return r < 0 && (errno == EAGAIN || errno == EINTR);
}

bool serve_wants_whole(struct serve *serve)
{
	return serve->pid > 0 && hear(serve) && !serve->is_busy && serve->wants_whole;
}

/* Makes a file in memory of the frame. Returns a descriptor or -errno. */
static int put_in_memory(const void *frame, size_t len)
{
	cleanup_(fd_closep) int fd = memfd_create("ctprof-frame", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : fd_write_all(fd, frame, len);

	if (r < 0)
		return r;
	r = fd;
	fd = -1;
	return r;
}

static int send_frame(const struct serve *serve, int fd)
{
	char byte = SERVE_FRAME;
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec vector = {&byte, 1};
	struct msghdr message = {.msg_iov = &vector,
	                         .msg_iovlen = 1,
	                         .msg_control = &control,
	                         .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(serve->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

static int note_end(struct serve *serve)
{
	(void)kill(serve->pid, SIGKILL);
	(void)helper_reap(serve->pid, END_MS);
	serve->pid = 0;
	return -EPIPE;
}

int serve_give(struct serve *serve, bool is_whole, const void *frame, size_t len)
{
	cleanup_(fd_closep) int fd = -1;

	if (serve->pid == 0)
		return 0;
	if (!hear(serve))
		return note_end(serve);
	if (serve->is_busy || (serve->wants_whole && !is_whole)) {
		serve->wants_whole = true;
		return 0;
	}
	fd = put_in_memory(frame, len);
	serve->is_busy = fd >= 0 && send_frame(serve, fd) == 0;
	serve->wants_whole = !serve->is_busy;
	return 0;
}

void serve_freep(struct serve **serve)
{
	if (!*serve)
		return;
	if ((*serve)->pid > 0)
		(void)note_end(*serve);
	fd_closep(&(*serve)->socket);
	free(*serve);
	*serve = NULL;
}
