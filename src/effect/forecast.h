/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* forecast - what an experiment will be able to show with more blocks. Only the spread of the contrasts counts, and not their mean, so
 * that whoever ends an experiment by it does not end it by its result. */
#include "effect/effect.h"

struct forecast {
	bool of_primaries; /* else of all rows, as if each were the only primary */
	size_t rows; /* 0: there is none with a spread and a percentage, and nothing else is known */
	double detectable; /* as a share: the largest of the primaries, or the median of all rows */
	char *name;        /* of the primary that it is of, safe to print; owned; NULL: none */
};

/* Fills @ret for an experiment of @blocks blocks, of which the trial has two or more. forecast_done() @ret in any case. */
void forecast_init(struct forecast *ret, const struct effect_options *options, size_t blocks);
void forecast_done(struct forecast *forecast);
