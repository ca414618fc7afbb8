// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "run-state.h"

/* The time that a workload has to end by itself. */
#define WORKLOAD_WAIT_NS (5 * NS_PER_SECOND)

static const uint64_t never = UINT64_MAX;

static int cannot_start(int r, const char *what, struct strbuf *reterr)
{
	strbuf_addf(reterr, "%s cannot be started: %s", what, strerror(-r));
	return r;
}

/* The phrase for a command that has ended, with the last line that it printed. */
static void add_end(const struct run *run, const char *what, struct strbuf *reason)
{
	strbuf_addf(reason, "%s with status %d", what, run->workload.status);
	if (run->output.last.len == 0)
		return;
	strbuf_add_str(reason, ": ");
	strbuf_add(reason, run->output.last.data,
	           text_prefix(run->output.last.data, run->output.last.len, 200));
}

static int begin_command(struct run *run, const char *what, const char *command, size_t arm,
                         struct strbuf *reterr)
{
	int r;

	work_output_done(&run->output);
	work_output_init(&run->output, &run->experiment->plan);
	r = workload_begin(&run->workload, command, &run->arms[arm]);
	return r < 0 ? cannot_start(r, what, reterr) : 0;
}

static int wait_for_end(struct run *run, struct strbuf *reterr)
{
	int r = 0;

	while (r == 0 && !run->workload.ended)
		r = run_wait(run, never, reterr);
	return r;
}

int run_command(struct run *run, const char *command, size_t arm, struct strbuf *reterr)
{
	int r = begin_command(run, "before-each", command, arm, reterr);

	if (r == 0)
		r = wait_for_end(run, reterr);
	if (r == 0 && run->workload.status != 0) {
		add_end(run, "before-each has failed", reterr);
		r = RUN_FAILED;
	}
	workload_done(&run->workload);
	return r;
}

/* The pause is the same before each unit, whether the arm has changed or not. */
static int settle(struct run *run, struct strbuf *reterr)
{
	uint64_t until = clock_now_ns(CLOCK_MONOTONIC) + run->experiment->plan.settle_ns;
	int r = 0;

	run_show(run, RUN_STEP_SETTLE);
	while (r == 0 && clock_now_ns(CLOCK_MONOTONIC) < until)
		r = run_wait(run, until, reterr);
	return r;
}

static int begin_window(struct run *run, const struct unit *unit, struct strbuf *reterr)
{
	const struct experiment *experiment = run->experiment;
	const struct plan *plan = &experiment->plan;
	cleanup_(labels_done) struct labels labels = {0};
	char text[4][32];
	const struct {
		const char *key, *value;
	} entries[] = {
	        {"experiment", plan->name}, {"arm", plan->arms[unit->arm].name},
	        {"block", text[0]},         {"position", text[1]},
	        {"seed", text[2]},          {"session", text[3]},
	};
	const struct measure_place place = {.dir_fd = experiment->dir_fd,
	                                    .output_fd = run->workload.output_fd,
	                                    .name = unit->file};
	int r = 0;

	snprintf(text[0], sizeof(text[0]), "%u", unit->block);
	snprintf(text[1], sizeof(text[1]), "%u", unit->position);
	snprintf(text[2], sizeof(text[2]), "%llu", (unsigned long long)experiment->schedule.seed);
	snprintf(text[3], sizeof(text[3]), "%u", unit->session);
	for (size_t i = 0; i < ARRAY_SIZE(entries) && r == 0; i++)
		r = labels_add(&labels, entries[i].key, strlen(entries[i].key), entries[i].value,
		               strlen(entries[i].value), reterr);
	if (r < 0)
		return r;
	r = measure_begin(&run->measure, &place,
	                  plan->unit == PLAN_UNIT_WINDOW ? plan->window_ns : 0, &labels);
	if (r < 0)
		return cannot_start(r, "the process that measures", reterr);
	while (r == 0 && !run->measure.ready && !run->measure.done)
		r = run_wait(run, never, reterr);
	return r;
}

/* The window ends by itself, or with the run that is in it. */
static int await_window(struct run *run, struct strbuf *reterr)
{
	const struct plan *plan = &run->experiment->plan;
	int r = 0;

	if (plan->unit == PLAN_UNIT_RUN) {
		r = wait_for_end(run, reterr);
		measure_stop(&run->measure);
		run_show(run, RUN_STEP_READ);
	}
	while (r == 0 && !run->measure.done)
		r = run_wait(run, never, reterr);
	return r;
}

