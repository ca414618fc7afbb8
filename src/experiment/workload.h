/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* workload - the command of an experiment: a process group of its own, with the environment of the arm. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "knob/knob.h"

struct workload {
	pid_t pid; /* 0: there is none */
	int pid_fd, output_fd;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	bool ended;
	int status; /* as the shell has it, 128 + n for signal n */
};

#define WORKLOAD_INIT ((struct workload){.pid_fd = -1, .output_fd = -1})

/* Starts /bin/sh -c @command, with the variables of @arm (NULL: none) and no input. Its output is read from output_fd, which does not
 * block. It ends with this process. Returns 0 or -errno. */
must_check_ int workload_begin(struct workload *workload, const char *command,
                               const struct knob_list *arm);

/* To be called when pid_fd is readable: sets @ended. */
void workload_reap(struct workload *workload);

/* Ends the processes of its group: by SIGTERM, and after @wait_ns by SIGKILL. workload_done() kills them at
 * once. */
void workload_end(struct workload *workload, uint64_t wait_ns);
void workload_done(struct workload *workload);
