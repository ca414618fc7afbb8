// SPDX-License-Identifier: GPL-2.0-or-later
#include "plot/canvas.h"

#include "check.h"

static void assert_rows(const struct canvas *canvas, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (unsigned row = 0; row < canvas->rows; row++) {
		canvas_add_row(canvas, row, &text);
		strbuf_add_char(&text, '|');
	}
	assert_text(&text, expected);
}

/* Each dot of a cell by itself, against the numbers of Unicode: U+2800 and bit 0 to 7. */
static void test_braille_dots(void **state)
{
	static const char *const cells[4][2] = {{"\u2840|", "\u2880|"},
	                                        {"\u2804|", "\u2820|"},
	                                        {"\u2802|", "\u2810|"},
	                                        {"\u2801|", "\u2808|"}};

	(void)state;
	for (unsigned y = 0; y < 4; y++)
		for (unsigned x = 0; x < 2; x++) {
			cleanup_(canvas_done) struct canvas canvas;

			canvas_init(&canvas, 1, 1, false, false);
			canvas_line(&canvas, 0, x, y, x, y);
			assert_rows(&canvas, cells[y][x]);
		}
}

static void test_braille_lines(void **state)
{
	cleanup_(canvas_done) struct canvas canvas;

	(void)state;
	canvas_init(&canvas, 3, 2, false, false);
	assert_int_equal(canvas.width, 6);
	assert_int_equal(canvas.height, 8);
	assert_rows(&canvas, "||");
	canvas_line(&canvas, 0, 0, 0, 5, 0);
	canvas_line(&canvas, 0, 5, 0, 5, 7);
	assert_rows(&canvas, "  \u28b8|\u28c0\u28c0\u28f8|");
	/* Lines end at the border. */
	canvas_line(&canvas, 0, -3, 4, 1, 4);
	canvas_line(&canvas, 0, 100, 100, 200, 200);
	assert_rows(&canvas, "\u28c0 \u28b8|\u28c0\u28c0\u28f8|");
}

/* The second line has every second dot. */
static void test_dotted(void **state)
{
	cleanup_(canvas_done) struct canvas canvas;

	(void)state;
	canvas_init(&canvas, 2, 1, false, false);
	canvas_line(&canvas, 1, 0, 0, 3, 0);
	assert_rows(&canvas, "\u2840\u2840|");
}

static void test_ascii(void **state)
{
	cleanup_(canvas_done) struct canvas canvas;

	(void)state;
	canvas_init(&canvas, 4, 2, true, false);
	canvas_line(&canvas, 0, 0, 0, 1, 0);
	canvas_line(&canvas, 0, 1, 0, 1, 3);
	canvas_line(&canvas, 1, 0, 2, 3, 2);
	assert_rows(&canvas, "o:oo|.:|");
}

static void test_colors(void **state)
{
	cleanup_(canvas_done) struct canvas canvas;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	canvas_init(&canvas, 3, 1, true, true);
	canvas_line(&canvas, 1, 0, 0, 1, 0);
	canvas_line(&canvas, 0, 1, 0, 2, 0);
	assert_rows(&canvas, "\x1b[33mo\x1b[0m\x1b[36m..\x1b[0m|");
	canvas_add_legend(true, true, 1, "PSS", &text);
	canvas_add_legend(false, false, 0, "RSS", &text);
	assert_text(&text, "\x1b[33moo PSS\x1b[0m\u2824\u2824 RSS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_braille_dots), cmocka_unit_test(test_braille_lines),
	        cmocka_unit_test(test_dotted),       cmocka_unit_test(test_ascii),
	        cmocka_unit_test(test_colors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