static int judge_window(struct run *run, struct unit *unit, struct strbuf *reterr)
{
	const struct measure_result *result = &run->measure.result;

	if (result->error < 0) {
		strbuf_addf(reterr, "%s/%s", run->experiment->directory, result->reason);
		return result->error;
	}
	unit->start_unix_ns = result->start_unix_ns;
	unit->length_ns = result->length_ns;
	switch (guard_judge(&run->experiment->plan, &result->guards, reterr)) {
	case GUARD_BROKEN:
		return RUN_DISTURBED;
	case GUARD_UNKNOWN:
		return -ENODATA;
	case GUARD_HOLDS:
		break;
	}
	return 0;
}

/* The numbers of the workload: the first rows of the experiment. */
static int judge_workload(struct run *run, struct unit *unit, struct strbuf *reterr)
{
	const struct plan *plan = &run->experiment->plan;
	const struct workload *workload = &run->workload;
	/* It may end while the file of its window is written. */
	bool ended = workload->ended &&
	             (plan->unit == PLAN_UNIT_RUN || workload->end_ns < run->measure.end_ns);

	if (!plan->workload)
		return 0;
	unit->has_exit_status = ended;
	unit->exit_status = workload->status;
	if (plan->unit == PLAN_UNIT_WINDOW && ended) {
		add_end(run, "the workload has ended before its window did,", reterr);
		return RUN_FAILED;
	}
	if (ended && workload->status != 0) {
		add_end(run, "the workload has failed", reterr);
		return RUN_FAILED;
	}
	if (plan->unit == PLAN_UNIT_RUN)
		unit_add_outcome(unit, "wall_time_ns",
		                 (double)(workload->end_ns - workload->start_ns));
	return work_output_report(&run->output, unit, reterr) ? 0 : RUN_FAILED;
}

static int measure_unit(struct run *run, struct unit *unit, struct strbuf *reterr)
{
	const struct plan *plan = &run->experiment->plan;
	int r = 0;

	if (plan->workload && plan->unit == PLAN_UNIT_WINDOW)
		r = begin_command(run, "the workload", plan->workload, unit->arm, reterr);
	if (r == 0)
		r = settle(run, reterr);
	if (r < 0)
		return r;
	run_show(run, RUN_STEP_UNIT);
	r = begin_window(run, unit, reterr);
	if (r == 0 && plan->unit == PLAN_UNIT_RUN && !run->measure.done)
		r = begin_command(run, "the workload", plan->workload, unit->arm, reterr);
	if (r == 0 && !run->measure.done)
		r = await_window(run, reterr);
	if (r == 0)
		r = judge_window(run, unit, reterr);
	return r == 0 ? judge_workload(run, unit, reterr) : r;
}

int run_unit(struct run *run, struct unit *unit, unsigned number, struct strbuf *reterr)
{
	const struct plan *plan = &run->experiment->plan;
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT;
	uint64_t begin;
	int r;

	strbuf_addf(&file, "unit-%04u.zst", number);
	run->measure = MEASURE_INIT;
	unit->file = mem_copy(strbuf_str(&file), file.len);
	unit->start_unix_ns = clock_now_ns(CLOCK_REALTIME);
	run_show(run, RUN_STEP_SWITCH);
	r = changes_apply(run->changes, unit->arm, reterr);
	if (r == 0 && plan->before_each)
		r = run_command(run, plan->before_each, unit->arm, reterr);
	begin = clock_now_ns(CLOCK_MONOTONIC);
	if (r == 0)
		r = measure_unit(run, unit, reterr);
	/* A setting that changed during the unit makes the unit worthless. */
	if (r == 0)
		r = changes_verify(run->changes, reterr);
	measure_done(&run->measure);
	workload_end(&run->workload, r < 0 ? 0 : WORKLOAD_WAIT_NS);
	if (r == 0) {
		uint64_t took = clock_now_ns(CLOCK_MONOTONIC) - begin;

		took -= took > plan->settle_ns ? plan->settle_ns : took;
		run->unit_ns = (run->unit_ns * run->units_timed + took) / (run->units_timed + 1);
		run->units_timed++;
	}
	return r;
}
