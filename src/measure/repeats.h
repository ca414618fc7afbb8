/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* repeats - measures that say what others say already, from registry/repeats.def. */
#include <stdbool.h>
#include <stddef.h>

#include "measure/measure.h"

#ifndef CTPROF_REPEATS_DEF
#define CTPROF_REPEATS_DEF "repeats.def"
#endif

struct repeat_desc {
	unsigned of[2]; /* measures that together say the same; of_count of them */
	unsigned of_count;
	const char *why;
};

/* Returns the row of a measure that repeats others, or NULL. */
const struct repeat_desc *measure_repeat(unsigned measure);

/* Returns the first measure of the family: the measure itself if it repeats nothing. A measure that repeats two others belongs to
 * the family of the first one. */
unsigned measure_family(unsigned measure);

/* Returns whether all that the measure repeats is said without it. @says tells that of another measure by its own value; one
 * that has none is still said if all that it repeats is. False if the measure repeats nothing. */
bool measure_is_said(unsigned measure, bool (*says)(const void *context, unsigned other),
                     const void *context);
