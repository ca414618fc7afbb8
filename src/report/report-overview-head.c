// SPDX-License-Identifier: GPL-2.0-or-later
/* The two lines above a table. Neither is wider than the terminal. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-overview.h"

/* Appends a line, cut where the terminal ends. */
void overview_add_line(const struct report *report, struct strbuf *line, struct strbuf *out)
{
	const char *ellipsis = report->style.ascii ? "~" : "…";
	const char *text;
	size_t width = report->style.width;

	if (line->len == 0)
		return;
	if (report->style.ascii)
		text_make_ascii(line);
	text = strbuf_str(line);
	if (width == 0 || text_width(text, line->len) <= width) {
		strbuf_add(out, text, line->len);
	} else {
		strbuf_add(out, text, text_prefix_escaped(text, line->len, width - 1));
		strbuf_add_str(out, ellipsis);
	}
	strbuf_add_char(out, '\n');
}

const char *overview_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] != '\0' ? slash + 1 : path;
}

/* Returns the length of the path; without @RANGE if that is to be left out, since the bounds are below. */
static size_t path_len(const struct report *report, unsigned side, const char *path,
                       bool with_ranges)
{
	const struct snapshot_info *info = report->sides[side].info;
	const char *at = strrchr(path, '@');

	if (with_ranges || !at || info->kind != KIND_window || !info->window.seen[WINDOW_windows])
		return strlen(path);
	return (size_t)(at - path);
}

/* The files, without their folders where that tells them apart. */
static void add_paths(const struct report *report, bool with_ranges, struct strbuf *out)
{
	const char *paths[SIDE_MAX] = {report->sides[0].path, report->sides[1].path};
	bool two = report->rows->sides == SIDE_MAX;

	for (unsigned side = 0; side < report->rows->sides; side++) {
		const char *path = overview_last_part(paths[side]);

		if (two && strcmp(overview_last_part(paths[0]), overview_last_part(paths[1])) == 0)
			path = paths[side];
		if (side > 0)
			strbuf_addf(out, " %s ", overview_arrow(report));
		text_add_escaped(out, path, path_len(report, side, path, with_ranges));
	}
}

/* A field of the host, of both sides where they differ: "6.1.0→6.12.0". Nothing where no side has it. */
static void add_host_text(const struct report *report, enum host_field field, const char *separator,
                          struct strbuf *out)
{
	const char *shown = NULL;

	for (unsigned side = 0; side < report->rows->sides; side++) {
		const char *text = host_text(&report->sides[side].info->host, field);

		if (!text || (shown && strcmp(shown, text) == 0))
			continue;
		strbuf_add_str(out, shown ? overview_arrow(report) : separator);
		text_add_escaped(out, text, strlen(text));
		shown = text;
	}
}

/* Parts of the first line, in the order in which they leave it where it is too wide: what both sides have alike, and is in the
 * file anyway, before what is compared. */
enum { WITH_KERNEL, WITH_TIME, WITH_CPUS, WITH_HOSTNAME, WITH_RANGES, WITH_COUNT };

/* Returns the number of CPUs of a side, or of the other one if it is not known. */
static uint64_t cpus_of(const struct report *report, unsigned side)
{
	const struct row_set *rows = report->rows;

	return rows->frames[side].online_cpus > 0
	               ? rows->frames[side].online_cpus
	               : rows->frames[rows->sides - 1 - side].online_cpus;
}

bool report_has_unlike_cpus(const struct report *report)
{
	return report->rows->sides > 1 && cpus_of(report, 0) != cpus_of(report, 1);
}

/* "8→2" where they differ. */
static void add_cpus(const struct report *report, uint64_t factor, struct strbuf *out)
{
	unsigned last = report->rows->sides - 1;

	if (report_has_unlike_cpus(report))
		strbuf_addf(out, "%llu%s", (unsigned long long)factor * cpus_of(report, 0),
		            overview_arrow(report));
	strbuf_addf(out, "%llu", (unsigned long long)factor * cpus_of(report, last));
}

static uint64_t hosts_of(const struct report *report, unsigned side)
{
	const struct host *host = &report->sides[side].info->host;

	return host->seen[HOST_hosts] ? host->numbers[HOST_hosts] : 1;
}

/* ", 3 hosts" of merged windows, "3→1 hosts" where the sides differ. */
static void add_host_count(const struct report *report, struct strbuf *out)
{
	uint64_t last = hosts_of(report, report->rows->sides - 1), first = hosts_of(report, 0);

	if (first == last && last == 1)
		return;
	strbuf_add_str(out, ", ");
	if (first != last)
		strbuf_addf(out, "%llu%s", (unsigned long long)first, overview_arrow(report));
	strbuf_addf(out, "%llu hosts", (unsigned long long)last);
}

/* Those of several hosts are not known, and are not those of the other side. */
static bool has_cpus(const struct report *report)
{
	return hosts_of(report, 0) == 1 && hosts_of(report, report->rows->sides - 1) == 1;
}

static void add_host(const struct report *report, unsigned left, struct strbuf *out)
{
	const struct host *host = &report->sides[report->rows->sides - 1].info->host;

	if (left <= WITH_HOSTNAME)
		add_host_text(report, HOST_hostname, ", ", out);
	add_host_count(report, out);
	if (left <= WITH_KERNEL) {
		add_host_text(report, HOST_kernel_name, ", ", out);
		add_host_text(report, HOST_kernel_release,
		              host->seen[HOST_kernel_name] ? " " : ", ", out);
	}
	if (left <= WITH_CPUS && host->seen[HOST_online_cpus] && has_cpus(report)) {
		strbuf_add_str(out, ", ");
		add_cpus(report, 1, out);
		strbuf_add_str(out, host->numbers[HOST_online_cpus] == 1 ? " CPU" : " CPUs");
	}
}

