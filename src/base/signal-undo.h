/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* signal-undo - removes files with temporary names if a signal ends the program. */
#include <signal.h>
#include <stdbool.h>

/* Sets @ret to the signals that end a program, or may be made to, without SIGKILL, which nobody can handle, and those of faults of
 * the program itself. signal(7) lists them; SIGRTMIN and above are among them. There are none in process 1 of a PID namespace, which
 * the kernel lets no signal without a handler end (pid_namespaces(7)). */
void signal_set_ending(sigset_t *ret);

/* A name in a directory. Both are borrowed until signal_undo_pop(). */
struct signal_undo {
	int dir_fd;
	const char *name;
	int flags;                /* of unlinkat(2) */
	struct signal_undo *next; /* owned by signal-undo.c */
};

/* Registers a name, which is removed before one of these signals ends the program, and before those that are registered already.
 * Signals that are ignored, or handled, stay so.
 * A child process of fork(2) removes nothing. For the main thread. */
void signal_undo_push(struct signal_undo *undo);
void signal_undo_pop(struct signal_undo *undo);

/* Returns whether the signal would end the program, with or without registered names. */
bool signal_undo_is_default(const struct sigaction *action);

/* Lets the signal end the program from now on, and remove the registered names. May be called in a signal handler. */
void signal_undo_set_default(int signal);
