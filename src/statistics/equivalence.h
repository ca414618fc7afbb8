/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* equivalence - whether a mean lies within a margin: two one-sided t tests, each at .05. */
#include <stdbool.h>

#include "statistics/interval.h"
#include "statistics/t-test.h"

struct equivalence {
	bool is_defined; /* the contrasts have a t */
	/* p_low is of "the mean is not above the lower margin", p_high of "it is not below the upper one"; p is the
	 * larger of both. */
	double p_low, p_high, p;
	struct interval ci90;
	bool is_equivalent; /* the 90 % interval lies inside the margins, without touching them: p < .05 */
};

struct equivalence equivalence_test(const struct t_test *test, const struct interval *margins);

/* The margins of a share, 0 < share < 1, for contrasts of logarithms: [log(1 - share), log(1 + share)]. */
struct interval equivalence_margins(double share);
