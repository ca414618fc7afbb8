// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <stdio.h>

#include "base/table.h"
#include "base/text.h"
#include "random.h"

enum { COLUMNS_MAX = 4 };

struct cells {
	const char *const (*rows)[COLUMNS_MAX];
	enum table_color color;
	size_t asked;
};

static enum table_color cell_text(void *context, size_t row, unsigned column, struct strbuf *out)
{
	struct cells *cells = context;

	cells->asked++;
	strbuf_add_str(out, cells->rows[row][column]);
	return column == 1 ? cells->color : COLOR_NONE;
}

static char *print(const struct table_style *style, const struct table_column *columns,
                   unsigned column_count, size_t row_count, struct cells *cells)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	table_print(file, style, columns, column_count, row_count, cell_text, cells);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void check(const struct table_style *style, const struct table_column *columns,
                  unsigned column_count, const char *const (*rows)[COLUMNS_MAX], size_t row_count,
                  const char *expected)
{
	struct cells cells = {.rows = rows, .color = COLOR_MORE};
	char *text = print(style, columns, column_count, row_count, &cells);

	assert_string_equal(text, expected);
	free(text);
}

static const struct table_style plain = {0};
static const struct table_column three[] = {
        {"name", false, true, 0}, {"value", true, false, 0}, {"unit", false, false, 0}};

static void test_table_widths(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {
	        {"a", "1", "s"}, {"longer name", "123456", "ms"}, {"", "22", "seconds"}};

	(void)state;
	check(&plain, three, 3, rows, 3,
	      "name         value unit\n"
	      "a                1 s\n"
	      "longer name 123456 ms\n"
	      "                22 seconds\n");
}

/* Without rows there is still a heading. */
static void test_table_empty(void **state)
{
	(void)state;
	check(&plain, three, 3, NULL, 0, "name value unit\n");
}

static void test_table_one_column(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {{"a"}, {"abc"}};
	static const struct table_column left[] = {{"x", false, false, 0}},
	                                 right[] = {{"x", true, false, 0}};

	(void)state;
	check(&plain, left, 1, rows, 2, "x\na\nabc\n");
	check(&plain, right, 1, rows, 2, "  x\n  a\nabc\n");
}

/* Wide characters take two columns, combining ones none. */
static void test_table_wide_characters(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {{"\xe6\xbc\xa2\xe5\xad\x97", "1→2", "x"},
	                                                {"e\xcc\x81", "1", "x"},
	                                                {"abcd", "µs", "x"}};

	(void)state;
	check(&plain, three, 3, rows, 3,
	      "name value unit\n"
	      "\xe6\xbc\xa2\xe5\xad\x97   1→2 x\n"
	      "e\xcc\x81        1 x\n"
	      "abcd    µs x\n");
}

/* Too narrow a terminal takes from the column that can give, and leaves an ellipsis. */
static void test_table_shrinks(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {
	        {"a rather long name of a thread", "123456", "ms"}, {"fits in there", "1", "s"}};
	struct table_style narrow = {.width = 30};

	(void)state;
	check(&narrow, three, 3, rows, 2,
	      "name                value unit\n"
	      "a rather long nam… 123456 ms\n"
	      "fits in there           1 s\n");
	narrow.width = 42;
	check(&narrow, three, 3, rows, 2,
	      "name                            value unit\n"
	      "a rather long name of a thread 123456 ms\n"
	      "fits in there                       1 s\n");
	narrow.width = 41;
	check(&narrow, three, 3, rows, 2,
	      "name                           value unit\n"
	      "a rather long name of a thre… 123456 ms\n"
	      "fits in there                      1 s\n");
	/* There is a least that it keeps, whatever the terminal. */
	narrow.width = 1;
	check(&narrow, three, 3, rows, 2,
	      "name          value unit\n"
	      "a rather lo… 123456 ms\n"
	      "fits in the…      1 s\n");
}

/* A wide character that would be cut in half is left out, and the column stays as wide as it is. */
static void test_table_shrinks_wide(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {
	        {"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc"
	         "\xa2",
	         "1", "x"}};
	struct table_style narrow = {.width = 1};

	(void)state;
	check(&narrow, three, 3, rows, 1,
	      "name         value unit\n"
	      "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2…      1 x\n");
}

static void test_table_nothing_can_shrink(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {{"a name of some length", "1"}};
	static const struct table_column columns[] = {{"name", false, false, 0},
	                                              {"value", true, false, 0}};
	const struct table_style narrow = {.width = 10};

	(void)state;
	check(&narrow, columns, 2, rows, 1,
	      "name                  value\n"
	      "a name of some length     1\n");
}

