/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* frame-source - the bytes of one frame of a file. The file's position is neither used nor changed. */
#include <stdint.h>

#include "ctprof/base/stream.h"

struct frame_source {
	struct byte_source source; /* must stay the first member */
	int fd;                    /* borrowed */
	uint64_t offset, end;
};

/* Begins with the byte at @begin. */
struct frame_source frame_source_make(int fd, uint64_t begin, uint64_t end);
