// SPDX-License-Identifier: GPL-2.0-or-later
/* The sd of the contrasts is R's, see trials.h; so is the detectable effect in units of it, with n blocks and a p of a:
 *
 *   c <- qt(1 - a / 2, n - 1); uniroot(function(d) pt(c, n - 1, d * sqrt(n), lower.tail = FALSE) - .8, c(.01, 10))$root */
#include "check.h"

#include <math.h>

#include "effect/forecast.h"
#include "trials.h"

static const double sd = .00852726718909908;
static struct trial trial;
static struct forecast forecast;

static int teardown(void **state)
{
	(void)state;
	forecast_done(&forecast);
	trial_done(&trial);
	return 0;
}

static void foresee(size_t blocks)
{
	const struct effect_options options = {.trial = &trial};

	forecast_done(&forecast);
	forecast_init(&forecast, &options, blocks);
}

/* The effect makes no difference, for an experiment that it ends must not depend on it. */
static void test_spread(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		trial_make(&trial, trial_coins, TRIAL_BLOCKS);
		trial_add_effect(&trial, "time", i * .05, 1);
		foresee(8);
		assert_true(forecast.of_primaries);
		assert_int_equal(forecast.rows, 1);
		assert_string_equal(forecast.name, "time");
		assert_near(forecast.detectable, expm1(1.156035 * sd), 1e-6);
		foresee(12);
		assert_near(forecast.detectable, expm1(.8886551 * sd), 1e-6);
		trial_done(&trial);
	}
}

/* The primary that shows the least counts, at the p that Holm asks of the first one. */
static void test_several(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	trial_add_effect(&trial, "calm", 0, 1);
	trial_add_effect(&trial, "loud", 0, 2);
	foresee(8);
	assert_int_equal(forecast.rows, 2);
	assert_string_equal(forecast.name, "loud");
	assert_near(forecast.detectable, expm1(1.339171 * 2 * sd), 1e-6);
}

static void test_nothing(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	foresee(8);
	assert_int_equal(forecast.rows, 0);
	assert_false(forecast.of_primaries);
	assert_null(forecast.name);
	trial_add_effect(&trial, "constant", 0, 0);
	foresee(8);
	assert_int_equal(forecast.rows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(test_spread, teardown),
	        cmocka_unit_test_teardown(test_several, teardown),
	        cmocka_unit_test_teardown(test_nothing, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
