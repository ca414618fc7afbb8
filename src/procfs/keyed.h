/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* keyed - the code that the parsers of "key: value" files share. */
#include "base/scan.h"
#include "procfs/procfs.h"

/* Stores the value for every want in the chain whose metric the sample does not have yet. Differences
 * are not stored here. */
void keyed_set(const struct source_keys *keys, const struct source_want *want, struct span value,
               struct thread_sample *sample);

/* Splits a line; @number is its place in the file. Keys are matched in full, and with @dotted then by the part behind
 * their last dot. @ret_want is NULL if no metric has the key, and @ret_value means nothing then. Returns false if the
 * line is of another form. */
bool keyed_split(const struct source_keys *keys, size_t number, struct span line, bool dotted,
                 const struct source_want **ret_want, struct span *ret_value);

/* Parses a whole file of such lines, keys matched in full. */
must_check_ enum source_outcome keyed_parse(const struct source_keys *keys, const char *text,
                                            size_t len, struct thread_sample *sample);
