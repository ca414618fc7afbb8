// SPDX-License-Identifier: GPL-2.0-or-later
/* The two lines above a table: the second one, and both together. Neither is wider than the terminal. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-overview.h"

/* Parts of a line, the most important first. */
struct parts {
	struct strbuf texts[12];
	unsigned count;
};

static struct strbuf *next_part(struct parts *parts)
{
	return &parts->texts[parts->count++];
}

static void parts_done(struct parts *parts)
{
	for (unsigned i = 0; i < ARRAY_SIZE(parts->texts); i++)
		strbuf_done(&parts->texts[i]);
}

/* Adds those parts that fit a line, or with @rest the others, with semicolons between them. */
static void add_parts(const struct report *report, const struct parts *parts, bool rest,
                      struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT, others = STRBUF_INIT;

	for (unsigned i = 0; i < parts->count; i++) {
		const struct strbuf *text = &parts->texts[i];
		size_t before = line.len;

		strbuf_addf(&line, "%s%s", before > 0 ? "; " : "", strbuf_str(text));
		if (before == 0 || !overview_is_too_wide(report, &line))
			continue;
		strbuf_cut(&line, before);
		strbuf_addf(&others, "%s%s", others.len > 0 ? "; " : "", strbuf_str(text));
	}
	if (!rest)
		overview_add_line(report, &line, out);
	else if (others.len > 0)
		strbuf_addf(out, "%s\n", strbuf_str(&others));
}

static bool has_host_cpu(const struct report *report)
{
	const struct overview *overview = report->overview;

	return overview && overview->seen[ASPECT_cpu] && !overview_is_of_lives(overview->kind);
}

/* "CPU% in rows 35→180 of 200": what all groups did together. */
static void add_host_cpu(const struct report *report, struct parts *parts)
{
	const struct overview *overview = report->overview;
	struct strbuf *line;

	if (!has_host_cpu(report))
		return;
	line = next_part(parts);
	strbuf_add_str(line, "CPU% in rows ");
	for (unsigned side = 0; side < overview->sides; side++)
		strbuf_addf(line, "%s%.0f", side > 0 ? overview_arrow(report) : "",
		            overview->host.values[ASPECT_cpu][side].amount);
	if (overview->scale.capacity[ASPECT_cpu] > 0) {
		strbuf_add_str(line, " of ");
		if (report->interval)
			strbuf_addf(line, "%.0f", overview->scale.capacity[ASPECT_cpu]);
		else
			overview_add_cpus(report, 100, line);
	}
}

static unsigned measured_sides(const struct report *report)
{
	return report->interval ? 1 : report->rows->sides;
}

/* Returns the metadata of the values: of the side, or of the window between the two. */
static const struct snapshot_info *measured(const struct report *report, unsigned side)
{
	return report->interval ? report->interval : report->sides[side].info;
}

static uint64_t number(const struct snapshot_info *info, enum window_number which)
{
	return info->kind == KIND_window && info->window.seen[which] ? info->window.numbers[which]
	                                                             : 0;
}

/* Returns the CPU time of the whole host by the kernel's own count, in clock ticks; 0 if it is not known. */
static double ticks_of_host(const struct host *host)
{
	if (!host->seen[HOST_user_clock_ticks] || !host->seen[HOST_system_clock_ticks])
		return 0;
	return (double)(host->numbers[HOST_user_clock_ticks] +
	                host->numbers[HOST_system_clock_ticks]);
}

static void add_unaccounted(const struct report *report, struct parts *parts)
{
	double largest = 0;

	for (unsigned side = 0; side < measured_sides(report); side++) {
		const struct snapshot_info *info = measured(report, side);
		double ticks = (double)number(info, WINDOW_unaccounted_clock_ticks);

		if (ticks > 0 && ticks_of_host(&info->host) > 0)
			largest = fmax(largest, 100 * ticks / ticks_of_host(&info->host));
	}
	if (largest >= 0.95)
		strbuf_addf(next_part(parts), "%.0f+ %% of CPU time in no row", largest);
}

/* Returns how many CPUs the host used in percent, where a window has threads by chance, as in a pid namespace; NAN elsewhere. */
static double used_by_host(const struct snapshot_info *info)
{
	double seconds = (double)number(info, WINDOW_length_ns) / NS_PER_SECOND;
	double ticks = ticks_of_host(&info->host);

	if (info->window.seen[WINDOW_unaccounted_clock_ticks] || seconds <= 0 || ticks <= 0 ||
	    host_text(&info->host, HOST_selection) || info->host.seen[HOST_hosts])
		return NAN;
	return 100 * ticks / (double)host_ticks_per_second(&info->host) / seconds;
}

/* "the host used 107: not all threads are seen": rows alone would call a host idle that others keep busy. */
static void add_unseen(const struct report *report, struct parts *parts)
{
	static const char *const names[SIDE_MAX] = {" in the baseline", " in the candidate"};
	unsigned sides = has_host_cpu(report) ? measured_sides(report) : 0, least = 5;

	for (unsigned side = 0; side < sides; side++) {
		double used = used_by_host(measured(report, side));

		if (used >= report->overview->host.values[ASPECT_cpu][side].amount + least)
			strbuf_addf(next_part(parts),
			            "the host used %.0f: not all threads are seen%s", used,
			            sides > 1 ? names[side] : "");
	}
}

