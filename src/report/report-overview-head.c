// SPDX-License-Identifier: GPL-2.0-or-later
/* What stands around the overview: two lines above it, and what it does not show below it. No line is wider than the
 * terminal. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-overview.h"

/* Appends a line, cut where the terminal ends. */
static void add_line(const struct report *report, const struct strbuf *line, struct strbuf *out)
{
	const char *ellipsis = report->style.ascii ? "~" : "…";
	const char *text = strbuf_str(line);
	size_t width = report->style.width;

	if (line->len == 0)
		return;
	if (width == 0 || text_width(text, line->len) <= width) {
		strbuf_add(out, text, line->len);
	} else {
		strbuf_add(out, text, text_prefix_escaped(text, line->len, width - 1));
		strbuf_add_str(out, ellipsis);
	}
	strbuf_add_char(out, '\n');
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] != '\0' ? slash + 1 : path;
}

/* The files, without their folders where that tells them apart. */
static void add_paths(const struct report *report, struct strbuf *out)
{
	const char *paths[SIDE_MAX] = {report->sides[0].path, report->sides[1].path};
	bool two = report->rows->sides == SIDE_MAX;

	for (unsigned side = 0; side < report->rows->sides; side++) {
		const char *path = last_part(paths[side]);

		if (two && strcmp(last_part(paths[0]), last_part(paths[1])) == 0)
			path = paths[side];
		if (side > 0)
			strbuf_addf(out, " %s ", overview_arrow(report));
		text_add_escaped(out, path, strlen(path));
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

static void add_host(const struct report *report, struct strbuf *out)
{
	const struct host *host = &report->sides[report->rows->sides - 1].info->host;

	add_host_text(report, HOST_hostname, ", ", out);
	add_host_text(report, HOST_kernel_name, ", ", out);
	add_host_text(report, HOST_kernel_release, host->seen[HOST_kernel_name] ? " " : ", ", out);
	if (host->seen[HOST_online_cpus])
		strbuf_addf(out, ", %llu CPU%s",
		            (unsigned long long)host->numbers[HOST_online_cpus],
		            host->numbers[HOST_online_cpus] == 1 ? "" : "s");
}

static void add_length(uint64_t length_ns, struct strbuf *out)
{
	if (length_ns > 0)
		overview_add_time((double)length_ns, out);
	else
		strbuf_add_str(out, "unknown length");
}

/* How far apart two snapshots or windows were taken. */
static void add_distance(const struct report *report, struct strbuf *out)
{
	uint64_t a = report->sides[SIDE_BASELINE].info->captured_at_unix_ns;
	uint64_t b = report->sides[SIDE_CANDIDATE].info->captured_at_unix_ns;

	if (a == 0 || b == 0)
		return;
	strbuf_add_str(out, ", ");
	overview_add_time((double)(b >= a ? b - a : a - b), out);
	strbuf_add_str(out, b == a ? "of one moment" : b > a ? " later" : " EARLIER");
}

static bool differs(const struct report *report, enum host_field field)
{
	const char *a = host_text(&report->sides[SIDE_BASELINE].info->host, field);
	const char *b = host_text(&report->sides[SIDE_CANDIDATE].info->host, field);

	return a && b && strcmp(a, b) != 0;
}

static void add_lengths(const struct report *report, struct strbuf *out)
{
	const struct derive_frame *frames = report->rows->frames;

	switch (report->overview->kind) {
	case OVERVIEW_WINDOW:
		strbuf_add_str(out, ": window of ");
		add_length(frames[SIDE_BASELINE].length_ns, out);
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
		add_length(frames[SIDE_BASELINE].length_ns, out);
		strbuf_add_str(out, " and ");
		add_length(frames[SIDE_CANDIDATE].length_ns, out);
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

static void add_compared(const struct report *report, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	uint64_t time = report->sides[0].info->captured_at_unix_ns;

	add_paths(report, &line);
	add_lengths(report, &line);
	add_host(report, &line);
	if (report->rows->sides == 1 && time > 0) {
		strbuf_add_str(&line, ", ");
		report_add_time(time, &line);
	}
	add_line(report, &line, out);
}

/* Parts of a line, with semicolons between them. */
static struct strbuf *next_part(struct strbuf *line)
{
	if (line->len > 0)
		strbuf_add_str(line, "; ");
	return line;
}

/* "CPU% in rows 35→180 of 200": what all groups did together. */
static void add_host_cpu(const struct report *report, struct strbuf *line)
{
	const struct overview *overview = report->overview;

	if (!overview->seen[ASPECT_cpu] || overview_is_of_lives(overview->kind))
		return;
	strbuf_add_str(next_part(line), "CPU% in rows ");
	for (unsigned side = 0; side < overview->sides; side++)
		strbuf_addf(line, "%s%.0f", side > 0 ? overview_arrow(report) : "",
		            overview->host.values[ASPECT_cpu][side].amount);
	if (overview->scale.capacity[ASPECT_cpu] > 0)
		strbuf_addf(line, " of %.0f", overview->scale.capacity[ASPECT_cpu]);
}

/* What the values are of: the side, or the window between the two. */
static const struct snapshot_info *measured(const struct report *report, unsigned side)
{
	return report->interval ? report->interval : report->sides[side].info;
}

static uint64_t number(const struct snapshot_info *info, enum window_number which)
{
	return info->kind == KIND_window && info->window.seen[which] ? info->window.numbers[which]
	                                                             : 0;
}

/* The share of the host's CPU time that is in no row, in percent; NaN where it is not known. */
static double unaccounted(const struct snapshot_info *info)
{
	const struct host *host = &info->host;

	if (info->kind != KIND_window || !info->window.seen[WINDOW_unaccounted_clock_ticks] ||
	    !host->seen[HOST_user_clock_ticks] || !host->seen[HOST_system_clock_ticks])
		return NAN;
	return 100 * (double)info->window.numbers[WINDOW_unaccounted_clock_ticks] /
	       (double)(host->numbers[HOST_user_clock_ticks] +
	                host->numbers[HOST_system_clock_ticks]);
}

static void add_unaccounted(const struct report *report, struct strbuf *line)
{
	double largest = 0;

	for (unsigned side = 0; side < report->overview->sides; side++)
		largest = fmax(largest, unaccounted(measured(report, side)));
	if (largest >= 0.95)
		strbuf_addf(next_part(line), "%.0f %% of CPU time in no row", largest);
}

/* A reading of all threads that took much of the interval: each thread's interval is another one then. */
static void add_spread(const struct report *report, struct strbuf *line)
{
	enum { PART = 20 };
	uint64_t spread = 0, length = UINT64_MAX;

	if (overview_is_of_lives(report->overview->kind))
		return;
	for (unsigned side = 0; side < report->rows->sides; side++) {
		const struct snapshot_info *info = report->sides[side].info;

		if (info->cost_seen[COST_walk_spread_ns] &&
		    info->cost[COST_walk_spread_ns] > spread)
			spread = info->cost[COST_walk_spread_ns];
	}
	for (unsigned side = 0; side < report->overview->sides; side++) {
		uint64_t own = report->interval ? report->rows->interval_frame.length_ns
		                                : report->rows->frames[side].length_ns;

		length = own < length ? own : length;
	}
	if (spread <= length / PART)
		return;
	strbuf_add_str(next_part(line), "reading took ");
	overview_add_time((double)spread, line);
}

static void add_lost(const struct report *report, struct strbuf *line)
{
	uint64_t lost = 0, missed = 0;

	for (unsigned side = 0; side < report->overview->sides; side++) {
		lost += number(measured(report, side), WINDOW_threads_lost);
		missed += number(measured(report, side), WINDOW_threads_missed);
	}
	if (lost > 0)
		strbuf_addf(next_part(line), "%llu thread%s lost", (unsigned long long)lost,
		            lost == 1 ? "" : "s");
	if (missed > 0)
		strbuf_addf(next_part(line), "%llu+ never seen", (unsigned long long)missed);
}

static bool is_shown_from(enum metric_source source)
{
	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		for (unsigned s = 0; s < aspect_table[a].source_count; s++)
			for (unsigned i = 0; i < aspect_table[a].sources[s].count; i++)
				if (metric_table[aspect_table[a].sources[s].metrics[i]].source ==
				    source)
					return true;
	return false;
}

/* Readings of what the columns show that were denied. */
static void add_denied(const struct report *report, struct strbuf *line)
{
	const char *separator = "denied: ";

	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		uint64_t denied = 0, all = 0;

		if (!is_shown_from((enum metric_source)s))
			continue;
		for (unsigned side = 0; side < report->rows->sides; side++) {
			const uint64_t *outcomes = report->sides[side].info->tally.sources[s];

			denied += outcomes[OUTCOME_denied];
			for (unsigned o = OUTCOME_read; o < OUTCOME_COUNT; o++)
				all += outcomes[o];
		}
		if (denied == 0)
			continue;
		strbuf_addf(separator[0] == 'd' ? next_part(line) : line, "%s%s", separator,
		            source_table[s].name);
		if (denied < all)
			strbuf_addf(line, " (%llu of %llu)", (unsigned long long)denied,
			            (unsigned long long)all);
		separator = ", ";
	}
}

static void add_trust(const struct report *report, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	uint64_t overlap_ns;
	bool same;

	if (report->rows->sides == SIDE_MAX &&
	    report->sides[SIDE_CANDIDATE].info->captured_at_unix_ns <
	            report->sides[SIDE_BASELINE].info->captured_at_unix_ns)
		strbuf_add_str(&line, "the second file is the earlier one: swapped?");
	add_host_cpu(report, &line);
	add_spread(report, &line);
	add_unaccounted(report, &line);
	add_lost(report, &line);
	add_denied(report, &line);
	if (report->overview->kind == OVERVIEW_CHANGE &&
	    report_windows_overlap(report, &overlap_ns, &same) && overlap_ns > 0 && !same)
		strbuf_add_str(next_part(&line), "the windows overlap");
	if (report->sides[0].info->origin == ORIGIN_ktstr)
		strbuf_add_str(next_part(&line), "ktstr ctprof: some zeros may be missing values");
	add_line(report, &line, out);
}

void report_add_overview_head(const struct report *report, struct strbuf *out)
{
	add_compared(report, out);
	add_trust(report, out);
}

static const char *verb_of(const struct overview *overview)
{
	return overview_is_change(overview->kind) ? "changed by"
	       : overview->kind == OVERVIEW_LIVES ? "have"
	                                          : "moved";
}

/* "12 more groups (--limit 0 shows all); 31 groups moved less than 1 % of the host". */
static void add_left_out(const struct report *report, struct strbuf *out)
{
	const struct overview *overview = report->overview;
	size_t left_out = overview->count - overview_shown(report);
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	if (left_out > 0)
		strbuf_addf(&line, "%zu more group%s (--limit 0 shows all)", left_out,
		            left_out == 1 ? "" : "s");
	if (overview->noise > 0)
		strbuf_addf(next_part(&line), "%zu group%s %s less than %.0f %% of the host",
		            overview->noise, overview->noise == 1 ? "" : "s", verb_of(overview),
		            100 * overview->floor);
	add_line(report, &line, out);
}

/* The aspects of a row that are not nothing, the ones first that it has the most of. */
static void add_most(const struct overview *overview, const struct overview_row *row,
                     unsigned count, unsigned side, struct strbuf *out)
{
	bool used[ASPECT_COUNT] = {[ASPECT_threads] = true};

	while (count-- > 0) {
		unsigned most = ASPECT_COUNT;
		double best = 0;
		size_t start;

		for (unsigned a = 0; a < ASPECT_COUNT; a++) {
			double alone[ASPECT_COUNT];
			double score;

			for (unsigned i = 0; i < ASPECT_COUNT; i++)
				alone[i] = i == a ? row->moved[a] : 0;
			score = overview_score(alone, &overview->scale);
			if (!used[a] && score > best) {
				most = a;
				best = score;
			}
		}
		if (most == ASPECT_COUNT)
			return;
		used[most] = true;
		strbuf_addf(out, ", %s ",
		            overview_is_of_lives(overview->kind) ? aspect_table[most].life_heading
		                                                 : aspect_table[most].heading);
		start = out->len;
		overview_add_amount(overview, most, row->values[most][side].amount, out);
		if (out->len == start)
			strbuf_add_char(out, '0');
	}
}

static void add_own(const struct report *report, struct strbuf *out)
{
	const struct overview *overview = report->overview;
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	if (!overview->own || overview->own->score < overview->floor)
		return;
	strbuf_add_str(&line, "not ranked: ctprof itself");
	add_most(overview, overview->own, 2, overview->sides - 1, &line);
	strbuf_add_str(&line, " (--self ranks it)");
	add_line(report, &line, out);
}

/* Names, as many as fit on one line; with --limit 0 all of them, on as many lines as they take. */
struct name_list {
	const struct report *report;
	struct strbuf line;
	size_t shown, left_out;
};

static void add_name(struct name_list *list, const char *name, struct strbuf *out)
{
	static const char more[] = " and 100000 more";
	size_t width = list->report->style.width;
	bool all = list->report->limit == 0;
	size_t room = all || width < strlen(more) ? width : width - strlen(more);

	if (list->shown > 0 && width > 0 &&
	    text_width(list->line.data, list->line.len) + 2 + text_width(name, strlen(name)) >
	            room) {
		if (!all) {
			list->left_out++;
			return;
		}
		strbuf_add_char(&list->line, ',');
		add_line(list->report, &list->line, out);
		strbuf_clear(&list->line);
		strbuf_addf(&list->line, "  %s", name);
		return;
	}
	/* A name that would stand behind one that did not fit would seem to be the next one. */
	if (list->left_out > 0) {
		list->left_out++;
		return;
	}
	strbuf_addf(&list->line, "%s%s", list->shown > 0 ? ", " : ": ", name);
	list->shown++;
}

static void end_names(struct name_list *list, struct strbuf *out)
{
	if (list->left_out > 0)
		strbuf_addf(&list->line, " and %zu more", list->left_out);
	if (list->shown > 0)
		add_line(list->report, &list->line, out);
	strbuf_done(&list->line);
}

/* "only in b.zst: delta (2 threads, CPU 3.3s), echo (1 thread) and 3 more". */
static void add_apart(const struct report *report, unsigned side, struct strbuf *out)
{
	const struct overview *overview = report->overview;
	struct name_list list = {.report = report};
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	const char *path;

	if (overview->apart_count[side] == 0)
		return;
	path = last_part(report->sides[side].path);
	strbuf_add_str(&list.line, "only in ");
	text_add_escaped(&list.line, path, strlen(path));
	for (size_t i = 0; i < overview->apart_count[side]; i++) {
		const struct overview_row *row = &overview->apart[side][i];
		uint32_t threads = side == SIDE_BASELINE ? row->threads.gone : row->threads.born;

		strbuf_clear(&name);
		strbuf_addf(&name, "%s (%u thread%s", row->group->label, threads,
		            threads == 1 ? "" : "s");
		add_most(overview, row, 1, side, &name);
		strbuf_add_char(&name, ')');
		add_name(&list, strbuf_str(&name), out);
	}
	end_names(&list, out);
}

/* "also gone: charlie (2), sleep (1) and 3 more": groups below the floor. */
static void add_quiet(const struct report *report, enum overview_mark mark, struct strbuf *out)
{
	const struct overview *overview = report->overview;
	struct name_list list = {.report = report};
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	strbuf_add_str(&list.line, mark == OVERVIEW_NEW ? "also new" : "also gone");
	for (size_t i = 0; i < overview->quiet_count; i++) {
		const struct overview_row *row = &overview->quiet[i];

		if (row->mark != mark)
			continue;
		strbuf_clear(&name);
		strbuf_addf(&name, "%s (%u)", row->group->label,
		            mark == OVERVIEW_NEW ? row->threads.after : row->threads.before);
		add_name(&list, strbuf_str(&name), out);
	}
	end_names(&list, out);
}

void report_add_overview_foot(const struct report *report, bool partial, struct strbuf *out)
{
	const struct overview *overview = report->overview;

	if (overview->count == 0 && overview->noise > 0)
		strbuf_addf(out, "no group %s %.0f %% of the host or more\n",
		            overview_is_change(overview->kind) ? "changed by" : "moved",
		            100 * overview->floor);
	if (partial)
		strbuf_add_str(out, "* lacks some of the group's threads\n");
	for (unsigned side = SIDE_MAX; side-- > 0;)
		add_apart(report, side, out);
	add_quiet(report, OVERVIEW_NEW, out);
	add_quiet(report, OVERVIEW_GONE, out);
	add_left_out(report, out);
	add_own(report, out);
}
