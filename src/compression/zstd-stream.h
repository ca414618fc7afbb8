/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* zstd-stream - one zstd frame around a byte sink or a byte source. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

struct zstd_compressor;

/* Compresses into @sink (borrowed) with a content checksum. Never NULL. */
struct zstd_compressor *zstd_compressor_new(struct byte_sink *sink, int level);
struct zstd_compressor *zstd_compressor_free(struct zstd_compressor *compressor);

/* Returns 0 or -errno: the sink's, or -EIO if zstd itself fails. */
must_check_ int zstd_compress(struct zstd_compressor *compressor, const void *bytes, size_t len);
/* Ends the frame and writes the rest to the sink. */
must_check_ int zstd_compress_end(struct zstd_compressor *compressor);

struct zstd_decompressor;

/* Decompresses the bytes of @source (borrowed): exactly one frame, whole, and nothing behind it. */
struct zstd_decompressor *zstd_decompressor_new(struct byte_source *source);
struct zstd_decompressor *zstd_decompressor_free(struct zstd_decompressor *decompressor);

/* Do so with the memory of the one before, which *spare has meanwhile: each frame of a recording would need 200 KiB anew, and zstd asks the
 * CPU what it can, which takes long in a virtual machine. NULL: there is none before. The caller frees *spare in the end. */
struct zstd_decompressor *zstd_decompressor_reuse(struct zstd_decompressor **spare,
                                                  struct byte_source *source);
void zstd_decompressor_keep(struct zstd_decompressor **spare,
                            struct zstd_decompressor *decompressor);

/* Returns the decompressed bytes; borrowed, lives as long as the decompressor. Its read returns -EBADMSG if the bytes
 * are no such frame, and zstd_decompressor_error() then has the reason; otherwise the source's -errno. */
struct byte_source *zstd_decompressor_source(struct zstd_decompressor *decompressor);
const char *zstd_decompressor_error(const struct zstd_decompressor *decompressor);
