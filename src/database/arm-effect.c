// SPDX-License-Identifier: GPL-2.0-or-later
#include "database/arm-effect.h"

#include <math.h>
#include <string.h>

#include "statistics/equivalence.h"
#include "statistics/moments.h"
#include "statistics/t-test.h"
#include "statistics/welch.h"

const char *const arm_answer_names[ARM_ANSWER_COUNT] = {"moved", "same", "unknown"};

static const double alpha = .05;

static bool is_unlike(const struct arm_values *values)
{
	static const double most = .5;

	return fabs(values->lacking[1] / (double)values->counts[1] -
	            values->lacking[0] / (double)values->counts[0]) > most;
}

static enum arm_outcome judge(const struct arm_values *values)
{
	bool paired = values->design == ARM_DESIGN_PAIRED, equal = true;
	size_t zeros = 0;

	if (values->counts[0] < ARM_HOSTS_LEAST || values->counts[1] < ARM_HOSTS_LEAST)
		return ARM_FEW;
	for (unsigned arm = 0; arm < 2; arm++)
		for (size_t i = 0; i < values->counts[arm]; i++) {
			double value = values->values[arm][i];

			zeros += value == 0;
			equal = equal && value == values->values[0][paired ? i : 0];
		}
	if (equal)
		return ARM_EQUAL;
	if (2 * zeros > values->counts[0] + values->counts[1])
		return ARM_RARE;
	return is_unlike(values) ? ARM_UNLIKE : ARM_TESTED;
}

/* A change has a share if values cannot be below 0, and arm a has more than the few events that a ratio would hang on. */
static void set_means(const struct arm_values *values, struct arm_effect *effect)
{
	size_t above = 0;
	bool below = false;

	for (unsigned arm = 0; arm < 2; arm++) {
		const double *of_arm = values->values[arm];

		effect->counts[arm] = values->counts[arm];
		effect->means[arm] =
		        values_sum(of_arm, values->counts[arm]) / (double)values->counts[arm];
		for (size_t i = 0; i < values->counts[arm]; i++) {
			below = below || of_arm[i] < 0;
			above += arm == 0 && of_arm[i] > 0;
		}
	}
	effect->base = !below && 2 * above > values->counts[0] ? effect->means[0] : 0;
}

/* The hosts' signs are coins: all of them fall like these, or the other way. */
static double constant_pair_p(size_t n)
{
	return ldexp(2, -(int)(n < 1000 ? n : 1000));
}

/* One way to give out the labels separates the arms so, or two if both are as large. */
static double constant_groups_p(size_t a, size_t b)
{
	double ways = lgamma((double)(a + b) + 1) - lgamma((double)a + 1) - lgamma((double)b + 1);

	return fmin(1, (a == b ? 2 : 1) * exp(-ways));
}

static void test_pairs(const double *contrasts, size_t n, struct arm_effect *effect)
{
	struct t_test test = t_test(contrasts, n);

	effect->estimate = test.mean;
	effect->spread = test.sd;
	effect->has_t = test.has_t;
	effect->t = test.t;
	effect->df = (double)test.df;
	effect->p = test.has_t ? test.p : constant_pair_p(n);
	(void)t_interval(&test, 1 - alpha, &effect->ci95);
	(void)t_interval(&test, 1 - 2 * alpha, &effect->ci90);
}

static void test_groups(const double *y, const size_t counts[2], struct arm_effect *effect)
{
	struct welch_test test = welch_test(y, counts[0], y + counts[0], counts[1]);
	struct moments a = moments_of(y, counts[0]), b = moments_of(y + counts[0], counts[1]);

	effect->estimate = test.difference;
	effect->spread = sqrt((a.m2 + b.m2) / (double)(counts[0] + counts[1] - 2));
	effect->has_t = test.has_t;
	effect->t = test.t;
	effect->df = test.df;
	effect->p = test.has_t ? test.p : constant_groups_p(counts[0], counts[1]);
	(void)welch_interval(&test, 1 - alpha, &effect->ci95);
	(void)welch_interval(&test, 1 - 2 * alpha, &effect->ci90);
}

enum arm_outcome arm_effect_of(const struct arm_values *values, double *ret_y,
                               double *ret_contrasts, struct arm_effect *ret)
{
	enum arm_outcome outcome = judge(values);
	size_t a = values->counts[0], b = values->counts[1];

	if (outcome != ARM_TESTED)
		return outcome;
	*ret = (struct arm_effect){.estimate = 0};
	memcpy(ret_y, values->values[0], a * sizeof(ret_y[0]));
	memcpy(ret_y + a, values->values[1], b * sizeof(ret_y[0]));
	if (!contrast_scale_values(ret_y, a + b, ret_y, &ret->scale))
		return ARM_NO_SCALE;
	set_means(values, ret);
	if (values->design == ARM_DESIGN_BETWEEN) {
		test_groups(ret_y, values->counts, ret);
		return ARM_TESTED;
	}
	for (size_t i = 0; i < a; i++)
		ret_contrasts[i] = ret_y[a + i] - ret_y[i];
	test_pairs(ret_contrasts, a, ret);
	return ARM_TESTED;
}

double arm_effect_share(const struct arm_effect *effect, double y)
{
	if (effect->scale.is_log)
		return expm1(y);
	return effect->base > 0 ? y * effect->scale.one / effect->base : NAN;
}

enum arm_answer arm_effect_answer(const struct arm_effect *effect, struct p_value p, double least,
                                  double margin)
{
	bool is_log = effect->scale.is_log;
	double size = fabs(is_log ? expm1(effect->estimate) : effect->estimate);
	struct interval margins =
	        is_log ? equivalence_margins(margin) : (struct interval){-margin, margin};

	if (p.is_defined && p.p <= alpha && size >= least)
		return ARM_MOVED;
	if (effect->has_t && effect->ci90.low > margins.low && effect->ci90.high < margins.high)
		return ARM_SAME;
	return ARM_UNKNOWN;
}
