// SPDX-License-Identifier: GPL-2.0-or-later
#include "outlook.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/helper.h"
#include "child.h"

enum { CHILD_RESULT = CHILD_FIRST, CHILD_DIRECTORY };

static const struct run_outlook nothing = {.detectable = INFINITY};

/* Errors are no part of the answer, and would be on the terminal in the middle of the progress. */
static bool be_silent(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	return fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0 && dup2(fd, STDERR_FILENO) >= 0;
}

noreturn_ static void run_child(pid_t parent, int result_fd, struct run_observer *observer,
                                struct experiment *experiment)
{
	const int fds[] = {result_fd, experiment->dir_fd};
	struct run_outlook answer = nothing;

	helper_ignore_signals();
	helper_end_with(parent);
	if (!be_silent() || !child_keep(fds, ARRAY_SIZE(fds)))
		_exit(1);
	experiment->dir_fd = CHILD_DIRECTORY;
	observer->outlook(observer, experiment, &answer);
	_exit(fd_write_all(CHILD_RESULT, &answer, sizeof(answer)) < 0);
}

int outlook_begin(struct outlook *outlook, struct run_observer *observer,
                  struct experiment *experiment)
{
	int fds[2];
	pid_t parent = getpid();
	int r = 0;

	*outlook = OUTLOOK_INIT;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	outlook->pid = fork();
	if (outlook->pid == 0)
		run_child(parent, fds[1], observer, experiment);
	if (outlook->pid < 0) {
		r = -errno;
		outlook->pid = 0;
	}
	outlook->fd = fds[0];
	fd_closep(&fds[1]);
	if (r < 0)
		fd_closep(&outlook->fd);
	return r;
}

void outlook_read(struct outlook *outlook)
{
	ssize_t len = read(outlook->fd, (char *)&outlook->answer + outlook->got,
	                   sizeof(outlook->answer) - outlook->got);

	if (len < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (len <= 0)
		outlook->answer = nothing;
	else
		outlook->got += (size_t)len;
	outlook->done = len <= 0 || outlook->got == sizeof(outlook->answer);
}

void outlook_done(struct outlook *outlook)
{
	fd_closep(&outlook->fd);
	if (outlook->pid > 0) {
		if (!outlook->done)
			kill(outlook->pid, SIGKILL);
		while (waitpid(outlook->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	outlook->pid = 0;
}
