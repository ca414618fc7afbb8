/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-ticks - clock ticks of a candidate whose clock has another frequency than the baseline's: only as time they can be
 * compared, and rows have them in ticks of the baseline. */
#include "compare/rows.h"

/* Returns the number of the baseline's ticks that a tick of the side is; 1 for a measure that is not in ticks, and if one of the
 * clocks is not known. */
double row_ticks_factor(const struct row_set *set, unsigned side, unsigned measure);
/* Returns whether the two sides count the measure in different ticks. */
bool row_ticks_differ(const struct row_set *set, unsigned measure);
/* Returns whether the values of the two sides can be compared: ticks cannot, if one of the clocks alone is known. */
bool row_ticks_compare(const struct row_set *set, unsigned measure);
/* Returns the ticks in a second that both sides are in; 0 if that is not known. */
uint64_t row_ticks_per_second(const struct row_set *set);
