// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "plan-keys.h"

/* A time that is read back as the same number: the file has at most milliseconds, and more digits of a unit. */
static void add_time(uint64_t ns, struct strbuf *out)
{
	if (ns % NS_PER_SECOND == 0)
		strbuf_addf(out, "%llus", (unsigned long long)(ns / NS_PER_SECOND));
	else
		strbuf_addf(out, "%llu.%06llums", (unsigned long long)(ns / NS_PER_MS),
		            (unsigned long long)(ns % NS_PER_MS));
}

/* Ten digits are more precise than any measurement. */
static void add_percent(double share, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%.10f", share * 100);
	while (text.data[text.len - 1] == '0')
		text.len--;
	if (text.data[text.len - 1] == '.')
		text.len--;
	strbuf_add(out, text.data, text.len);
	strbuf_add_char(out, '%');
}

void plan_add_guard(const struct plan *plan, enum plan_guard guard, struct strbuf *out)
{
	const struct plan_limit *limit = &plan->guards[guard];

	strbuf_addf(out, "%s%s", plan_guard_names[guard], limit->inclusive ? "<=" : "<");
	if (guard == PLAN_GUARD_LOST)
		strbuf_addf(out, "%.0f", limit->limit);
	else
		add_percent(limit->limit, out);
}

static void add_line(const char *key, const char *value, struct strbuf *out)
{
	if (value)
		strbuf_addf(out, "%s = %s\n", key, value);
}

static void add_time_line(const char *key, uint64_t ns, struct strbuf *out)
{
	strbuf_addf(out, "%s = ", key);
	add_time(ns, out);
	strbuf_add_char(out, '\n');
}

static void add_arm(const struct plan_arm *arm, struct strbuf *out)
{
	strbuf_addf(out, "\n[arm %s]\n", arm->name);
	for (size_t i = 0; i < arm->lines.count; i++)
		strbuf_addf(out, "%s\n", arm->lines.entries[i]);
}

static void add_experiment(const struct plan *plan, struct strbuf *out)
{
	strbuf_add_str(out, "[experiment]\n");
	add_line("name", plan->name, out);
	add_line("workload", plan->workload, out);
	if (plan->unit == PLAN_UNIT_RUN)
		add_line("unit", "run", out);
	else
		add_time_line("unit", plan->window_ns, out);
	strbuf_addf(out, "blocks = %u\n", plan->blocks);
	add_line("order", plan_order_names[plan->order], out);
	if (plan->until > 0) {
		strbuf_add_str(out, "until = mde=");
		add_percent(plan->until, out);
		strbuf_add_char(out, '\n');
	}
	if (plan->has_seed)
		strbuf_addf(out, "seed = %llu\n", (unsigned long long)plan->seed);
	add_time_line("settle", plan->settle_ns, out);
	add_line("before-each", plan->before_each, out);
}

void plan_add_text(const struct plan *plan, struct strbuf *out)
{
	add_experiment(plan, out);
	for (size_t i = 0; i < plan->primaries.count; i++)
		add_line("primary", plan->primaries.entries[i], out);
	for (size_t i = 0; i < plan->controls.count; i++)
		add_line("control", plan->controls.entries[i], out);
	strbuf_add_str(out, "margin = ");
	add_percent(plan->margin, out);
	strbuf_add_str(out, "\nmin-effect = ");
	add_percent(plan->min_effect, out);
	strbuf_add_char(out, '\n');
	for (unsigned i = 0; i < PLAN_GUARD_COUNT; i++) {
		if (!plan->guards[i].given)
			continue;
		strbuf_add_str(out, "guard = ");
		plan_add_guard(plan, (enum plan_guard)i, out);
		strbuf_add_char(out, '\n');
	}
	for (size_t i = 0; i < plan->outcome_count; i++)
		strbuf_addf(out, "outcome %s = %s\n", plan->outcomes[i].name,
		            plan->outcomes[i].regex);
	for (size_t i = 0; i < plan->arm_count; i++)
		add_arm(&plan->arms[i], out);
}
