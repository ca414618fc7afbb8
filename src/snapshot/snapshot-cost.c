// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/snapshot/snapshot.h"

/* clang-format off */
const struct capture_cost_desc capture_cost_table[COST_COUNT] = {
#define COST(id_, unit_, text_) [COST_##id_] = {#id_, UNIT_##unit_, text_},
#include "capture-cost.def"
#undef COST
};
/* clang-format on */
