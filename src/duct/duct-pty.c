// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/worker.h"

enum { PIECE_BYTES = 1 << 14, LINES_USUAL = 24, COLUMNS_USUAL = 80 };

struct duct_pty {
	pthread_t thread;
	int master_fd, slave_fd;
	int stop_fd; /* readable when the thread is to end */
	int file_fd, shown_fd;
	int error; /* of the file; for the thread until it has ended */
};

static void write_piece(struct duct_pty *pty, const char *bytes, size_t len)
{
	int r = pty->file_fd < 0 || pty->error < 0 ? 0 : fd_write_all(pty->file_fd, bytes, len);

	if (r < 0)
		pty->error = r;
	if (pty->shown_fd >= 0 && fd_write_all(pty->shown_fd, bytes, len) < 0)
		pty->shown_fd = -1;
}

/* Returns false if there is no more: EIO says that nobody has the other side any more. */
static bool copy_piece(struct duct_pty *pty)
{
	char bytes[PIECE_BYTES];
	ssize_t len = read(pty->master_fd, bytes, sizeof(bytes));

	if (len > 0)
		write_piece(pty, bytes, (size_t)len);
	return len > 0 || (len < 0 && errno == EINTR);
}

static void *run(void *argument)
{
	struct duct_pty *pty = argument;
	bool is_open = true;

	while (is_open) {
		struct pollfd waits[] = {{.fd = pty->stop_fd, .events = POLLIN},
		                         {.fd = pty->master_fd, .events = POLLIN}};

		(void)poll(waits, ARRAY_SIZE(waits), -1);
		if (waits[1].revents != 0)
			is_open = copy_piece(pty);
		else if (waits[0].revents & POLLIN)
			is_open = false;
	}
	return NULL;
}

/* Stores the size of our own terminal. Returns false if there is none. */
static bool find_size(struct winsize *ret)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (ioctl(fd, TIOCGWINSZ, ret) == 0 && ret->ws_col > 0)
			return true;
	return false;
}

void duct_pty_resize(const struct duct_pty *pty)
{
	struct winsize size;

	if (find_size(&size))
		(void)ioctl(pty->master_fd, TIOCSWINSZ, &size);
}

/* Our own terminal makes the ends of lines; in the file they are as the command wrote them. */
static int set_slave(int slave_fd)
{
	struct winsize size;
	struct termios settings;

	if (!find_size(&size))
		size = (struct winsize){.ws_row = LINES_USUAL, .ws_col = COLUMNS_USUAL};
	if (ioctl(slave_fd, TIOCSWINSZ, &size) < 0 || tcgetattr(slave_fd, &settings) < 0)
		return -errno;
	settings.c_oflag &= ~(tcflag_t)OPOST;
	return tcsetattr(slave_fd, TCSANOW, &settings) < 0 ? -errno : 0;
}

static int open_pair(struct duct_pty *pty)
{
	pty->master_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (pty->master_fd < 0 || grantpt(pty->master_fd) < 0 || unlockpt(pty->master_fd) < 0)
		return -errno;
	/* The pair is asked, since its name may be that of another file system's. */
	pty->slave_fd = ioctl(pty->master_fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return pty->slave_fd < 0 ? -errno : set_slave(pty->slave_fd);
}

static void pty_free(struct duct_pty *pty)
{
	fd_closep(&pty->master_fd);
	fd_closep(&pty->slave_fd);
	fd_closep(&pty->stop_fd);
	free(pty);
}

int duct_pty_start(int file_fd, int shown_fd, struct duct_pty **ret)
{
	struct duct_pty *pty = mem_calloc(1, sizeof(*pty));
	int r;

	*pty = (struct duct_pty){.slave_fd = -1, .file_fd = file_fd, .shown_fd = shown_fd};
	pty->stop_fd = eventfd(0, EFD_CLOEXEC);
	r = open_pair(pty);
	if (r == 0 && pty->stop_fd < 0)
		r = -EMFILE;
	if (r == 0)
		r = worker_start(&pty->thread, run, pty, NULL) ? 0 : -EAGAIN;
	if (r < 0)
		pty_free(pty);
	else
		*ret = pty;
	return r;
}

int duct_pty_slave(const struct duct_pty *pty)
{
	return pty->slave_fd;
}

void duct_pty_close_slave(struct duct_pty *pty)
{
	fd_closep(&pty->slave_fd);
}

int duct_pty_stop(struct duct_pty *pty)
{
	int r;

	if (!pty)
		return 0;
	duct_pty_close_slave(pty);
	(void)eventfd_write(pty->stop_fd, 1);
	(void)pthread_join(pty->thread, NULL);
	r = pty->error;
	pty_free(pty);
	return r;
}
