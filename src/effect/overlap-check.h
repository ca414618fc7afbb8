/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* overlap-check - whether windows that were taken elsewhere have time in common. Work of that time counts more than once, so that p
 * is too small. */
#include "effect/effect.h"

/* Adds a failure if two windows of the arms overlap, and returns whether they do. */
bool overlap_check(struct comparison *comparison);
