// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>

#include "compression/zstd-stream.h"
#include "compression/zstd-thread.h"
#include "memory-stream.h"
#include "random.h"

enum { PIECES = 40, PIECE_NUMBERS = 5000, LEVEL = 1 };

static void add_numbers(struct random *random, struct strbuf *out)
{
	for (unsigned i = 0; i < PIECE_NUMBERS; i++)
		strbuf_addf(out, "%u,", (unsigned)(random_next(random) % 1000));
}

/* A piece as often as asked for, and the end. Returns the first result that is none. */
static int compress_pieces(struct memory_sink *sink, unsigned pieces)
{
	struct zstd_thread *thread = zstd_thread_new(&sink->base, LEVEL);
	struct random random = random_start(3, 0);
	struct strbuf bytes = STRBUF_INIT;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < pieces; i++) {
		add_numbers(&random, &bytes);
		r = zstd_thread_add(thread, &bytes);
		assert_true(r < 0 || bytes.len == 0);
	}
	if (r == 0) {
		strbuf_add_str(&bytes, "the end");
		r = zstd_thread_end(thread, &bytes);
	}
	assert_null(zstd_thread_free(thread));
	strbuf_done(&bytes);
	return r;
}

/* The thread changes nothing in what is written. */
static void test_same_bytes(void **state)
{
	static const unsigned pieces[] = {0, 1, 2, PIECES};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct memory_sink sink = memory_sink_make(SIZE_MAX),
		                   wanted = memory_sink_make(SIZE_MAX);
		struct zstd_compressor *compressor = zstd_compressor_new(&wanted.base, LEVEL);
		struct random random = random_start(3, 0);

		for (unsigned piece = 0; piece < pieces[i]; piece++) {
			struct strbuf bytes = STRBUF_INIT;

			add_numbers(&random, &bytes);
			assert_int_equal(zstd_compress(compressor, bytes.data, bytes.len), 0);
			strbuf_done(&bytes);
		}
		assert_int_equal(zstd_compress(compressor, "the end", 7), 0);
		assert_int_equal(zstd_compress_end(compressor), 0);
		zstd_compressor_free(compressor);

		assert_int_equal(compress_pieces(&sink, pieces[i]), 0);
		assert_int_equal(sink.bytes.len, wanted.bytes.len);
		assert_memory_equal(sink.bytes.data, wanted.bytes.data, wanted.bytes.len);
		strbuf_done(&sink.bytes);
		strbuf_done(&wanted.bytes);
	}
}

/* An error of the sink is returned at the latest at the end. */
static void test_failing_sink(void **state)
{
	static const size_t rooms[] = {0, 100, 100000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
		struct memory_sink sink = memory_sink_make(rooms[i]);

		assert_int_equal(compress_pieces(&sink, PIECES), -ENOSPC);
		strbuf_done(&sink.bytes);
	}
}

static int fail_once(struct byte_sink *self, const void *bytes, size_t len)
{
	struct memory_sink *sink = (struct memory_sink *)self;

	(void)bytes;
	(void)len;
	if (sink->room == 0)
		return 0;
	sink->room = 0;
	return -EIO;
}

/* Lost data is not made up for by data that is written behind it. */
static void test_sink_that_recovers(void **state)
{
	(void)state;
	for (unsigned pieces = 0; pieces < PIECES; pieces += 10) {
		struct memory_sink sink = {.base = {fail_once}, .room = 1};

		assert_int_equal(compress_pieces(&sink, pieces), -EIO);
	}
}

static void test_not_ended(void **state)
{
	(void)state;
	for (unsigned pieces = 0; pieces < 3; pieces++) {
		struct memory_sink sink = memory_sink_make(SIZE_MAX);
		struct zstd_thread *thread = zstd_thread_new(&sink.base, LEVEL);
		struct strbuf bytes = STRBUF_INIT;

		for (unsigned i = 0; i < pieces; i++) {
			strbuf_add_str(&bytes, "a piece");
			assert_int_equal(zstd_thread_add(thread, &bytes), 0);
		}
		assert_null(zstd_thread_free(thread));
		strbuf_done(&bytes);
		strbuf_done(&sink.bytes);
	}
	assert_null(zstd_thread_free(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_same_bytes),
	        cmocka_unit_test(test_failing_sink),
	        cmocka_unit_test(test_sink_that_recovers),
	        cmocka_unit_test(test_not_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
