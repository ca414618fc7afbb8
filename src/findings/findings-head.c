// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines around the tables. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "findings-format.h"
#include "metric/units.h"
#include "when/local-time.h"

/* Arms and settings that a screen has room for. */
enum { LINES_SHOWN = 4, SETTINGS_SHOWN = 3, GROUPS_SHOWN = 4 };

static void add_plural(size_t count, const char *one, struct strbuf *out)
{
	strbuf_addf(out, "%zu %s%s", count, one, count == 1 ? "" : "s");
}

static void add_time(uint64_t ns, struct strbuf *out)
{
	units_format(UNIT_ns, quantity_integer(ns), false, out);
}

static void add_arm(const struct trial_arm *arm, bool verbose, struct strbuf *out)
{
	size_t shown = verbose || arm->line_count < LINES_SHOWN ? arm->line_count : LINES_SHOWN;

	findings_add_name(arm->name, out);
	strbuf_add_str(out, ": ");
	for (size_t i = 0; i < shown; i++) {
		strbuf_add_str(out, i > 0 ? "; " : "");
		findings_add_name(arm->lines[i], out);
	}
	if (arm->line_count == 0)
		strbuf_add_str(out, "nothing is changed");
	if (shown < arm->line_count)
		strbuf_addf(out, "; and %zu more", arm->line_count - shown);
	strbuf_add_char(out, '\n');
}

/* "2026-11-23 10:00:00 to 10:05:01 CET (31 windows, 1 gap of 2.004s left out)" */
static void add_range(const struct trial_time *time, struct strbuf *out)
{
	local_time_add_span((time_t)(time->begin_unix_ns / NS_PER_SECOND),
	                    (time_t)(time->end_unix_ns / NS_PER_SECOND), out);
	strbuf_add_str(out, " (");
	add_plural(time->windows, "window", out);
	if (time->gaps > 0) {
		strbuf_add_str(out, ", ");
		add_plural(time->gaps, "gap", out);
		strbuf_add_str(out, " of ");
		add_time(time->gap_ns, out);
		strbuf_add_str(out, " left out");
	}
	strbuf_add_char(out, ')');
}

/* Adds when the windows of an arm's ranges of recordings really are: ranges are widened to whole windows. */
static void add_ranges(const struct findings *findings, unsigned arm, struct strbuf *out)
{
	const struct trial *trial = findings->trial;
	size_t shown = 0, count = 0;

	for (size_t i = 0; i < trial->unit_count; i++) {
		const struct trial_unit *unit = &trial->units[i];

		if (unit->arm != arm || unit->time.windows == 0)
			continue;
		if (count++ >= LINES_SHOWN && !findings->verbose)
			continue;
		if (shown++ == 0) {
			strbuf_add_str(out, "ranges     ");
			findings_add_name(trial->arms[arm].name, out);
		}
		strbuf_add_str(out, shown > 1 ? "; " : ": ");
		add_range(&unit->time, out);
	}
	if (shown < count)
		strbuf_addf(out, "; and %zu more", count - shown);
	if (count > 0)
		strbuf_add_char(out, '\n');
}

/* Not all ranges are shown. */
static void add_gaps(const struct trial *trial, struct strbuf *out)
{
	size_t ranges = 0, with_gaps = 0;
	uint64_t gap_ns = 0;

	for (size_t i = 0; i < trial->unit_count; i++) {
		const struct trial_time *time = &trial->units[i].time;

		ranges += time->windows > 0;
		with_gaps += time->gaps > 0;
		saturating_add_to(&gap_ns, time->gap_ns);
	}
	if (with_gaps == 0)
		return;
	strbuf_addf(out, "gaps       left out of %zu of %zu ranges, ", with_gaps, ranges);
	add_time(gap_ns, out);
	strbuf_add_str(out, " in all\n");
}

/* The middle one of the lengths of windows; 0 if none is known. */
static uint64_t length_of(const struct trial *trial)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < trial->unit_count; i++)
		sum += trial->units[i].length_ns / trial->unit_count;
	return sum;
}

