/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* changes - changes that an experiment makes to this host. They are restored in any case.
 *
 * Before the first change, every old value is in a journal on disk, and a second process, the guardian, waits for the end of this
 * one: it takes everything back if this process is killed. If the guardian is killed, this process starts another one
 * (changes_check()). If both are, or the host crashes, the journal is pending: changes_pending() says so, and changes_restore()
 * takes everything back. After a crash, files of /proc, /sys, debugfs, cgroups and tmpfs are left alone, for a boot resets them;
 * the undo commands of EXEC are run, and other files get their old contents.
 *
 * An undo command is run once for each time that its command was started, also if that one failed or was killed. It may be
 * run again where a kill or a crash leaves no record that it has ended: it must be repeatable.
 *
 * Everything is in one directory, /var/lib/ctprof for root: "changes" (the journal), "changes.lock". The lock is that of the host.
 *
 * Commands are run by /bin/sh -c in sessions of their own, in the directory in which the experiment began, with standard input
 * from /dev/null and no descriptor but the three standard ones. An undo command may get another environment. The guardian, commands
 * and daemons are children of this process, which must wait for no child but its own ones. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "knob/knob.h"

struct changes_options {
	const char
	        *state_dir; /* NULL: the first of $STATE_DIRECTORY, or /var/lib/ctprof for root */
	const char *label;  /* which experiment this is, for messages; any bytes, or NULL */
	int stop_fd; /* borrowed: waits end early, with -EINTR, once it has input, which is left there; -1: none */
	int output_fd; /* borrowed: where commands print to; -1: /dev/null */
};

#define CHANGES_OPTIONS_INIT ((struct changes_options){.stop_fd = -1, .output_fd = -1})

struct changes; /* must not be used after fork(2) by the child */

/* All functions with @reterr append one or more lines to it, each without "ctprof:", safe to print, and with a newline only between
 * them. -errno without a text there does not occur. */

/* Takes the lock of the host, reads the old value of every file of all arms, writes the journal, and starts the guardian. Nothing is changed
 * yet. An arm has one value for each file. The lists are borrowed until changes_end(). Arms without anything but ENV need no directory, no lock and no guardian
 * where this user has none. Returns 0; -EBUSY while another experiment runs; -EUCLEAN if a journal is pending; another
 * -errno. */
must_check_ int changes_begin(struct changes **ret, const struct knob_list *arms, size_t arm_count,
                              const struct changes_options *options, struct strbuf *reterr);

/* Sets the files of each arm once, reads them back, and takes them back. Commands are not run. Returns 0, or -errno: -EINVAL if a value does
 * not take, or if the old one cannot be set again. changes_end() is to follow an error. */
must_check_ int changes_try(struct changes *changes, struct strbuf *reterr);

/* Makes the arm's lines hold: daemons and commands of other arms that this arm does not have are ended and undone, in
 * reverse order, files that it does not name get their old values, then its own lines are done in their order. A
 * line that holds already stays as it is: the same command in two arms is not run again. A daemon has to live for 100 ms.
 * Returns 0 or -errno: -EINTR by stop_fd, -ESTALE where somebody else has set a file since, -ECHILD where a command fails or a
 * daemon ends early. changes_end() is to follow an error. */
must_check_ int changes_apply(struct changes *changes, size_t arm, struct strbuf *reterr);

/* A descriptor that poll(2) finds readable when changes_check() has something to do: the guardian, or a daemon, has ended. Borrowed; stays the
 * same until changes_end(). -1 where there is no guardian. */
int changes_watch_fd(const struct changes *changes);

/* Starts another guardian where it has ended. Returns 0; -ECHILD where a daemon of the present arm has ended; another
 * -errno where no guardian can be started: then changes_end() is to follow at once. */
must_check_ int changes_check(struct changes *changes, struct strbuf *reterr);

/* Compares the files with what the present arm has set, without changing any. Returns 0, or -ESTALE with a line for each. */
must_check_ int changes_verify(struct changes *changes, struct strbuf *reterr);

/* Takes everything back, reads it back, and frees @changes, which may be NULL. A value that is neither an old one nor an arm's
 * was set by somebody else, and is left alone. stop_fd does not matter any more. Returns 0 when everything is as it was before, or
 * 1 with a line in @report for each exception; the journal is kept where something could not be taken back, and removed otherwise. */
must_check_ int changes_end(struct changes *changes, struct strbuf *report);

/* Takes back what a pending journal has, as changes_end() does. Returns 0, also if nothing is pending; 1 with lines in
 * @report; -EBUSY while an experiment runs; another -errno. @ret_done, if not NULL, is the number of entries that are as they were before,
 * of a pending journal. */
must_check_ int changes_restore(const char *state_dir, size_t *ret_done, struct strbuf *report);

/* Returns whether there is a journal without a running experiment; then appends a line to @out with the command that restores. Costs
 * one access(2) if there is none. False also if this user may not read the directory. */
must_check_ bool changes_pending(const char *state_dir, struct strbuf *out);
