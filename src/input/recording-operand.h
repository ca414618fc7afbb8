/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-operand - the operand DIR@RANGE of a command: the windows of a recording, added up to one. Each command that reads a
 * snapshot reads it through here. */
#include <stdbool.h>
#include <stdint.h>

#include "base/memory-stream.h"
#include "ctprof/snapshot/snapshot.h"
#include "recording/recording-read.h"

struct recording_operand {
	char *path;             /* of the directory or file; owned */
	const char *range_text; /* behind the @, borrowed; NULL: all of it */
	struct recording_range range;
	int fd;
	bool is_directory;
	bool may_merge; /* rows of threads that ended: see window_sum_merge(); set by the caller behind the opening */
	uint64_t bytes; /* read: the compressed size of the windows */
};

#define RECORDING_OPERAND_INIT ((struct recording_operand){.fd = -1})

/* Opens what @text names if that is a recording: DIR@RANGE or FILE@RANGE, a directory, or a file with several windows. @text is
 * borrowed. A path that exists is never taken apart. Returns 1; 0 if it is none of these; or -errno, with a sentence where the range
 * is to blame, or why the path is not opened (base/operand-open.h). */
must_check_ int recording_operand_open(struct recording_operand *operand, const char *text,
                                       struct strbuf *reterr);

/* Returns 1 if @text would be opened so, 0 if it is none of these, or -errno without a message: opening it has that. */
must_check_ int recording_operand_is(const char *text);

/* Writes the window over the range. Returns 0; -ENOENT with a sentence if no window touches the range; another -errno, with a sentence
 * where a window is to blame; or the writer's result. snapshot_info_done() @ret_info in any case. */
must_check_ int recording_operand_write(struct recording_operand *operand,
                                        const struct snapshot_limits *limits,
                                        struct snapshot_writer *writer,
                                        struct snapshot_info *ret_info, struct strbuf *reterr);

/* Does so into memory, as the bytes of a snapshot. @ret is an empty stream. */
must_check_ int recording_operand_copy(struct recording_operand *operand,
                                       const struct snapshot_limits *limits,
                                       struct memory_stream *ret, struct strbuf *reterr);

/* For cleanup_(recording_operand_done). */
void recording_operand_done(struct recording_operand *operand);
