// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "overview/overview.h"
#include "random.h"

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void fill_random(struct random *random, double amounts[ASPECT_COUNT])
{
	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		amounts[a] = (double)random_below(random, 1000);
}

/* More of anything is never a lower score, and what is not known is as good as nothing. */
static void test_score_is_monotone(void **state)
{
	struct random random = random_start(1, 0);

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		struct overview_scale scale;
		double amounts[ASPECT_COUNT], score;
		unsigned aspect = (unsigned)random_below(&random, ASPECT_COUNT);

		fill_random(&random, scale.capacity);
		fill_random(&random, scale.total);
		fill_random(&random, amounts);
		score = overview_score(amounts, &scale);
		assert_true(score >= 0);
		amounts[aspect] += (double)random_below(&random, 100);
		assert_true(overview_score(amounts, &scale) >= score);
		amounts[aspect] = 0;
		score = overview_score(amounts, &scale);
		amounts[aspect] = NAN;
		assert_true(is_near(overview_score(amounts, &scale), score));
	}
}

/* The reason alone gives the whole score. */
static void test_reason(void **state)
{
	struct random random = random_start(2, 0);
	struct overview_scale scale = {0};
	double amounts[ASPECT_COUNT] = {0};

	(void)state;
	assert_int_equal(overview_reason(amounts, &scale), ASPECT_COUNT);
	for (unsigned round = 0; round < 2000; round++) {
		double alone[ASPECT_COUNT] = {0}, score;
		unsigned reason;

		fill_random(&random, scale.capacity);
		fill_random(&random, scale.total);
		fill_random(&random, amounts);
		amounts[random_below(&random, ASPECT_COUNT)] = NAN;
		score = overview_score(amounts, &scale);
		reason = overview_reason(amounts, &scale);
		assert_int_equal(reason == ASPECT_COUNT, score == 0);
		if (reason == ASPECT_COUNT)
			continue;
		alone[reason] = amounts[reason];
		assert_true(is_near(overview_score(alone, &scale), score));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_score_is_monotone),
	        cmocka_unit_test(test_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
