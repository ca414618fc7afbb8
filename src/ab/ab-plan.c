// SPDX-License-Identifier: GPL-2.0-or-later
#include "ab/ab-plan.h"

#include <string.h>

#include "base/clock.h"
#include "base/scan.h"
#include "base/text.h"
#include "knob/knob-file.h"
#include "query/report-options.h"

enum { COLUMNS = 80, LABEL_COLUMNS = 11, VALUE_BYTES = 4096 };

void ab_time_add(uint64_t ns, struct strbuf *out)
{
	uint64_t seconds = (ns + NS_PER_SECOND / 2) / NS_PER_SECOND;

	if (ns > 0 && ns < NS_PER_SECOND)
		strbuf_addf(out, "%llums", (unsigned long long)((ns + NS_PER_MS - 1) / NS_PER_MS));
	else if (ns < 10 * NS_PER_SECOND && ns % NS_PER_SECOND > 0)
		strbuf_addf(out, "%.1fs", (double)ns / (double)NS_PER_SECOND);
	else if (seconds < 120)
		strbuf_addf(out, "%llus", (unsigned long long)seconds);
	else if (seconds < 2 * 3600)
		strbuf_addf(out, "%llumin %llus", (unsigned long long)(seconds / 60),
		            (unsigned long long)(seconds % 60));
	else
		strbuf_addf(out, "%lluh %llumin", (unsigned long long)(seconds / 3600),
		            (unsigned long long)(seconds / 60 % 60));
}

static void add_label(const char *label, struct strbuf *out)
{
	strbuf_addf(out, "%-*s", LABEL_COLUMNS, label);
}

static void add_text(const char *text, struct strbuf *out)
{
	text_add_escaped(out, text, strlen(text));
}

static void add_head(const struct experiment *experiment, struct strbuf *out)
{
	const struct plan *plan = &experiment->plan;

	add_label("experiment", out);
	add_text(plan->name, out);
	strbuf_addf(out,
	            ": %zu arms, %u blocks of %u units, behind one block that does not count\n",
	            plan->arm_count, plan->blocks, schedule_block_length(&experiment->schedule));
	add_label("unit", out);
	if (plan->unit == PLAN_UNIT_RUN) {
		strbuf_add_str(out, "one run of ");
	} else {
		strbuf_add_str(out, "a window of ");
		ab_time_add(plan->window_ns, out);
		strbuf_add_str(out, plan->workload ? " of this host, beside " : " of this host");
	}
	if (plan->workload)
		add_text(plan->workload, out);
	strbuf_add_char(out, '\n');
	add_label("settling", out);
	ab_time_add(plan->settle_ns, out);
	strbuf_add_str(out, " before each unit\n");
}

static void add_length(const struct experiment *experiment, struct strbuf *out)
{
	const struct plan *plan = &experiment->plan;
	uint64_t units = (uint64_t)(plan->blocks + 1 - experiment_blocks_done(experiment)) *
	                 schedule_block_length(&experiment->schedule);

	add_label("length", out);
	strbuf_addf(out, "%s%llu units, ", plan->until > 0 ? "at most " : "",
	            (unsigned long long)units);
	if (plan->unit == PLAN_UNIT_WINDOW) {
		ab_time_add(units * (plan->window_ns + plan->settle_ns), out);
		strbuf_add_str(out, " and the time to switch and to read\n");
		return;
	}
	ab_time_add(units * plan->settle_ns, out);
	strbuf_add_str(out, " and the time of the runs\n");
}

/* Arms by the first letter of their names if these differ and are letters, else by their place. */
static bool letters_differ(const struct plan *plan)
{
	for (size_t i = 0; i < plan->arm_count; i++)
		for (size_t k = 0; k <= i; k++)
			if ((k < i && plan->arms[k].name[0] == plan->arms[i].name[0]) ||
			    plan->arms[i].name[0] < 'A' || plan->arms[i].name[0] > 'z')
				return false;
	return true;
}

static void add_order(const struct experiment *experiment, struct strbuf *out)
{
	const struct plan *plan = &experiment->plan;
	const struct schedule *schedule = &experiment->schedule;
	bool letters = letters_differ(plan);
	size_t column = LABEL_COLUMNS, length = schedule_block_length(schedule);

	add_label("order", out);
	strbuf_addf(out, "%s, seed %llu\n%*s", plan_order_names[plan->order],
	            (unsigned long long)schedule->seed, LABEL_COLUMNS, "");
	for (unsigned block = 0; block <= plan->blocks; block++) {
		unsigned arms[SCHEDULE_BLOCK_MAX];

		schedule_block(schedule, block, arms);
		if (column + length + 3 > COLUMNS) {
			strbuf_addf(out, "\n%*s", LABEL_COLUMNS, "");
			column = LABEL_COLUMNS;
		}
		strbuf_add_str(out, block == 0 ? "(" : column > LABEL_COLUMNS ? " " : "");
		for (size_t i = 0; i < length; i++)
			strbuf_add_char(out, letters ? plan->arms[arms[i]].name[0]
			                             : (char)('1' + arms[i]));
		strbuf_add_str(out, block == 0 ? ")" : "");
		column += length + (block == 0 ? 3 : 1);
	}
	strbuf_add_char(out, '\n');
	if (plan->order == PLAN_ORDER_ABBA && plan->blocks % schedule_square_blocks(schedule) != 0)
		strbuf_addf(out,
		            "%*seach arm follows each other one equally often only with a multiple "
		            "of %u blocks\n",
		            LABEL_COLUMNS, "", schedule_square_blocks(schedule));
	if (plan->order == PLAN_ORDER_SEQUENTIAL)
		strbuf_addf(out, "%*sthis order cannot tell an effect from a drift\n",
		            LABEL_COLUMNS, "");
}

