// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/sign-flip.h"

#include <math.h>

#include "flip-sums.h"

struct sign_flip sign_flip(const double *contrasts, const struct flips *flips)
{
	cleanup_(flip_sums_done) struct flip_sums sums =
	        flip_sums_new(contrasts, flips->blocks, flips->stride);
	struct sign_flip result = {0};
	double observed = 0, size = 0, tolerance;
	size_t tosses;

	for (size_t i = 0; i < flips->blocks; i++)
		size += fabs(contrasts[i]);
	for (size_t k = 0; k < flips->stride; k++)
		observed += sums.table[k][0];
	tolerance = 1e-12 * size;
	/* The complements of the first half are the second one. */
	tosses = flips->is_every ? flips->count / 2 : flips->count;
	for (size_t i = 0; i < tosses; i++) {
		double sum = flip_sum(&sums, flips->bytes + i * flips->stride);

		result.count_upper += sum >= observed - tolerance;
		result.count_lower += sum <= observed + tolerance;
		result.count += fabs(sum) >= fabs(observed) - tolerance;
		if (!flips->is_every)
			continue;
		result.count_upper += -sum >= observed - tolerance;
		result.count_lower += -sum <= observed + tolerance;
		result.count += fabs(sum) >= fabs(observed) - tolerance;
	}
	result.p = flips_p(flips, result.count);
	return result;
}
