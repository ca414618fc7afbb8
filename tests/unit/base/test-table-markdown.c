// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables as Markdown: read back by its rules, every cell is what it was. */
#include "check.h"

#include <stdio.h>

#include "base/table.h"
#include "random.h"

enum { COLUMNS = 3, ROWS_MAX = 8 };

/* A row without a second cell is a heading; the third cell is its indent. */
struct rows {
	const char *cells[ROWS_MAX][COLUMNS];
};

static enum table_color cell_text(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct rows *rows = context;

	strbuf_add_str(out, rows->cells[row][column]);
	return COLOR_MUCH_MORE;
}

static bool heading_text(void *context, size_t row, struct table_heading *ret, struct strbuf *out)
{
	const struct rows *rows = context;

	if (rows->cells[row][1])
		return false;
	strbuf_add_str(out, rows->cells[row][0]);
	ret->indent = (unsigned)strlen(rows->cells[row][2]);
	ret->color = COLOR_HEADING;
	return true;
}

static const struct table_column columns[COLUMNS] = {{"name", false, SHRINKS_ALWAYS, 0},
                                                     {"%", true, SHRINKS_NEVER, 0},
                                                     {"cgroup / pcomm", false, SHRINKS_WRAPPED, 0}};

static char *print(const struct rows *rows, size_t count, bool tree)
{
	/* Neither a terminal's width nor its colours are for those who read it elsewhere. */
	static const struct table_style style = {.markdown = true, .width = 8, .wrap = true};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	if (tree)
		table_print_tree(file, &style, columns, COLUMNS, count, cell_text, heading_text,
		                 (void *)rows);
	else
		table_print(file, &style, columns, COLUMNS, count, cell_text, (void *)rows);
	assert_int_equal(fclose(file), 0);
	return text;
}

#define HEAD "| name | % | cgroup / pcomm |\n| --- | ---: | --- |\n"

static void check(const struct rows *rows, size_t count, const char *expected)
{
	char *text = print(rows, count, true);

	assert_string_equal(text, expected);
	free(text);
}

static void test_rows(void **state)
{
	static const struct rows rows = {
	        {{"a long name that is cut nowhere", "1", "x"}, {"", "-", ""}}};

	(void)state;
	check(&rows, 0, HEAD);
	check(&rows, 2, HEAD "| a long name that is cut nowhere | 1 | x |\n|  | - |  |\n");
}

static void test_markup(void **state)
{
	static const struct rows rows = {{{"a|b", "*x*", "`c`"},
	                                  {"<b>&amp;", "#1", "[l](u)"},
	                                  {"back\\slash\\x1b", "~~s~~", "nr_wakeups_local"},
	                                  {"_lead", "trail_", "a__b -_- 1_"},
	                                  {"\xc3\xa9_\xc3\xa9", "→", "x.y:z"}}};

	(void)state;
	check(&rows, 5,
	      HEAD "| a\\|b | \\*x\\* | \\`c\\` |\n"
	           "| \\<b\\>\\&amp; | \\#1 | \\[l\\](u) |\n"
	           "| back\\\\slash\\\\x1b | \\~\\~s\\~\\~ | nr_wakeups_local |\n"
	           "| \\_lead | trail\\_ | a\\_\\_b -\\_- 1\\_ |\n"
	           "| \xc3\xa9\\_\xc3\xa9 | → | x.y:z |\n");
}

/* Blanks at the start of a cell are its place in a tree; others are blanks. */
static void test_tree(void **state)
{
	static const struct rows rows = {{{"/system.slice", NULL, ""},
	                                  {"/cron|.service", NULL, "  "},
	                                  {"    cron x", "1", " y"},
	                                  {"", NULL, ""}}};

	(void)state;
	check(&rows, 4,
	      HEAD "| /system.slice |  |  |\n"
	           "| &nbsp;&nbsp;/cron\\|.service |  |  |\n"
	           "| &nbsp;&nbsp;&nbsp;&nbsp;cron x | 1 | &nbsp;y |\n"
	           "|  |  |  |\n");
}

/* Takes a cell off a line, as a reader of Markdown does, and checks that it is this text. */
static const char *read_cell(struct random *random, const char *line, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf cell = STRBUF_INIT;

	check_random(random, strncmp(line, "| ", 2) == 0);
	line += 2;
	while (*line != '|') {
		check_random(random, *line != '\0' && *line != '\n');
		if (strncmp(line, "&nbsp;", 6) == 0) {
			strbuf_add_char(&cell, ' ');
			line += 6;
			continue;
		}
		/* Nothing that means something stands alone. */
		check_random(random, !strchr("`*[]<>#~&", *line));
		line += *line == '\\';
		strbuf_add_char(&cell, *line++);
	}
	check_random(random, cell.len > 0 && cell.data[cell.len - 1] == ' ');
	check_random(random, cell.len - 1 == strlen(expected));
	check_random(random, memcmp(cell.data, expected, cell.len - 1) == 0);
	return line;
}

static void test_read_back(void **state)
{
	enum { SEED = 51, ROUNDS = 500, BYTES = 16 };
	static const char likely[] = "ab_ \\`*[]<>|#~&;-:1.!()\xc3\xa9";

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		char texts[ROWS_MAX][COLUMNS][BYTES];
		struct rows rows;
		const char *line;
		char *text;

		for (size_t r = 0; r < ROWS_MAX; r++)
			for (size_t c = 0; c < COLUMNS; c++) {
				size_t len = random_below(&random, BYTES);

				for (size_t i = 0; i < len; i++)
					texts[r][c][i] =
					        likely[random_below(&random, sizeof(likely) - 1)];
				texts[r][c][len] = '\0';
				rows.cells[r][c] = texts[r][c];
			}
		text = print(&rows, ROWS_MAX, false);
		check_random(&random, strncmp(text, HEAD, strlen(HEAD)) == 0);
		line = text + strlen(HEAD);
		for (size_t r = 0; r < ROWS_MAX; r++) {
			for (size_t c = 0; c < COLUMNS; c++)
				line = read_cell(&random, line, texts[r][c]);
			check_random(&random, strncmp(line, "|\n", 2) == 0);
			line += 2;
		}
		check_random(&random, *line == '\0');
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_rows),
	        cmocka_unit_test(test_markup),
	        cmocka_unit_test(test_tree),
	        cmocka_unit_test(test_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
