// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/equivalence.h"

#include <math.h>

#include "statistics/distribution.h"

struct equivalence equivalence_test(const struct t_test *test, const struct interval *margins)
{
	struct equivalence result = {.is_defined = t_interval(test, 0.9, &result.ci90)};

	if (!result.is_defined)
		return result;
	result.p_low = t_upper_tail((test->mean - margins->low) / test->se, (double)test->df);
	result.p_high = t_upper_tail((margins->high - test->mean) / test->se, (double)test->df);
	result.p = fmax(result.p_low, result.p_high);
	result.is_equivalent = margins->low < result.ci90.low && result.ci90.high < margins->high;
	return result;
}

struct interval equivalence_margins(double share)
{
	return (struct interval){log1p(-share), log1p(share)};
}
