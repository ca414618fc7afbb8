/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* arm-effect - the effect of one series: how much the hosts' values differ between two arms, over hosts by Student's t. Pure
 * functions. */
#include "database/arm-plan.h"
#include "statistics/contrast-scale.h"
#include "statistics/interval.h"
#include "statistics/p-value.h"

/* The values of the hosts that have the series; borrowed. ARM_DESIGN_PAIRED: both arrays are of the same hosts in the same order. */
struct arm_values {
	enum arm_design design;
	const double *values[2]; /* by arm */
	size_t counts[2];
	double lacking
	        [2]; /* the share of a host's windows in which threads are missing, added up over the hosts */
};

enum arm_outcome {
	ARM_TESTED,
	ARM_EQUAL, /* no host differs from itself, or no two hosts differ */
	ARM_RARE,  /* more than half of the values are 0 */
	ARM_FEW,   /* fewer than ARM_HOSTS_LEAST hosts */
	/* Threads are missing in one arm more often than in the other, by more than half of the windows: the arms were measured differently,
	 * as with records of ends and without. */
	ARM_UNLIKE,
	ARM_NO_SCALE, /* a value is not finite */
	ARM_OUTCOME_COUNT
};

/* Estimates, intervals and the spread are those of y, see contrast-scale.h. */
struct arm_effect {
	struct contrast_scale scale;
	double base; /* the value of arm a that changes are shares of, unless y is a logarithm; 0: none can be */
	double means[2];
	size_t counts[2];
	double estimate;
	/* False: all hosts have the very same effect, which has no interval and no t, and a p by the labels: the share of the ways to
	 * give them out, of those that the design allows, that show an effect as large. */
	bool has_t;
	double t, df;
	struct interval ci95, ci90;
	double p;
	/* The standard deviation of the hosts' effects, or of the hosts within their arm; noise of their windows included. */
	double spread;
};

/* Computes @ret, and stores y of arm a and of arm b behind it in @ret_y, and in @ret_contrasts, of paired hosts, the difference of each
 * host: both have room for all values. */
enum arm_outcome arm_effect_of(const struct arm_values *values, double *ret_y,
                               double *ret_contrasts, struct arm_effect *ret);

/* Returns a difference of y as a share of arm a; NaN if it has none. */
double arm_effect_share(const struct arm_effect *effect, double y);

/* The answers of ab-report. */
enum arm_answer { ARM_MOVED, ARM_SAME, ARM_UNKNOWN, ARM_ANSWER_COUNT };
extern const char *const arm_answer_names[ARM_ANSWER_COUNT];

/* Returns the answer by the corrected p. @least and @margin are shares: the least effect that moved, and the margin within which the
 * 90 % interval shows that there is none. */
enum arm_answer arm_effect_answer(const struct arm_effect *effect, struct p_value p, double least,
                                  double margin);
