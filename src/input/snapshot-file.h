/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-file - a snapshot that is read more than once: its hash comes first, and its rows later. A range of a recording is one,
 * whose bytes are made in memory. */
#include "base/memory-stream.h"
#include "base/sha256.h"
#include "ctprof/snapshot/snapshot.h"
#include "input/fd-source.h"

struct snapshot_file {
	const char *path; /* borrowed; "-" for standard input, or DIR@RANGE */
	char digest[SHA256_HEX_BYTES];
	struct fd_source kept;     /* a file that can be read from its begin */
	struct memory_stream copy; /* the bytes of one that cannot */
	struct strbuf error;       /* why it failed */
};

#define SNAPSHOT_FILE_INIT ((struct snapshot_file){.kept = FD_SOURCE_INIT})

/* Opens it and computes the hash of its bytes. @limits are those of reading a recording. Returns 0 or -errno; snapshot_file_reason()
 * has the words. */
must_check_ int snapshot_file_open(struct snapshot_file *file, const char *path,
                                   const struct snapshot_limits *limits);

/* Reads it from its begin, as snapshot_read() does. Returns 0 or -errno, -ESTALE if it has changed since it was opened. */
must_check_ int snapshot_file_read(struct snapshot_file *file, const struct snapshot_limits *limits,
                                   struct snapshot_visitor *visitor,
                                   struct snapshot_info *ret_info);

/* Returns the reason why one of these returned @error, to be behind the path; borrowed. */
const char *snapshot_file_reason(struct snapshot_file *file, int error);

/* For cleanup_(snapshot_file_done). */
void snapshot_file_done(struct snapshot_file *file);
