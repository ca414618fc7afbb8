/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* shares-check - whether two arms have the values of a row of the same share of the group's threads. If one arm cannot read some of
 * them, the same work looks like an effect. */
#include "effect/contrast.h"

/* The weight of a share in a value. */
enum share_kind {
	SHARE_OF_AMOUNT,
	SHARE_OF_EXTREME, /* a maximum may be that of one thread */
	SHARE_OF_RATIO,   /* of the threads that have a value */
};

/* The values and the shares are by unit. Returns whether the arms' mean shares differ by more than chance, and by a tenth or more: of an
 * amount, of its change, or of the margin if that is more. No difference of shares is small for an extreme. */
bool shares_differ(const struct contrast_plan *plan, const double *values, const float *shares,
                   enum share_kind kind);
