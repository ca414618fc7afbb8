/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* work-output - the numbers in the output of a workload: the sum of its lines "ctprof-work N", and for each outcome of the plan the
 * last number that its regex finds. */
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "experiment/plan.h"
#include "experiment/record.h"

enum { WORK_LINE_BYTES = 4096 }; /* the rest of a longer line is ignored */

struct work_output {
	const struct plan *plan; /* borrowed */
	regex_t regexes[PLAN_OUTCOMES_MAX];
	struct strbuf line; /* the last one, which is not complete */
	struct strbuf last; /* the last line that is not blank: why a command failed */
	bool is_frozen;
	bool has_work;
	double work;
	bool found[PLAN_OUTCOMES_MAX];
	double values[PLAN_OUTCOMES_MAX];
};

void work_output_init(struct work_output *output, const struct plan *plan);
void work_output_done(struct work_output *output);

/* Adds a piece of output of any length. */
void work_output_add(struct work_output *output, const char *bytes, size_t len);
/* Ends the last line. */
void work_output_end(struct work_output *output);
/* Forgets all numbers: only later output counts. */
void work_output_clear(struct work_output *output);
/* Keeps the numbers as they are: no later output counts. */
void work_output_freeze(struct work_output *output);

/* Adds the numbers to a unit. Returns false, with a phrase, if an outcome has none. */
bool work_output_report(const struct work_output *output, struct unit *unit, struct strbuf *reason);
