// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { RANDOM_STRINGS = 50000, RANDOM_BYTES = 24, CODE_POINTS = 0x110000 };

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

/* Encodes by the rules of UTF-8, also surrogates and values beyond the last. Returns the length. */
static size_t encode(uint32_t c, char *bytes)
{
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (len == 1) {
		bytes[0] = (char)c;
		return 1;
	}
	for (size_t i = len - 1; i > 0; i--, c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)((0xf00u >> len & 0xff) | c);
	return len;
}

static void test_decode_every_character(void **state)
{
	char bytes[4];
	uint32_t c;

	(void)state;
	for (uint32_t i = 0; i < CODE_POINTS + 0x1000; i++) {
		size_t len = encode(i, bytes);
		bool valid = i < CODE_POINTS && (i < 0xd800 || i > 0xdfff);

		assert_int_equal(text_decode(bytes, len, &c), valid ? len : 0);
		if (valid)
			assert_int_equal(c, i);
		for (size_t cut = 0; cut < len; cut++)
			assert_int_equal(text_decode(bytes, cut, &c), 0);
		assert_int_equal(text_is_utf8(bytes, len), valid);
	}
}

/* The table of well-formed byte sequences in the Unicode standard, for the first two bytes. */
static bool may_start(unsigned a, unsigned b)
{
	if (a < 0x80)
		return true;
	if (a < 0xc2 || a > 0xf4 || b < 0x80 || b > 0xbf)
		return false;
	return !((a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f) || (a == 0xf0 && b < 0x90) ||
	         (a == 0xf4 && b > 0x8f));
}

static void test_decode_every_start(void **state)
{
	uint32_t c;

	(void)state;
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < 256; b++) {
			char bytes[] = {(char)a, (char)b, '\xbf', '\x80'};
			size_t need = a < 0x80 ? 1 : a < 0xe0 ? 2 : a < 0xf0 ? 3 : 4;

			assert_int_equal(text_decode(bytes, 4, &c), may_start(a, b) ? need : 0);
			bytes[need > 1 ? need - 1 : 0] = '\xc0';
			assert_int_equal(text_decode(bytes, 4, &c), 0);
		}
	}
}

static void check_replaced(const char *bytes, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	text_add_replaced(&out, bytes, strlen(bytes));
	assert_string_equal(strbuf_str(&out), expected);
	strbuf_done(&out);
}

