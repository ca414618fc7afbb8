// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "metric/units.h"
#include "report-overview.h"
#include "report/report-text.h"

/* Parts of a line, with separators. */
struct line {
	struct strbuf *out;
	const char *heading;
	bool begun;
};

static struct strbuf *next_part(struct line *line, const char *separator)
{
	strbuf_add_str(line->out, line->begun ? separator : line->heading);
	line->begun = true;
	return line->out;
}

static void end_line(const struct line *line)
{
	if (line->begun)
		strbuf_add_char(line->out, '\n');
}

/* Returns the threads, or processes, for which the source was requested. */
static uint64_t asked(const struct snapshot_tally *tally, unsigned source)
{
	uint64_t sum = 0;

	for (unsigned o = OUTCOME_read; o < OUTCOME_COUNT; o++)
		sum += tally->sources[source][o];
	return sum;
}

/* Adds "io (12 of 143)", or the name alone if there is no count. */
static void add_source(const struct snapshot_info *info, unsigned source, unsigned outcome,
                       struct strbuf *out)
{
	uint64_t count = info->tally.sources[source][outcome], all = asked(&info->tally, source);

	strbuf_add_str(out, source_table[source].name);
	if (count < all)
		strbuf_addf(out, " (%llu of %llu)", (unsigned long long)count,
		            (unsigned long long)all);
}

static bool has_outcome(const struct snapshot_info *info, unsigned source, unsigned outcome)
{
	return info->tally.sources[source][outcome] > 0 ||
	       (info->rules[source] == outcome && asked(&info->tally, source) == 0);
}

/* Adds "sources   denied: io (12 of 143), taskstats; off: sched". */
static void add_sources(const struct snapshot_info *info, const char *heading, struct strbuf *out)
{
	struct line line = {.out = out, .heading = heading};

	for (unsigned o = OUTCOME_read + 1; o < OUTCOME_COUNT; o++) {
		bool named = false;

		for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++) {
			if (!has_outcome(info, s, o))
				continue;
			if (named)
				strbuf_add_str(out, ", ");
			else
				strbuf_addf(next_part(&line, "; "), "%s: ", outcome_table[o].name);
			named = true;
			add_source(info, s, o, out);
		}
	}
	end_line(&line);
}

/* Returns the text for a tool that has few of its sources in the file; the note explains it. */
static const char *no_sources(const struct snapshot_info *info)
{
	return info->origin == ORIGIN_ktstr ? "see the note\n" : "nothing\n";
}

static void add_impossible_part(const char **separator, enum metric_id metric, uint64_t count,
                                struct strbuf *out)
{
	if (count == 0)
		return;
	strbuf_addf(out, "%s%s %llu", *separator, metric_table[metric].name,
	            (unsigned long long)count);
	*separator = ", ";
}

/* Adds "impossible baseline: 2 values beyond the thread's life, left out: blkio_delay_total_ns 1, blkio_delay_max_ns 1". */
static void add_impossible(const struct snapshot_tally *tally, const char *side, struct strbuf *out)
{
	uint64_t values = snapshot_tally_impossible(tally);
	uint64_t totals = snapshot_tally_impossible_totals(tally);
	const char *separator = "";

	if (values > 0) {
		strbuf_addf(out,
		            "impossible %s%llu value%s beyond the thread's life, left out: ", side,
		            (unsigned long long)values, values == 1 ? "" : "s");
		for (unsigned i = 0; i < METRIC_COUNT; i++)
			add_impossible_part(&separator, (enum metric_id)i, tally->impossible[i],
			                    out);
		strbuf_add_char(out, '\n');
	}
	if (totals == 0)
		return;
	separator = "";
	strbuf_addf(out,
	            "impossible %s%llu process total%s beyond age times CPUs, left out: ", side,
	            (unsigned long long)totals, totals == 1 ? "" : "s");
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		add_impossible_part(&separator, process_total_table[i].metric,
		                    tally->impossible_totals[i], out);
	strbuf_add_char(out, '\n');
}

