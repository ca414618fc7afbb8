// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

enum { CODE_FAILED = 125, CODE_NOT_EXECUTABLE = 126, CODE_NOT_FOUND = 127, CODE_SIGNAL = 128 };

/* The pair may be each other's number. */
static int set_streams(const struct job_launch *launch)
{
	int out = launch->stdout_fd, err = launch->stderr_fd;

	if (!launch->has_streams)
		return 0;
	if (err == STDOUT_FILENO) {
		err = fcntl(err, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (err < 0)
			return -1;
	}
	return dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 ? -1 : 0;
}

/* The pipe of the gate is closed without a byte if the runner has ended. */
noreturn_ static void run_child(const struct job_launch *launch, int gate_fd, int error_fd)
{
	char byte;
	ssize_t len;
	int error;

	do
		len = read(gate_fd, &byte, 1);
	while (len < 0 && errno == EINTR);
	if (len != 1)
		_exit(CODE_FAILED);
	job_inherited_restore(launch->inherited);
	if (launch->new_session)
		(void)setsid();
	if (set_streams(launch) == 0)
		execvp(launch->argv[0], launch->argv);
	error = errno;
	(void)!write(error_fd, &error, sizeof(error));
	_exit(job_command_error_code(error));
}

/* Creates a child inside the cgroup. Returns what fork(2) returns. */
static pid_t fork_into(int cgroup_fd)
{
	struct clone_args args = {
	        .flags = CLONE_INTO_CGROUP,
	        .exit_signal = SIGCHLD,
	        .cgroup = (unsigned)cgroup_fd,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

int job_command_start(struct job_command *command, const struct job_launch *launch, int cgroup_fd,
                      bool *ret_in_cgroup)
{
	int gate[2] = {-1, -1}, errors[2] = {-1, -1}, r;

	*command = JOB_COMMAND_INIT;
	if (pipe2(gate, O_CLOEXEC) < 0)
		return -errno;
	r = pipe2(errors, O_CLOEXEC) < 0 ? -errno : 0;
	fflush(NULL);
	if (r == 0) {
		command->pid = cgroup_fd >= 0 ? fork_into(cgroup_fd) : -1;
		*ret_in_cgroup = command->pid >= 0;
		if (command->pid < 0)
			command->pid = fork();
		r = command->pid < 0 ? -errno : 0;
	}
	if (r == 0 && command->pid == 0) {
		close(gate[1]);
		run_child(launch, gate[0], errors[1]);
	}
	fd_closep(&gate[0]);
	fd_closep(&errors[1]);
	command->gate_fd = gate[1];
	command->error_fd = errors[0];
	if (r == 0) {
		command->pid_fd = (int)syscall(SYS_pidfd_open, command->pid, 0);
	} else {
		command->pid = 0;
		job_command_done(command);
	}
	return r;
}

void job_command_await_gate(const struct job_command *command, int proc_fd)
{
	enum { TRIES = 100 };
	const struct timespec step = {.tv_nsec = NS_PER_MS / 10};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char path[32];

	snprintf(path, sizeof(path), "%d/stat", (int)command->pid);
	for (int i = 0; i < TRIES; i++) {
		const char *end;

		if (fd_read_record_at(proc_fd, path, &text, PATH_MAX) < 0)
			return;
		end = strrchr(strbuf_str(&text), ')');
		if (end && strncmp(end, ") S", strlen(") S")) == 0)
			return;
		(void)nanosleep(&step, NULL);
	}
}

int job_command_release(struct job_command *command)
{
	const char byte = 0;
	int error = 0, r;
	ssize_t len;

	r = fd_write_all(command->gate_fd, &byte, 1);
	/* The child ends if there is nothing to read any more. */
	fd_closep(&command->gate_fd);
	if (r < 0)
		return -ECHILD;
	do
		len = read(command->error_fd, &error, sizeof(error));
	while (len < 0 && errno == EINTR);
	fd_closep(&command->error_fd);
	return len == (ssize_t)sizeof(error) ? -error : 0;
}

void job_command_done(struct job_command *command)
{
	fd_closep(&command->gate_fd);
	fd_closep(&command->error_fd);
	fd_closep(&command->pid_fd);
}

int job_command_error_code(int error)
{
	return error == ENOENT ? CODE_NOT_FOUND : CODE_NOT_EXECUTABLE;
}

int job_command_exit_code(int status)
{
	return WIFSIGNALED(status) ? CODE_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
