/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* export-child - does work in a process of its own, for a library that ends the process where it lacks memory, so that what
 * it leaves behind can be removed. */

#include <signal.h>

enum export_child_end {
	EXPORT_CHILD_DONE, /* @work returned 0 */
	EXPORT_CHILD_FAILED, /* it returned an error, and has printed it; or memory was short, which is printed as well */
	EXPORT_CHILD_ENDED, /* the process ended before @work returned */
};

struct held_signals {
	sigset_t before; /* what was blocked */
	sigset_t set;    /* what is blocked in addition, and is waited for */
};

/* Blocks the signals that ask a process to end, up to export_child_raise(), so that files of the work can be removed before. Those that
 * are ignored stay so. */
void export_child_hold_signals(struct held_signals *ret_held);

/* Calls @work with @context in a child process, and waits for it. Changes that @work makes in memory are lost. The child ends where one of the
 * signals that are held comes: then @ret_signal is its number, else 0. Returns enum export_child_end, or -errno if there can be no
 * child. The process has one thread. */
int export_child_run(int (*work)(void *context), void *context, const struct held_signals *held,
                     int *ret_signal);

/* Unblocks all that are held: from here on one without a handler ends the process at once. */
void export_child_release(const struct held_signals *held);

/* Raises the signal unless it is 0, and unblocks all that are held: one without a handler ends the process. */
void export_child_raise(const struct held_signals *held, int signal);
