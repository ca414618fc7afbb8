// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/rank.h"

#include <math.h>

#include "base/mem.h"
#include "statistics/quantile.h"

/* The probabilities of the sums of signed ranks, from 0 to @top, without ties: a rank is in the sum or not, with equal chances.
 * Nothing is ever subtracted, so small probabilities are as exact as large ones. The caller frees them. */
static double *sum_chances(size_t count, size_t top)
{
	double *chances = mem_calloc(top + 1, sizeof(chances[0]));
	size_t most = 0;

	chances[0] = 1;
	for (size_t rank = 1; rank <= count; rank++) {
		most += rank;
		for (size_t sum = most + 1; sum-- > 0;)
			chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2;
	}
	return chances;
}

bool signed_rank_estimate(const double *contrasts, size_t count, double level,
                          struct rank_estimate *ret)
{
	size_t pairs = count * (count + 1) / 2, used = 0, k = 0;
	cleanup_(mem_freep) double *means = mem_calloc(pairs + 1, sizeof(means[0]));
	cleanup_(mem_freep) double *chances = sum_chances(count, pairs);
	double below = 0, achieved = 0;

	if (count == 0)
		return false;
	for (size_t i = 0; i < count; i++)
		for (size_t j = i; j < count; j++)
			means[used++] = (contrasts[i] + contrasts[j]) / 2;
	values_sort(means, pairs);
	/* The interval leaves out the largest number of means at each end that keeps the level. */
	for (; k < (pairs + 1) / 2; k++) {
		below += chances[k];
		if (k > 0 && 1 - 2 * below < level - 1e-12)
			break;
		achieved = 1 - 2 * below;
	}
	*ret = (struct rank_estimate){
	        .estimate = quantile_of_sorted(means, pairs, 0.5),
	        .interval = {means[k - 1], means[pairs - k]},
	        .k = k,
	        .achieved = fmax(0, achieved),
	        .reaches_level = achieved >= level - 1e-12,
	};
	return true;
}
