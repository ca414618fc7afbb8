/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* frame-source - the bytes of one frame of a file. The file's position is neither used nor changed. */
#include <stdint.h>

#include "ctprof/base/stream.h"
#include "ctprof/snapshot/snapshot.h"

struct frame_source {
	struct byte_source source; /* must stay the first member */
	int fd;                    /* borrowed */
	uint64_t offset, end;
};

/* Begins with the byte at @begin. */
struct frame_source frame_source_make(int fd, uint64_t begin, uint64_t end);

/* The frames that a command has read of a recording, so far. Begins as {0}. */
struct frame_budget {
	uint64_t compressed, text;       /* bytes */
	struct zstd_decompressor *spare; /* owned; for the next frame */
};

/* For cleanup_(frame_budget_done). */
void frame_budget_done(struct frame_budget *budget);

/* Returns the limits on reading the next frame, of @len compressed bytes: @limits, and limits->bytes for all frames together, unless they
 * have no more text than a multiple of their compressed bytes. So the time for a recording from a stranger has a limit, or grows with the
 * length of its files. The text that is read is added to @budget, which must stay. */
struct snapshot_limits frame_limits(struct frame_budget *budget,
                                    const struct snapshot_limits *limits, uint64_t len);
