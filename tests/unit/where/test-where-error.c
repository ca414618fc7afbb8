// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "base/text.h"
#include "random.h"
#include "where/where-tree.h"
#include "where/where.h"

static void check(const char *text, size_t offset, size_t len, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct where_error error = {.offset = offset, .len = len};

	strbuf_add_str(&error.sentence, "why");
	where_add_error(text, &error, &out);
	assert_text(&out, expected);
	where_error_done(&error);
}

static void test_marks(void **state)
{
	(void)state;
	check("", 0, 0, "why\n  \n  ^");
	check("a", 0, 1, "why\n  a\n  ^");
	check("foo = 1", 0, 3, "why\n  foo = 1\n  ^~~");
	check("delta > 1ns", 9, 2, "why\n  delta > 1ns\n           ^~");
	check("delta >", 7, 0, "why\n  delta >\n         ^");
}

/* Marks stand below what is printed, whatever that takes on the terminal. */
static void test_marks_go_by_columns(void **state)
{
	(void)state;
	check("'\x1b' x", 4, 1, "why\n  '\\x1b' x\n         ^");
	check("'\\' x", 4, 1, "why\n  '\\\\' x\n       ^");
	check("'\xe4\xb8\xad\xe6\x96\x87' x", 9, 1,
	      "why\n  '\xe4\xb8\xad\xe6\x96\x87' x\n         ^");
	check("'e\xcc\x81' x", 6, 1, "why\n  'e\xcc\x81' x\n      ^");
	check("a\nb", 1, 1, "why\n  a\\x0ab\n   ^~~~");
	check("\xe4\xb8\xad=", 0, 3, "why\n  \xe4\xb8\xad=\n  ^~");
}

static void test_excerpts(void **state)
{
	(void)state;
	check("0123456789012345678901234567890123456789 x", 41, 1,
	      "why\n  ...789012345678901234567890123456789 x\n"
	      "                                       ^");
	check("0123456789012345678901234567890123X", 34, 1,
	      "why\n  0123456789012345678901234567890123X\n"
	      "                                    ^");
	check("01234567890123456789012345678901234X", 35, 1,
	      "why\n  ...1234567890123456789012345678901234X\n"
	      "                                       ^");
	check("0123456789012345678901234567890123456789012345678901234567890123456789012345", 0, 1,
	      "why\n  012345678901234567890123456789012345678901234567890123456789012345678901...\n"
	      "  ^");
	check("0123456789012345678901234567890123456789012345678901234567890123456789012345", 0, 75,
	      "why\n  0123456789012345678901234567890123...5\n"
	      "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~");
}

/* Three lines, none of them wide, and the last one of blanks and marks below the second. */
static void test_any_place(void **state)
{
	enum { SEED = 13, ROUNDS = 20000, LEN_MAX = 120 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
		struct where_error error = {0};
		size_t len = random_below(&random, LEN_MAX), line = 0, width;
		char text[LEN_MAX + 1] = "";
		const char *first, *second;

		for (size_t i = 0; i < len; i++)
			text[i] = (char)(1 + random_below(&random, 255));
		error.offset = random_below(&random, len + 1);
		error.len = random_below(&random, len - error.offset + 1);
		where_add_error(text, &error, &out);
		for (const char *p = out.data; *p; p++)
			line += *p == '\n';
		check_random(&random, line == 2 && out.data[0] == '\n');
		first = out.data + 1;
		second = strchr(first, '\n');
		width = text_width(first, (size_t)(second - first));
		check_random(&random, width <= 80);
		check_random(&random, text_is_utf8(out.data, out.len));
		check_random(&random,
		             strspn(second + 1, " ") + strspn(strchr(second, '^') + 1, "~") + 1 ==
		                     strlen(second + 1));
		check_random(&random, strlen(second + 1) <= width + 1);
	}
}

/* Words end after 40 columns, and before an escape that would be the 39th to 42nd. */
static void test_words(void **state)
{
	static const char word[] = "01234567890123456789012345678901234567\x1b[31m";
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	where_add_word(&out, (struct span){word, strlen(word)});
	assert_text(&out, "'01234567890123456789012345678901234567...'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_marks),    cmocka_unit_test(test_marks_go_by_columns),
	        cmocka_unit_test(test_excerpts), cmocka_unit_test(test_any_place),
	        cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
