// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of several lines, and rows that are none: what a table wraps, and its headings. */
#include "check.h"

#include <stdio.h>

#include "ctprof/table.h"
#include "ctprof/text.h"
#include "random.h"

enum { COLUMNS = 3 };

/* A row without a second cell is a heading; the third cell is its indent. */
struct rows {
	const char *const (*cells)[COLUMNS];
	size_t asked;
};

static enum table_color cell_text(void *context, size_t row, unsigned column, struct strbuf *out)
{
	struct rows *rows = context;

	assert_non_null(rows->cells[row][column]);
	rows->asked++;
	strbuf_add_str(out, rows->cells[row][column]);
	return column == 1 ? COLOR_MORE : COLOR_NONE;
}

static bool heading_text(void *context, size_t row, struct table_heading *ret, struct strbuf *out)
{
	struct rows *rows = context;

	assert_int_equal(ret->color, COLOR_NONE);
	assert_int_equal(ret->indent, 0);
	assert_int_equal(out->len, 0);
	if (rows->cells[row][1])
		return false;
	strbuf_add_str(out, rows->cells[row][0]);
	ret->indent = (unsigned)strlen(rows->cells[row][2]);
	ret->color = table_color_of_depth(ret->indent / 2);
	return true;
}

static const struct table_column columns[COLUMNS] = {{"name", false, SHRINKS_ALWAYS},
                                                     {"value", true, SHRINKS_NEVER},
                                                     {"key", false, SHRINKS_WRAPPED}};

