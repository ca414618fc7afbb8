// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/memory-stream.h"
#include "check.h"

/* The bytes that were written are read in any pieces, and then nothing more. */
static void test_reads_what_was_written(void **state)
{
	static const char text[] = "some bytes";
	struct memory_stream stream = memory_stream_make();
	char piece[4], all[sizeof(text)] = "";
	size_t len, total = 0;

	(void)state;
	assert_int_equal(stream.source.read(&stream.source, piece, sizeof(piece), &len), 0);
	assert_int_equal(len, 0);
	assert_int_equal(stream.sink.write(&stream.sink, text, 4), 0);
	assert_int_equal(stream.sink.write(&stream.sink, text + 4, strlen(text) - 4), 0);
	do {
		assert_int_equal(stream.source.read(&stream.source, piece, sizeof(piece), &len), 0);
		assert_true(total + len <= strlen(text));
		memcpy(all + total, piece, len);
		total += len;
	} while (len > 0);
	assert_string_equal(all, text);
	memory_stream_done(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads_what_was_written)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
