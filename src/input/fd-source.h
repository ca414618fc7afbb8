/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fd-source - the bytes of a file, or of standard input. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

struct fd_source {
	struct byte_source source; /* must stay the first member */
	int fd;
	uint64_t bytes;      /* read so far */
	struct strbuf *copy; /* keeps them; borrowed, may be NULL */
	/* Known of one that is kept, see fd_source_keep(). */
	off_t begin;
	struct stat status;
};

int fd_source_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len);

#define FD_SOURCE_INIT ((struct fd_source){.source = {fd_source_read}, .fd = -1})

/* Opens a path, "-" for standard input, as base/operand-open.h does. Returns 0, or -errno with a phrase. */
must_check_ int fd_source_open(struct fd_source *source, const char *path, struct strbuf *reterr);

/* Says whether two such paths name the same file, by whatever name: "-" and "/dev/stdin" may. */
bool fd_source_is_same(const char *a, const char *b);

/* Says whether two such paths name one pipe or socket. It cannot be read for both, because what one of them reads is
 * gone for the other. True for "-" and "-", whatever standard input is. */
bool fd_source_is_one_stream(const char *a, const char *b);

/* Keeps a regular file, of which nothing was read yet, so that it can be read again as @ret_kept, which the caller frees. Returns
 * false for anything else: nobody reads a pipe twice. */
must_check_ bool fd_source_keep(const struct fd_source *source, struct fd_source *ret_kept);
bool fd_source_is_kept(const struct fd_source *source);
/* Has it read from the begin. Returns false if somebody has written to the file since it was kept. */
must_check_ bool fd_source_rewind(struct fd_source *kept);

/* For cleanup_(fd_source_done). */
void fd_source_done(struct fd_source *source);
