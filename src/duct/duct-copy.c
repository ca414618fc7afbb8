// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-copy.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/worker.h"

enum {
	PIECE_BYTES = 1 << 16,
	/* A file system may give no events for all writes. */
	WAIT_MS = 1000,
	WAIT_WITHOUT_EVENTS_MS = 10,
	/* Between two looks at a file that grows all the time. */
	PAUSE_US = 2000,
};

struct copy {
	int from, to;
	int watch; /* of inotify */
	off_t at;  /* all before this is copied */
};

struct duct_copies {
	pthread_t thread;
	int events_fd;          /* of inotify; below 0: there is none */
	int stop_fd;            /* readable when the thread is to end */
	atomic_bool is_stopped; /* the same, if nothing can be written there */
	struct copy copies[DUCT_COPIES];
};

/* Waits until a descriptor that does not wait by itself takes more. */
static bool await_room(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLOUT};

	return poll(&wait, 1, -1) > 0 && (wait.revents & POLLOUT);
}

static ssize_t copy_by_hand(struct copy *copy)
{
	char bytes[PIECE_BYTES / 4];
	ssize_t len = pread(copy->from, bytes, sizeof(bytes), copy->at), written;

	if (len <= 0)
		return len;
	written = write(copy->to, bytes, (size_t)len);
	if (written > 0)
		copy->at += written;
	return written;
}

/* The kernel moves the pages, unless the descriptor is one for appending. */
static ssize_t copy_piece(struct copy *copy)
{
	ssize_t len = sendfile(copy->to, copy->from, &copy->at, PIECE_BYTES);

	return len < 0 && (errno == EINVAL || errno == ENOSYS) ? copy_by_hand(copy) : len;
}

/* Copies all that is new. A descriptor that takes no more is given up. */
static void copy_new(struct copy *copy)
{
	struct stat status;
	ssize_t len;

	if (copy->from < 0)
		return;
	/* Somebody has cut the file. */
	if (fstat(copy->from, &status) == 0 && status.st_size < copy->at)
		copy->at = status.st_size;
	do {
		len = copy_piece(copy);
		if (len < 0 && errno == EAGAIN && await_room(copy->to))
			errno = EINTR;
	} while (len > 0 || (len < 0 && errno == EINTR));
	if (len < 0)
		fd_closep(&copy->from);
}

/* Copies the files in the order in which they were written. */
static void handle_events(struct duct_copies *copies)
{
	_Alignas(struct inotify_event) char bytes[4096];
	ssize_t len = read(copies->events_fd, bytes, sizeof(bytes));

	for (char *at = bytes; len > 0 && at < bytes + len;) {
		const struct inotify_event *event = (const struct inotify_event *)(void *)at;

		for (int i = 0; i < DUCT_COPIES; i++)
			if (event->wd == copies->copies[i].watch)
				copy_new(&copies->copies[i]);
		at += sizeof(*event) + event->len;
	}
}

static void *run(void *argument)
{
	const struct timespec pause = {.tv_nsec = (long)(PAUSE_US * NS_PER_US)};
	struct duct_copies *copies = argument;
	int wait_ms = copies->events_fd < 0 ? WAIT_WITHOUT_EVENTS_MS : WAIT_MS;

	while (true) {
		struct pollfd waits[] = {{.fd = copies->stop_fd, .events = POLLIN},
		                         {.fd = copies->events_fd, .events = POLLIN}};
		bool is_last;

		(void)poll(waits, ARRAY_SIZE(waits), wait_ms);
		is_last = waits[0].revents & POLLIN || atomic_load(&copies->is_stopped);
		if (waits[1].revents & POLLIN)
			handle_events(copies);
		for (int i = 0; i < DUCT_COPIES; i++)
			copy_new(&copies->copies[i]);
		if (is_last)
			return NULL;
		if (waits[1].revents & POLLIN)
			(void)nanosleep(&pause, NULL);
	}
}

static void watch(struct duct_copies *copies)
{
	copies->events_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	for (int i = 0; i < DUCT_COPIES; i++) {
		struct copy *copy = &copies->copies[i];
		char path[64];

		copy->watch = -1;
		if (copies->events_fd < 0 || copy->from < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", copy->from);
		copy->watch = inotify_add_watch(copies->events_fd, path, IN_MODIFY);
		if (copy->watch < 0)
			fd_closep(&copies->events_fd);
	}
}

static void copies_free(struct duct_copies *copies)
{
	for (int i = 0; i < DUCT_COPIES; i++)
		fd_closep(&copies->copies[i].from);
	fd_closep(&copies->events_fd);
	fd_closep(&copies->stop_fd);
	free(copies);
}

int duct_copies_start(const int from[DUCT_COPIES], const int to[DUCT_COPIES],
                      struct duct_copies **ret)
{
	struct duct_copies *copies = mem_calloc(1, sizeof(*copies));
	int r;

	for (int i = 0; i < DUCT_COPIES; i++)
		copies->copies[i] = (struct copy){.from = from[i], .to = to[i]};
	copies->stop_fd = eventfd(0, EFD_CLOEXEC);
	r = copies->stop_fd < 0 ? -errno : 0;
	if (r == 0) {
		watch(copies);
		r = worker_start(&copies->thread, run, copies, NULL) ? 0 : -EAGAIN;
	}
	if (r < 0)
		copies_free(copies);
	else
		*ret = copies;
	return r;
}

void duct_copies_stop(struct duct_copies *copies)
{
	if (!copies)
		return;
	atomic_store(&copies->is_stopped, true);
	(void)eventfd_write(copies->stop_fd, 1);
	(void)pthread_join(copies->thread, NULL);
	copies_free(copies);
}
