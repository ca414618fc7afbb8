/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* changes-state - the state of an experiment's changes, shared by the changes-*.c files. */
#include "changes-plan.h"
#include "guardian.h"
#include "knob/changes.h"
#include "shell.h"

#define NO_ARM ((size_t)-1)

struct changes {
	const struct knob_list *arms; /* borrowed */
	struct plan plan;
	int stop_fd, output_fd; /* borrowed */
	int dir_fd, lock_fd; /* owned; -1 where nothing is changed and this user has no directory */
	int watch_fd;        /* owned, of epoll(7) */
	struct guardian guardian;
	struct shell *daemons; /* by entry */
	size_t arm;            /* the present one, or NO_ARM */
	char *dir;             /* for messages */
};

/* Adds a pidfd to the descriptor of changes_watch_fd(), and removes it. */
must_check_ int changes_watch(struct changes *changes, int fd);
void changes_unwatch(struct changes *changes, int fd);

/* Begins another line of a text of lines. */
void changes_line(struct strbuf *lines);
