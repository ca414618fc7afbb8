/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-read - adds up the windows of a recording that touch a range of time. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"
#include "window/window-sum.h"

/* A range of wall-clock time, in nanoseconds since 1970. A window that touches it is in it as a whole. */
struct recording_range {
	uint64_t begin_ns, end_ns;
};

/* Returns 1 if the file has more than one whole frame, or one that a torn one follows: a file of a recording, and no snapshot. Returns 0
 * if not, or -errno. */
must_check_ int recording_is_file(int fd);

/* Adds the windows of one file to @sum. @ret_bytes is increased by the bytes that were read. Returns 0 or -errno, with a sentence
 * where the contents are to blame. */
must_check_ int recording_read_file(int fd, const struct recording_range *range,
                                    const struct snapshot_limits *limits, struct window_sum *sum,
                                    uint64_t *ret_bytes, struct strbuf *reterr);

/* Does so for all files of a directory, in the order of time. */
must_check_ int recording_read_directory(int dir_fd, const struct recording_range *range,
                                         const struct snapshot_limits *limits,
                                         struct window_sum *sum, uint64_t *ret_bytes,
                                         struct strbuf *reterr);

/* Chooses the sum that each window is added to. */
struct recording_picker {
	/* Gets the windows in the order of time; @ends_ns is the end of one, since 1970. Returns a sum, or NULL to leave it out. */
	struct window_sum *(*pick)(struct recording_picker *self, uint64_t ends_ns);
};

/* Does as the two above for a directory or one file, with the sums of the picker. */
must_check_ int recording_pick(int fd, bool is_directory, const struct recording_range *range,
                               const struct snapshot_limits *limits,
                               struct recording_picker *picker, struct strbuf *reterr);