static void add_length(uint64_t length_ns, struct strbuf *out)
{
	if (length_ns > 0)
		overview_add_time((double)length_ns, out);
	else
		strbuf_add_str(out, "unknown length");
}

/* Does so for the window of a side, with the length that was asked for if it is shorter, and what a sum of windows leaves out. */
static void add_window_length(const struct report *report, unsigned side, struct strbuf *out)
{
	const struct snapshot_window *window = &report->sides[side].info->window;
	uint64_t gaps = window->numbers[WINDOW_gaps];

	add_length(report->rows->frames[side].length_ns, out);
	if (window_is_longer_than_asked(window)) {
		strbuf_add_str(out, " (");
		overview_add_time((double)window->numbers[WINDOW_asked_length_ns], out);
		strbuf_add_str(out, " asked)");
	}
	if (!window->seen[WINDOW_gaps] || gaps == 0)
		return;
	strbuf_add_str(out, " (");
	/* Between two boots there is a gap. */
	if (window->numbers[WINDOW_boots] > 1)
		strbuf_addf(out, "%llu boots, ", (unsigned long long)window->numbers[WINDOW_boots]);
	strbuf_addf(out, "%llu %s of ", (unsigned long long)gaps, gaps == 1 ? "gap" : "gaps");
	overview_add_time((double)window->numbers[WINDOW_gap_ns], out);
	strbuf_add_str(out, " left out)");
}

static bool differs(const struct report *report, enum host_field field)
{
	const char *a = host_text(&report->sides[SIDE_BASELINE].info->host, field);
	const char *b = host_text(&report->sides[SIDE_CANDIDATE].info->host, field);

	return a && b && strcmp(a, b) != 0;
}

/* Appends the time between the two snapshots or windows, by the clock of their boot if they have the same one. */
static void add_distance(const struct report *report, struct strbuf *out)
{
	const struct snapshot_info *first = report->sides[SIDE_BASELINE].info;
	const struct snapshot_info *last = report->sides[SIDE_CANDIDATE].info;
	bool one_boot = host_text(&first->host, HOST_boot_id) && !differs(report, HOST_boot_id) &&
	                host_text(&last->host, HOST_boot_id) && first->captured_boottime_ns > 0 &&
	                last->captured_boottime_ns > 0;
	uint64_t a = one_boot ? first->captured_boottime_ns : first->captured_at_unix_ns;
	uint64_t b = one_boot ? last->captured_boottime_ns : last->captured_at_unix_ns;

	if (a == 0 || b == 0)
		return;
	strbuf_add_str(out, ", ");
	overview_add_time((double)(b >= a ? b - a : a - b), out);
	strbuf_add_str(out, b == a ? "of one moment" : b > a ? " later" : " EARLIER");
}

static void add_lengths(const struct report *report, struct strbuf *out)
{
	switch (overview_kind_of(report->rows)) {
	case OVERVIEW_WINDOW:
		strbuf_add_str(out, ": window of ");
		add_window_length(report, SIDE_BASELINE, out);
		break;
	case OVERVIEW_INTERVAL:
		strbuf_add_str(out, ": the ");
		add_length(report->rows->interval_frame.length_ns, out);
		strbuf_add_str(out, " in between");
		if (!host_text(&report->sides[0].info->host, HOST_boot_id))
			strbuf_add_str(out, " (boot unknown, same threads)");
		return;
	case OVERVIEW_CHANGE:
		strbuf_add_str(out, ": windows of ");
		add_window_length(report, SIDE_BASELINE, out);
		strbuf_add_str(out, " and ");
		add_window_length(report, SIDE_CANDIDATE, out);
		break;
	case OVERVIEW_LIVES:
		strbuf_add_str(out, ": amounts since each thread's start");
		break;
	case OVERVIEW_LIVES_CHANGE:
		strbuf_add_str(out, ": since each thread's start");
		break;
	}
	if (report->rows->sides == 1)
		return;
	if (differs(report, HOST_hostname))
		strbuf_add_str(out, ", two hosts");
	else if (differs(report, HOST_boot_id))
		strbuf_add_str(out, ", two boots");
	add_distance(report, out);
}

static bool is_too_wide(const struct report *report, struct strbuf *line)
{
	if (report->style.ascii)
		text_make_ascii(line);
	return report->style.width > 0 &&
	       text_width(strbuf_str(line), line->len) > report->style.width;
}

static void add_compared(const struct report *report, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	uint64_t time = report->sides[0].info->captured_at_unix_ns;

	for (unsigned left = 0; left <= WITH_COUNT; left++) {
		strbuf_clear(&line);
		add_paths(report, left <= WITH_RANGES, &line);
		add_lengths(report, &line);
		add_host(report, left, &line);
		if (report->rows->sides == 1 && time > 0 && left <= WITH_TIME &&
		    !report->sides[0].info->window.seen[WINDOW_windows]) {
			strbuf_add_str(&line, ", ");
			report_add_time(time, &line);
		}
		if (!is_too_wide(report, &line))
			break;
	}
	overview_add_line(report, &line, out);
}

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
		if (before == 0 || !is_too_wide(report, &line))
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
			add_cpus(report, 100, line);
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
	add_compared(report, out);
	add_bounds(report, out);
	add_trust(report, false, out);
}

void report_add_second_rest(const struct report *report, struct strbuf *out)
{
	add_trust(report, true, out);
}
