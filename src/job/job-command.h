/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-command - starts a command as its caller would: in the same session, process group and terminal, with the same
 * descriptors, signals and limits, unless it is to have others. */
#include <stdbool.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "job/job-signals.h"

/* A command and its surroundings. Everything is borrowed until job_command_release(). */
struct job_launch {
	char **argv;                           /* ended by NULL */
	const struct job_inherited *inherited; /* its signals */
	bool new_session; /* it leads a session of its own, without a terminal */
	bool has_streams; /* it gets these two in place of the caller's: */
	int stdout_fd, stderr_fd;
};

struct job_command {
	pid_t pid; /* 0: there is none */
	int pid_fd;
	int gate_fd;  /* the child waits for a byte from it */
	int error_fd; /* the errno of execvp(3) comes out of it, or nothing */
};

#define JOB_COMMAND_INIT ((struct job_command){.pid_fd = -1, .gate_fd = -1, .error_fd = -1})

/* Makes the process, which waits. It is born in the cgroup of version 2 whose directory is @cgroup_fd, if the kernel does
 * that: *@ret_in_cgroup. -1: no cgroup. Returns 0 or -errno. */
must_check_ int job_command_start(struct job_command *command, const struct job_launch *launch,
                                  int cgroup_fd, bool *ret_in_cgroup);

/* Waits until the process sleeps in front of the command, but not for long. @proc_fd is /proc. */
void job_command_await_gate(const struct job_command *command, int proc_fd);

/* Lets it execute the command, and waits until it does. Returns 0; or -errno of execvp(3), and then the process
 * ends. */
must_check_ int job_command_release(struct job_command *command);

/* Closes the descriptors; a process that waits ends. For cleanup_(job_command_done). */
void job_command_done(struct job_command *command);

/* Returns the exit code of a command that could not be executed: 127 if it was not found, else 126. */
int job_command_error_code(int error);

/* Returns the exit code for a status of wait(2): 128 + N for signal N. */
int job_command_exit_code(int status);
