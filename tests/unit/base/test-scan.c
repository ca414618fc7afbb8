// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/scan.h"
#include "random.h"

enum { UNTOUCHED = 4711, ROUNDS = 20000 };

struct unsigned_case {
	const char *text;
	bool valid;
	uint64_t value;
};

typedef bool unsigned_scanner(const char *text, size_t len, uint64_t *ret);

static void check_unsigned(unsigned_scanner *scan, const struct unsigned_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(cases[i].text);
		char *text = exact_copy(cases[i].text, len);
		uint64_t value = UNTOUCHED;

		if (scan(text, len, &value) != cases[i].valid)
			fail_msg("\"%s\"", cases[i].text);
		if (value != (cases[i].valid ? cases[i].value : UNTOUCHED))
			fail_msg("\"%s\": %" PRIu64, cases[i].text, value);
		free(text);
	}
}

static void test_u64_cases(void **state)
{
	static const struct unsigned_case cases[] = {
	        {"", false, 0},
	        {"0", true, 0},
	        {"7", true, 7},
	        {"007", true, 7},
	        {"18446744073709551614", true, UINT64_MAX - 1},
	        {"18446744073709551615", true, UINT64_MAX},
	        {"0000000000018446744073709551615", true, UINT64_MAX},
	        {"18446744073709551616", false, 0},
	        {"18446744073709551620", false, 0},
	        {"28446744073709551615", false, 0},
	        {"184467440737095516150", false, 0},
	        {"99999999999999999999", false, 0},
	        {"-", false, 0},
	        {"-1", false, 0},
	        {"-0", false, 0},
	        {"+1", false, 0},
	        {" 1", false, 0},
	        {"1 ", false, 0},
	        {"1\n", false, 0},
	        {"1 2", false, 0},
	        {"1.5", false, 0},
	        {"1e3", false, 0},
	        {"0x10", false, 0},
	        {"/", false, 0},
	        {":", false, 0},
	        {"\xd9\xa3", false, 0},
	};

	(void)state;
	check_unsigned(scan_u64, cases, ARRAY_SIZE(cases));
}

static void test_u64_nul_is_no_digit(void **state)
{
	uint64_t value = UNTOUCHED;

	(void)state;
	assert_false(scan_u64("12\0", 3, &value));
	assert_int_equal(value, UNTOUCHED);
	assert_true(scan_u64("123", 2, &value));
	assert_int_equal(value, 12);
}

static void test_i64_cases(void **state)
{
	static const struct {
		const char *text;
		bool valid;
		int64_t value;
	} cases[] = {
	        {"", false, 0},
	        {"-", false, 0},
	        {"--1", false, 0},
	        {"+1", false, 0},
	        {"- 1", false, 0},
	        {" -1", false, 0},
	        {"-1 ", false, 0},
	        {"1-", false, 0},
	        {"0", true, 0},
	        {"-0", true, 0},
	        {"-1", true, -1},
	        {"20", true, 20},
	        {"9223372036854775807", true, INT64_MAX},
	        {"9223372036854775808", false, 0},
	        {"-9223372036854775807", true, -INT64_MAX},
	        {"-9223372036854775808", true, INT64_MIN},
	        {"-9223372036854775809", false, 0},
	        {"-18446744073709551615", false, 0},
	        {"18446744073709551615", false, 0},
	        {"99999999999999999999", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);
		char *text = exact_copy(cases[i].text, len);
		int64_t value = UNTOUCHED;

		if (scan_i64(text, len, &value) != cases[i].valid)
			fail_msg("\"%s\"", cases[i].text);
		if (value != (cases[i].valid ? cases[i].value : UNTOUCHED))
			fail_msg("\"%s\": %" PRId64, cases[i].text, value);
		free(text);
	}
}

static void test_dotted_ms_cases(void **state)
{
	static const struct unsigned_case cases[] = {
	        {"", false, 0},
	        {".", false, 0},
	        {"0", true, 0},
	        {"123", true, 123},
	        {"18446744073709551615", true, UINT64_MAX},
	        {"18446744073709551616", false, 0},
	        {"0.000000", true, 0},
	        {"1.0", true, 1000000},
	        {"1.5", true, 1500000},
	        {"0.000001", true, 1},
	        {"12.345678", true, 12345678},
	        {"12.3456", true, 12345600},
	        {"12.03", true, 12030000},
	        {"12.3456789", true, 12345678},
	        {"0.0000009", true, 0},
	        {"0.99999999999999999999999999", true, 999999},
	        {"007.5", true, 7500000},
	        {"18446744073709.551615", true, UINT64_MAX},
	        {"18446744073709.5516159", true, UINT64_MAX},
	        {"18446744073709.551616", false, 0},
	        {"18446744073710.0", false, 0},
	        {"18446744073709551615.0", false, 0},
	        {"99999999999999999999.0", false, 0},
	        {"0.-000500", false, 0},
	        {"-0.000500", false, 0},
	        {"-1.5", false, 0},
	        {"-1", false, 0},
	        {"1.-5", false, 0},
	        {"+1.5", false, 0},
	        {"1.", false, 0},
	        {".5", false, 0},
	        {"1.2.3", false, 0},
	        {"1..2", false, 0},
	        {"1.5 ", false, 0},
	        {" 1.5", false, 0},
	        {"1. 5", false, 0},
	        {"1.5x", false, 0},
	        {"1.1234567x", false, 0},
	        {"x.5", false, 0},
	        {"1,5", false, 0},
	};

	(void)state;
	check_unsigned(scan_dotted_ms, cases, ARRAY_SIZE(cases));
}