static void test_table_several_shrink(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {
	        {"twenty characters..1", "twenty characters..2", "x"}};
	static const struct table_column columns[] = {
	        {"a", false, true, 0}, {"b", false, true, 0}, {"c", false, false, 0}};
	struct table_style narrow = {.width = 38};

	(void)state;
	check(&narrow, columns, 3, rows, 1,
	      "a               b                    c\n"
	      "twenty charact… twenty characters..2 x\n");
	narrow.width = 30;
	check(&narrow, columns, 3, rows, 1,
	      "a            b               c\n"
	      "twenty char… twenty charact… x\n");
}

static void test_table_colors(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {{"a", "12", "x"}};
	const struct table_style colored = {.color = true};
	struct cells cells = {.rows = rows, .color = COLOR_LESS};
	char *text = print(&colored, three, 3, 1, &cells);

	(void)state;
	check(&colored, three, 3, rows, 1,
	      "\033[1mname\033[0m \033[1mvalue\033[0m \033[1munit\033[0m\n"
	      "a       \033[33m12\033[0m x\n");
	assert_contains(text, "\033[35m12\033[0m");
	free(text);
	check(&plain, three, 3, rows, 1,
	      "name value unit\n"
	      "a       12 x\n");
}

/* The column with the smallest number leaves first, and none before names are cut to what can be read. */
static void test_table_columns_leave(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {
	        {"a name of twenty-four co", "12345", "more", "12.5%"}, {"b", "1", "", "-"}};
	static const struct table_column columns[] = {{"name", false, SHRINKS_ALWAYS, 0},
	                                              {"value", true, SHRINKS_NEVER, 2},
	                                              {"text", false, SHRINKS_WRAPPED, 1},
	                                              {"%", true, SHRINKS_NEVER, 0}};
	const struct table_style all = {.width = 41}, cut = {.width = 33}, two = {.width = 32},
	                         three_left = {.width = 28}, one = {.width = 22},
	                         least = {.width = 17};

	(void)state;
	check(&all, columns, 4, rows, 2,
	      "name                     value text     %\n"
	      "a name of twenty-four co 12345 more 12.5%\n"
	      "b                            1          -\n");
	check(&cut, columns, 4, rows, 2,
	      "name             value text     %\n"
	      "a name of twent… 12345 more 12.5%\n"
	      "b                    1          -\n");
	check(&two, columns, 4, rows, 2,
	      "name                 value     %\n"
	      "a name of twenty-fo… 12345 12.5%\n"
	      "b                        1     -\n");
	check(&three_left, columns, 4, rows, 2,
	      "name             value     %\n"
	      "a name of twent… 12345 12.5%\n"
	      "b                    1     -\n");
	check(&one, columns, 4, rows, 2,
	      "name                 %\n"
	      "a name of twent… 12.5%\n"
	      "b                    -\n");
	/* Below that there is nothing left to leave. */
	check(&least, columns, 4, rows, 2,
	      "name             %\n"
	      "a name of t… 12.5%\n"
	      "b                -\n");
}

/* A name deep in a tree has as many columns as one at its top, up to a third of the terminal for its indent. */
static void test_table_columns_leave_for_an_indent(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {
	        {"top", "1", "12.5%"}, {"      deep name of 20 col", "12345", "-"}};
	static const struct table_column columns[] = {{"name", false, SHRINKS_ALWAYS, 0},
	                                              {"value", true, SHRINKS_NEVER, 1},
	                                              {"%", true, SHRINKS_NEVER, 0}};
	const struct table_style cut = {.width = 34}, left = {.width = 33}, deep = {.width = 17};

	(void)state;
	check(&cut, columns, 3, rows, 2,
	      "name                   value     %\n"
	      "top                        1 12.5%\n"
	      "      deep name of 20… 12345     -\n");
	check(&left, columns, 3, rows, 2,
	      "name                          %\n"
	      "top                       12.5%\n"
	      "      deep name of 20 col     -\n");
	check(&deep, columns, 3, rows, 2,
	      "name             %\n"
	      "top          12.5%\n"
	      "      deep …     -\n");
}

static void test_table_print_colored(void **state)
{
	static const char *const codes[COLOR_COUNT] = {
	        [COLOR_HEADING] = "1",      [COLOR_MORE] = "33",        [COLOR_LESS] = "35",
	        [COLOR_MUCH_MORE] = "1;33", [COLOR_MUCH_LESS] = "1;35", [COLOR_GOOD] = "32",
	        [COLOR_FAIR] = "33",        [COLOR_POOR] = "1;31",
	};

	(void)state;
	for (unsigned i = 0; i < COLOR_COUNT; i++) {
		char expected[32] = "x";
		struct table_style style = {.color = true};
		char *text = NULL;
		size_t size = 0;
		FILE *file = open_memstream(&text, &size);

		if (codes[i])
			snprintf(expected, sizeof(expected), "\033[%smx\033[0m", codes[i]);
		table_print_colored(file, &style, (enum table_color)i, "x");
		fflush(file);
		assert_string_equal(text, expected);
		style.color = false;
		table_print_colored(file, &style, (enum table_color)i, "y");
		fclose(file);
		assert_string_equal(text + strlen(expected), "y");
		free(text);
	}
}

