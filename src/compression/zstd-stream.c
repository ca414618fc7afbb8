// SPDX-License-Identifier: GPL-2.0-or-later
#include "compression/zstd-stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

enum { STREAM_CHUNK = 64 << 10 };

struct zstd_compressor {
	struct byte_sink *sink;
	ZSTD_CCtx *context;
	char out[STREAM_CHUNK];
};

struct zstd_compressor *zstd_compressor_new(struct byte_sink *sink, int level)
{
	struct zstd_compressor *compressor = mem_calloc(1, sizeof(*compressor));

	compressor->sink = sink;
	compressor->context = ZSTD_createCCtx();
	if (!compressor->context)
		mem_exhausted();
	ZSTD_CCtx_setParameter(compressor->context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(compressor->context, ZSTD_c_checksumFlag, 1);
	return compressor;
}

struct zstd_compressor *zstd_compressor_free(struct zstd_compressor *compressor)
{
	if (compressor)
		ZSTD_freeCCtx(compressor->context);
	free(compressor);
	return NULL;
}

static int compress_step(struct zstd_compressor *compressor, ZSTD_inBuffer *in,
                         ZSTD_EndDirective directive, size_t *ret_left)
{
	ZSTD_outBuffer out = {compressor->out, sizeof(compressor->out), 0};

	*ret_left = ZSTD_compressStream2(compressor->context, &out, in, directive);
	if (ZSTD_getErrorCode(*ret_left) == ZSTD_error_memory_allocation)
		mem_exhausted();
	if (ZSTD_isError(*ret_left))
		return -EIO;
	return out.pos ? compressor->sink->write(compressor->sink, compressor->out, out.pos) : 0;
}

int zstd_compress(struct zstd_compressor *compressor, const void *bytes, size_t len)
{
	ZSTD_inBuffer in = {bytes, len, 0};
	size_t left;
	int r = 0;

	while (r == 0 && in.pos < in.size)
		r = compress_step(compressor, &in, ZSTD_e_continue, &left);
	return r;
}

int zstd_compress_end(struct zstd_compressor *compressor)
{
	ZSTD_inBuffer in = {NULL, 0, 0};
	size_t left = 1;
	int r = 0;

	while (r == 0 && left > 0)
		r = compress_step(compressor, &in, ZSTD_e_end, &left);
	return r;
}

struct zstd_decompressor {
	struct byte_source source; /* of decompressed bytes; must stay the first member */
	struct byte_source *from;
	ZSTD_DCtx *context;
	ZSTD_inBuffer in;
	bool started;   /* at least one byte arrived */
	bool frame_end; /* the frame is complete */
	bool finished;  /* and nothing followed it */
	struct strbuf error;
	char buffer[STREAM_CHUNK];
};

static int fail(struct zstd_decompressor *decompressor, const char *message)
{
	strbuf_clear(&decompressor->error);
	strbuf_add_str(&decompressor->error, message);
	return -EBADMSG;
}

/* Reads more compressed bytes; sets *ret_end if there are none. */
static int refill(struct zstd_decompressor *decompressor, bool *ret_end)
{
	size_t len = 0;
	int r = decompressor->from->read(decompressor->from, decompressor->buffer,
	                                 sizeof(decompressor->buffer), &len);

	if (r < 0)
		return r;
	decompressor->in = (ZSTD_inBuffer){decompressor->buffer, len, 0};
	*ret_end = len == 0;
	return 0;
}

static int check_nothing_follows(struct zstd_decompressor *decompressor)
{
	bool end = false;

	if (decompressor->in.pos == decompressor->in.size) {
		int r = refill(decompressor, &end);

		if (r < 0)
			return r;
	}
	if (!end)
		return fail(decompressor, "bytes follow the end of the zstd frame");
	decompressor->finished = true;
	return 0;
}

static int report_end_of_input(struct zstd_decompressor *decompressor)
{
	if (!decompressor->started)
		return fail(decompressor, "the file is empty");
	return fail(decompressor, "the zstd frame is truncated");
}

static int report_zstd_error(struct zstd_decompressor *decompressor, size_t code)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_prefix_unknown:
		return fail(decompressor, "no zstd frame");
	case ZSTD_error_memory_allocation:
		mem_exhausted();
	case ZSTD_error_frameParameter_windowTooLarge:
		return fail(decompressor, "its zstd frame needs a window of more than 128 MiB");
	case ZSTD_error_checksum_wrong:
		return fail(decompressor, "damaged: the zstd checksum does not match");
	default:
		strbuf_clear(&decompressor->error);
		strbuf_addf(&decompressor->error, "damaged: zstd: %s", ZSTD_getErrorName(code));
		return -EBADMSG;
	}
}

