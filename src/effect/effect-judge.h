/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* effect-judge - the tests of the rows, and their answers. */
#include "effect/effect.h"

/* Sets everything of the rows that follows from their contrasts, and what fails. */
void effect_judge(struct comparison *comparison);
