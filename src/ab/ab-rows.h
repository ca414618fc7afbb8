/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ab-rows - the rows that a plan and conditions name, before the experiment begins. */
#include "ab/ab-options.h"
#include "experiment/plan.h"

/* Checks that each of them can exist: its metric is one of the registry, or an outcome of the plan, and its key is known. Returns 0,
 * or -EINVAL with a phrase, which may have a suggestion. */
must_check_ int ab_rows_check(const struct plan *plan, const struct ab_options *options,
                              struct strbuf *reterr);
