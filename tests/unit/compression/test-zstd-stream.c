// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "compression/zstd-stream.h"
#include "memory-stream.h"
#include "random.h"

enum { LARGE = 700000 };

/* Bytes that do not get much smaller. */
static char *make_noise(size_t len)
{
	struct random random = random_start(9, 0);
	char *bytes = mem_calloc(len, 1);

	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)random_next(&random);
	return bytes;
}

static void compress_in_pieces(const char *bytes, size_t len, size_t piece, struct strbuf *out)
{
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct zstd_compressor *compressor = zstd_compressor_new(&sink.base, 3);

	for (size_t at = 0; at < len; at += piece)
		assert_int_equal(
		        zstd_compress(compressor, bytes + at, len - at < piece ? len - at : piece),
		        0);
	assert_int_equal(zstd_compress_end(compressor), 0);
	assert_null(zstd_compressor_free(compressor));
	strbuf_add(out, sink.bytes.data, sink.bytes.len);
	strbuf_done(&sink.bytes);
}

/* Reads to the end or to the first failure; the decompressor's sentence goes to @error. */
static int decompress_again(struct zstd_decompressor **spare, struct memory_source *source,
                            size_t piece, struct strbuf *out, struct strbuf *error)
{
	struct zstd_decompressor *decompressor = zstd_decompressor_reuse(spare, &source->base);
	struct byte_source *bytes = zstd_decompressor_source(decompressor);
	size_t len;
	int r;

	do {
		len = SIZE_MAX;
		r = bytes->read(bytes, strbuf_reserve(out, piece), piece, &len);
		if (r == 0) {
			assert_true(len <= piece);
			out->len += len;
		}
	} while (r == 0 && len > 0);
	if (r == 0) {
		/* The end is the end, however often it is asked for. */
		assert_int_equal(bytes->read(bytes, strbuf_reserve(out, 1), 1, &len), 0);
		assert_int_equal(len, 0);
	}
	strbuf_add(out, "", 0);
	strbuf_add_str(error, zstd_decompressor_error(decompressor));
	zstd_decompressor_keep(spare, decompressor);
	return r;
}

static int decompress(struct memory_source *source, size_t piece, struct strbuf *out,
                      struct strbuf *error)
{
	return decompress_again(NULL, source, piece, out, error);
}

static void check_round_trip(const char *bytes, size_t len, size_t in_piece, size_t chunk,
                             size_t out_piece)
{
	struct strbuf packed = STRBUF_INIT, unpacked = STRBUF_INIT, error = STRBUF_INIT;
	struct memory_source source;

	compress_in_pieces(bytes, len, in_piece, &packed);
	source = memory_source_make(packed.data, packed.len, chunk);
	assert_int_equal(decompress(&source, out_piece, &unpacked, &error), 0);
	assert_text(&error, "");
	assert_int_equal(unpacked.len, len);
	assert_memory_equal(unpacked.data, bytes, len);
	strbuf_done(&packed);
	strbuf_done(&unpacked);
	strbuf_done(&error);
}

static void test_zstd_round_trips(void **state)
{
	char *noise = make_noise(LARGE), *zeros = mem_calloc(LARGE, 1);

	(void)state;
	check_round_trip("", 0, 1, SIZE_MAX, 10);
	check_round_trip("x", 1, 1, 1, 1);
	check_round_trip(noise, 300, 7, 1, 1);
	check_round_trip(noise, LARGE, 100000, SIZE_MAX, 65536);
	check_round_trip(noise, LARGE, LARGE, 777, 999);
	/* A little input that is a lot of output. */
	check_round_trip(zeros, LARGE, 4096, SIZE_MAX, 3);
	check_round_trip(zeros, LARGE, LARGE, 1, 50000);
	free(noise);
	free(zeros);
}

static void test_zstd_sink_fails(void **state)
{
	char *noise = make_noise(LARGE);

	(void)state;
	for (size_t room = 0; room < LARGE; room += 100000) {
		struct memory_sink sink = memory_sink_make(room);
		struct zstd_compressor *compressor = zstd_compressor_new(&sink.base, 1);
		int r = zstd_compress(compressor, noise, LARGE);

		if (r == 0)
			r = zstd_compress_end(compressor);
		assert_int_equal(r, -ENOSPC);
		zstd_compressor_free(compressor);
		strbuf_done(&sink.bytes);
	}
	free(noise);
}

static void check_fails(const char *bytes, size_t len, const char *sentence)
{
	static const size_t chunks[] = {1, 3, SIZE_MAX};

	for (size_t i = 0; i < ARRAY_SIZE(chunks); i++) {
		struct memory_source source = memory_source_make(bytes, len, chunks[i]);
		struct strbuf out = STRBUF_INIT, error = STRBUF_INIT;

		assert_int_equal(decompress(&source, 100, &out, &error), -EBADMSG);
		assert_contains(strbuf_str(&error), sentence);
		strbuf_done(&out);
		strbuf_done(&error);
	}
}

static void test_zstd_says_why(void **state)
{
	struct strbuf packed = STRBUF_INIT, twice = STRBUF_INIT;

	(void)state;
	zstd_pack("some text that is some text", 27, &packed);
	check_fails("", 0, "empty");
	check_fails("{\"format\":\"ctprof\"}", 19, "no zstd frame");
	check_fails("\x1f\x8b\x08\x00 gzip of old", 16, "no zstd frame");
	for (size_t cut = 1; cut < packed.len; cut++)
		check_fails(packed.data, cut, "truncated");
	strbuf_add(&twice, packed.data, packed.len);
	strbuf_add(&twice, packed.data, packed.len);
	check_fails(twice.data, twice.len, "follow");
	twice.len = packed.len;
	strbuf_add_char(&twice, '\n');
	check_fails(twice.data, twice.len, "follow");
	packed.data[packed.len - 1] ^= 1;
	check_fails(packed.data, packed.len, "checksum");
	strbuf_done(&packed);
	strbuf_done(&twice);
}

