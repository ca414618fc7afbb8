/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* output - a file that appears under its name whole or not at all. */
#include <stdbool.h>

#include "ctprof/macro.h"
#include "ctprof/strbuf.h"
#include "ctprof/stream.h"

struct output {
	struct byte_sink sink; /* where to write; must stay the first member */
	int fd;
	int dir_fd;
	bool linkable;   /* written without a name, and linked into place at the end */
	bool in_place;   /* the target is no regular file (a pipe, /dev/full): written directly */
	char *target;    /* last part of the path; NULL for standard output */
	char *temporary; /* its name in the directory while it is being written, or NULL */
	unsigned long bytes; /* written so far */
};

#define OUTPUT_INIT ((struct output){.fd = -1, .dir_fd = -1})

/* Prepares to write @path, "-" for standard output. The file is written without a name (O_TMPFILE), or
 * under a temporary one where the file system cannot, in the target's directory; an existing target is
 * replaced on commit and untouched until then. A target that is no regular file is written in place.
 * Returns 0 or -errno. */
must_check_ int output_open(struct output *output, const char *path);

/* Flushes to disk and puts the file in its place. Returns 0 or -errno; after an error the target is
 * what it was. */
must_check_ int output_commit(struct output *output);

/* Closes; what was not committed is gone. For cleanup_(output_done). */
void output_done(struct output *output);
