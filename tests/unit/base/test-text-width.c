// SPDX-License-Identifier: GPL-2.0-or-later
/* Widths of whole names, against numbers written by hand and against libc, which has tables of its own. */
#include "check.h"

#include <locale.h>
#include <wchar.h>

#include "base/text.h"

static const struct {
	const char *text;
	unsigned columns;
} names[] = {
        /* Latin, Greek, Cyrillic, and signs that CSV and tables have */
        {"nginx: worker", 13},
        {"müller", 6},
        {"mu\u0308ller", 6},
        {"ß…†→µ·", 6},
        {"Ελληνικά", 8},
        {"Русский", 7},
        {"и\u0306", 1},
        {"½×÷±", 4},
        {"─│┼█░", 5},
        {"€£¥₿", 4},
        /* East Asian: wide, full and half width, ambiguous */
        {"漢字", 4},
        {"日本語スレッド", 14},
        {"ﾊﾝｶｸ", 4},
        {"Ｗｉｄｅ", 8},
        {"　", 2},
        {"。、「」", 8},
        {"￦", 2},
        {"￨", 1},
        {"한글", 4},
        {"\u1112\u1161\u11ab", 2}, /* the same as one 한, from its parts */
        {"か\u3099", 2},
        {"𠀀𪚥", 4},
        {"①Ⅷ※", 3},
        {"kworker/u8:漢", 13},
        /* Indic, Thai, Arabic, Hebrew, with marks */
        {"हिन्दी", 5},
        {"தமிழ்", 4},
        {"ไทย", 3},
        {"กำ\u0e49", 2},
        {"שָׁלוֹם", 4},
        {"مُحَمَّد", 4},
        {"ខ្មែរ", 4},
        /* Emoji: those that are wide by themselves, flags as two letters, shades of skin as libc counts them */
        {"😀", 2},
        {"🚀⌚⚡", 6},
        {"☺☂✂", 3},
        {"👍🏽", 4},
        {"🇩🇪", 2},
        {"1\ufe0f\u20e3", 1},
        {"❤\ufe0f", 1},
        {"👩\u200d💻", 4},
        /* Nothing but marks */
        {"\u0301\u0302", 0},
        {"\u200b\ufeff", 0},
        {"", 0},
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i].text), width = text_width(names[i].text, len);

		if (width != names[i].columns)
			fail_msg("\"%s\" takes %u columns, not %zu", names[i].text,
			         names[i].columns, width);
		/* Some start of it fits any number of columns, and all of it its own. */
		assert_false(text_is_wider(names[i].text, len, width));
		assert_int_equal(text_is_wider(names[i].text, len, width - 1), width > 0);
		assert_int_equal(text_prefix(names[i].text, len, width), len);
		for (size_t columns = 0; columns < width; columns++) {
			size_t prefix = text_prefix(names[i].text, len, columns);
			size_t taken = text_width(names[i].text, prefix);

			assert_true(prefix < len && taken <= columns && taken + 1 >= columns);
			assert_true(text_is_utf8(names[i].text, prefix));
		}
	}
}

/* libc is asked for single characters: of those in the names there is none on which two versions differ. */
static void test_names_in_libc(void **state)
{
	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = names[i].text;
		size_t len = strlen(text);

		for (size_t pos = 0, step; pos < len; pos += step) {
			uint32_t code_point = 0;
			int width;

			step = text_decode(text + pos, len - pos, &code_point);
			assert_true(step > 0);
			width = wcwidth((wchar_t)code_point);
			if (width >= 0 && (size_t)width != text_width(text + pos, step))
				fail_msg("U+%04X takes %d columns, not %zu", code_point, width,
				         text_width(text + pos, step));
		}
	}
}

/* Characters that join or turn others would make a terminal draw something else than what is measured. They never
 * reach a table: four columns for each of their bytes do. */
static void test_escaped_names(void **state)
{
	static const struct {
		const char *text;
		unsigned columns;
	} escaped[] = {
	        {"👩\u200d💻", 2 + 12 + 2},      {"a\033[31mb", 1 + 4 + 4 + 1}, {"\u202eabc", 12 + 3},
	        {"tab\tnew\n", 3 + 4 + 3 + 4}, {"\xff\xe6\xbc", 12},          {"\xc2\x85", 8},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(escaped); i++) {
		struct strbuf text = STRBUF_INIT;

		text_add_escaped(&text, escaped[i].text, strlen(escaped[i].text));
		assert_int_equal(text_width(text.data, text.len), escaped[i].columns);
		strbuf_done(&text);
	}
}

static void test_prefix_escaped(void **state)
{
	static const struct {
		const char *text;
		size_t columns, len;
	} prefixes[] = {
	        {"ab\\x0acd", 1, 1},
	        {"ab\\x0acd", 2, 2},
	        {"ab\\x0acd", 3, 2},
	        {"ab\\x0acd", 5, 2},
	        {"ab\\x0acd", 6, 6},
	        {"ab\\x0acd", 7, 7},
	        {"ab\\x0acd", 99, 8},
	        {"\\\\\\\\", 1, 0},
	        {"\\\\\\\\", 2, 2},
	        {"\\\\\\\\", 3, 2},
	        {"\\\\x0a", 4, 4},
	        {"\\x5c\\x0a", 7, 4},
	        {"\\", 1, 1},
	        {"\\x", 2, 2},
	        {"\\x0", 2, 2},
	        {"\\xe6\\xbc漢字", 9, 8},
	        {"\\xe6\\xbc漢字", 10, 11},
	        {"", 3, 0},
	        {"\\abcd", 2, 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		assert_int_equal(text_prefix_escaped(prefixes[i].text, strlen(prefixes[i].text),
		                                     prefixes[i].columns),
		                 prefixes[i].len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_names),
	        cmocka_unit_test(test_names_in_libc),
	        cmocka_unit_test(test_escaped_names),
	        cmocka_unit_test(test_prefix_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
