/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-signals - the signals of whoever runs a command: they wait in a descriptor, and the command gets the settings that
 * its runner was started with. */
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

#include "ctprof/base/macro.h"

enum { JOB_SIGNALS_CHANGED = 3 };

/* The settings that the runner was started with. */
struct job_inherited {
	sigset_t mask;
	struct sigaction actions[JOB_SIGNALS_CHANGED];
};

/* Saves them, and makes those that a runner needs: children can be waited for, and a write to a pipe without a reader, or
 * beyond the limit of a file's size, fails. Returns 0 or -errno. */
must_check_ int job_inherited_save(struct job_inherited *inherited);

/* Sets everything back in a child process, before it executes the command. Calls nothing but system calls. */
void job_inherited_restore(const struct job_inherited *inherited);

struct job_signals {
	int fd; /* readable when a signal waits */
	sigset_t before;
};

#define JOB_SIGNALS_INIT ((struct job_signals){.fd = -1})

/* Blocks the signals that end a process and that others send, and SIGCHLD. Signals of job control are left alone: a stop reaches
 * the whole process group. Returns 0 or -errno. */
must_check_ int job_signals_init(struct job_signals *signals);

/* Lets them through again; signals that wait are dropped. For cleanup_(job_signals_done). */
void job_signals_done(struct job_signals *signals);

/* Reads the next signal that waits. Returns false if there is none. */
must_check_ bool job_signals_next(const struct job_signals *signals, struct signalfd_siginfo *ret);

/* Returns whether a process sent it. The terminal's signals reach the command as well, since it is in the same process
 * group. */
bool job_signal_is_sent(const struct signalfd_siginfo *signal);
