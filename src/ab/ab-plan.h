/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ab-plan - what an experiment will do, as text. */
#include "ctprof/base/strbuf.h"
#include "experiment/record.h"

/* Appends the plan of an experiment, with the present values of what it changes. Safe to print. */
void ab_plan_add(const struct experiment *experiment, struct strbuf *out);

/* Prints it to standard output, lines as wide as the terminal at most. */
void ab_plan_print(const struct experiment *experiment);

/* Appends a time for people: "17min 20s", "1.5s". */
void ab_time_add(uint64_t ns, struct strbuf *out);