static void add_guards(const struct plan *plan, struct strbuf *out)
{
	bool any = false;

	for (unsigned i = 0; i < PLAN_GUARD_COUNT; i++) {
		if (!plan->guards[i].given)
			continue;
		if (!any)
			add_label("guards", out);
		else
			strbuf_add_str(out, ", ");
		plan_add_guard(plan, (enum plan_guard)i, out);
		any = true;
	}
	if (any)
		strbuf_add_char(out, '\n');
}

static void add_rows(const char *label, const struct plan_texts *rows, struct strbuf *out)
{
	for (size_t i = 0; i < rows->count; i++) {
		add_label(i == 0 ? label : "", out);
		add_text(rows->entries[i], out);
		strbuf_add_char(out, '\n');
	}
}

static void add_arms(const struct plan *plan, struct strbuf *out)
{
	for (size_t i = 0; i < plan->arm_count; i++) {
		const struct plan_arm *arm = &plan->arms[i];

		strbuf_add_str(out, "arm ");
		add_text(arm->name, out);
		strbuf_add_char(out, '\n');
		if (arm->lines.count == 0)
			strbuf_addf(out, "%*snothing is changed\n", LABEL_COLUMNS, "");
		for (size_t k = 0; k < arm->lines.count; k++) {
			strbuf_addf(out, "%*s", LABEL_COLUMNS, "");
			add_text(arm->lines.entries[k], out);
			strbuf_add_char(out, '\n');
		}
	}
}

static const struct knob *find_knob(const struct knob_list *arm, const char *path)
{
	for (size_t i = 0; i < arm->count; i++)
		if (arm->entries[i].path && strcmp(arm->entries[i].path, path) == 0)
			return &arm->entries[i];
	return NULL;
}

static bool is_first(const struct plan *plan, size_t arm, const char *path)
{
	for (size_t i = 0; i < arm; i++)
		if (find_knob(&plan->arms[i].knobs, path))
			return false;
	return true;
}

/* The words of a file, which may have several lines, on one. */
static void add_now(const char *path, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf place = STRBUF_INIT, text = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	struct span rest, word;
	enum knob_store store;

	if (knob_file_find(path, &place, &store, &phrase) < 0 ||
	    knob_file_read(strbuf_str(&place), &text) < 0 || text.len > VALUE_BYTES) {
		strbuf_add_str(out, "cannot be read");
		return;
	}
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_word(&rest, &word)) {
		text_add_escaped(out, word.text, word.len);
		strbuf_add_char(out, ' ');
	}
	strbuf_add_str(out, "now");
}

static void add_change(const struct plan *plan, const struct knob *knob, struct strbuf *out)
{
	const char *common = knob->value;

	add_text(knob->kind == KNOB_SYSCTL ? knob->name : knob->path, out);
	strbuf_add_str(out, ": ");
	add_now(knob->path, out);
	for (size_t i = 0; i < plan->arm_count; i++) {
		const struct knob *other = find_knob(&plan->arms[i].knobs, knob->path);

		if (!other || strcmp(other->value, knob->value) != 0)
			common = NULL;
	}
	if (common) {
		strbuf_add_str(out, ", ");
		add_text(common, out);
		strbuf_add_str(out, " in all arms\n");
		return;
	}
	for (size_t i = 0; i < plan->arm_count; i++) {
		const struct knob *other = find_knob(&plan->arms[i].knobs, knob->path);

		strbuf_add_str(out, i == 0 ? "; " : ", ");
		add_text(plan->arms[i].name, out);
		strbuf_add_char(out, ' ');
		add_text(other ? other->value : "unchanged", out);
	}
	strbuf_add_char(out, '\n');
}

static void add_changes(const struct plan *plan, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < plan->arm_count; i++) {
		const struct knob_list *arm = &plan->arms[i].knobs;

		for (size_t k = 0; k < arm->count; k++) {
			const struct knob *knob = &arm->entries[k];

			if (!knob->path || !is_first(plan, i, knob->path))
				continue;
			add_label(any ? "" : "changes", out);
			add_change(plan, knob, out);
			any = true;
		}
	}
}

void ab_plan_add(const struct experiment *experiment, struct strbuf *out)
{
	add_head(experiment, out);
	add_length(experiment, out);
	add_order(experiment, out);
	add_guards(&experiment->plan, out);
	add_rows("primary", &experiment->plan.primaries, out);
	add_rows("control", &experiment->plan.controls, out);
	add_arms(&experiment->plan, out);
	add_changes(&experiment->plan, out);
}

void ab_plan_print(const struct experiment *experiment)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const struct table_style style = report_style(0);

	ab_plan_add(experiment, &text);
	if (style.ascii)
		text_make_ascii(&text);
	text_print_lines(stdout, &text, style.width);
}
