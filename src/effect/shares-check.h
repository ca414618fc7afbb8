/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* shares-check - whether two arms have the values of a row of the same share of the group's threads. If one arm cannot read some of
 * them, the same work looks like an effect. */
#include "effect/contrast.h"

/* The values and the shares are by unit. Returns whether the arms' mean shares differ by more than chance, and by a tenth or more of
 * the change, or of the margin if that is more. @is_extreme: of a maximum, where no difference of shares is small. */
bool shares_differ(const struct contrast_plan *plan, const double *values, const float *shares,
                   bool is_extreme);
