/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ends-check - whether the windows of two arms record the ends of threads in one way. If they do not, the same work looks like an
 * effect: a window without records of such threads has no row for what they did. */
#include "effect/effect.h"

/* Adds the reasons why they do not to the failures, and sets the CPU time that is in no row. Without tables nothing is known of the
 * windows. */
void ends_check(struct comparison *comparison, const struct effect_options *options);