/* Memory that a file may ask for is bounded. */
static void test_zstd_window_too_large(void **state)
{
	/* A frame without checksum or size, its window of 2^27 or 2^28 bytes, and one empty block. */
	static const char largest[] = "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00";
	static const char larger[] = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
	struct memory_source source = memory_source_make(largest, sizeof(largest) - 1, SIZE_MAX);
	struct strbuf out = STRBUF_INIT, error = STRBUF_INIT;

	(void)state;
	assert_int_equal(decompress(&source, 100, &out, &error), 0);
	assert_int_equal(out.len, 0);
	strbuf_done(&out);
	strbuf_done(&error);
	check_fails(larger, sizeof(larger) - 1, "128 MiB");
}

/* A file with a hole of any size is not read to its end. */
static void test_zstd_empty_blocks(void **state)
{
	enum { HOLE = 2 << 20, LEAST = 1 << 20 };
	static const char begin[] = "\x28\xb5\x2f\xfd\x20\x00", end[] = "\x01\x00\x00";
	static const char zeros[HOLE];
	struct strbuf bytes = STRBUF_INIT, out = STRBUF_INIT, error = STRBUF_INIT;
	struct memory_source source;

	(void)state;
	strbuf_add(&bytes, begin, sizeof(begin) - 1);
	strbuf_add(&bytes, zeros, 3 * (LEAST / 4));
	strbuf_add(&bytes, end, sizeof(end) - 1);
	source = memory_source_make(bytes.data, bytes.len, SIZE_MAX);
	assert_int_equal(decompress(&source, 100, &out, &error), 0);
	assert_int_equal(out.len, 0);
	bytes.len -= sizeof(end) - 1;
	strbuf_add(&bytes, zeros, HOLE);
	check_fails(bytes.data, bytes.len, "empty");
	strbuf_done(&bytes);
	strbuf_done(&out);
	strbuf_done(&error);
}

/* The source's own failure is passed on, with nothing said about zstd. */
static void test_zstd_source_fails(void **state)
{
	struct strbuf packed = STRBUF_INIT;

	(void)state;
	zstd_pack("some text", 9, &packed);
	for (size_t at = 0; at <= packed.len; at++) {
		struct memory_source source = memory_source_make(packed.data, packed.len, 5);
		struct strbuf out = STRBUF_INIT, error = STRBUF_INIT;

		source.fail_at = at;
		assert_int_equal(decompress(&source, 100, &out, &error), -EIO);
		assert_text(&error, "");
		strbuf_done(&out);
		strbuf_done(&error);
	}
	strbuf_done(&packed);
}

static void test_zstd_freep(void **state)
{
	struct memory_source source = memory_source_make("", 0, 1);
	struct zstd_decompressor *decompressor = zstd_decompressor_new(&source.base);

	(void)state;
	decompressor = zstd_decompressor_free(decompressor);
	assert_null(decompressor);
	assert_null(zstd_decompressor_free(NULL));
	assert_null(zstd_compressor_free(NULL));
}

/* Whatever became of the frame before, the next one is read as by a new decompressor. */
static void test_zstd_spare(void **state)
{
	static const char text[] = "the text of a window";
	struct zstd_decompressor *spare = NULL, *first, *second;
	struct strbuf packed = STRBUF_INIT;
	struct memory_source source;

	(void)state;
	compress_in_pieces(text, strlen(text), sizeof(text), &packed);
	for (size_t len = 0; len <= packed.len; len++) {
		struct strbuf alone = STRBUF_INIT, out = STRBUF_INIT, whole = STRBUF_INIT,
		              why_alone = STRBUF_INIT, why = STRBUF_INIT;
		int r;

		source = memory_source_make(packed.data, len, 7);
		r = decompress(&source, 5, &alone, &why_alone);
		source = memory_source_make(packed.data, len, 7);
		assert_int_equal(decompress_again(&spare, &source, 5, &out, &why), r);
		assert_non_null(spare);
		assert_text(&out, strbuf_str(&alone));
		assert_text(&why, strbuf_str(&why_alone));
		source = memory_source_make(packed.data, packed.len, SIZE_MAX);
		strbuf_clear(&why);
		assert_int_equal(decompress_again(&spare, &source, 100, &whole, &why), 0);
		assert_text(&whole, text);
		assert_text(&why, "");
		strbuf_done(&alone);
		strbuf_done(&out);
		strbuf_done(&whole);
		strbuf_done(&why_alone);
		strbuf_done(&why);
	}
	/* Two at a time: one of them is kept. */
	first = zstd_decompressor_reuse(&spare, &source.base);
	assert_null(spare);
	second = zstd_decompressor_reuse(&spare, &source.base);
	zstd_decompressor_keep(&spare, first);
	zstd_decompressor_keep(&spare, second);
	assert_ptr_equal(spare, first);
	zstd_decompressor_free(spare);
	strbuf_done(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_zstd_round_trips),
	        cmocka_unit_test(test_zstd_sink_fails),
	        cmocka_unit_test(test_zstd_says_why),
	        cmocka_unit_test(test_zstd_source_fails),
	        cmocka_unit_test(test_zstd_window_too_large),
	        cmocka_unit_test(test_zstd_empty_blocks),
	        cmocka_unit_test(test_zstd_freep),
	        cmocka_unit_test(test_zstd_spare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