static char *print(const struct table_style *style, const char *const (*cells)[COLUMNS],
                   size_t count)
{
	struct rows rows = {.cells = cells};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	table_print_tree(file, style, columns, COLUMNS, count, cell_text, heading_text, &rows);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void check(const struct table_style *style, const char *const (*cells)[COLUMNS],
                  size_t count, const char *expected)
{
	char *text = print(style, cells, count);

	assert_string_equal(text, expected);
	free(text);
}

/* Lines break behind words and slashes, and else where they are full. */
static void test_wrap_breaks(void **state)
{
	static const char *const cells[][COLUMNS] = {
	        {"/system.slice/web.service", "1", "a"},
	        {"words and  more words", "22", "b"},
	        {"a-name-without-any-break", "333", "c"},
	        {"exactly twelve.", "4", "d"},
	        {"", "5", "e"},
	        {"/app.slice/web.service", "6", "f"},
	};
	const struct table_style style = {.width = 12 + 1 + 5 + 1 + 3, .wrap = true};

	(void)state;
	check(&style, cells, 6,
	      "name         value key\n"
	      "/system.slic     1 a\n"
	      "e/\n"
	      "web.service\n"
	      "words and       22 b\n"
	      "more words\n"
	      "a-name-witho   333 c\n"
	      "ut-any-break\n"
	      "exactly          4 d\n"
	      "twelve.\n"
	      "                 5 e\n"
	      "/app.slice/      6 f\n"
	      "web.service\n");
}

/* Blanks that a line breaks at are on neither side of it. */
static void test_wrap_drops_blanks(void **state)
{
	static const char *const cells[][COLUMNS] = {{"a", "1", "words and   more  words"}};
	const struct table_style style = {.width = 1, .wrap = true};

	(void)state;
	check(&style, cells, 1,
	      "name value key\n"
	      "a        1 words and\n"
	      "           more  words\n");
}

static void test_wrap(void **state)
{
	static const char *const cells[][COLUMNS] = {{"a name of two lines", "10", "k"},
	                                             {"short", "2", "l"}};
	struct table_style style = {.width = 25, .wrap = true};

	(void)state;
	check(&style, cells, 2,
	      "name            value key\n"
	      "a name of two      10 k\n"
	      "lines\n"
	      "short               2 l\n");
	/* Where it fits, where no terminal is, and without the option nothing is continued. */
	style.width = 29;
	check(&style, cells, 2,
	      "name                value key\n"
	      "a name of two lines    10 k\n"
	      "short                   2 l\n");
	style.width = 0;
	check(&style, cells, 2,
	      "name                value key\n"
	      "a name of two lines    10 k\n"
	      "short                   2 l\n");
	style = (struct table_style){.width = 25};
	check(&style, cells, 2,
	      "name            value key\n"
	      "a name of two …    10 k\n"
	      "short               2 l\n");
}

/* Cells that are cut leave a column like this one alone; those that are continued share what is too much. */
static void test_wrap_several(void **state)
{
	static const char *const cells[][COLUMNS] = {
	        {"twenty characters..1", "1", "twenty characters..2"}};
	struct table_style style = {.width = 42};

	(void)state;
	check(&style, cells, 1,
	      "name            value key\n"
	      "twenty charact…     1 twenty characters..2\n");
	style.width = 30;
	check(&style, cells, 1,
	      "name         value key\n"
	      "twenty char…     1 twenty characters..2\n");
	style.wrap = true;
	check(&style, cells, 1,
	      "name         value key\n"
	      "twenty           1 twenty\n"
	      "characters..       characters..\n"
	      "1                  2\n");
	/* There is a least that they keep, whatever the terminal. */
	style.width = 1;
	check(&style, cells, 1,
	      "name         value key\n"
	      "twenty           1 twenty\n"
	      "characters..       characters..\n"
	      "1                  2\n");
	style.width = 41;
	check(&style, cells, 1,
	      "name              value key\n"
	      "twenty                1 twenty\n"
	      "characters..1           characters..2\n");
}

/* What belongs together stays together: wide characters, and marks with what they are on. */
static void test_wrap_characters(void **state)
{
	static const char *const cells[][COLUMNS] = {
	        {"漢漢漢漢漢漢漢", "1", "k"},
	        {"x漢漢漢漢漢漢", "1", "k"},
	        {"abcdefghijkle\xcc\x81\xcc\x81", "1", "k"},
	        {"abcdefghijk/\xcc\x81lm", "1", "k"},
	        {"  indented text", "1", "k"},
	};
	const struct table_style style = {.width = 1, .wrap = true};

	(void)state;
	check(&style, cells, 5,
	      "name         value key\n"
	      "漢漢漢漢漢漢     1 k\n"
	      "漢\n"
	      "x漢漢漢漢漢      1 k\n"
	      "漢\n"
	      "abcdefghijkl     1 k\n"
	      "e\xcc\x81\xcc\x81\n"
	      "abcdefghijk/\xcc\x81     1 k\n"
	      "lm\n"
	      "  indented       1 k\n"
	      "text\n");
}

/* Each line has its colours. */
static void test_wrap_colors(void **state)
{
	static const char *const cells[][COLUMNS] = {{"a name of two lines", "10", "k"}};
	const struct table_style style = {.color = true, .width = 22, .wrap = true};

	(void)state;
	check(&style, cells, 1,
	      "\033[36mname\033[0m         \033[36mvalue\033[0m \033[36mkey\033[0m\n"
	      "a name of       \033[33m10\033[0m k\n"
	      "two lines\n");
}

static void test_headings(void **state)
{
	static const char *const cells[][COLUMNS] = {{"/", NULL, ""},
	                                             {"a", "1", "k"},
	                                             {"a heading wider than it all", NULL, "  "},
	                                             {"bb", "22", "l"},
	                                             {"deep", NULL, "    "}};
	struct table_style style = {0};

	(void)state;
	check(&style, cells, 5,
	      "name value key\n"
	      "/\n"
	      "a        1 k\n"
	      "  a heading wider than it all\n"
	      "bb      22 l\n"
	      "    deep\n");
	style.color = true;
	check(&style, cells, 3,
	      "\033[36mname\033[0m \033[36mvalue\033[0m \033[36mkey\033[0m\n"
	      "\033[1;32m/\033[0m\n"
	      "a        \033[33m1\033[0m k\n"
	      "  \033[1;36ma heading wider than it all\033[0m\n");
}

/* Headings are cut to the terminal and never wrapped; cells keep the room that they have. */
static void test_headings_are_cut(void **state)
{
	static const char *const cells[][COLUMNS] = {{"漢字 heading of 23", NULL, ""},
	                                             {"next to it", NULL, "              "},
	                                             {"a", "1", "k"}};
	struct table_style style = {.width = 18};

	(void)state;
	check(&style, cells, 3,
	      "name value key\n"
	      "漢字 heading of 23\n"
	      "         next to …\n"
	      "a        1 k\n");
	for (unsigned wrap = 0; wrap < 2; wrap++) {
		style = (struct table_style){.width = 17, .wrap = wrap};
		check(&style, cells, 1,
		      "name value key\n"
		      "漢字 heading of …\n");
	}
	style.width = 3;
	check(&style, cells, 2,
	      "name value key\n"
	      "漢…\n"
	      " n…\n");
	style.width = 1;
	check(&style, cells, 2,
	      "name value key\n"
	      "…\n"
	      "…\n");
}

/* A table is what its cells say, in this order, whatever is broken where: without line breaks and blanks every cell is
 * there, lines fit where they can, and no line ends in a blank. */
static void test_wrap_random(void **state)
{
	enum { SEED = 29, ROUNDS = 600, MINIMUM = 12 + 1 + 5 + 1 + 12 };
	static const char *const parts[] = {"ab",        " ",         "/",  "漢",
	                                    "e\xcc\x81", "long-word", "  ", "\\x1b",
	                                    ".",         "\xcc\x81",  "x"};

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct table_style style = {.width = 1 + (unsigned)random_below(&random, 60),
		                            .wrap = true};
		struct strbuf name = STRBUF_INIT, key = STRBUF_INIT, joined = STRBUF_INIT;
		const char *cells[1][COLUMNS];
		char *text, *rest, *line;

		strbuf_add_char(&key, '|');
		for (size_t i = random_below(&random, 12); i > 0; i--)
			strbuf_add_str(&name, parts[random_below(&random, ARRAY_SIZE(parts))]);
		if (round % 2)
			for (size_t i = 0; i < 20; i++)
				strbuf_add_char(&key, (char)('A' + i));
		cells[0][0] = strbuf_str(&name);
		cells[0][1] = "1";
		cells[0][2] = strbuf_str(&key);
		text = rest = print(&style, (const void *)cells, 1);
		strsep(&rest, "\n");
		while ((line = strsep(&rest, "\n")) && rest) {
			size_t len = strlen(line);

			check_random(&random, text_is_utf8(line, len));
			check_random(&random, text_width(line, len) <= style.width ||
			                              text_width(line, len) <= MINIMUM);
			strbuf_add_str(&joined, line);
		}
		/* Capitals are the key's, and the only digit behind the escapes' is the value's. */
		for (const char *c = strbuf_str(&key); *c; c++)
			check_random(&random, strchr(strbuf_str(&joined), *c) != NULL);
		{
			struct strbuf left = STRBUF_INIT, wanted = STRBUF_INIT;

			for (size_t i = 0; i < joined.len; i++)
				if (!strchr("| ABCDEFGHIJKLMNOPQRST", joined.data[i]))
					strbuf_add_char(&left, joined.data[i]);
			for (size_t i = 0; i < name.len; i++)
				if (name.data[i] != ' ')
					strbuf_add_char(&wanted, name.data[i]);
			/* The value stands somewhere in between. */
			check_random(&random, left.len == wanted.len + 1);
			strbuf_done(&left);
			strbuf_done(&wanted);
		}
		strbuf_done(&name);
		strbuf_done(&key);
		strbuf_done(&joined);
		free(text);
	}
}

/* An error of the file ends the printing with the row. */
static void test_wrap_file_fails(void **state)
{
	static const char *const cells[][COLUMNS] = {{"a name of two lines", "10", "k"},
	                                             {"b", "10", "k"}};
	const struct table_style style = {.width = 22, .wrap = true};
	struct rows rows = {.cells = cells};
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	table_print_tree(full, &style, columns, COLUMNS, 2, cell_text, heading_text, &rows);
	assert_true(ferror(full));
	assert_int_equal(rows.asked, 2 * COLUMNS); /* to measure, and no more */
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_wrap_breaks),
	        cmocka_unit_test(test_wrap_drops_blanks),
	        cmocka_unit_test(test_wrap),
	        cmocka_unit_test(test_wrap_several),
	        cmocka_unit_test(test_wrap_characters),
	        cmocka_unit_test(test_wrap_colors),
	        cmocka_unit_test(test_headings),
	        cmocka_unit_test(test_headings_are_cut),
	        cmocka_unit_test(test_wrap_random),
	        cmocka_unit_test(test_wrap_file_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