static int decompressor_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct zstd_decompressor *decompressor = (struct zstd_decompressor *)self;
	/* A block has 128 KiB. A file with holes has any number of empty blocks. */
	enum { EMPTY_BYTES_MAX = 1 << 20 };
	ZSTD_outBuffer out = {buffer, size, 0};
	size_t used = 0;

	while (out.pos == 0 && !decompressor->frame_end) {
		bool end = false;
		size_t left;
		int r;

		if (decompressor->in.pos == decompressor->in.size) {
			if (used > EMPTY_BYTES_MAX)
				return fail(decompressor, "damaged: its zstd blocks are empty");
			r = refill(decompressor, &end);
			used += decompressor->in.size;
			if (r < 0)
				return r;
			decompressor->started = decompressor->started || !end;
		}
		/* Even without more input, zstd may hold output that did not fit the last time. */
		left = ZSTD_decompressStream(decompressor->context, &out, &decompressor->in);
		if (ZSTD_isError(left))
			return report_zstd_error(decompressor, left);
		if (end && out.pos == 0 && left > 0)
			return report_end_of_input(decompressor);
		decompressor->frame_end = left == 0;
	}
	if (out.pos == 0 && !decompressor->finished) {
		int r = check_nothing_follows(decompressor);

		if (r < 0)
			return r;
	}
	*ret_len = out.pos;
	return 0;
}

struct zstd_decompressor *zstd_decompressor_new(struct byte_source *source)
{
	struct zstd_decompressor *decompressor = mem_calloc(1, sizeof(*decompressor));

	decompressor->source.read = decompressor_read;
	decompressor->from = source;
	decompressor->context = ZSTD_createDCtx();
	if (!decompressor->context)
		mem_exhausted();
	return decompressor;
}

struct zstd_decompressor *zstd_decompressor_free(struct zstd_decompressor *decompressor)
{
	if (!decompressor)
		return NULL;
	ZSTD_freeDCtx(decompressor->context);
	strbuf_done(&decompressor->error);
	free(decompressor);
	return NULL;
}

struct zstd_decompressor *zstd_decompressor_reuse(struct zstd_decompressor **spare,
                                                  struct byte_source *source)
{
	struct zstd_decompressor *decompressor = spare ? *spare : NULL;

	if (!decompressor)
		return zstd_decompressor_new(source);
	*spare = NULL;
	(void)ZSTD_DCtx_reset(decompressor->context, ZSTD_reset_session_only);
	decompressor->from = source;
	decompressor->in = (ZSTD_inBuffer){NULL, 0, 0};
	decompressor->started = decompressor->frame_end = decompressor->finished = false;
	strbuf_clear(&decompressor->error);
	return decompressor;
}

void zstd_decompressor_keep(struct zstd_decompressor **spare,
                            struct zstd_decompressor *decompressor)
{
	if (spare && !*spare)
		*spare = decompressor;
	else
		zstd_decompressor_free(decompressor);
}

struct byte_source *zstd_decompressor_source(struct zstd_decompressor *decompressor)
{
	return &decompressor->source;
}

const char *zstd_decompressor_error(const struct zstd_decompressor *decompressor)
{
	return strbuf_str(&decompressor->error);
}
