/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* memory-stream - bytes in memory that are written and read like a file. */
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

struct memory_stream {
	struct byte_sink sink;     /* appends to the bytes; must stay the first member */
	struct byte_source source; /* reads them, from the position on */
	struct strbuf bytes;
	size_t position;
};

/* Makes an empty stream. memory_stream_done() frees its bytes. */
struct memory_stream memory_stream_make(void);
/* For cleanup_(memory_stream_done). */
void memory_stream_done(struct memory_stream *stream);
