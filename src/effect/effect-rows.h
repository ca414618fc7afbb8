/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* effect-rows - the rows of a comparison, with their contrasts and without answers. */
#include "effect/effect.h"

/* Finds the rows of the tables, those of outcomes, and their contrasts. @comparison has its plan. */
void effect_rows_find(struct comparison *comparison, const struct effect_options *options);
