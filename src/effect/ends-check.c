// SPDX-License-Identifier: GPL-2.0-or-later
#include "ends-check.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const char *const way_texts[WINDOW_ENDS_COUNT] = {
        [WINDOW_ENDS_NONE] = "none",
        [WINDOW_ENDS_RECORDED] = "records of the kernel alone",
        [WINDOW_ENDS_COMPLETED] = "records that BPF completed",
};

/* The windows of one arm. */
struct arm_ends {
	unsigned ways; /* a bit for each enum window_ends */
	bool any_ended;
	/* The CPU time that is in no row, over the windows that have it: the mean, and the sum of the squared distances from it. */
	double mean, squares;
	size_t count;
};

static void add_unit(struct arm_ends *arm, const struct unit_ends *ends)
{
	double distance;

	arm->ways |= window_ends_of(ends->exits, ends->exits_also);
	arm->any_ended = arm->any_ended || ends->any_ended;
	if (isnan(ends->unaccounted_percent))
		return;
	distance = ends->unaccounted_percent - arm->mean;
	arm->mean += distance / (double)++arm->count;
	arm->squares += distance * (ends->unaccounted_percent - arm->mean);
}

/* The name may be a stranger's. */
static void add_name(const struct trial *trial, unsigned arm, struct strbuf *out)
{
	text_add_escaped(out, trial->arms[arm].name, strlen(trial->arms[arm].name));
}

static void add_ways(const struct trial *trial, unsigned arm, const struct arm_ends *ends,
                     struct strbuf *out)
{
	const char *separator = "";

	add_name(trial, arm, out);
	strbuf_add_str(out, " has ");
	for (unsigned way = 0; way < WINDOW_ENDS_COUNT; way++) {
		if (!(ends->ways >> way & 1))
			continue;
		strbuf_addf(out, "%s%s", separator, way_texts[way]);
		separator = " and ";
	}
}

static void check_ways(struct comparison *comparison, const struct arm_ends ends[2])
{
	const struct contrast_plan *plan = &comparison->plan;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	unsigned ways = ends[0].ways | ends[1].ways;

	if ((ways & (ways - 1)) == 0 || (!ends[0].any_ended && !ends[1].any_ended))
		return;
	strbuf_add_str(&text, "threads that ended were measured differently: ");
	add_ways(plan->trial, plan->a, &ends[0], &text);
	strbuf_add_str(&text, ", ");
	add_ways(plan->trial, plan->b, &ends[1], &text);
	trial_texts_add(&comparison->failures, strbuf_str(&text));
}

/* The variance of the mean. */
static double variance(const struct arm_ends *arm)
{
	return arm->squares / (double)(arm->count - 1) / (double)arm->count;
}

/* A difference between the arms in what is in no row looks like an effect of so many percent of a CPU. Other programs that
 * come and go make a difference by chance. */
static void check_shares(struct comparison *comparison, const struct arm_ends ends[2])
{
	enum { PERCENT = 5, ERRORS = 3 };
	const struct contrast_plan *plan = &comparison->plan;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	double difference = fabs(ends[1].mean - ends[0].mean);

	if (ends[0].count < 2 || ends[1].count < 2)
		return;
	if (difference < PERCENT ||
	    difference < ERRORS * sqrt(variance(&ends[0]) + variance(&ends[1])))
		return;
	strbuf_addf(&text, "threads ended unseen: %.0f %% of a CPU is in no row of ", ends[0].mean);
	add_name(plan->trial, plan->a, &text);
	strbuf_addf(&text, ", and %.0f %% in none of ", ends[1].mean);
	add_name(plan->trial, plan->b, &text);
	trial_texts_add(&comparison->failures, strbuf_str(&text));
}

void ends_check(struct comparison *comparison, const struct effect_options *options)
{
	const struct contrast_plan *plan = &comparison->plan;
	struct arm_ends ends[2] = {0};

	comparison->unaccounted_percent[0] = comparison->unaccounted_percent[1] = NAN;
	if (options->table_count == 0)
		return;
	for (size_t i = 0; i < options->tables[0].filled; i++) {
		unsigned arm = plan->trial->units[i].arm;

		if (arm == plan->a || arm == plan->b)
			add_unit(&ends[arm == plan->b], &options->tables[0].ends[i]);
	}
	for (unsigned i = 0; i < 2; i++)
		if (ends[i].count > 0)
			comparison->unaccounted_percent[i] = ends[i].mean;
	check_ways(comparison, ends);
	check_shares(comparison, ends);
}
