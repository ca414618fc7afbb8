// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <stdio.h>

#include "metric/units.h"
#include "random.h"
#include "where/where-tree.h"

enum { ROUNDS = 20000 };

static void test_decimal_cases(void **state)
{
	static const struct {
		const char *text;
		size_t len; /* 0 where it is no number */
		uint64_t digits;
		int exponent;
		bool negative;
	} cases[] = {
	        {"", 0, 0, 0, false},
	        {"+", 0, 0, 0, false},
	        {"-", 0, 0, 0, false},
	        {".5", 0, 0, 0, false},
	        {"--1", 0, 0, 0, false},
	        {"- 1", 0, 0, 0, false},
	        {"e5", 0, 0, 0, false},
	        {"0", 1, 0, 0, false},
	        {"-0", 2, 0, 0, true},
	        {"7", 1, 7, 0, false},
	        {"+7", 2, 7, 0, false},
	        {"-7", 2, 7, 0, true},
	        {"007", 3, 7, 0, false},
	        {"700", 3, 7, 2, false},
	        {"70800", 5, 708, 2, false},
	        {"1.5", 3, 15, -1, false},
	        {"1.50", 4, 15, -1, false},
	        {"0.05", 4, 5, -2, false},
	        {"10.0", 4, 1, 1, false},
	        {"1.", 1, 1, 0, false},
	        {"1..2", 1, 1, 0, false},
	        {"1.5.5", 3, 15, -1, false},
	        {"1e3", 3, 1, 3, false},
	        {"1E+3", 4, 1, 3, false},
	        {"1.5e-3x", 6, 15, -4, false},
	        {"1e", 1, 1, 0, false},
	        {"1e+", 1, 1, 0, false},
	        {"1e-x", 1, 1, 0, false},
	        {"1ee3", 1, 1, 0, false},
	        {"12ms", 2, 12, 0, false},
	        {"18446744073709551615", 20, UINT64_MAX, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);
		char *text = exact_copy(cases[i].text, len);
		struct where_decimal decimal = {0};

		if (where_decimal_scan((struct span){text, len}, &decimal) != cases[i].len ||
		    decimal.negative != cases[i].negative || decimal.too_long ||
		    decimal.digits != cases[i].digits || decimal.exponent != cases[i].exponent)
			fail_msg("\"%s\"", cases[i].text);
		free(text);
	}
}

static bool limit_of(const char *text, uint64_t factor, int shift, struct where_limit *ret)
{
	struct where_decimal decimal;
	size_t len = strlen(text);

	assert_int_equal(where_decimal_scan((struct span){text, len}, &decimal), len);
	return where_limit_init(&decimal, factor, shift, ret);
}

static void test_limit_cases(void **state)
{
	static const struct {
		const char *text;
		uint64_t factor;
		int shift;
		int64_t floor;
		bool rest;
		double real;
	} cases[] = {
	        {"0", 1, 0, 0, false, 0},
	        {"0e99", 1, 0, 0, false, 0},
	        {"0e999999999999", 1, 0, 0, false, 0},
	        {"1", 1, 0, 1, false, 1},
	        {"-1", 1, 0, -1, false, -1},
	        {"1.5", 1, 0, 1, true, 1.5},
	        {"-1.5", 1, 0, -2, true, -1.5},
	        {"-0.5", 1, 0, -1, true, -0.5},
	        {"1.5", 1024, 0, 1536, false, 1536},
	        {"0.1", 1, 0, 0, true, 0.1},
	        {"5", 1, -2, 0, true, 0.05},
	        {"5", 1, 2, 500, false, 500},
	        {"12.345", 1, 2, 1234, true, 1234.5},
	        {"1", 3600000000000, 0, 3600000000000, false, 3.6e12},
	        {"1", 1, -3, 0, true, 0.001},
	        {"1e-999999999999", 1, 0, 0, true, 0},
	        {"-1e-400", 1, 0, -1, true, -0.0},
	        {"1000000000000000000000000000000e-29", 1, 0, 10, false, 10},
	        {"9007199254740993", 1, 0, 9007199254740993, false, 9007199254740992.0},
	};
	struct where_limit limit;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!limit_of(cases[i].text, cases[i].factor, cases[i].shift, &limit) ||
		    limit.floor != cases[i].floor || limit.rest != cases[i].rest ||
		    limit.real != cases[i].real)
			fail_msg("\"%s\"", cases[i].text);
}