/* A reading of all threads that took much of the interval: each thread's interval is another one then. */
static void add_spread(const struct report *report, struct parts *parts)
{
	enum { PART = 20 };
	uint64_t spread = 0, length = UINT64_MAX;
	struct strbuf *line;

	if (overview_is_of_lives(overview_kind_of(report->rows)))
		return;
	for (unsigned side = 0; side < report->rows->sides; side++) {
		const struct snapshot_info *info = report->sides[side].info;

		if (info->cost_seen[COST_walk_spread_ns] &&
		    info->cost[COST_walk_spread_ns] > spread)
			spread = info->cost[COST_walk_spread_ns];
	}
	for (unsigned side = 0; side < measured_sides(report); side++) {
		uint64_t own = report->interval ? report->rows->interval_frame.length_ns
		                                : report->rows->frames[side].length_ns;

		length = own < length ? own : length;
	}
	if (spread <= length / PART)
		return;
	line = next_part(parts);
	strbuf_add_str(line, "reading took ");
	overview_add_time((double)spread, line);
}

static void add_lost(const struct report *report, struct parts *parts)
{
	uint64_t lost = 0, missed = 0;

	for (unsigned side = 0; side < measured_sides(report); side++) {
		lost += number(measured(report, side), WINDOW_threads_lost);
		missed += number(measured(report, side), WINDOW_threads_missed);
	}
	if (lost > 0 && missed > 0)
		strbuf_addf(next_part(parts), "%llu+ threads lost or never seen",
		            (unsigned long long)lost + missed);
	else if (lost > 0)
		strbuf_addf(next_part(parts), "%llu thread%s lost", (unsigned long long)lost,
		            lost == 1 ? "" : "s");
	else if (missed > 0)
		strbuf_addf(next_part(parts), "%llu+ never seen", (unsigned long long)missed);
}

static void add_sources(const struct report *report, bool sources[SOURCE_COUNT])
{
	for (unsigned a = 0; report->overview && a < ASPECT_COUNT; a++)
		for (unsigned s = 0; s < aspect_table[a].source_count; s++)
			for (unsigned i = 0; i < aspect_table[a].sources[s].count; i++)
				sources[metric_table[aspect_table[a].sources[s].metrics[i]]
				                .source] = true;
	if (report->overview || report->without_rows)
		return;
	for (size_t row = 0; row < report_shown(report); row++) {
		unsigned measure = report->rows->rows[row].measure;

		if (measure < METRIC_COUNT)
			sources[metric_table[measure].source] = true;
	}
}

/* Readings that were denied, of what the table shows. */
static void add_denied(const struct report *report, struct parts *parts)
{
	bool sources[SOURCE_COUNT] = {false};
	struct strbuf *line = NULL;

	add_sources(report, sources);
	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		cleanup_(strbuf_done) struct strbuf threads = STRBUF_INIT;

		if (!sources[s] || !report_add_denied_threads(report, s, &threads))
			continue;
		if (line)
			strbuf_add_str(line, ", ");
		else
			strbuf_add_str(line = next_part(parts), "denied: ");
		strbuf_addf(line, "%s%s", source_table[s].name, strbuf_str(&threads));
	}
}

/* "only pid 12": the processes that were selected, of both sides where they differ. */
static void add_selection(const struct report *report, struct parts *parts)
{
	const char *texts[SIDE_MAX] = {NULL};
	struct strbuf *line;
	bool any = false, same = true;

	for (unsigned side = 0; side < report->rows->sides; side++) {
		texts[side] = host_text(&report->sides[side].info->host, HOST_selection);
		any = any || texts[side];
		same = same && texts[side] && strcmp(texts[side], texts[0] ? texts[0] : "") == 0;
	}
	if (!any)
		return;
	line = next_part(parts);
	strbuf_add_str(line, same ? "only " : "processes: ");
	for (unsigned side = 0; side < (same ? 1 : report->rows->sides); side++) {
		const char *text = texts[side] ? texts[side] : "all";

		if (side > 0)
			strbuf_add_str(line, overview_arrow(report));
		text_add_escaped(line, text, strlen(text));
	}
}

static void add_trust(const struct report *report, bool rest, struct strbuf *out)
{
	cleanup_(parts_done) struct parts parts = {.count = 0};
	cleanup_(strbuf_done) struct strbuf impossible = STRBUF_INIT;
	uint64_t overlap_ns;
	bool same;

	if (report_is_swapped(report))
		strbuf_add_str(next_part(&parts), report_swapped_note);
	add_selection(report, &parts);
	add_host_cpu(report, &parts);
	add_spread(report, &parts);
	add_unaccounted(report, &parts);
	add_unseen(report, &parts);
	add_lost(report, &parts);
	if (report_add_impossible(report, &impossible))
		strbuf_add_str(next_part(&parts), strbuf_str(&impossible));
	if (overview_kind_of(report->rows) == OVERVIEW_CHANGE &&
	    report_windows_overlap(report, &overlap_ns, &same) && overlap_ns > 0 && !same)
		strbuf_add_str(next_part(&parts), "the windows overlap");
	if (report->sides[0].info->origin == ORIGIN_ktstr)
		strbuf_add_str(next_part(&parts), "ktstr ctprof: some zeros may be missing values");
	add_denied(report, &parts);
	add_parts(report, &parts, rest, out);
}

static void add_bounds(const struct report *report, struct strbuf *out)
{
	for (unsigned side = 0; side < report->rows->sides; side++) {
		cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

		if (overview_bounds_of(report, side, &line))
			overview_add_line(report, &line, out);
	}
}

void report_add_two_lines(const struct report *report, struct strbuf *out)
{
	report_add_compared(report, out);
	add_bounds(report, out);
	add_trust(report, false, out);
}

void report_add_second_rest(const struct report *report, struct strbuf *out)
{
	add_trust(report, true, out);
}
