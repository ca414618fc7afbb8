/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* guardian - a process that waits for the end of this one, and then restores the entries of the journal. */
#include <stdbool.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

struct guardian {
	pid_t pid;   /* 0: none */
	int pidfd;   /* owned */
	int pipe_fd; /* owned; nothing is written there */
};

#define GUARDIAN_INIT ((struct guardian){.pidfd = -1, .pipe_fd = -1})

/* Starts it, with copies of both descriptors and nothing else. Without a journal it ends with this process. Returns 0 or -errno. */
must_check_ int guardian_start(struct guardian *guardian, int dir_fd, int lock_fd);

bool guardian_has_ended(const struct guardian *guardian);

/* Kills it, and frees it. */
void guardian_end(struct guardian *guardian);
