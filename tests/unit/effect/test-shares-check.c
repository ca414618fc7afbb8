// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "effect/shares-check.h"
#include "trials.h"

/* Returns whether the shares of two arms differ, whose mean values are 1 and @value. @noise: half of the units have so much more of the
 * share, the others less. */
static bool differ(double share_a, double share_b, double noise, double value, enum share_kind kind)
{
	struct trial trial = {.margin = TRIAL_MARGIN};
	struct contrast_plan plan = {.trial = &trial, .a = 0, .b = 1};
	double values[TRIAL_UNITS];
	float shares[TRIAL_UNITS];
	size_t of_arm[2] = {0};
	bool ret;

	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	for (size_t i = 0; i < TRIAL_UNITS; i++) {
		bool b = trial.units[i].arm == 1;

		values[i] = b ? value : 1;
		shares[i] =
		        (float)((b ? share_b : share_a) + (of_arm[b]++ % 2 == 0 ? noise : -noise));
	}
	ret = shares_differ(&plan, values, shares, kind);
	trial_done(&trial);
	return ret;
}

static void test_shares(void **state)
{
	(void)state;
	/* The same share, of all threads or of some. */
	assert_false(differ(1, 1, 0, .5, SHARE_OF_AMOUNT));
	assert_false(differ(.5, .5, 0, .5, SHARE_OF_AMOUNT));
	assert_false(differ(.5, .5, 0, .5, SHARE_OF_EXTREME));
	/* All of the change is one of what was read. */
	assert_true(differ(1, .73, 0, .73, SHARE_OF_AMOUNT));
	assert_true(differ(1, .73, 0, 1, SHARE_OF_AMOUNT));
	assert_true(differ(.73, 1, 0, 1 / .73, SHARE_OF_AMOUNT));
	/* Less than a tenth of the change, or of the margin. */
	assert_false(differ(1, .97, 0, .5, SHARE_OF_AMOUNT));
	assert_true(differ(1, .94, 0, .5, SHARE_OF_AMOUNT));
	assert_false(differ(1, .999, 0, 1, SHARE_OF_AMOUNT));
	assert_true(differ(1, .997, 0, 1, SHARE_OF_AMOUNT));
	/* One thread may have the maximum. */
	assert_true(differ(1, .999, 0, .5, SHARE_OF_EXTREME));
	/* A ratio is of the threads that have a value, and a tenth of them are others. */
	assert_false(differ(1, .95, 0, .9, SHARE_OF_RATIO));
	assert_true(differ(1, .9, 0, .9, SHARE_OF_RATIO));
	/* All windows of one arm lack exited threads. */
	assert_true(differ(1, 0, 0, .9, SHARE_OF_RATIO));
	assert_true(differ(1, 0, 0, .1, SHARE_OF_AMOUNT));
	assert_false(differ(0, 0, 0, .1, SHARE_OF_AMOUNT));
	/* Chance is in the intervals: 16 units on each side. */
	assert_false(differ(.8, .78, .1, 1, SHARE_OF_AMOUNT));
	assert_true(differ(.8, .65, .1, 1, SHARE_OF_AMOUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