static void test_table_looks(void **state)
{
	(void)state;
	assert_int_equal(table_color_of_share(100), COLOR_GOOD);
	assert_int_equal(table_color_of_share(75), COLOR_GOOD);
	assert_int_equal(table_color_of_share(74.9), COLOR_FAIR);
	assert_int_equal(table_color_of_share(50), COLOR_FAIR);
	assert_int_equal(table_color_of_share(49.9), COLOR_POOR);
	assert_int_equal(table_color_of_share(0), COLOR_POOR);
}

/* An error of the file ends the printing: nobody reads on. */
static void test_table_file_fails(void **state)
{
	static const char *const rows[][COLUMNS_MAX] = {
	        {"a", "1", "x"}, {"a", "1", "x"}, {"a", "1", "x"}};
	struct cells cells = {.rows = rows};
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	table_print(full, &plain, three, 3, 3, cell_text, &cells);
	assert_true(ferror(full));
	assert_int_equal(cells.asked, 3 * 3); /* to measure, and no more */
	fclose(full);
}

/* Whatever the cells and the terminal: lines fit or are as short as they can be, columns stand one below the
 * other, and nothing trails the last cell. */
static void test_table_random(void **state)
{
	enum { SEED = 16, ROUNDS = 400, ROWS = 6, MINIMUM = 12 + 1 + 6 + 1 + 6 };
	static const char *const texts[] = {"x",
	                                    "1.500ms",
	                                    "a long name indeed",
	                                    "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97-pool",
	                                    "e\xcc\x81tat",
	                                    "worker-{N}",
	                                    "µ",
	                                    "twenty-three characters"};
	static const char *const numbers[] = {"1", "123456", "→", "-"};
	const struct table_column columns[] = {
	        {"name", false, true, 0}, {"value", true, false, 0}, {"unit", false, false, 0}};

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct table_style style = {.width = (unsigned)random_below(&random, 60)};
		const char *rows[ROWS][COLUMNS_MAX];
		struct cells cells = {.rows = (const void *)rows};
		size_t count = 1 + random_below(&random, ROWS), at = SIZE_MAX;
		char *text, *line, *rest;

		for (size_t i = 0; i < count; i++) {
			rows[i][0] = texts[random_below(&random, ARRAY_SIZE(texts))];
			rows[i][1] = numbers[random_below(&random, ARRAY_SIZE(numbers))];
			rows[i][2] = "|";
		}
		text = rest = print(&style, columns, 3, count, &cells);
		strsep(&rest, "\n");
		for (size_t i = 0; i < count; i++) {
			size_t width;

			line = strsep(&rest, "\n");
			width = text_width(line, strlen(line));
			check_random(&random, line[strlen(line) - 1] == '|');
			check_random(&random, at == SIZE_MAX || at == width);
			at = width;
			check_random(&random,
			             style.width == 0 || width <= style.width || width <= MINIMUM);
			check_random(&random, text_is_utf8(line, strlen(line)));
		}
		check_random(&random, rest && rest[0] == '\0');
		free(text);
	}
}

static void check_text(const struct table_style *style, const char *lines, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char *printed = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&printed, &size);

	assert_non_null(file);
	strbuf_add_str(&text, lines);
	table_print_text(file, style, &text);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(printed, expected);
	free(printed);
}

static void test_table_text(void **state)
{
	static const struct table_style markdown = {.markdown = true, .ascii = true, .width = 20};
	static const struct table_style ascii = {.ascii = true};

	(void)state;
	check_text(&plain, "a → b\n", "a → b\n");
	check_text(&ascii, "a → b\n", "a > b\n");
	/* Markdown reads no markup in a fence, and needs a blank line behind it. */
	check_text(&markdown, "a → <b> \n[c](d) that is wider than a terminal\n\n",
	           "```\na → <b> \n[c](d) that is wider than a terminal\n```\n\n");
	check_text(&markdown, "", "");
	check_text(&markdown, "\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_table_widths),
	        cmocka_unit_test(test_table_empty),
	        cmocka_unit_test(test_table_one_column),
	        cmocka_unit_test(test_table_wide_characters),
	        cmocka_unit_test(test_table_shrinks),
	        cmocka_unit_test(test_table_shrinks_wide),
	        cmocka_unit_test(test_table_nothing_can_shrink),
	        cmocka_unit_test(test_table_several_shrink),
	        cmocka_unit_test(test_table_colors),
	        cmocka_unit_test(test_table_columns_leave),
	        cmocka_unit_test(test_table_columns_leave_for_an_indent),
	        cmocka_unit_test(test_table_print_colored),
	        cmocka_unit_test(test_table_looks),
	        cmocka_unit_test(test_table_file_fails),
	        cmocka_unit_test(test_table_random),
	        cmocka_unit_test(test_table_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
