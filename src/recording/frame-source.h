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

/* Returns @limits for a frame of @len compressed bytes, whose text may not be longer than frames that ctprof writes can have: the
 * time for a recording from a stranger grows with the length of its file. */
struct snapshot_limits frame_limits(const struct snapshot_limits *limits, uint64_t len);
