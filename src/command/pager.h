/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* pager - tables that are taller than the terminal go through the user's pager. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum pager_state {
	PAGER_HOLDING, /* the text fits on the terminal so far */
	PAGER_RUNNING,
	PAGER_PLAIN, /* there is none, or it could not be started */
	PAGER_GONE   /* the user has seen enough */
};

enum { PAGER_SIGNALS = 3 };

struct pager {
	FILE *file; /* where to print; standard output, or a stream that only pager_finish() closes */
	enum pager_state state;
	size_t rows, columns; /* of the terminal */
	bool wide;            /* a line has more columns than that */
	bool breaks;         /* such a line is no part of a table: it is broken as any other text */
	const char *command; /* borrowed from the environment; NULL: less */
	bool secure;         /* opens no file and starts no program (LESSSECURE) */
	struct strbuf held;  /* what no one has seen yet for certain */
	bool keeping;        /* no one may have read of the pipe yet */
	size_t written, room; /* bytes that the pipe took, and that it can hold */
	int error;            /* errno of what failed first on standard output, or 0 */
	int fd;               /* the pipe's end; open while it is running */
	pid_t process;
	struct sigaction before[PAGER_SIGNALS];
};

/* Decides where to print: where @wanted, standard output is a terminal and a pager is set, what is taller than the
 * terminal, or wider, goes through the pager. The pager must stay where it is, and nothing may be printed on standard output
 * itself, until pager_finish().
 *
 * $CTPROF_PAGERSECURE turns the secure mode of the pager on or off. If it is not set, the mode is on for a privileged process
 * (privileged.h), which uses no pager but less. A set-id program always runs the system's less in this mode, as the user
 * who called it; no variable changes that. */
void pager_start(struct pager *pager, bool wanted);

/* Waits for the pager, closes standard output and reports what could not be written. A pager that was left before
 * the end of the text is no failure. Returns EXIT_DONE or EXIT_FAILED. */
must_check_ int pager_finish(struct pager *pager);
