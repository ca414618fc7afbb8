// SPDX-License-Identifier: GPL-2.0-or-later
/* plan: any bytes are the file of an experiment, or are refused with a line and a reason; and the text of a plan is a file that
 * makes the same plan. */
#include <string.h>

#include "experiment/plan.h"
#include "fuzz.h"

static void check_text(const struct plan *plan)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	cleanup_(experiment_plan_done) struct plan copy;

	experiment_plan_init(&copy, "/sys/fs/cgroup");
	plan_add_text(plan, &text);
	require(plan_parse(&copy, strbuf_str(&text), text.len, &error) == 0, "its text is a plan");
	require(plan_check(&copy, &error) == 0, "a good one");
	plan_add_text(&copy, &again);
	require(strcmp(strbuf_str(&text), strbuf_str(&again)) == 0, "the same one");
	require(copy.arm_count == plan->arm_count && copy.blocks == plan->blocks &&
	                copy.unit == plan->unit && copy.window_ns == plan->window_ns &&
	                copy.settle_ns == plan->settle_ns && copy.order == plan->order &&
	                copy.outcome_count == plan->outcome_count &&
	                copy.primaries.count == plan->primaries.count,
	        "with the same numbers");
	for (size_t i = 0; i < copy.arm_count; i++)
		require(copy.arms[i].knobs.count == plan->arms[i].knobs.count, "and settings");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	cleanup_(experiment_plan_done) struct plan plan;

	experiment_plan_init(&plan, "/sys/fs/cgroup");
	if (plan_parse(&plan, (const char *)data, size, &error) < 0)
		require(strncmp(strbuf_str(&error), "line ", 5) == 0 && error.len > 7,
		        "a line and a reason");
	else if (plan_check(&plan, &error) < 0)
		require(error.len > 0, "a reason");
	else
		check_text(&plan);
	return 0;
}
