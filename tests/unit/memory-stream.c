// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory-stream.h"

#include <errno.h>
#include <zstd.h>

#include "check.h"

static int take(struct byte_sink *self, const void *bytes, size_t len)
{
	struct memory_sink *sink = (struct memory_sink *)self;

	if (len > sink->room)
		return -ENOSPC;
	sink->room -= len;
	strbuf_add(&sink->bytes, bytes, len);
	return 0;
}

struct memory_sink memory_sink_make(size_t room)
{
	return (struct memory_sink){.base = {take}, .room = room};
}

static int give(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct memory_source *source = (struct memory_source *)self;
	size_t len = source->len - source->position;

	if (source->position >= source->fail_at)
		return -EIO;
	if (len > size)
		len = size;
	if (len > source->chunk)
		len = source->chunk;
	if (len > source->fail_at - source->position)
		len = source->fail_at - source->position;
	if (len > 0)
		memcpy(buffer, source->data + source->position, len);
	source->position += len;
	*ret_len = len;
	return 0;
}

struct memory_source memory_source_make(const char *data, size_t len, size_t chunk)
{
	return (struct memory_source){
	        .base = {give}, .data = data, .len = len, .chunk = chunk, .fail_at = SIZE_MAX};
}

void zstd_pack(const char *bytes, size_t len, struct strbuf *out)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t bound = ZSTD_compressBound(len), packed;

	assert_non_null(context);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	packed = ZSTD_compress2(context, strbuf_reserve(out, bound), bound, bytes, len);
	assert_false(ZSTD_isError(packed));
	out->len += packed;
	ZSTD_freeCCtx(context);
}

void zstd_unpack(const char *bytes, size_t len, struct strbuf *out)
{
	enum { CHUNK = 65536 };
	ZSTD_DCtx *context = ZSTD_createDCtx();
	ZSTD_inBuffer in = {bytes, len, 0};
	size_t left = 1;

	assert_non_null(context);
	while (left > 0) {
		ZSTD_outBuffer piece = {strbuf_reserve(out, CHUNK), CHUNK, 0};

		left = ZSTD_decompressStream(context, &piece, &in);
		assert_false(ZSTD_isError(left));
		assert_true(left == 0 || piece.pos > 0 || in.pos < in.size);
		out->len += piece.pos;
	}
	strbuf_add(out, "", 0);
	assert_int_equal(in.pos, len);
	ZSTD_freeDCtx(context);
}
