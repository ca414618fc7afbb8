/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* zstd-thread - a zstd frame around a byte sink, compressed by a thread of its own while its owner makes the next
 * bytes. The thread starts with the first piece, so that what is small enough for one needs none. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

struct zstd_thread;

/* @sink is borrowed, and called by the thread. Never NULL. */
struct zstd_thread *zstd_thread_new(struct byte_sink *sink, int level);
/* Ends the thread; what was not ended as a frame is lost. */
struct zstd_thread *zstd_thread_free(struct zstd_thread *thread);

/* Takes the bytes over; @bytes is empty then, and has other memory. Waits while the piece before is not compressed.
 * Returns 0, or the -errno that a piece before has met. */
must_check_ int zstd_thread_add(struct zstd_thread *thread, struct strbuf *bytes);

/* The last piece, which may be empty, and the end of the frame; done when it returns. */
must_check_ int zstd_thread_end(struct zstd_thread *thread, struct strbuf *bytes);
