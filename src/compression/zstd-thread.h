/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* zstd-thread - writes a zstd frame into a byte sink and compresses it in a thread of its own, while its owner makes
 * the next bytes. The thread starts with the first full piece, so small data needs none. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

struct zstd_thread;

/* @sink is borrowed, and called by the thread. Never NULL. */
struct zstd_thread *zstd_thread_new(struct byte_sink *sink, int level);
/* Ends the thread; a frame that was not ended is lost. */
struct zstd_thread *zstd_thread_free(struct zstd_thread *thread);

/* Moves the bytes to the thread; @bytes is empty then, and has other memory. Waits until the piece before is
 * compressed. Returns 0, or the -errno of an earlier piece. */
must_check_ int zstd_thread_add(struct zstd_thread *thread, struct strbuf *bytes);

/* Adds the last piece, which may be empty, and the end of the frame; done when it returns. */
must_check_ int zstd_thread_end(struct zstd_thread *thread, struct strbuf *bytes);
