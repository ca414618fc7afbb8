// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of several lines, and rows that are none: what a table wraps, and its headings. */
#include "check.h"

#include <stdio.h>

#include "base/table.h"
#include "base/text.h"
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
	ret->color = COLOR_HEADING;
	return true;
}

static const struct table_column columns[COLUMNS] = {{"name", false, SHRINKS_ALWAYS, 0},
                                                     {"value", true, SHRINKS_NEVER, 0},
                                                     {"key", false, SHRINKS_WRAPPED, 0}};

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

/* Lines break behind words and slashes, else inside of names, and else where they are full. */
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
	      "a-name-        333 c\n"
	      "without-any-\n"
	      "break\n"
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
	/* Nothing is continued if it fits, without a terminal, or without the option. */
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

/* Cells that are cut leave a column like this one alone; those that are continued do so until they can give no more. */
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
	      "twenty char…     1 twenty char…\n");
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
	      "name           value key\n"
	      "twenty             1 twenty characters..2\n"
	      "characters..1\n");
}

/* Wide characters stay whole, and marks stay with their letters. */
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
	      "  text\n");
}

/* Behind '_' and '-' only where there is nothing better, and not behind one that a name starts with. */
static void test_wrap_names(void **state)
{
	static const char *const cells[][COLUMNS] = {
	        {"cancelled_write_bytes", "1", "cancelled_write_bytes"},
	        {"a b_c_d_e_f_g_h", "1", "/x_y_z_a_b_c_d"},
	        {"_longer-than-the-room", "1", "--longerthantheroom"},
	        {"nonvoluntary_\xcc\x81xyz", "1", "nonvolunta_\xcc\x81xyz"},
	};
	const struct table_style style = {.width = 1, .wrap = true};

	(void)state;
	check(&style, cells, 4,
	      "name         value key\n"
	      "cancelled_       1 cancelled_\n"
	      "write_bytes        write_bytes\n"
	      "a                1 /x_y_z_a_b_\n"
	      "b_c_d_e_f_g_       c_d\n"
	      "h\n"
	      "_longer-         1 --longerthan\n"
	      "than-the-          theroom\n"
	      "room\n"
	      "nonvoluntary     1 nonvolunta_\xcc\x81x\n"
	      "_\xcc\x81xyz               yz\n");
}

/* Blanks at the start are the place in a tree, on each line; a tree deeper than the column leaves room for names. */
static void test_wrap_indent(void **state)
{
	static const char *const cells[][COLUMNS] = {
	        {"    a name of more lines", "1", "    key of two lines"},
	        {"              deep", "22", "short"},
	        {"       abcdef", "333", " "},
	};
	struct table_style style = {.width = 1, .wrap = true};

	(void)state;
	check(&style, cells, 3,
	      "name         value key\n"
	      "    a name       1     key of\n"
	      "    of more            two\n"
	      "    lines              lines\n"
	      "       deep     22 short\n"
	      "       abcde   333\n"
	      "       f\n");
	style.wrap = false;
	check(&style, cells, 3,
	      "name         value key\n"
	      "    a name …     1     key of …\n"
	      "       deep     22 short\n"
	      "       abcd…   333\n");
	/* Only a column that has given way has no room. */
	style = (struct table_style){.width = 1, .wrap = true};
	check(&style, (const char *const[][COLUMNS]){{"        ab", "1", "k"}}, 1,
	      "name       value key\n"
	      "        ab     1 k\n");
}

