// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

static const char shell[] = "/bin/sh";

static void set_environment(const struct knob_list *arm)
{
	for (size_t i = 0; arm && i < arm->count; i++)
		if (arm->entries[i].kind == KNOB_ENV &&
		    setenv(arm->entries[i].name, arm->entries[i].value, 1) < 0)
			_exit(126);
}

/* Sets all signals to their defaults, as a shell does: the runner blocks some, and ignores some. */
static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

noreturn_ static void run_child(pid_t parent, const char *command, const struct knob_list *arm,
                                int output_fd)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	reset_signals();
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent || null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 ||
	    dup2(output_fd, STDOUT_FILENO) < 0 || dup2(output_fd, STDERR_FILENO) < 0 ||
	    close_range(STDERR_FILENO + 1, ~0U, 0) < 0)
		_exit(126);
	set_environment(arm);
	execl(shell, "sh", "-c", command, (char *)NULL);
	_exit(126);
}

int workload_begin(struct workload *workload, const char *command, const struct knob_list *arm)
{
	int pipe_fds[2];
	pid_t parent = getpid();
	int r = 0;

	*workload = WORKLOAD_INIT;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;
	if (fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK) < 0)
		r = -errno;
	fflush(NULL);
	workload->start_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (r == 0) {
		workload->pid = fork();
		if (workload->pid == 0)
			run_child(parent, command, arm, pipe_fds[1]);
		r = workload->pid < 0 ? -errno : 0;
	}
	fd_closep(&pipe_fds[1]);
	workload->output_fd = pipe_fds[0];
	if (r == 0) {
		/* Parent and child both call it, whichever runs first. */
		(void)setpgid(workload->pid, workload->pid);
		workload->pid_fd = (int)syscall(SYS_pidfd_open, workload->pid, 0);
		r = workload->pid_fd < 0 ? -errno : 0;
	} else {
		workload->pid = 0;
	}
	if (r < 0)
		workload_done(workload);
	return r;
}

void workload_reap(struct workload *workload)
{
	siginfo_t info = {0};
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC);

	/* It stays a zombie, so that nobody else gets the number of its process group. */
	if (workload->pid <= 0 || workload->ended ||
	    waitid(P_PID, (id_t)workload->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	    info.si_pid == 0)
		return;
	workload->ended = true;
	workload->end_ns = now;
	workload->status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

void workload_end(struct workload *workload, uint64_t wait_ns)
{
	struct pollfd process = {.fd = workload->pid_fd, .events = POLLIN};
	const struct timespec timeout = {.tv_sec = (time_t)(wait_ns / NS_PER_SECOND),
	                                 .tv_nsec = (long)(wait_ns % NS_PER_SECOND)};

	if (workload->pid > 0) {
		kill(-workload->pid, SIGTERM);
		/* A stopped process gets SIGTERM only when it continues. */
		kill(-workload->pid, SIGCONT);
		if (workload->pid_fd >= 0 && !workload->ended)
			(void)ppoll(&process, 1, &timeout, NULL);
		kill(-workload->pid, SIGKILL);
		while (waitpid(workload->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	fd_closep(&workload->pid_fd);
	fd_closep(&workload->output_fd);
	*workload = WORKLOAD_INIT;
}

void workload_done(struct workload *workload)
{
	workload_end(workload, 0);
}
