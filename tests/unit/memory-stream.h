/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* memory-stream - bytes that go to memory and come from it, in pieces, and a disk that fills up. */
#include <stddef.h>

#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

struct memory_sink {
	struct byte_sink base; /* must stay the first member */
	struct strbuf bytes;
	size_t room; /* the bytes that it accepts before it fails with -ENOSPC */
};

struct memory_source {
	struct byte_source base; /* must stay the first member */
	const char *data;        /* borrowed */
	size_t len, chunk, position;
	size_t fail_at; /* where reading fails with -EIO; SIZE_MAX: nowhere */
};

struct memory_sink memory_sink_make(size_t room);
struct memory_source memory_source_make(const char *data, size_t len, size_t chunk);

/* Appends one zstd frame with a checksum, or the contents of one. */
void zstd_pack(const char *bytes, size_t len, struct strbuf *out);
void zstd_unpack(const char *bytes, size_t len, struct strbuf *out);