static void add_order(const struct findings *findings, struct strbuf *out)
{
	const struct trial *trial = findings->trial;

	strbuf_add_str(out, "units      ");
	add_plural(trial->unit_count, "window", out);
	if (length_of(trial) > 0) {
		strbuf_add_str(out, " of ");
		add_time(length_of(trial), out);
	}
	strbuf_add_str(out, " in ");
	add_plural(trial->block_count, "block", out);
	if (trial->order == TRIAL_ORDER_TOSSED) {
		strbuf_add_str(out, ", order by coins, settle ");
		add_time(trial->settle_ns, out);
		strbuf_addf(out, ", seed %llu", (unsigned long long)trial->seed);
	} else {
		strbuf_add_str(out,
		               trial->order == TRIAL_ORDER_FOUND
		                       ? ", taken elsewhere: p is right if coins gave the order"
		                       : ", one arm after the other");
	}
	strbuf_add_char(out, '\n');
	if (trial->is_unfinished)
		strbuf_addf(out, "unfinished %zu of %zu blocks were completed\n",
		            trial->block_count, trial->planned_blocks);
	if (trial->partial > 0) {
		strbuf_add_str(out, "left out   ");
		add_plural(trial->partial, "block", out);
		strbuf_add_str(out, " without all arms\n");
	}
}

static void add_sessions(const struct findings *findings, struct strbuf *out)
{
	const struct comparison *comparison =
	        findings->count > 0 ? &findings->comparisons[0] : NULL;

	if (comparison && comparison->parts.kind == PART_HOST)
		strbuf_addf(out,
		            "hosts      %zu, of which each has one contrast in each row, so that "
		            "the answers are about other hosts as well\n",
		            comparison->parts.count);
	else if (comparison && comparison->parts.kind == PART_SESSION)
		strbuf_addf(out,
		            "sessions   %zu boots: one contrast for each, so that the "
		            "answers are about others as well\n",
		            comparison->parts.count);
	else if (!findings->trial->boots_differ)
		strbuf_add_str(out,
		               "session    one: the answers are about this boot of this host\n");
}

void findings_add_head(const struct findings *findings, struct strbuf *out)
{
	const struct trial *trial = findings->trial;

	strbuf_add_str(out, "experiment ");
	findings_add_name(trial->name ? trial->name : "", out);
	if (!trial->name)
		strbuf_add_str(out, "without a name");
	strbuf_add_char(out, '\n');
	for (unsigned arm = 0; arm < trial->arm_count; arm++) {
		strbuf_add_str(out, "arm        ");
		add_arm(&trial->arms[arm], findings->verbose, out);
		add_ranges(findings, arm, out);
	}
	add_gaps(trial, out);
	add_order(findings, out);
	add_sessions(findings, out);
}

static void add_tally(const struct comparison *comparison, size_t check, const char *label,
                      const char *what, struct strbuf *out)
{
	struct check_tally tally = effects_tally(comparison, check);

	if (tally.rows == 0)
		return;
	strbuf_addf(out, "%-10s %zu of %zu rows %s (%.1f %%; 5 %% by chance)\n", label, tally.low,
	            tally.rows, what, 100 * (double)tally.low / (double)tally.rows);
}

/* The effect in each session, and how much sessions differ. */
static void add_session_effects(const struct comparison *comparison, const struct effect *effect,
                                struct strbuf *out)
{
	cleanup_(mem_freep) double *means = mem_calloc(comparison->blocks + 1, sizeof(means[0]));
	size_t count = comparison->parts.count;

	parts_means(&comparison->parts, effect->contrasts, means);
	strbuf_add_str(out, "           ");
	effect_add_name(effect, out);
	strbuf_add_str(out, " by session:");
	for (size_t i = 0; i < count; i++) {
		strbuf_add_char(out, ' ');
		effect_add_change(effect, means[i], out);
	}
	if (effect->test.has_sd) {
		strbuf_add_str(out, ", sd ");
		effect_add_change(effect, effect->test.sd, out);
	}
	strbuf_add_char(out, '\n');
}

/* Rows that somebody named have their own numbers. */
static void add_named(const struct comparison *comparison, bool verbose, struct strbuf *out)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];

		if (effect->role == ROLE_PRIMARY && comparison->parts.kind == PART_SESSION)
			add_session_effects(comparison, effect, out);
		if (effect->role == ROLE_PRIMARY && comparison->parts.kind == PART_HOST)
			findings_add_host_effects(comparison, effect, verbose, out);
		if (effect->role != ROLE_PRIMARY || !effect->drift_p.is_defined)
			continue;
		strbuf_add_str(out, "           ");
		effect_add_name(effect, out);
		strbuf_add_str(out, " drifts by ");
		effect_add_change(effect, effect->drift, out);
		strbuf_addf(out, " a block (p %.2g)", effect->drift_p.p);
		if (effect->carry_p.is_defined)
			strbuf_addf(out, ", carry-over p %.2g", effect->carry_p.p);
		strbuf_add_char(out, '\n');
	}
}

