// SPDX-License-Identifier: GPL-2.0-or-later
#include "ab/ab-rows.h"

#include <errno.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/text.h"

/* The names that the metric of a row can have; the array is owned. */
struct row_names {
	const char **names; /* ended by NULL; those of the registry first */
	size_t count, measures;
};

static void row_names_init(struct row_names *names, const struct plan *plan)
{
	*names = (struct row_names){.names = mem_calloc(MEASURE_COUNT + PLAN_OUTCOMES_MAX + 3,
	                                                sizeof(names->names[0]))};
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		if (!measure_is_label(i) && !measure_is_place(i))
			names->names[names->count++] = measure_name(i);
	names->measures = names->count;
	if (!plan->workload)
		return;
	if (plan->unit == PLAN_UNIT_RUN)
		names->names[names->count++] = "wall_time_ns";
	names->names[names->count++] = "work";
	for (size_t i = 0; i < plan->outcome_count; i++)
		names->names[names->count++] = plan->outcomes[i].name;
}

static void row_names_done(struct row_names *names)
{
	mem_freep(&names->names);
}

static int check(const struct row_names *names, const struct row_pick *pick, struct strbuf *reterr)
{
	bool is_host = pick->has_key && pick->by.count == 0;
	size_t count = is_host ? 0 : pick->has_key ? names->measures : names->count;
	const char *nearest;
	unsigned measure;

	for (size_t i = 0; i < count; i++)
		if (glob_match_name(pick->metric, names->names[i], strlen(names->names[i])))
			return 0;
	if (measure_find(pick->metric, strlen(pick->metric), &measure) &&
	    (measure_is_label(measure) || measure_is_place(measure))) {
		strbuf_addf(
		        reterr,
		        "'%s' is a setting or a name of threads, and no amount: it is not tested",
		        pick->metric);
		return -EINVAL;
	}
	if (pick->has_key && (is_host || group_by_is_cgroup(&pick->by)) &&
	    fact_metric_fits(pick->metric, is_host))
		return 0;
	if (is_host) {
		strbuf_add_str(reterr, "the host has no value '");
		text_add_escaped(reterr, pick->metric, strlen(pick->metric));
		strbuf_add_str(reterr, "', only pressure such as cpu_some_total and CPU time such "
		                       "as idle_percent");
		return -EINVAL;
	}
	nearest = cli_nearest(pick->metric, names->names);
	strbuf_add_str(reterr, "there is no metric or outcome '");
	text_add_escaped(reterr, pick->metric, strlen(pick->metric));
	strbuf_add_str(reterr, "'");
	if (nearest)
		strbuf_addf(reterr, "; did you mean '%s'?", nearest);
	return -EINVAL;
}

static int check_texts(const struct row_names *names, const char *what,
                       const struct plan_texts *texts, struct strbuf *reterr)
{
	for (size_t i = 0; i < texts->count; i++) {
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		cleanup_(row_pick_done) struct row_pick pick = {0};
		int r = row_pick_parse(&pick, texts->entries[i], &reason);

		if (r == 0)
			r = check(names, &pick, &reason);
		if (r == 0)
			continue;
		strbuf_addf(reterr, "%s: %s", what, strbuf_str(&reason));
		return r;
	}
	return 0;
}

static int check_gates(const struct row_names *names, const struct ab_options *options,
                       struct strbuf *reterr)
{
	for (size_t i = 0; i < options->gate_count; i++) {
		const struct gate *gate = &options->gates[i];
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		int r = check(names, &gate->pick, &reason);

		if (r == 0)
			continue;
		strbuf_addf(reterr, "--%s: %s",
		            gate->kind == GATE_FAIL_IF_MOVED ? "fail-if" : "fail-unless-same",
		            strbuf_str(&reason));
		return r;
	}
	return 0;
}

int ab_rows_check(const struct plan *plan, const struct ab_options *options, struct strbuf *reterr)
{
	cleanup_(row_names_done) struct row_names names;
	int r;

	row_names_init(&names, plan);
	r = check_texts(&names, "primary", &plan->primaries, reterr);
	if (r == 0)
		r = check_texts(&names, "control", &plan->controls, reterr);
	return r == 0 ? check_gates(&names, options, reterr) : r;
}
