// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void test_folded(void **state)
{
	static const struct {
		const char *text;
		size_t width;
		const char *folded;
	} texts[] = {
	        {"", 20, ""},
	        {"it fits as it is", 16, "it fits as it is"},
	        {"it fits as it is", SIZE_MAX, "it fits as it is"},
	        {"one two three four", 10, "one two\n  three\n  four"},
	        {"one  two", 5, "one \n  two"},
	        /* A word that no line has room for. */
	        {"abcdefghijkl", 10, "abcdefghij\n  kl"},
	        {"数据库 服务器", 8, "数据库\n  服务器"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *printed = NULL;
		size_t len = 0;
		FILE *file = open_memstream(&printed, &len);

		text_print_folded(file, texts[i].text, strlen(texts[i].text), texts[i].width);
		assert_int_equal(fclose(file), 0);
		assert_string_equal(printed, texts[i].folded);
		free(printed);
	}
}

static void test_lines(void **state)
{
	static const struct {
		size_t width;
		const char *printed;
	} widths[] = {
	        {0, "one two three\n\nfour five six"},
	        {8, "one two three\n\nfour five six"},
	        {9, "one two\n  three\n\nfour five\n  six"},
	};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	strbuf_add_str(&text, "one two three\n\nfour five six");
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		char *printed = NULL;
		size_t len = 0;
		FILE *file = open_memstream(&printed, &len);

		text_print_lines(file, &text, widths[i].width);
		assert_int_equal(fclose(file), 0);
		assert_string_equal(printed, widths[i].printed);
		free(printed);
	}
	strbuf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_folded),
	        cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