/* Less is what two windows of a quiet host may differ by. */
static void add_ends(const struct comparison *comparison, struct strbuf *out)
{
	enum { SHOWN_PERCENT = 5 };
	const double *percent = comparison->unaccounted_percent;

	if (!(percent[0] >= SHOWN_PERCENT) && !(percent[1] >= SHOWN_PERCENT))
		return;
	strbuf_add_str(out, "exits      threads ended unseen, with ");
	for (unsigned i = 0; i < 2; i++) {
		strbuf_add_str(out, i == 0 ? "" : ", and ");
		if (isnan(percent[i]))
			strbuf_add_str(out, "an unknown part");
		else
			strbuf_addf(out, "%.0f %%", percent[i]);
		strbuf_add_str(out, i == 0 ? " of a CPU in " : " in ");
		findings_add_name(comparison->plan.trial
		                          ->arms[i == 0 ? comparison->plan.a : comparison->plan.b]
		                          .name,
		                  out);
	}
	strbuf_add_str(out, ": no row has it\n");
}

static void add_controls(const struct comparison *comparison, struct strbuf *out)
{
	size_t moved = 0, count = 0;

	for (size_t i = 0; i < comparison->count; i++) {
		count += comparison->effects[i].role == ROLE_CONTROL;
		moved += comparison->effects[i].role == ROLE_CONTROL &&
		         comparison->effects[i].answer == ANSWER_MOVED;
	}
	if (comparison->plan.trial->controls.count == 0) {
		strbuf_add_str(out, "controls   none was named\n");
		return;
	}
	strbuf_addf(out, "controls   %zu of ", moved);
	add_plural(count, "row", out);
	strbuf_add_str(out, " moved\n");
}

static void add_guards(const struct comparison *comparison, bool verbose, struct strbuf *out)
{
	const struct trial *trial = comparison->plan.trial;

	if (trial->guards.count == 0 && trial->voided == 0)
		return;
	/* An interruption voids a block as well. */
	strbuf_add_str(out, trial->guards.count > 0 ? "guards     " : "blocks     ");
	for (size_t i = 0; i < trial->guards.count; i++) {
		strbuf_add_str(out, i > 0 ? ", " : "");
		findings_add_name(trial->guards.entries[i], out);
	}
	strbuf_add_str(out, trial->guards.count > 0 ? ": " : "");
	add_plural(trial->voided, "block", out);
	strbuf_add_str(out, " voided\n");
	for (size_t i = 0; verbose && i < trial->void_reasons.count; i++) {
		strbuf_add_str(out, "           ");
		findings_add_name(trial->void_reasons.entries[i], out);
		strbuf_add_char(out, '\n');
	}
}

static void add_settings(const struct findings *findings, const struct comparison *comparison,
                         struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	size_t most = findings->verbose ? SIZE_MAX : SETTINGS_SHOWN;
	size_t count = findings_add_settings(findings, comparison, most, &text);

	if (count == 0) {
		strbuf_add_str(out, "settings   none differs that the arms do not name\n");
		return;
	}
	strbuf_addf(out, "settings   also differ: %s", strbuf_str(&text));
	if (count > most)
		strbuf_addf(out, ", and %zu more (-v)", count - most);
	strbuf_add_char(out, '\n');
}

void findings_add_failures(const struct comparison *comparison, struct strbuf *out)
{
	for (size_t i = 0; i < comparison->failures.count; i++)
		strbuf_addf(out, "INVALID    %s\n", comparison->failures.entries[i]);
	if (comparison->failures.count > 0)
		strbuf_add_str(out, "           so that no row has another answer than unknown\n");
	for (size_t i = 0; i < comparison->doubts.count; i++)
		strbuf_addf(out, "DOUBTFUL   %s\n", comparison->doubts.entries[i]);
}

