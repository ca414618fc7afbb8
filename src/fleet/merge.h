/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* merge - windows of many hosts as one window of many hosts, whose rows say which host they are of. Files are read twice: first all of
 * them for what the result says of the hosts together, and then each for its rows, which pass through. There are some
 * 200 bytes in memory for each file and each host, and nothing for threads. Merging is associative: each field of the result is a sum,
 * a minimum, a maximum or what is alike everywhere, and a number that a file does not have is not in the result. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"

struct merge;

/* Never NULL; free with merge_freep(). */
struct merge *merge_new(void);
void merge_freep(struct merge **merge_ref);

/* Returns a visitor for the first reading of the next file, borrowed. */
struct snapshot_visitor *merge_survey(struct merge *merge);

/* Takes what that reading has found: @info is emptied. @name is the file's in messages. Returns 0, or -EINVAL with a sentence that
 * begins with the name: it is no window, has no host name, is of another selection or clock, or has a host that another file has. */
must_check_ int merge_add(struct merge *merge, const char *name, struct snapshot_info *info,
                          struct strbuf *reterr);

/* Begins the file. Called once, behind the last file. Returns 0 or the writer's -errno. */
must_check_ int merge_begin(struct merge *merge, struct snapshot_writer *writer);

/* Returns a visitor for the second reading of a file, the one with this number from 0 on; borrowed until the next call. It writes the rows,
 * and returns the writer's -errno. */
struct snapshot_visitor *merge_rows(struct merge *merge, size_t number);

/* Ends the file. Returns 0 or the writer's -errno. */
must_check_ int merge_end(struct merge *merge);

/* Returns what the result says of the hosts together; borrowed. */
const struct snapshot_info *merge_info(const struct merge *merge);