void report_add_missing(const struct report *report, struct strbuf *out)
{
	static const char *const headings[SIDE_MAX] = {"missing   baseline: ",
	                                               "missing   candidate: "};
	struct strbuf texts[SIDE_MAX] = {STRBUF_INIT, STRBUF_INIT};

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_sources(report->sides[side].info, "", &texts[side]);
	if (texts[0].len > 0 && strcmp(strbuf_str(&texts[0]), strbuf_str(&texts[1])) == 0)
		strbuf_addf(out, "missing   on both sides: %s", strbuf_str(&texts[0]));
	else if (texts[0].len + texts[1].len > 0)
		for (unsigned side = 0; side < SIDE_MAX; side++)
			strbuf_addf(out, "%s%s", headings[side],
			            texts[side].len > 0 ? strbuf_str(&texts[side])
			                                : no_sources(report->sides[side].info));
	for (unsigned side = 0; side < SIDE_MAX; side++)
		strbuf_done(&texts[side]);
	add_impossible(&report->sides[SIDE_BASELINE].info->tally, "baseline: ", out);
	add_impossible(&report->sides[SIDE_CANDIDATE].info->tally, "candidate: ", out);
	if (report->interval)
		add_impossible(&report->interval->tally, "in between: ", out);
}

/* Adds the requests of taskstats, by the words of their answers. */
static void add_taskstats(const struct snapshot_tally *tally, struct strbuf *out)
{
	const uint64_t *outcomes = tally->sources[SOURCE_taskstats];
	uint64_t requests = asked(tally, SOURCE_taskstats);

	if (outcomes[OUTCOME_read] + outcomes[OUTCOME_denied] + outcomes[OUTCOME_gone] == 0)
		return;
	strbuf_addf(out, "taskstats %llu ok, %llu EPERM, %llu ESRCH, %llu other\n",
	            (unsigned long long)outcomes[OUTCOME_read],
	            (unsigned long long)outcomes[OUTCOME_denied],
	            (unsigned long long)outcomes[OUTCOME_gone],
	            (unsigned long long)(requests - outcomes[OUTCOME_read] -
	                                 outcomes[OUTCOME_denied] - outcomes[OUTCOME_gone]));
}

static void add_count(struct line *line, uint64_t count, const char *one, const char *many)
{
	if (count > 0)
		strbuf_addf(next_part(line, ", "), "%llu %s", (unsigned long long)count,
		            count == 1 ? one : many);
}

static void add_parse(const struct snapshot_tally *tally, struct strbuf *out)
{
	struct line line = {.out = out, .heading = "parse     "};

	add_count(&line, tally->threads_gone, "thread gone", "threads gone");
	add_count(&line, tally->threads_unreadable, "thread unreadable", "threads unreadable");
	add_count(&line, tally->processes_gone, "process gone", "processes gone");
	add_count(&line, tally->processes_denied, "process denied", "processes denied");
	add_count(&line, tally->processes_stalled, "process stalled", "processes stalled");
	add_count(&line, tally->malformed_values, "malformed value", "malformed values");
	add_count(&line, tally->cgroups, "cgroup read", "cgroups read");
	add_count(&line, tally->cgroups_gone, "cgroup gone", "cgroups gone");
	add_count(&line, tally->cgroups_denied, "cgroup denied", "cgroups denied");
	add_count(&line, tally->cgroups_outside, "cgroup outside of what is mounted",
	          "cgroups outside of what is mounted");
	end_line(&line);
}

static void add_amount(struct line *line, const struct snapshot_info *info, enum capture_cost cost,
                       const char *format)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *amount = strchr(format, '%');

	if (!info->cost_seen[cost])
		return;
	units_format(capture_cost_table[cost].unit, quantity_integer(info->cost[cost]), false,
	             &text);
	next_part(line, ", ");
	strbuf_add(line->out, format, (size_t)(amount - format));
	strbuf_add(line->out, text.data, text.len);
	strbuf_add_str(line->out, amount + 1);
}

