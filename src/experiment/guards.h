/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* guards - compares a window with the limits of the plan, to find whether it was disturbed. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"
#include "experiment/plan.h"

struct guard_values {
	bool known[PLAN_GUARD_COUNT];
	double values[PLAN_GUARD_COUNT]; /* shares, or threads */
};

/* Takes the values from a window. */
void guard_values_of(const struct snapshot_info *info, struct guard_values *ret);

enum guard_answer { GUARD_HOLDS, GUARD_BROKEN, GUARD_UNKNOWN };

/* Compares the values with the limits. Appends a phrase about the first one that does not hold, or has no value. */
must_check_ enum guard_answer guard_judge(const struct plan *plan,
                                          const struct guard_values *values, struct strbuf *reason);
