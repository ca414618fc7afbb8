// SPDX-License-Identifier: GPL-2.0-or-later
#include "shares-check.h"

#include <math.h>

#include "effect/trial.h"

/* The units of one arm. */
struct arm_shares {
	size_t count;
	double value, mean;
	double squares; /* of the distances of shares from their mean */
};

static void add_unit(struct arm_shares *arm, double value, double share)
{
	double distance = share - arm->mean;

	arm->count++;
	arm->value += (value - arm->value) / (double)arm->count;
	arm->mean += distance / (double)arm->count;
	arm->squares += distance * (share - arm->mean);
}

/* The variance of the mean. */
static double variance(const struct arm_shares *arm)
{
	return arm->count > 1 ? arm->squares / (double)(arm->count - 1) / (double)arm->count : 0;
}

bool shares_differ(const struct contrast_plan *plan, const double *values, const float *shares,
                   enum share_kind kind)
{
	enum { ERRORS = 3, PARTS = 10 };
	static const double rounding = 1e-6;
	struct arm_shares arms[2] = {0};
	double difference, larger, change;

	for (size_t i = 0; i < plan->trial->unit_count; i++) {
		unsigned arm = plan->trial->units[i].arm;

		if (arm == plan->a || arm == plan->b)
			add_unit(&arms[arm == plan->b], values[i], shares[i]);
	}
	difference = fabs(arms[1].mean - arms[0].mean);
	if (difference <= rounding ||
	    difference <= ERRORS * sqrt(variance(&arms[0]) + variance(&arms[1])))
		return false;
	if (kind == SHARE_OF_EXTREME)
		return true;
	if (kind == SHARE_OF_RATIO)
		return PARTS * difference >= fmin(arms[0].mean, arms[1].mean);
	larger = fmax(fabs(arms[0].value), fabs(arms[1].value));
	change = larger > 0 ? fabs(arms[1].value - arms[0].value) / larger : 0;
	return PARTS * difference / fmin(arms[0].mean, arms[1].mean) >=
	       fmax(change, plan->trial->margin);
}
