// SPDX-License-Identifier: GPL-2.0-or-later
#include "guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/helper.h"
#include "base/own-names.h"
#include "journal.h"
#include "revert.h"

/* The descriptors of the guardian; standard output and error are /dev/null. */
enum { PIPE = STDIN_FILENO, DIRECTORY = 3, LOCK, RUNNER, COMMANDS, FIRST_UNUSED, ABOVE = 32 };

/* Has only system calls, and malloc(3), for the process that it was forked from may have threads. */
static void restore_host(void)
{
	cleanup_(strbuf_done) struct strbuf report = STRBUF_INIT;
	struct journal journal = JOURNAL_INIT;
	struct reverts reverts;

	if (journal_read(&journal, DIRECTORY) < 0)
		return;
	journal.directory_fd = COMMANDS;
	reverts = revert_all(&journal, false, -1, &report);
	/* ctprof ab --restore reports the rest. */
	if (reverts.count[REVERTED] == journal.count)
		(void)journal_remove(DIRECTORY);
	journal_done(&journal);
}

static void place_descriptors(int pipe_fd, int dir_fd, int lock_fd, int runner_fd)
{
	const int places[] = {PIPE, STDOUT_FILENO, STDERR_FILENO, DIRECTORY,
	                      LOCK, RUNNER,        COMMANDS};
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int commands_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fds[] = {pipe_fd, null_fd, null_fd, dir_fd, lock_fd, runner_fd, commands_fd};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, ABOVE);
		if (fds[i] < 0)
			_exit(1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (dup3(fds[i], places[i], O_CLOEXEC) < 0)
			_exit(1);
	if (close_range(FIRST_UNUSED, ~0U, 0) < 0)
		_exit(1);
}

/* The kernel takes memory from others first. Needs CAP_SYS_RESOURCE. */
static void outlive_others(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "-1000", 5);
	fd_closep(&fd);
}

static noreturn_ void guard(int pipe_fd, int dir_fd, int lock_fd, int runner_fd)
{
	struct pollfd fds[] = {{.fd = PIPE, .events = POLLIN}, {.fd = RUNNER, .events = POLLIN}};

	(void)setsid();
	helper_ignore_signals();
	(void)prctl(PR_SET_NAME, own_names[OWN_NAME_guardian], 0, 0, 0);
	place_descriptors(pipe_fd, dir_fd, lock_fd, runner_fd);
	if (chdir("/") < 0)
		_exit(1);
	outlive_others();
	while (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno == EINTR)
		;
	restore_host();
	_exit(0);
}

/* Signals wait until it ignores them. */
int guardian_start(struct guardian *guardian, int dir_fd, int lock_fd)
{
	cleanup_(fd_closep) int runner_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	sigset_t all, before;
	int pipe_fds[2];
	pid_t pid;

	*guardian = GUARDIAN_INIT;
	if (runner_fd < 0 || pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		guard(pipe_fds[0], dir_fd, lock_fd, runner_fd);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	close(pipe_fds[0]);
	guardian->pipe_fd = pipe_fds[1];
	if (pid > 0) {
		guardian->pid = pid;
		guardian->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	}
	if (guardian->pidfd < 0) {
		int r = -errno;

		guardian_end(guardian);
		return r;
	}
	return 0;
}

bool guardian_has_ended(const struct guardian *guardian)
{
	struct pollfd end = {.fd = guardian->pidfd, .events = POLLIN};

	return guardian->pid > 0 && poll(&end, 1, 0) > 0;
}

void guardian_end(struct guardian *guardian)
{
	if (guardian->pid > 0) {
		(void)kill(guardian->pid, SIGKILL);
		while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	fd_closep(&guardian->pidfd);
	fd_closep(&guardian->pipe_fd);
	guardian->pid = 0;
}