/* An escape is in one piece. */
static void test_escapes(void **state)
{
	static const char *const cells[][COLUMNS] = {
	        {"abcdefghij\\x0ak", "1", "k"},         {"abcdefgh\\x0aklmn", "1", "k"},
	        {"abcdefghijk\\\\lmn", "1", "k"},       {"\\x01\\x02\\x03\\x04", "1", "k"},
	        {"abcdefg\\\\x0ahijk", "1", "k"},       {"         \\x01\\x02", "1", "k"},
	        {"abcdefghijk\\xzz not one", "1", "k"}, {"heading \\x0a", NULL, ""},
	};
	struct table_style style = {.width = 1};

	(void)state;
	check(&style, cells, 7,
	      "name         value key\n"
	      "abcdefghij…      1 k\n"
	      "abcdefgh…        1 k\n"
	      "abcdefghijk…     1 k\n"
	      "\\x01\\x02…        1 k\n"
	      "abcdefg\\\\x0…     1 k\n"
	      "       \\x01…     1 k\n"
	      "abcdefghijk…     1 k\n");
	style.wrap = true;
	check(&style, cells, 6,
	      "name         value key\n"
	      "abcdefghij       1 k\n"
	      "\\x0ak\n"
	      "abcdefgh\\x0a     1 k\n"
	      "klmn\n"
	      "abcdefghijk      1 k\n"
	      "\\\\lmn\n"
	      "\\x01\\x02\\x03     1 k\n"
	      "\\x04\n"
	      "abcdefg\\\\x0a     1 k\n"
	      "hijk\n"
	      "       \\x01      1 k\n"
	      "       \\x02\n");
	style.width = 11;
	check(&style, &cells[7], 1,
	      "name value key\n"
	      "heading\n"
	      "\\x0a\n");
	/* There is no room for it: better too wide than in parts. */
	style.width = 3;
	check(&style, (const char *const[][COLUMNS]){{"\\x0a\\x0a", NULL, ""}}, 1,
	      "name value key\n"
	      "\\x0a\n"
	      "\\x0a\n");
	style = (struct table_style){.width = 11};
	check(&style, &cells[7], 1,
	      "name value key\n"
	      "heading …\n");
}

/* Each line has its colours. */
static void test_wrap_colors(void **state)
{
	static const char *const cells[][COLUMNS] = {{"a name of two lines", "10", "k"}};
	const struct table_style style = {.color = true, .width = 22, .wrap = true};

	(void)state;
	check(&style, cells, 1,
	      "\033[1mname\033[0m         \033[1mvalue\033[0m \033[1mkey\033[0m\n"
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
	      "\033[1mname\033[0m \033[1mvalue\033[0m \033[1mkey\033[0m\n"
	      "\033[1m/\033[0m\n"
	      "a        \033[33m1\033[0m k\n"
	      "  \033[1ma heading wider than it all\033[0m\n");
}

/* Headings are cut to the terminal; cells keep the room that they have. */
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
	style.width = 17;
	check(&style, cells, 1,
	      "name value key\n"
	      "漢字 heading of …\n");
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

/* Or go on below, where they start. */
static void test_headings_are_continued(void **state)
{
	static const char *const cells[][COLUMNS] = {{"/a heading of 23/longer", NULL, "  "},
	                                             {"漢字", NULL, "                    "},
	                                             {"a", "1", "k"}};
	struct table_style style = {.width = 12, .wrap = true};

	(void)state;
	check(&style, cells, 3,
	      "name value key\n"
	      "  /a heading\n"
	      "  of 23/\n"
	      "  longer\n"
	      "      漢字\n"
	      "a        1 k\n");
	style.color = true;
	check(&style, cells, 1,
	      "\033[1mname\033[0m \033[1mvalue\033[0m \033[1mkey\033[0m\n"
	      "  \033[1m/a heading\033[0m\n"
	      "  \033[1mof 23/\033[0m\n"
	      "  \033[1mlonger\033[0m\n");
	style = (struct table_style){.wrap = true};
	check(&style, cells, 1,
	      "name value key\n"
	      "  /a heading of 23/longer\n");
	/* A terminal narrower than a character. */
	style.width = 1;
	check(&style, &cells[1], 1,
	      "name value key\n"
	      "漢\n"
	      "字\n");
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
			for (const char *c = line; (c = strchr(c, '\\')); c++)
				check_random(&random, strncmp(c, "\\x1b", 4) == 0);
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
	        cmocka_unit_test(test_wrap_names),
	        cmocka_unit_test(test_wrap_indent),
	        cmocka_unit_test(test_escapes),
	        cmocka_unit_test(test_wrap_colors),
	        cmocka_unit_test(test_headings),
	        cmocka_unit_test(test_headings_are_cut),
	        cmocka_unit_test(test_headings_are_continued),
	        cmocka_unit_test(test_wrap_random),
	        cmocka_unit_test(test_wrap_file_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
