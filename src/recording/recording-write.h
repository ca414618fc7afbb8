/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-write - appends windows to a recording. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "recording/recording-keep.h"

struct recording_writer {
	int dir_fd;  /* borrowed */
	int file_fd; /* -1: the next window begins a file */
	struct recording_keep keep;
	uint64_t hour;  /* of the open file, since 1970 */
	uint64_t bytes; /* of the open file: whole windows */
	bool has_lost;  /* the last window is not in it */
	int keep_error; /* why an old file could not be removed, -errno of the last try; or 0 */
	char damaged
	        [RECORDING_NAME_BYTES]; /* the newest file when the recorder began, if it is; or "" */
};

#define RECORDING_WRITER_INIT ((struct recording_writer){.dir_fd = -1, .file_fd = -1})

/* Cuts the torn tail of the newest file, if the last recorder left one. A damaged file stays as it is. Returns 0 or -errno. */
must_check_ int recording_writer_open(struct recording_writer *writer, int dir_fd,
                                      const struct recording_keep *keep);

/* Returns whether a window that begins then begins a file, or follows one that was lost, and has to be whole. Closes the file of the
 * hour before. */
must_check_ bool recording_writer_begins_file(struct recording_writer *writer,
                                              uint64_t begin_unix_s);

/* Ends the open file: the next window begins one. */
void recording_writer_end_file(struct recording_writer *writer);

/* Appends one frame, by one write, and flushes it to disk. After an error the file is as before, and nothing of the frame is in
 * it. Returns 0 or -errno. */
must_check_ int recording_writer_append(struct recording_writer *writer, uint64_t begin_unix_s,
                                        const void *frame, size_t len);

/* For cleanup_(recording_writer_done). */
void recording_writer_done(struct recording_writer *writer);