static void test_limit_range(void **state)
{
	struct where_limit limit = {.floor = 4711};

	(void)state;
	assert_false(limit_of("18446744073709551616", 1, 0, &limit));
	assert_false(limit_of("-18446744073709551616", 1, 0, &limit));
	assert_false(limit_of("18446744073709551615.1", 1, 0, &limit));
	assert_false(limit_of("1e20", 1, 0, &limit));
	assert_false(limit_of("1e999999999999", 1, 0, &limit));
	assert_false(limit_of("16777216", UINT64_C(1) << 40, 0, &limit));
	assert_false(limit_of("9999999999999999999999999", 3600000000000, 0, &limit));
	assert_false(limit_of("12345678901234567890123456e-20", 1, 0, &limit));
	assert_false(limit_of("1.0000000000000000000000001", 1, 0, &limit));
	assert_int_equal((int)limit.floor, 4711);

	assert_true(limit_of("18446744073709551615", 1, 0, &limit));
	assert_true(limit.floor == UINT64_MAX);
	assert_true(limit_of("-18446744073709551615", 1, 0, &limit));
	assert_true(limit.floor == -(__int128)UINT64_MAX);
	assert_true(limit_of("18446744073709551614.9", 1, 0, &limit));
	assert_true(limit.floor == UINT64_MAX - 1 && limit.rest);
	assert_true(limit_of("1234567890123456789012345e-20", 1, 0, &limit));
	assert_int_equal((int)limit.floor, 12345);
	assert_true(limit_of("9999999999999999999999999e-25", 3600000000000, 0, &limit));
	assert_true(limit.floor == 3599999999999 && limit.rest);
}

static int sign_of(__int128 number)
{
	return (number > 0) - (number < 0);
}

/* Integers and numbers with one decimal are distinguished however large they are. */
static void test_comparison_is_exact(void **state)
{
	enum { SEED = 11 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		__int128 number = (__int128)(random_number(&random) / 4) *
		                  (random_chance(&random, 50) ? -1 : 1);
		__int128 tenths = number * 10 + (__int128)random_below(&random, 41) - 20;
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct where_limit limit;

		units_format_integer(tenths, &text);
		strbuf_add_str(&text, "e-1");
		check_random(&random, limit_of(strbuf_str(&text), 1, 0, &limit));
		check_random(&random, where_limit_compare(quantity_integer(number), &limit) ==
		                              sign_of(number * 10 - tenths));
	}
}

/* A double, written in full, is the same double again. */
static void test_reals_are_found_again(void **state)
{
	enum { SEED = 12 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		double number = (double)random_number(&random) /
		                (double)(1 + random_below(&random, 1000000));
		struct where_limit limit;
		char text[64];

		snprintf(text, sizeof(text), "%.17g", number);
		check_random(&random, limit_of(text, 1, 0, &limit));
		check_random(&random, where_limit_compare(quantity_real(number), &limit) == 0);
		check_random(&random,
		             where_limit_compare(quantity_real(number * 2 + 1), &limit) > 0);
		check_random(&random,
		             where_limit_compare(quantity_real(number / 2 - 1), &limit) < 0);
	}
}

static void test_units(void **state)
{
	(void)state;
	assert_int_equal(where_unit_find((struct span){"min", 3})->factor, 60000000000);
	assert_int_equal(where_unit_find((struct span){"m", 1}), NULL);
	assert_int_equal(where_unit_find((struct span){"mS", 2}), NULL);
	assert_int_equal(where_unit_find((struct span){"", 0}), NULL);
	assert_string_equal(where_unit_nearest((struct span){"gib", 3})->name, "GiB");
	assert_int_equal(where_unit_nearest((struct span){"GB", 2}), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_decimal_cases),
	        cmocka_unit_test(test_limit_cases),
	        cmocka_unit_test(test_limit_range),
	        cmocka_unit_test(test_comparison_is_exact),
	        cmocka_unit_test(test_reals_are_found_again),
	        cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