void findings_add_validity(const struct findings *findings, const struct comparison *comparison,
                           struct strbuf *out)
{
	add_tally(comparison, offsetof(struct effect, drift_p), "drift",
	          "have a trend of the first arm", out);
	add_tally(comparison, offsetof(struct effect, null_p), "A/A",
	          "differ in a contrast whose truth is zero", out);
	add_tally(comparison, offsetof(struct effect, carry_p), "carry-over",
	          "depend on the arm before", out);
	add_named(comparison, findings->verbose, out);
	findings_add_hosts(comparison, findings->verbose, out);
	add_ends(comparison, out);
	add_controls(comparison, out);
	add_guards(comparison, findings->verbose, out);
	add_settings(findings, comparison, out);
}

static int by_number(const void *a_ptr, const void *b_ptr)
{
	const double *a = a_ptr, *b = b_ptr;

	return (*a > *b) - (*a < *b);
}

/* The middle of what the unknown rows could have shown, and of the blocks that would decide them. */
static void add_unknown(const struct comparison *comparison, struct strbuf *out)
{
	double *effects = mem_calloc(comparison->count + 1, sizeof(effects[0]));
	double *blocks = mem_calloc(comparison->count + 1, sizeof(blocks[0]));
	size_t count = 0;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];

		if (effect->answer != ANSWER_UNKNOWN || effect->role == ROLE_CONTROL ||
		    !effect_has_percent(effect))
			continue;
		effects[count] = effect_percent(effect, effect->detectable);
		blocks[count++] =
		        effect->blocks_needed > 0 ? (double)effect->blocks_needed : INFINITY;
	}
	qsort(effects, count, sizeof(effects[0]), by_number);
	qsort(blocks, count, sizeof(blocks[0]), by_number);
	if (count > 0 && comparison->failures.count == 0) {
		strbuf_add_str(out, isfinite(effects[count / 2])
		                            ? ": half of them would have shown "
		                            : ": so few blocks cannot ");
		if (isfinite(effects[count / 2]))
			strbuf_addf(out, "%.1f %% or more", effects[count / 2]);
		else
			strbuf_add_str(out, "show any effect of most");
		if (isfinite(blocks[count / 2]))
			strbuf_addf(out, "; %.0f %ss would decide half", blocks[count / 2],
			            part_kind_names[comparison->parts.kind]);
	}
	free(effects);
	free(blocks);
}

static void add_presence(const struct findings *findings, struct strbuf *out)
{
	size_t count;
	struct group_presence *found = findings_find_partial(findings, &count);
	size_t shown = findings->verbose || count < GROUPS_SHOWN ? count : GROUPS_SHOWN;

	if (count > 0)
		strbuf_addf(out, "apart      %zu group%s not in all units", count,
		            count == 1 ? " is" : "s are");
	for (size_t i = 0; i < shown; i++) {
		strbuf_addf(out, "%s%s (", i > 0 ? ", " : ": ", found[i].group->label);
		for (size_t arm = 0; arm < findings->trial->arm_count; arm++) {
			strbuf_add_str(out, arm > 0 ? ", " : "");
			findings_add_name(findings->trial->arms[arm].name, out);
			strbuf_addf(out, " %zu/%zu", found[i].in[arm], found[i].of[arm]);
		}
		strbuf_add_char(out, ')');
	}
	if (shown < count)
		strbuf_addf(out, ", and %zu more (-v)", count - shown);
	if (count > 0)
		strbuf_add_char(out, '\n');
	free(found);
}

void findings_add_rest(const struct findings *findings, const struct comparison *comparison,
                       struct strbuf *out)
{
	strbuf_addf(out, "same       %zu rows, within ±%g %%\n", comparison->by_answer[ANSWER_SAME],
	            100 * findings->trial->margin);
	strbuf_addf(out, "unknown    %zu rows", comparison->by_answer[ANSWER_UNKNOWN]);
	add_unknown(comparison, out);
	strbuf_addf(out,
	            "\nnot tested %zu that never changed, %zu mostly zero, %zu not always seen, "
	            "%zu repeats",
	            comparison->equal, comparison->rare, comparison->unseen, comparison->repeats);
	if (comparison->unlike > 0)
		strbuf_addf(out, ", %zu of which one arm lacks threads", comparison->unlike);
	strbuf_add_char(out, '\n');
	if (comparison->parts.kind == PART_BLOCK && comparison->smallest_flip_p > .05)
		strbuf_add_str(out,
		               "too few    with fewer than 6 blocks no row can have moved: the "
		               "coins allow no p below .05\n");
	add_presence(findings, out);
}
