// SPDX-License-Identifier: GPL-2.0-or-later
/* arm-effect - the numbers of R 4.2.2: t.test(log(b) - log(a)), t.test((b - a) / mean(c(a, b))) and t.test(log(b), log(a)), at .95 and
 * .9. */
#include <math.h>

#include "check.h"
#include "database/arm-effect.h"

static void assert_close(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-12 * (1 + fabs(expected))))
		fail_msg("%.17g is not %.17g", found, expected);
}

/* Means of both arms, estimate, t, df, p, both intervals, and the spread. */
enum { NUMBERS = 11 };

static void assert_effect(const struct arm_effect *effect, const double want[NUMBERS])
{
	const double found[NUMBERS] = {effect->means[0],  effect->means[1],  effect->estimate,
	                               effect->t,         effect->df,        effect->p,
	                               effect->ci95.low,  effect->ci95.high, effect->ci90.low,
	                               effect->ci90.high, effect->spread};

	assert_true(effect->has_t);
	for (size_t i = 0; i < NUMBERS; i++)
		assert_close(found[i], want[i]);
}

enum { ROOM = 16 };

static enum arm_outcome ask(enum arm_design design, const double *a, size_t a_count,
                            const double *b, size_t b_count, struct arm_effect *ret)
{
	const struct arm_values values = {design, {a, b}, {a_count, b_count}, {0}};
	double y[ROOM], contrasts[ROOM];

	return arm_effect_of(&values, y, contrasts, ret);
}

static void pairs_of_logarithms(void **state)
{
	static const double a[] = {10, 20, 15, 40, 8}, b[] = {12, 23, 21, 41, 9};
	static const double want[NUMBERS] = {
	        18.6,
	        21.2,
	        0.160206276807416337,
	        3.137669693044292440,
	        4,
	        0.034926047927010317,
	        0.018443766225128968,
	        0.301968787389703675,
	        0.051356311778153821,
	        0.269056241836678811,
	        0.114171394827719999,
	};
	struct arm_effect effect;

	(void)state;
	assert_int_equal(ask(ARM_DESIGN_PAIRED, a, 5, b, 5, &effect), ARM_TESTED);
	assert_effect(&effect, want);
	assert_close(arm_effect_share(&effect, effect.estimate), 0.173752964035978480);
}

/* A host that did nothing in arm a. */
static void pairs_with_zero(void **state)
{
	static const double a[] = {0, 20, 15, 40, 8}, b[] = {12, 23, 21, 41, 9};
	static const double want[NUMBERS] = {
	        16.6,
	        21.2,
	        0.243386243386243428,
	        2.228707282312942795,
	        4,
	        0.089739659025362864,
	        -0.059815773982733564,
	        0.546588260755220490,
	        0.010577661964727293,
	        0.476194824807759653,
	        0.244190068978081015,
	};
	struct arm_effect effect;

	(void)state;
	assert_int_equal(ask(ARM_DESIGN_PAIRED, a, 5, b, 5, &effect), ARM_TESTED);
	assert_effect(&effect, want);
	assert_close(arm_effect_share(&effect, effect.estimate), 0.277108433734939708);
}

static void different_hosts(void **state)
{
	static const double a[] = {10, 20, 15, 40}, b[] = {32, 43, 51};
	static const double want[NUMBERS] = {
	        21.25,
	        42,
	        0.795775461631492487,
	        2.470158187417521134,
	        4.152011942398568856,
	        0.066641342547412677,
	        -0.085904073404485498,
	        1.677454996667470555,
	        0.116150143548162485,
	        1.475400779714822530,
	        0.476275976113025190,
	};
	struct arm_effect effect;

	(void)state;
	assert_int_equal(ask(ARM_DESIGN_BETWEEN, a, 4, b, 3, &effect), ARM_TESTED);
	assert_effect(&effect, want);
}

/* All hosts have the same effect: the p is that of the coins, 2 of 2^5 falls, or of the labels, 1 of 35 and 2 of 20 ways. */
static void constant_effects(void **state)
{
	static const double a[] = {3, 3, 3, 3, 3}, b[] = {4, 4, 4, 4, 4};
	struct arm_effect effect;

	(void)state;
	assert_int_equal(ask(ARM_DESIGN_PAIRED, a, 5, b, 5, &effect), ARM_TESTED);
	assert_false(effect.has_t);
	assert_close(effect.p, 1.0 / 16);
	assert_close(arm_effect_share(&effect, effect.estimate), 1.0 / 3);
	assert_int_equal(ask(ARM_DESIGN_BETWEEN, a, 4, b, 3, &effect), ARM_TESTED);
	assert_close(effect.p, 1.0 / 35);
	assert_int_equal(ask(ARM_DESIGN_BETWEEN, a, 3, b, 3, &effect), ARM_TESTED);
	assert_close(effect.p, 1.0 / 10);
}

