/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-note - what is said on stderr about a window that was made. */
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"

/* Appends the window's length, and how many threads there were of each part. */
void window_note_add_contents(const struct snapshot_info *info, struct strbuf *out);

/* The same as a line on stderr. */
void window_note_contents(const struct snapshot_info *info);

/* One line where the window is more than 5 % longer than was asked for. */
void window_note_length(const struct snapshot_info *info);

/* One line for what is missing in a window that was captured, or none where nothing is. */
void window_note_missing(const struct snapshot_info *info);
