/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fd-source - the bytes of a file, or of standard input. */
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/stream.h"

struct fd_source {
	struct byte_source source; /* must stay the first member */
	int fd;
	uint64_t bytes; /* read so far */
};

int fd_source_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len);

#define FD_SOURCE_INIT ((struct fd_source){.source = {fd_source_read}, .fd = -1})

/* Opens a path, "-" for standard input. Returns 0 or -errno. */
must_check_ int fd_source_open(struct fd_source *source, const char *path);
/* For cleanup_(fd_source_done). */
void fd_source_done(struct fd_source *source);