static void not_tested(void **state)
{
	static const double some[] = {1, 2, 3}, zeros[] = {0, 0, 0, 1}, fours[] = {0, 0, 2, 1};
	static const double huge[] = {1, 2, INFINITY}, same[] = {5, 5, 5};
	struct arm_effect effect;

	(void)state;
	assert_int_equal(ask(ARM_DESIGN_PAIRED, some, 2, some, 2, &effect), ARM_FEW);
	assert_int_equal(ask(ARM_DESIGN_BETWEEN, some, 3, some, 2, &effect), ARM_FEW);
	assert_int_equal(ask(ARM_DESIGN_PAIRED, some, 3, some, 3, &effect), ARM_EQUAL);
	assert_int_equal(ask(ARM_DESIGN_BETWEEN, some, 3, some, 3, &effect), ARM_TESTED);
	assert_int_equal(ask(ARM_DESIGN_BETWEEN, same, 3, same, 3, &effect), ARM_EQUAL);
	assert_int_equal(ask(ARM_DESIGN_PAIRED, zeros, 4, fours, 4, &effect), ARM_RARE);
	assert_int_equal(ask(ARM_DESIGN_PAIRED, some, 3, huge, 3, &effect), ARM_NO_SCALE);
}

static void answers(void **state)
{
	static const struct p_value sure = {true, 0.001}, edge = {true, 0.05},
	                            unsure = {true, 0.06};
	struct arm_effect effect = {.scale = {.is_log = true},
	                            .estimate = 0.015,
	                            .has_t = true,
	                            .ci90 = {-0.019, 0.019}};

	(void)state;
	assert_int_equal(arm_effect_answer(&effect, sure, 0.01, 0.02), ARM_MOVED);
	assert_int_equal(arm_effect_answer(&effect, edge, 0.01, 0.02), ARM_MOVED);
	assert_int_equal(arm_effect_answer(&effect, unsure, 0.01, 0.02), ARM_SAME);
	assert_int_equal(arm_effect_answer(&effect, sure, 0.02, 0.02), ARM_SAME);
	/* log(1.02) is less than .02. */
	effect.ci90.high = 0.0199;
	assert_int_equal(arm_effect_answer(&effect, unsure, 0.01, 0.02), ARM_UNKNOWN);
	effect.scale.is_log = false;
	assert_int_equal(arm_effect_answer(&effect, unsure, 0.01, 0.02), ARM_SAME);
	effect.has_t = false;
	assert_int_equal(arm_effect_answer(&effect, unsure, 0.01, 0.02), ARM_UNKNOWN);
}

/* The arms are measured differently if one of them lacks threads in many more windows. */
static void one_arm_lacks_threads(void **state)
{
	static const double a[] = {10, 20, 15, 40}, b[] = {12, 23, 21, 41};
	static const struct {
		double lacking[2];
		size_t counts[2];
		enum arm_outcome outcome;
	} cases[] = {
	        {{0, 4}, {4, 4}, ARM_UNLIKE},    {{4, 1}, {4, 4}, ARM_UNLIKE},
	        {{4, 4}, {4, 4}, ARM_TESTED},    {{0, 2}, {4, 4}, ARM_TESTED},
	        {{0, 2.25}, {4, 4}, ARM_UNLIKE}, {{3, 2}, {4, 3}, ARM_TESTED},
	};
	double y[ROOM], contrasts[ROOM];
	struct arm_effect effect;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct arm_values values = {ARM_DESIGN_BETWEEN,
		                                  {a, b},
		                                  {cases[i].counts[0], cases[i].counts[1]},
		                                  {cases[i].lacking[0], cases[i].lacking[1]}};

		assert_int_equal(arm_effect_of(&values, y, contrasts, &effect), cases[i].outcome);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(one_arm_lacks_threads),
	        cmocka_unit_test(pairs_of_logarithms),
	        cmocka_unit_test(pairs_with_zero),
	        cmocka_unit_test(different_hosts),
	        cmocka_unit_test(constant_effects),
	        cmocka_unit_test(not_tested),
	        cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
