// SPDX-License-Identifier: GPL-2.0-or-later
#include "serve-child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accept.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "http-server.h"
#include "recording/frame-source.h"
#include "serve-window.h"
#include "serve/serve-address.h"

enum {
	LISTEN_FD = 3,
	SOCKET_FD,
	FIRST_UNUSED,
	DESCRIPTORS_MAX = HTTP_CONNECTIONS_MAX + 32,
	NICE = 5, /* behind the recorder */
	STATUS_OK = 200,
	STATUS_FORBIDDEN = 403,
	STATUS_NOT_FOUND = 404,
	STATUS_FAILED = 500,
	STATUS_UNAVAILABLE = 503,
};

struct child {
	struct serve_window window;
	struct http_server *server;
	bool is_loopback;
	bool has_failed; /* a window could not be printed */
	struct http_body *bodies[SERVE_FORMAT_COUNT];
};

static void keep_only(int listen_fd, int socket)
{
	/* One may have the number that the other one gets. */
	int listening = fcntl(listen_fd, F_DUPFD_CLOEXEC, FIRST_UNUSED);
	int leading = fcntl(socket, F_DUPFD_CLOEXEC, FIRST_UNUSED);

	if (listening < 0 || leading < 0 || dup3(listening, LISTEN_FD, O_CLOEXEC) < 0 ||
	    dup3(leading, SOCKET_FD, O_CLOEXEC) < 0 || close_range(FIRST_UNUSED, ~0U, 0) < 0)
		_exit(1);
}

/* The recorder's standard streams may be the terminal of root, or files of its user. */
static void leave_terminal(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
		if (fd < 0 || dup2(fd, standard) < 0)
			_exit(1);
	fd_closep(&fd);
	(void)setsid();
}

static void limit(__rlimit_resource_t resource, rlim_t value)
{
	const struct rlimit both = {.rlim_cur = value, .rlim_max = value};

	(void)setrlimit(resource, &both);
}

static void give_up_rights(pid_t parent)
{
	helper_ignore_signals();
	helper_become_stranger(0);
	helper_end_with(parent);
	(void)prctl(PR_SET_NAME, own_names[OWN_NAME_serve], 0, 0, 0);
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
}

static void say(enum serve_word word)
{
	char byte = (char)word;

	if (send(SOCKET_FD, &byte, 1, MSG_NOSIGNAL) != 1)
		_exit(0);
}

/* Receives the descriptor of a frame. */
static int receive_frame(void)
{
	char byte = 0;
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec vector = {&byte, 1};
	struct msghdr message = {.msg_iov = &vector,
	                         .msg_iovlen = 1,
	                         .msg_control = &control,
	                         .msg_controllen = sizeof(control)};
	ssize_t r = recvmsg(SOCKET_FD, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *head = r == 1 ? CMSG_FIRSTHDR(&message) : NULL;
	int fd = -1;

	if (r <= 0)
		_exit(0);
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

static void add_frame(struct child *child)
{
	cleanup_(fd_closep) int fd = receive_frame();
	struct stat status;
	struct frame_source frame;
	int r = -EBADF;

	if (fd >= 0 && fstat(fd, &status) == 0) {
		frame = frame_source_make(fd, 0, (uint64_t)status.st_size);
		r = serve_window_add(&child->window, &frame.source);
	}
	say(r == 0 ? SERVE_TAKEN : SERVE_WANTS_WHOLE);
}

static void print_new(struct child *child)
{
	static const char *const types[SERVE_FORMAT_COUNT] = {
	        [SERVE_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
	        [SERVE_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8"};
	struct strbuf texts[SERVE_FORMAT_COUNT] = {{0}};

	if (!child->window.is_new)
		return;
	child->has_failed = !serve_window_print(&child->window, texts);
	for (unsigned i = 0; i < SERVE_FORMAT_COUNT; i++) {
		http_body_free(child->server, child->bodies[i]);
		child->bodies[i] = child->has_failed
		                           ? NULL
		                           : http_body_new(child->server, &texts[i], types[i]);
		strbuf_done(&texts[i]);
	}
}

static struct http_answer answer(void *context, const char *path, const char *host,
                                 const char *accept)
{
	struct child *child = context;
	struct http_answer ret = {.status = STATUS_OK};

	if (child->is_loopback && (!host || !serve_host_is_loopback(host)))
		return (struct http_answer){.status = STATUS_FORBIDDEN};
	if (strcmp(path, "/metrics") != 0)
		return (struct http_answer){.status = STATUS_NOT_FOUND};
	print_new(child);
	ret.body =
	        child->bodies[accept_is_openmetrics(accept) ? SERVE_OPENMETRICS : SERVE_PROMETHEUS];
	if (!ret.body)
		ret.status = child->has_failed ? STATUS_FAILED : STATUS_UNAVAILABLE;
	return ret;
}

void serve_child_run(int listen_fd, int socket, pid_t parent, bool is_loopback,
                     const struct report_options *options)
{
	struct child child = {.window.options = options, .is_loopback = is_loopback};
	struct pollfd polled[2];
	int r;

	keep_only(listen_fd, socket);
	leave_terminal();
	give_up_rights(parent);
	r = http_server_open(LISTEN_FD, answer, &child, &child.server);
	if (r < 0) {
		say(SERVE_NO_LIBRARY);
		_exit(1);
	}
	mem_limit(options->limits.memory);
	say(SERVE_READY);
	polled[0] = (struct pollfd){.fd = SOCKET_FD, .events = POLLIN};
	polled[1] = (struct pollfd){.fd = http_server_fd(child.server), .events = POLLIN};
	for (;;) {
		int wait_ms = http_server_run(child.server);

		r = poll(polled, ARRAY_SIZE(polled), wait_ms);
		if (r < 0 && errno != EINTR)
			_exit(1);
		if (r > 0 && polled[0].revents != 0)
			add_frame(&child);
	}
}
