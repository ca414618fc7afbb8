// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>

#include "statistics/generator.h"

/* The first numbers of splitmix64 by the seed 1234567, as its author's program prints them. */
static void test_sequence(void **state)
{
	static const uint64_t first[] = {
	        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
	        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
	        UINT64_C(16408922859458223821)};
	struct generator generator = {1234567};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		assert_true(generator_next(&generator) == first[i]);
}

static void test_below(void **state)
{
	struct generator generator = {5};
	unsigned counts[7] = {0};

	(void)state;
	for (int i = 0; i < 70000; i++) {
		uint64_t number = generator_below(&generator, 7);

		assert_true(number < 7);
		counts[number]++;
	}
	/* Five standard deviations. */
	for (int i = 0; i < 7; i++)
		assert_in_range(counts[i], 10000 - 463, 10000 + 463);
	for (int i = 0; i < 100; i++)
		assert_true(generator_below(&generator, 1) == 0);
}

static void test_normal(void **state)
{
	enum { DRAWS = 100000 };
	struct generator generator = {9};
	double sum = 0, squares = 0, fourth = 0;
	unsigned beyond = 0;

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		double unit = generator_unit(&generator), z = generator_normal(&generator);

		assert_true(unit > 0 && unit < 1);
		sum += z;
		squares += z * z;
		fourth += z * z * z * z;
		beyond += fabs(z) > 1.959963984540054;
	}
	assert_true(fabs(sum / DRAWS) < 5 / sqrt(DRAWS));
	assert_true(fabs(squares / DRAWS - 1) < 5 * sqrt(2.0 / DRAWS));
	assert_true(fabs(fourth / DRAWS - 3) < 5 * sqrt(96.0 / DRAWS));
	assert_in_range(beyond, 5000 - 345, 5000 + 345);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sequence),
	        cmocka_unit_test(test_below),
	        cmocka_unit_test(test_normal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
