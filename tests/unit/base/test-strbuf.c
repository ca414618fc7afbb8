// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "random.h"

static void test_strbuf_empty(void **state)
{
	struct strbuf buf = STRBUF_INIT;

	(void)state;
	assert_text(&buf, "");
	strbuf_clear(&buf);
	assert_text(&buf, "");
	strbuf_add(&buf, NULL, 0);
	assert_text(&buf, "");
	strbuf_done(&buf);
	assert_null(buf.data);
	strbuf_done(&buf);
}

static void test_strbuf_copies(void **state)
{
	struct strbuf from = STRBUF_INIT, to = STRBUF_INIT;

	(void)state;
	assert_true(strbuf_equal(&from, &to));
	strbuf_add_str(&to, "longer than the other one");
	assert_false(strbuf_equal(&from, &to));
	strbuf_add(&from, "a\0b", 3);
	strbuf_copy(&to, &from);
	assert_int_equal(to.len, 3);
	assert_memory_equal(to.data, "a\0b", 4);
	assert_true(strbuf_equal(&from, &to));
	to.data[2] = 'c';
	assert_false(strbuf_equal(&from, &to));
	strbuf_clear(&from);
	strbuf_copy(&to, &from);
	assert_text(&to, "");
	strbuf_done(&from);
	strbuf_done(&to);
}

/* Room that nothing was put in is still no text. */
static void test_strbuf_reserved_only(void **state)
{
	struct strbuf buf = STRBUF_INIT;

	(void)state;
	assert_non_null(strbuf_reserve(&buf, 1000));
	assert_text(&buf, "");
	strbuf_done(&buf);
}

static void test_strbuf_adds(void **state)
{
	struct strbuf buf = STRBUF_INIT;

	(void)state;
	strbuf_add(&buf, "abc", 2);
	strbuf_add_char(&buf, '-');
	strbuf_add_str(&buf, "def");
	strbuf_addf(&buf, "%d%s%%", -5, "x");
	assert_text(&buf, "ab-def-5x%");
	strbuf_clear(&buf);
	assert_text(&buf, "");
	strbuf_add_str(&buf, "again");
	assert_text(&buf, "again");
	strbuf_done(&buf);
	strbuf_add_str(&buf, "used after done");
	assert_text(&buf, "used after done");
	strbuf_done(&buf);
}

static void test_strbuf_holds_nul(void **state)
{
	struct strbuf buf = STRBUF_INIT;

	(void)state;
	strbuf_add(&buf, "a\0b", 3);
	strbuf_add_char(&buf, '\0');
	assert_int_equal(buf.len, 4);
	assert_memory_equal(buf.data, "a\0b\0", 5);
	strbuf_done(&buf);
}

static void test_strbuf_reserve_keeps(void **state)
{
	struct strbuf buf = STRBUF_INIT;
	char *end;

	(void)state;
	strbuf_add_str(&buf, "kept");
	end = strbuf_reserve(&buf, 5000);
	assert_int_equal(buf.len, 4);
	assert_ptr_equal(end, buf.data + 4);
	assert_true(buf.capacity >= 5005);
	memset(end, 'x', 5000);
	buf.len += 5000;
	strbuf_add_char(&buf, '!');
	assert_int_equal(buf.len, 5005);
	assert_memory_equal(buf.data, "kept", 4);
	assert_int_equal(buf.data[5004], '!');
	assert_int_equal(buf.data[5005], '\0');
	strbuf_done(&buf);
}

/* A formatted text that just fits, and one that just does not. */
static void test_strbuf_addf_lengths(void **state)
{
	(void)state;
	for (int len = 0; len < 300; len++) {
		struct strbuf buf = STRBUF_INIT;

		strbuf_addf(&buf, "%*s|", len, "");
		assert_int_equal(buf.len, len + 1);
		assert_int_equal(strlen(buf.data), len + 1);
		assert_int_equal(buf.data[len], '|');
		strbuf_done(&buf);
	}
}

static void test_strbuf_random_pieces(void **state)
{
	enum { SEED = 2, ROUNDS = 200, BYTES = 20000 };
	static char expected[BYTES];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct strbuf buf = STRBUF_INIT;
		size_t len = 0;

		while (len < BYTES / 2) {
			size_t piece = random_below(&random, random_chance(&random, 5) ? 5000 : 50);

			for (size_t i = 0; i < piece; i++)
				expected[len + i] = (char)random_next(&random);
			strbuf_add(&buf, expected + len, piece);
			len += piece;
			check_random(&random, buf.len == len && buf.data[len] == '\0');
		}
		check_random(&random, memcmp(buf.data, expected, len) == 0);
		strbuf_done(&buf);
	}
}

/* A reader of the text as a string does not see the part that was cut off. */
static void test_strbuf_cut_ends_the_string(void **state)
{
	struct strbuf buf = STRBUF_INIT;

	(void)state;
	strbuf_cut(&buf, 0);
	strbuf_add_str(&buf, "before and after");
	strbuf_cut(&buf, 20);
	assert_int_equal(buf.len, 16);
	strbuf_cut(&buf, 6);
	assert_int_equal(buf.len, 6);
	assert_string_equal(strbuf_str(&buf), "before");
	strbuf_cut(&buf, 0);
	assert_string_equal(strbuf_str(&buf), "");
	strbuf_done(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_strbuf_empty),
	        cmocka_unit_test(test_strbuf_copies),
	        cmocka_unit_test(test_strbuf_reserved_only),
	        cmocka_unit_test(test_strbuf_adds),
	        cmocka_unit_test(test_strbuf_holds_nul),
	        cmocka_unit_test(test_strbuf_reserve_keeps),
	        cmocka_unit_test(test_strbuf_addf_lengths),
	        cmocka_unit_test(test_strbuf_random_pieces),
	        cmocka_unit_test(test_strbuf_cut_ends_the_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
