// SPDX-License-Identifier: GPL-2.0-or-later
/* The score that ranks the lines of an overview: the largest share of the host that an aspect of theirs moved. */
#include <math.h>

#include "overview/overview.h"

/* Returns the score of a row by one aspect. */
static double score_of(unsigned aspect, const double moved[ASPECT_COUNT],
                       const struct overview_scale *scale)
{
	double share = 0;

	if (scale->capacity[aspect] > 0)
		share = moved[aspect] / scale->capacity[aspect];
	/* fmax() takes a number before NaN. */
	if (scale->total[aspect] > 0)
		share = fmax(share, moved[aspect] / scale->total[aspect]);
	return fmax(0, aspect_table[aspect].weight * share);
}

double overview_score(const double moved[ASPECT_COUNT], const struct overview_scale *scale)
{
	double score = 0;

	for (unsigned i = 0; i < ASPECT_COUNT; i++)
		score = fmax(score, score_of(i, moved, scale));
	return score;
}

unsigned overview_reason(const double moved[ASPECT_COUNT], const struct overview_scale *scale)
{
	double score = 0;
	unsigned reason = ASPECT_COUNT;

	for (unsigned i = 0; i < ASPECT_COUNT; i++) {
		double of_this = score_of(i, moved, scale);

		if (of_this > score) {
			score = of_this;
			reason = i;
		}
	}
	return reason;
}