/* The scanner reads the printer's text; and one digit more of a number too large is still too large. */
static void test_numbers_survive_printing(void **state)
{
	enum { SEED = 1 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		uint64_t number = random_number(&random), found = 0;
		int64_t signed_number = (int64_t)number, signed_found = 0;
		char text[64];
		int len = snprintf(text, sizeof(text), "%" PRIu64, number);

		check_random(&random, scan_u64(text, (size_t)len, &found) && found == number);
		len = snprintf(text, sizeof(text), "%" PRId64, signed_number);
		check_random(&random, scan_i64(text, (size_t)len, &signed_found) &&
		                              signed_found == signed_number);
		len = snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, number / 1000000,
		               number % 1000000);
		check_random(&random, scan_dotted_ms(text, (size_t)len, &found) && found == number);
	}
}

static void check_lines(const char *text, const char *const *expected, size_t count)
{
	size_t len = strlen(text), lines = 0;
	char *copy = exact_copy(text, len);
	struct span rest = {copy, len}, line;

	while (scan_line(&rest, &line)) {
		assert_true(lines < count);
		assert_true(span_is(line, expected[lines]));
		lines++;
	}
	assert_int_equal(lines, count);
	assert_false(scan_line(&rest, &line));
	free(copy);
}

static void test_line_last_without_newline(void **state)
{
	(void)state;
	check_lines("", NULL, 0);
	check_lines("\n", (const char *const[]){""}, 1);
	check_lines("a", (const char *const[]){"a"}, 1);
	check_lines("a\n", (const char *const[]){"a"}, 1);
	check_lines("a\nb", (const char *const[]){"a", "b"}, 2);
	check_lines("a\n\n b \n", (const char *const[]){"a", "", " b "}, 3);
	check_lines("\n\n", (const char *const[]){"", ""}, 2);
	check_lines("a\r\nb", (const char *const[]){"a\r", "b"}, 2);
}

static void check_words(const char *text, const char *const *expected, size_t count)
{
	size_t len = strlen(text), words = 0;
	char *copy = exact_copy(text, len);
	struct span rest = {copy, len}, word;

	while (scan_word(&rest, &word)) {
		assert_true(words < count);
		assert_true(span_is(word, expected[words]));
		words++;
	}
	assert_int_equal(words, count);
	assert_int_equal(rest.len, 0);
	free(copy);
}

static void test_word_blanks(void **state)
{
	(void)state;
	check_words("", NULL, 0);
	check_words(" \t\n ", NULL, 0);
	check_words("a", (const char *const[]){"a"}, 1);
	check_words("  a  b\tc\nd ", (const char *const[]){"a", "b", "c", "d"}, 4);
	check_words("1 2 3\n", (const char *const[]){"1", "2", "3"}, 3);
	check_words("a\vb\rc", (const char *const[]){"a\vb\rc"}, 1);
}

static void test_pair_colons(void **state)
{
	static const struct {
		const char *line;
		bool valid;
		const char *key, *value;
	} cases[] = {
	        {"", false, NULL, NULL},
	        {"nothing here", false, NULL, NULL},
	        {":", true, "", ""},
	        {"a:", true, "a", ""},
	        {":b", true, "", "b"},
	        {"a:b", true, "a", "b"},
	        {"  a \t:\t b  ", true, "a", "b"},
	        {"a:b:c", true, "a", "b:c"},
	        {"a : b : c", true, "a", "b : c"},
	        {"::", true, "", ":"},
	        {"se.exec_start   :   1.5", true, "se.exec_start", "1.5"},
	        {"key with blanks: value with blanks", true, "key with blanks",
	         "value with blanks"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].line);
		char *copy = exact_copy(cases[i].line, len);
		struct span key, value;

		assert_int_equal(scan_pair((struct span){copy, len}, &key, &value), cases[i].valid);
		if (cases[i].valid) {
			assert_true(span_is(key, cases[i].key));
			assert_true(span_is(value, cases[i].value));
		}
		free(copy);
	}
}

static void test_span_is_all_of_it(void **state)
{
	(void)state;
	assert_true(span_is((struct span){"abc", 3}, "abc"));
	assert_true(span_is((struct span){"abc", 2}, "ab"));
	assert_true(span_is((struct span){"abc", 0}, ""));
	assert_false(span_is((struct span){"abc", 3}, "ab"));
	assert_false(span_is((struct span){"abc", 2}, "abc"));
	assert_false(span_is((struct span){"ab\0", 3}, "ab"));
	assert_false(span_is((struct span){"ABC", 3}, "abc"));
	assert_true(span_equal((struct span){"a\0b", 3}, (struct span){"a\0bc", 3}));
	assert_true(span_equal((struct span){"abc", 0}, (struct span){NULL, 0}));
	assert_false(span_equal((struct span){"abc", 3}, (struct span){"abc", 2}));
	assert_false(span_equal((struct span){"a\0b", 3}, (struct span){"a\0c", 3}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_u64_cases),
	        cmocka_unit_test(test_u64_nul_is_no_digit),
	        cmocka_unit_test(test_i64_cases),
	        cmocka_unit_test(test_dotted_ms_cases),
	        cmocka_unit_test(test_numbers_survive_printing),
	        cmocka_unit_test(test_line_last_without_newline),
	        cmocka_unit_test(test_word_blanks),
	        cmocka_unit_test(test_pair_colons),
	        cmocka_unit_test(test_span_is_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
