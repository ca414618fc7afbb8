// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <string.h>

#include "base/text.h"

static void test_signs_and_names(void **state)
{
	static const struct {
		const char *text, *ascii;
	} texts[] = {
	        {"", ""},
	        {"plain \\x0a\ttext\n", "plain \\x0a\ttext\n"},
	        {"5→6†", "5>6!"},
	        {"12.5µs…", "12.5us~"},
	        {"‡¶‖§±×", "^#?&~x"},
	        {"数a", "\\xe6\\x95\\xb0a"},
	        {"e\xcc\x81", "e\\xcc\\x81"},
	        /* The start of a sign alone, and no UTF-8 at all. */
	        {"\xe2\x86", "\\xe2\\x86"},
	        {"\xff\x80", "\\xff\\x80"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct strbuf text = STRBUF_INIT, added = STRBUF_INIT;

		strbuf_add_str(&text, texts[i].text);
		text_make_ascii(&text);
		assert_string_equal(strbuf_str(&text), texts[i].ascii);
		assert_int_equal(text.len, strlen(texts[i].ascii));
		/* ASCII stays as it is. */
		text_make_ascii(&text);
		strbuf_add_char(&added, '>');
		text_add_ascii(&added, texts[i].text, strlen(texts[i].text));
		assert_string_equal(strbuf_str(&added) + 1, strbuf_str(&text));
		strbuf_done(&added);
		strbuf_done(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_signs_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
