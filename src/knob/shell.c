// SPDX-License-Identifier: GPL-2.0-or-later
#include "shell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "session.h"

enum { GO_FD = 3, TERM_WAIT_MS = 5000, KILL_WAIT_MS = 5000, LOOK_EVERY_MS = 5 };

static int open_pidfd(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

/* Undoes what the guardian does for itself, which would let a service that the command starts outlive all others. */
static void be_ordinary(void)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char text[8] = "";

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strcmp(text, "-1000\n") == 0)
		(void)!write(fd, "0", 1);
	fd_closep(&fd);
}

/* In the child, which may be that of a process with threads: system calls only. */
static noreturn_ void run(const char *command, int directory_fd, int go_fd, int output_fd)
{
	const char *const arguments[] = {"sh", "-c", command, NULL};
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;
	char byte = 0;

	(void)setsid();
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		(void)signal(signal_number, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* None of these four is below the places that it goes to, for standard descriptors are open. */
	if (null_fd < 0 || fchdir(directory_fd) < 0 ||
	    dup2(output_fd < 0 ? null_fd : output_fd, STDOUT_FILENO) < 0 ||
	    dup2(STDOUT_FILENO, STDERR_FILENO) < 0 || dup2(null_fd, STDIN_FILENO) < 0 ||
	    (go_fd != GO_FD && dup3(go_fd, GO_FD, O_CLOEXEC) < 0) ||
	    close_range(GO_FD + 1, ~0U, 0) < 0)
		_exit(126);
	be_ordinary();
	while (read(GO_FD, &byte, 1) < 0 && errno == EINTR)
		;
	if (byte == 'g')
		(void)execv("/bin/sh", (char *const *)(uintptr_t)arguments);
	_exit(127);
}

/* Closes what is open. A shell that has not been allowed to run ends; another one goes on. */
static void shell_done(struct shell *shell)
{
	fd_closep(&shell->pidfd);
	fd_closep(&shell->go_fd);
	shell->pid = 0;
}

int shell_start(struct shell *shell, const char *command, int directory_fd, int output_fd)
{
	int go[2], r;
	pid_t pid;

	*shell = SHELL_INIT;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		run(command, directory_fd, go[0], output_fd);
	close(go[0]);
	shell->go_fd = go[1];
	if (pid < 0) {
		r = -errno;
		shell_done(shell);
		return r;
	}
	shell->pid = pid;
	shell->pidfd = open_pidfd(pid);
	r = shell->pidfd < 0 ? shell->pidfd : session_start_ticks(pid, &shell->start_ticks);
	if (r < 0) {
		shell_done(shell);
		(void)waitpid(pid, NULL, 0);
	}
	return r;
}

/* A shell that was killed before is found by shell_wait(). */
int shell_go(struct shell *shell)
{
	int r = 0;

	if (send(shell->go_fd, "g", 1, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		r = -errno;
	fd_closep(&shell->go_fd);
	return r;
}

int shell_wait(struct shell *shell, int stop_fd, int wait_ms, int *ret_status)
{
	uint64_t until_ns =
	        clock_now_ns(CLOCK_MONOTONIC) + (uint64_t)(wait_ms < 0 ? 0 : wait_ms) * NS_PER_MS;
	struct pollfd fds[] = {{.fd = shell->pidfd, .events = POLLIN},
	                       {.fd = stop_fd, .events = POLLIN}};

	for (;;) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		int left_ms = wait_ms < 0          ? -1
		              : now_ns >= until_ns ? 0
		                                   : (int)((until_ns - now_ns) / NS_PER_MS) + 1;
		int r = poll(fds, 2, left_ms);

		if (r < 0 && errno != EINTR)
			return -errno;
		if (r > 0 && fds[0].revents) {
			pid_t reaped = waitpid(shell->pid, ret_status, 0);

			shell->pid = 0;
			shell_done(shell);
			return reaped < 0 ? -errno : 0;
		}
		if (r > 0 && fds[1].revents)
			return -EINTR;
		if (r == 0 && left_ms == 0)
			return -ETIME;
	}
}

/* Waits until the session is empty. */
static bool await_end(pid_t session, uint64_t start_ticks, int wait_ms)
{
	for (int waited_ms = 0;; waited_ms += LOOK_EVERY_MS) {
		/* A leader that is our child stays a zombie otherwise; anybody else's is none of ours. */
		if (session_signal(session, start_ticks, 0) == 0)
			return true;
		if (waited_ms >= wait_ms)
			return false;
		(void)poll(NULL, 0, LOOK_EVERY_MS);
	}
}

bool shell_end_session(pid_t session, uint64_t start_ticks)
{
	if (session <= 0 || session_signal(session, start_ticks, SIGTERM) == 0)
		return true;
	/* A stopped process gets no other signal. */
	(void)session_signal(session, start_ticks, SIGCONT);
	if (await_end(session, start_ticks, TERM_WAIT_MS))
		return true;
	for (int waited_ms = 0; waited_ms < KILL_WAIT_MS; waited_ms += LOOK_EVERY_MS) {
		if (session_signal(session, start_ticks, SIGKILL) == 0)
			return true;
		(void)poll(NULL, 0, LOOK_EVERY_MS);
	}
	return false;
}

bool shell_end(struct shell *shell)
{
	bool ended = true;

	if (shell->pid > 0) {
		fd_closep(&shell->go_fd);
		ended = shell_end_session(shell->pid, shell->start_ticks);
		if (ended)
			(void)waitpid(shell->pid, NULL, 0);
	}
	shell_done(shell);
	return ended;
}

void shell_add_status(struct strbuf *out, int status)
{
	if (WIFSIGNALED(status))
		strbuf_addf(out, "killed by signal %d", WTERMSIG(status));
	else
		strbuf_addf(out, "exit status %d", WEXITSTATUS(status));
}
