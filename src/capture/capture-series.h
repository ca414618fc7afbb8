/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture-series - windows that follow one another without a gap: the last reading of each is the first one of the next, and
 * exits are listened to all the time, each of which is in one window. */
#include "capture/capture.h"

struct capture_series;

struct capture_series_options {
	struct capture_options capture; /* its pointers are borrowed */
	uint64_t length_ns;             /* of a window, which the caller waits for */
	enum capture_exits exits;
};

/* Opens all sources, begins to listen and makes the first reading. Free with capture_series_freep(). Result as that of
 * capture_run(). */
must_check_ int capture_series_new(const struct capture_series_options *options,
                                   struct capture_series **ret, struct strbuf *reterr);

/* Returns the time of the last reading, with which the next window begins, by the clock of the wall, since 1970. */
uint64_t capture_series_begin_unix_ns(const struct capture_series *series);

/* Sets the length of the next windows, which the caller waits for, and their labels, which are copied; NULL: those of the options. */
void capture_series_set_next(struct capture_series *series, uint64_t length_ns,
                             const struct labels *labels);

/* Reads again, and writes the window since the last reading. One that @is_whole has all that a captured window has; any other
 * leaves out what does not change from one window to the next: settings, names of users, texts about the host, and mostly what the
 * window before has, which then must be in front of it in its file. Result
 * and @ret_info as those of capture_run(); after a failure the series can only be freed. */
must_check_ int capture_series_next(struct capture_series *series, bool is_whole,
                                    struct snapshot_writer *writer, struct snapshot_info *ret_info,
                                    struct strbuf *reterr);

void capture_series_freep(struct capture_series **series_ref);
