/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* revert - restores the entries of a journal. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "journal.h"

/* The result for an entry. */
enum reverted {
	REVERTED,       /* it is as it was */
	REVERT_FOREIGN, /* somebody else has set it; left alone */
	REVERT_GONE,    /* the file is no more */
	REVERT_FAILED,  /* to be tried again */
	REVERTED_COUNT,
};

struct reverts {
	size_t count[REVERTED_COUNT];
	size_t reset_by_boot; /* of those that are as they were */
};

/* Restores a file, if it has not its old content. Appends a line to @report, if it is not NULL, for anything but REVERTED. */
enum reverted revert_file(const struct journal_entry *entry, struct strbuf *report);

/* Ends the processes of a command, and undoes it if it has begun. An undo command that is killed is run once more. */
enum reverted revert_command(struct journal *journal, struct journal_entry *entry, int output_fd,
                             struct strbuf *report);

/* Reverts all entries, from the last to the first; files that depend on others are tried again. After a reboot (@rebooted),
 * processes are gone, and only files on disk are restored. Appends a line to @report for anything but REVERTED. */
struct reverts revert_all(struct journal *journal, bool rebooted, int output_fd,
                          struct strbuf *report);

/* Returns whether a file has its old content. */
bool revert_is_old(const struct journal_entry *entry, const struct strbuf *text);

/* Appends a value of a file, or a command, in quotes and cut. Safe to print. */
void revert_add_value(struct strbuf *out, const char *bytes, size_t len);
