// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings/findings-list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "findings-format.h"
#include "metric/units.h"

const struct table_column findings_columns[FINDINGS_COLUMN_COUNT] = {
        {"METRIC", false, SHRINKS_ALWAYS, 0}, {"GROUP", false, SHRINKS_ALWAYS, 0},
        {"A", true, SHRINKS_NEVER, 0},        {"B", true, SHRINKS_NEVER, 0},
        {"CHANGE", true, SHRINKS_NEVER, 0},   {"95% INTERVAL", true, SHRINKS_NEVER, 0},
        {"P", true, SHRINKS_NEVER, 0},        {"HOST", true, SHRINKS_NEVER, 1},
        {"ANSWER", false, SHRINKS_NEVER, 0},  {"SPREAD", true, SHRINKS_NEVER, 2},
};

/* The mark that compare has for the same. */
static const char began_before_mark[] = "§";

void findings_add_value(const struct effect *effect, double value, struct strbuf *out)
{
	effect_add_number(effect, value, false, out);
	strbuf_add_str(out, measure_per_table[effect->per].suffix);
}

/* The end of an interval has no "/s" behind it, which takes much of 80 columns. */
static void add_end(const struct effect *effect, double y, struct strbuf *out)
{
	if (effect_has_percent(effect))
		effect_add_change(effect, y, out);
	else
		effect_add_number(effect, effect_difference(effect, y), true, out);
}

enum table_color findings_add_cell(const struct effect *effect, enum findings_column column,
                                   struct strbuf *out)
{
	switch (column) {
	case FINDINGS_METRIC:
		findings_add_name(effect->metric, out);
		break;
	case FINDINGS_GROUP:
		if (effect->group)
			strbuf_add_str(out, effect->group);
		else
			effect_add_key(effect, out);
		break;
	case FINDINGS_A:
	case FINDINGS_B:
		findings_add_value(effect, effect->means[column == FINDINGS_B], out);
		if (effect->began_before[column == FINDINGS_B])
			strbuf_add_str(out, began_before_mark);
		break;
	case FINDINGS_CHANGE:
		effect_add_change(effect, effect->test.mean, out);
		return effect->answer != ANSWER_MOVED ? COLOR_NONE
		       : effect->test.mean > 0        ? COLOR_MORE
		                                      : COLOR_LESS;
	case FINDINGS_INTERVAL:
		if (!effect->has_interval)
			break;
		add_end(effect, effect->ci95.low, out);
		strbuf_add_char(out, ' ');
		add_end(effect, effect->ci95.high, out);
		break;
	case FINDINGS_P:
		if (effect->p.is_defined)
			strbuf_addf(out, effect->p.p < .0001 ? "<.0001" : "%.2g", effect->p.p);
		break;
	case FINDINGS_SHARE:
		if (isfinite(effect->share))
			strbuf_addf(out, "%+.2f%%", 100 * effect->share);
		break;
	case FINDINGS_ANSWER:
		strbuf_add_str(out, effect_answer_names[effect->answer]);
		strbuf_add_str(out, effect->is_inside_margin ? " (m)" : "");
		break;
	case FINDINGS_SPREAD:
		if (effect->test.has_sd)
			findings_add_spread(effect, effect->test.sd, out);
		break;
	case FINDINGS_COLUMN_COUNT:
		break;
	}
	return COLOR_NONE;
}

/* Rows that were named come first, whatever they say; then what moved; all others only if they were asked for. */
void findings_list_init(struct findings_list *list, const struct findings *findings,
                        const struct comparison *comparison)
{
	size_t moved = 0;

	*list = (struct findings_list){
	        .rows = mem_calloc(comparison->count + 1, sizeof(*list->rows))};
	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];
		bool always = effect->role == ROLE_PRIMARY || effect->role == ROLE_OUTCOME;

		if (effect->role == ROLE_OTHER && effect->answer == ANSWER_MOVED &&
		    findings->limit > 0 && moved++ >= findings->limit) {
			list->left_out++;
			continue;
		}
		if (always || effect->answer == ANSWER_MOVED || findings->verbose)
			list->rows[list->count++] = effect;
	}
}

void findings_list_done(struct findings_list *list)
{
	free(list->rows);
	*list = (struct findings_list){0};
}

static bool has_inside_margin(const struct findings_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i]->is_inside_margin)
			return true;
	return false;
}

static bool has_began_before(const struct findings_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i]->began_before[0] || list->rows[i]->began_before[1])
			return true;
	return false;
}

void findings_list_add_notes(const struct findings_list *list, const struct findings *findings,
                             struct strbuf *out)
{
	if (list->left_out > 0)
		strbuf_addf(out, "%zu more rows moved (--limit 0 shows all)\n", list->left_out);
	if (has_inside_margin(list))
		strbuf_addf(out, "(m): it moved, and by less than the margin of %g %%\n",
		            100 * findings->trial->margin);
	if (has_began_before(list))
		strbuf_addf(out, "%s waits began before the window; this is their part in it\n",
		            began_before_mark);
}

/* Adds "B = tuned", or the name alone if it is the letter. */
static void add_arm(const struct trial_arm *arm, const char *letter, struct strbuf *out)
{
	if (strcmp(arm->name, letter) != 0)
		strbuf_addf(out, "%s = ", letter);
	findings_add_name(arm->name, out);
}

void findings_add_answers(const struct findings *findings, const struct comparison *comparison,
                          struct strbuf *out)
{
	const struct trial *trial = findings->trial;

	add_arm(&trial->arms[comparison->plan.b], "B", out);
	strbuf_add_str(out, " against ");
	add_arm(&trial->arms[comparison->plan.a], "A", out);
	strbuf_addf(out, ": %zu moved, %zu same, %zu unknown\n",
	            comparison->by_answer[ANSWER_MOVED], comparison->by_answer[ANSWER_SAME],
	            comparison->by_answer[ANSWER_UNKNOWN]);
}

void findings_add_gates(const struct findings *findings, struct strbuf *out)
{
	for (size_t i = 0; i < findings->gate_count; i++) {
		const struct gate_finding *gate = &findings->gates[i];

		strbuf_addf(out, "%-10s ", gate_result_names[gate->result]);
		findings_add_name(gate->gate->text, out);
		strbuf_addf(out, "%s%s\n", gate->reason[0] ? ": " : "", gate->reason);
	}
}