static void add_cost(const struct report_side *side, struct strbuf *out)
{
	const struct snapshot_info *info = side->info;
	struct line line = {.out = out, .heading = "cost      "};

	add_amount(&line, info, COST_wall_ns, "% wall");
	add_amount(&line, info, COST_user_cpu_ns, "% user CPU");
	add_amount(&line, info, COST_system_cpu_ns, "% system CPU");
	add_amount(&line, info, COST_read_calls, "% reads");
	add_amount(&line, info, COST_write_calls, "% writes");
	add_amount(&line, info, COST_walk_spread_ns, "% walk spread");
	if (info->cost[COST_thread_stops] > 0) {
		add_amount(&line, info, COST_thread_stops,
		           info->cost[COST_thread_stops] == 1 ? "% thread stopped"
		                                              : "% threads stopped");
		add_amount(&line, info, COST_longest_stop_ns, "% at most");
		add_amount(&line, info, COST_total_stop_ns, "% together");
	}
	add_amount(&line, info, COST_json_bytes, "% of JSON");
	if (line.begun && side->file_bytes > 0) {
		next_part(&line, ", ");
		units_format(UNIT_bytes, quantity_integer(side->file_bytes), false, out);
		strbuf_add_str(out, " of file");
	}
	add_amount(&line, info, COST_peak_rss_bytes, "% peak RSS");
	end_line(&line);
}

void report_add_tally(const struct report *report, unsigned side, struct strbuf *out)
{
	const struct snapshot_info *info = report->sides[side].info;

	add_sources(info, "sources   ", out);
	add_taskstats(&info->tally, out);
	report_add_probe(&info->probe, out);
	add_parse(&info->tally, out);
	add_impossible(&info->tally, "", out);
	add_cost(&report->sides[side], out);
}

bool report_add_denied_threads(const struct report *report, unsigned source, struct strbuf *out)
{
	uint64_t denied[SIDE_MAX] = {0}, all[SIDE_MAX] = {0};
	unsigned sides = report->rows->sides, first = 0;
	bool any = false, every = true;

	for (unsigned side = 0; side < sides; side++) {
		const uint64_t *outcomes = report->sides[side].info->tally.sources[source];

		denied[side] = outcomes[OUTCOME_denied];
		for (unsigned o = OUTCOME_read; o < OUTCOME_COUNT; o++)
			all[side] += outcomes[o];
		any = any || denied[side] > 0;
		every = every && denied[side] == all[side];
	}
	if (!any || every)
		return any;
	if (sides == SIDE_MAX && denied[0] == denied[1] && (report->interval || all[0] == all[1]))
		first = SIDE_CANDIDATE;
	for (unsigned side = first; side < sides; side++)
		strbuf_addf(out, "%s%llu of %llu", side == first ? " (" : overview_arrow(report),
		            (unsigned long long)denied[side], (unsigned long long)all[side]);
	strbuf_add_str(out, " threads)");
	return true;
}

static uint64_t count_impossible(const struct snapshot_info *info)
{
	return snapshot_tally_impossible(&info->tally) +
	       snapshot_tally_impossible_totals(&info->tally);
}

bool report_add_impossible(const struct report *report, struct strbuf *out)
{
	uint64_t counts[SIDE_MAX] = {0};
	uint64_t between = report->interval ? count_impossible(report->interval) : 0;
	bool differ = false;

	for (unsigned side = 0; side < report->rows->sides; side++) {
		counts[side] = count_impossible(report->sides[side].info);
		differ = differ || counts[side] != counts[0];
	}
	if (counts[0] > 0 || differ) {
		strbuf_addf(out, "%llu", (unsigned long long)counts[0]);
		if (differ)
			strbuf_addf(out, "%s%llu", overview_arrow(report),
			            (unsigned long long)counts[1]);
		strbuf_addf(out, " impossible value%s", differ || counts[0] > 1 ? "s" : "");
	}
	if (between > 0)
		strbuf_addf(out, "%s%llu impossible difference%s", out->len > 0 ? ", " : "",
		            (unsigned long long)between, between == 1 ? "" : "s");
	return out->len > 0;
}