static void test_replaced(void **state)
{
	(void)state;
	check_replaced("", "");
	check_replaced("a\n\\\xc3\xa9", "a\n\\\xc3\xa9");
	check_replaced("a\xff", "a\xef\xbf\xbd");
	check_replaced("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
	check_replaced("\xe2\x82z", "\xef\xbf\xbd\xef\xbf\xbdz");
	check_replaced("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_replaced("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
}

static void check_escaped_bytes(const char *bytes, size_t len, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	text_add_escaped(&out, bytes, len);
	assert_string_equal(strbuf_str(&out), expected);
	strbuf_done(&out);
}

static void check_escaped(const char *bytes, const char *expected)
{
	check_escaped_bytes(bytes, strlen(bytes), expected);
}

static void test_escaped(void **state)
{
	(void)state;
	check_escaped("", "");
	check_escaped("kworker/u8:1 ~", "kworker/u8:1 ~");
	check_escaped("\\x41\\", "\\\\x41\\\\");
	check_escaped("\x1b[31m", "\\x1b[31m");
	check_escaped("a\xff\xfe", "a\\xff\\xfe");
	check_escaped("\xe2\x82z", "\\xe2\\x82z");
	check_escaped("\xed\xa0\x80", "\\xed\\xa0\\x80");
	check_escaped("\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80",
	              "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80");
	check_escaped("e\xcc\x81", "e\xcc\x81");
	check_escaped("\xe2\x80\xae"
	              "exe",
	              "\\xe2\\x80\\xaeexe");
	check_escaped("\xef\xbb\xbf", "\\xef\\xbb\\xbf");
	check_escaped_bytes("a\0b", 3, "a\\x00b");
}

/* Invisible characters must not make two names look like one. */
static void test_escaped_invisible(void **state)
{
	static const struct {
		const char *bytes, *escaped;
	} cases[] = {
	        {"a\u00adb", "a\\xc2\\xadb"},
	        {"a\u034fb", "a\\xcd\\x8fb"},
	        {"a\u180eb", "a\\xe1\\xa0\\x8eb"},
	        {"a\u2064b", "a\\xe2\\x81\\xa4b"},
	        {"a\u206fb", "a\\xe2\\x81\\xafb"},
	        {"\u3164", "\\xe3\\x85\\xa4"},
	        {"\uffa0", "\\xef\\xbe\\xa0"},
	        {"a\ufff9b\ufffac\ufffb", "a\\xef\\xbf\\xb9b\\xef\\xbf\\xbac\\xef\\xbf\\xbb"},
	        {"a\ufe0f", "a\\xef\\xb8\\x8f"},
	        {"a\U000e0001", "a\\xf3\\xa0\\x80\\x81"},
	        {"a\U000e0041\U000e007f", "a\\xf3\\xa0\\x81\\x81\\xf3\\xa0\\x81\\xbf"},
	        {"a\U000e01ef", "a\\xf3\\xa0\\x87\\xaf"},
	        {"\u2800", "\\xe2\\xa0\\x80"},
	        /* Visible characters stay: a replacement character, another space, marks on letters. */
	        {"\ufffd\u00a0\u3000", "\ufffd\u00a0\u3000"},
	        {"\u0915\u094d\u0937", "\u0915\u094d\u0937"},
	        {"\u1112\u1161\u11ab", "\u1112\u1161\u11ab"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_escaped(cases[i].bytes, cases[i].escaped);
}

/* A mark goes onto what stands before it, and that must be a letter of the same text. */
static void test_escaped_marks(void **state)
{
	struct strbuf text = STRBUF_INIT, expected = STRBUF_INIT;

	(void)state;
	check_escaped("\u0301a", "\\xcc\\x81a");
	check_escaped("\x01\u0301a", "\\x01\\xcc\\x81a");
	check_escaped("\u200d\u0301\u0302", "\\xe2\\x80\\x8d\\xcc\\x81\\xcc\\x82");
	check_escaped(" \u0301", " \u0301");
	strbuf_add_char(&text, 'a');
	for (int i = 0; i < 8; i++)
		strbuf_add_str(&text, "\u0301");
	strbuf_add_str(&expected, strbuf_str(&text));
	strbuf_add_str(&text, "\u0301\u0301b\u0301");
	strbuf_add_str(&expected, "\\xcc\\x81\\xcc\\x81b\u0301");
	check_escaped(strbuf_str(&text), strbuf_str(&expected));
	strbuf_done(&text);
	strbuf_done(&expected);
}

static bool must_be_escaped(uint32_t c)
{
	static const uint32_t ranges[][2] = {
	        {0, 0x1f},          {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},
	        {0x61c, 0x61c},     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
	        {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x2800, 0x2800},
	        {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
	        {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
	        {0x1d159, 0x1d159}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return true;
	}
	return (c & 0xffff) >= 0xfffe;
}

static void test_escape_every_character(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < CODE_POINTS; c++) {
		bool escape = must_be_escaped(c) || (c >= 0xd800 && c <= 0xdfff);
		struct strbuf expected = STRBUF_INIT;
		char bytes[5] = "x";
		size_t len = 1 + encode(c, bytes + 1);

		strbuf_add_char(&expected, 'x');
		for (size_t i = 1; i < len; i++) {
			if (escape)
				strbuf_addf(&expected, "\\x%02x", (unsigned char)bytes[i]);
			else
				strbuf_add(&expected, &bytes[i], 1);
		}
		if (c == '\\')
			strbuf_add_char(&expected, '\\');
		check_escaped_bytes(bytes, len, expected.data);
		strbuf_done(&expected);
	}
}

static void unescape(struct strbuf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned byte;

		if (*text == '\\' && text[1] == 'x') {
			assert_int_equal(sscanf(text, "\\x%2x", &byte), 1);
			strbuf_add_char(out, (char)byte);
			text += 3;
		} else {
			text += *text == '\\';
			strbuf_add_char(out, *text);
		}
	}
}

/* Different bytes have different forms because each form leads back to its bytes. */
static void test_escape_is_injective(void **state)
{
	static const char interesting[] = "\\x0\n\x1b\x7f\x80\xbf\xc2\xe2\x80\xae\xef\xbb\xf0\x9f";
	uint64_t seed = 42;

	(void)state;
	for (int i = 0; i < RANDOM_STRINGS; i++) {
		struct strbuf escaped = STRBUF_INIT, back = STRBUF_INIT;
		char bytes[RANDOM_BYTES];
		size_t len = next_random(&seed) % (RANDOM_BYTES + 1);

		for (size_t k = 0; k < len; k++) {
			uint64_t random = next_random(&seed);

			bytes[k] = random & 0x100 ? (char)random
			                          : interesting[random % (sizeof(interesting) - 1)];
		}
		text_add_escaped(&escaped, bytes, len);
		assert_true(text_is_utf8(strbuf_str(&escaped), escaped.len));
		unescape(&back, strbuf_str(&escaped));
		assert_int_equal(back.len, len);
		assert_memory_equal(strbuf_str(&back), bytes, len);
		strbuf_done(&escaped);
		strbuf_done(&back);
	}
}

static size_t width_of(uint32_t c)
{
	char bytes[4];
	size_t len = encode(c, bytes);

	return text_width(bytes, len);
}

static void test_width_of_characters(void **state)
{
	static const uint32_t zero[] = {0x300,  0x36f,  0x483,  0x489,  0x61c,   0x1160,  0x11ff,
	                                0x200b, 0x200f, 0x20dd, 0x20e3, 0x302a,  0x3099,  0xfe00,
	                                0xfe0f, 0xfeff, 0xfb1e, 0xd7b0, 0x1d167, 0xe0001, 0xe01ef};
	static const uint32_t one[] = {' ',    '~',     0xa0,    0xad,    0xe9,    0x2ff,
	                               0x370,  0x600,   0x6dd,   0x903,   0x10ff,  0x2010,
	                               0x20ac, 0x2500,  0x303f,  0xa4d0,  0xff61,  0xffdc,
	                               0xfffd, 0x10000, 0x1d400, 0x3fffe, 0xf0000, 0x10fffd};
	static const uint32_t two[] = {
	        0x1100,  0x115f,  0x231a,  0x2329,  0x3000,  0x3001,  0x3041,  0x3400, 0x4dbf,
	        0x4e00,  0x9fff,  0xac00,  0xd7a3,  0xf900,  0xff01,  0xff60,  0xffe0, 0xffe6,
	        0x1f004, 0x1f600, 0x1f6dc, 0x1fae8, 0x20000, 0x2fffd, 0x30000, 0x3fffd};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(zero); i++)
		assert_int_equal(width_of(zero[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(one); i++)
		assert_int_equal(width_of(one[i]), 1);
	for (size_t i = 0; i < ARRAY_SIZE(two); i++)
		assert_int_equal(width_of(two[i]), 2);
}

/* The number of code points of each width: a change of the tables must be meant. */
static void test_width_census(void **state)
{
	size_t count[3] = {0};

	(void)state;
	for (uint32_t c = 0; c < CODE_POINTS; c++) {
		if (c < 0xd800 || c > 0xdfff)
			count[width_of(c)]++;
	}
	assert_int_equal(count[0], 2386);
	assert_int_equal(count[2], 182509);
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(text_width("", 0), 0);
	assert_int_equal(text_width("abc", 3), 3);
	assert_int_equal(text_width("e\xcc\x81\xe6\xbc\xa2!", 7), 4);
	assert_int_equal(text_width("\xff\xe2\x82", 3), 3);
	assert_int_equal(text_width("\xe6\xbc\xa2", 2), 2);
}

static void test_prefix(void **state)
{
	/* Columns: e with acute 1, Han 2, ill-formed 1, z with dot below 1. */
	static const char text[] = "e\xcc\x81\xe6\xbc\xa2\xff"
	                           "z\xcc\xa3";
	static const size_t prefixes[] = {0, 3, 3, 6, 7, 10, 10};

	(void)state;
	for (size_t columns = 0; columns < ARRAY_SIZE(prefixes); columns++)
		assert_int_equal(text_prefix(text, strlen(text), columns), prefixes[columns]);
	assert_int_equal(text_prefix(text, strlen(text), SIZE_MAX), strlen(text));
	assert_int_equal(text_prefix("\xcc\x81"
	                             "a",
	                             3, 0),
	                 2);
	assert_int_equal(text_prefix("", 0, 5), 0);
	assert_int_equal(text_prefix("abc", 2, 5), 2);
}

static void test_shell_word_escaped(void **state)
{
	static const char *const words[][2] = {
	        {"a.zst", "a.zst"},
	        {"", "''"},
	        {"a b", "'a b'"},
	        {"it's", "'it'\\''s'"},
	        {"a\nb", "$'a\\x0ab'"},
	        {"it's\x1b[1m", "$'it\\'s\\x1b[1m'"},
	        {"a\\b", "$'a\\\\b'"},
	        {"\xff$(x)", "$'\\xff$(x)'"},
	        {"\u202ex", "$'\\xe2\\x80\\xaex'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

		text_add_shell_word_escaped(&out, words[i][0]);
		assert_string_equal(strbuf_str(&out), words[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_decode_every_character),
	        cmocka_unit_test(test_decode_every_start),
	        cmocka_unit_test(test_replaced),
	        cmocka_unit_test(test_escaped),
	        cmocka_unit_test(test_escaped_invisible),
	        cmocka_unit_test(test_escaped_marks),
	        cmocka_unit_test(test_shell_word_escaped),
	        cmocka_unit_test(test_escape_every_character),
	        cmocka_unit_test(test_escape_is_injective),
	        cmocka_unit_test(test_width_of_characters),
	        cmocka_unit_test(test_width_census),
	        cmocka_unit_test(test_width),
	        cmocka_unit_test(test_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
