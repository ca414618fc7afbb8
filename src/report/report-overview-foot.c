// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines below the overview: what it does not show. None is wider than the terminal. */
#include <string.h>

#include "base/text.h"
#include "overview/overview-label.h"
#include "report-overview.h"

static const char *verb_of(const struct overview *overview)
{
	return overview_is_change(overview->kind) ? "changed by"
	       : overview->kind == OVERVIEW_LIVES ? overview->noise == 1 ? "has" : "have"
	                                          : "moved";
}

/* The host that has the CPU time of which a change is a share. */
static const char *host_of(const struct report *report)
{
	return !report->interval && report_has_unlike_cpus(report) ? "smaller host" : "host";
}

/* "12 more groups (--limit 0 shows all); 31 groups moved less than 1 % of the host", on two lines where one has no room. */
static void add_left_out(const struct report *report, struct strbuf *out)
{
	const struct overview *overview = report->overview;
	size_t left_out = overview->count - overview_shown(report);
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT, noise = STRBUF_INIT;

	if (left_out > 0)
		strbuf_addf(&line, "%zu more group%s (--limit 0 shows all)", left_out,
		            left_out == 1 ? "" : "s");
	if (overview->noise > 0)
		strbuf_addf(&noise, "%zu group%s %s less than %.0f %% of the %s", overview->noise,
		            overview->noise == 1 ? "" : "s", verb_of(overview),
		            100 * overview->floor, host_of(report));
	if (line.len > 0 && noise.len > 0 &&
	    (report->style.width == 0 || line.len + 2 + noise.len <= report->style.width)) {
		strbuf_addf(&line, "; %s", strbuf_str(&noise));
		strbuf_clear(&noise);
	}
	overview_add_line(report, &line, out);
	overview_add_line(report, &noise, out);
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
	strbuf_add_str(&line, "not ranked: ctprof");
	add_most(overview, overview->own, 2, overview->sides - 1, &line);
	strbuf_add_str(&line, " (--self ranks it)");
	overview_add_line(report, &line, out);
}

/* Names, as many as fit on one line; with --limit 0 all of them, on as many lines as they take. */
struct name_list {
	const struct report *report;
	struct strbuf line;
	size_t shown, left_out;
};

/* Names of several keys, and paths, leave room for more than one in a line. */
static void add_group(const struct report *report, const struct row_group *group,
                      struct strbuf *out)
{
	overview_label_add(group, report->rows->by.count, &report->style, report->style.width / 2,
	                   out);
}

static void add_name(struct name_list *list, struct strbuf *text, struct strbuf *out)
{
	static const char more[] = " and 100000 more";
	size_t width = list->report->style.width;
	bool all = list->report->limit == 0;
	size_t room = all || width < strlen(more) ? width : width - strlen(more);
	const char *name;

	if (list->report->style.ascii) {
		text_make_ascii(text);
		text_make_ascii(&list->line);
	}
	name = strbuf_str(text);
	if (list->shown > 0 && width > 0 &&
	    text_width(list->line.data, list->line.len) + 2 + text_width(name, strlen(name)) >
	            room) {
		if (!all) {
			list->left_out++;
			return;
		}
		strbuf_add_char(&list->line, ',');
		overview_add_line(list->report, &list->line, out);
		strbuf_clear(&list->line);
		strbuf_addf(&list->line, "  %s", name);
		return;
	}
	/* A name that would be behind one that did not fit would seem to be the next one. */
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
		overview_add_line(list->report, &list->line, out);
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
	path = overview_last_part(report->sides[side].path);
	strbuf_add_str(&list.line, "only in ");
	text_add_escaped(&list.line, path, strlen(path));
	for (size_t i = 0; i < overview->apart_count[side]; i++) {
		const struct overview_row *row = &overview->apart[side][i];
		uint32_t threads = side == SIDE_BASELINE ? row->threads.gone : row->threads.born;

		strbuf_clear(&name);
		add_group(report, row->group, &name);
		strbuf_addf(&name, " (%u thread%s", threads, threads == 1 ? "" : "s");
		add_most(overview, row, 1, side, &name);
		strbuf_add_char(&name, ')');
		add_name(&list, &name, out);
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
		uint32_t threads = mark == OVERVIEW_NEW ? row->threads.after : row->threads.before;

		/* Those that came and went again are neither. */
		if (row->mark != mark || threads == 0)
			continue;
		strbuf_clear(&name);
		add_group(report, row->group, &name);
		strbuf_addf(&name, " (%u)", threads);
		add_name(&list, &name, out);
	}
	end_names(&list, out);
}

/* "¶ incomplete on one side, not ranked by it: sh, true and 3 more", or "‡ work in between not known: sh". */
static void add_unlike(const struct report *report, struct strbuf *out)
{
	const struct overview *overview = report->overview;
	struct name_list list = {.report = report};
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	if (overview->kind == OVERVIEW_INTERVAL)
		strbuf_addf(&list.line, "%s work in between not known", report_went_back_mark);
	else
		strbuf_addf(&list.line, "%s incomplete on one side, not ranked by it",
		            report_measured_mark);
	for (size_t i = 0; i < overview->unlike_count; i++) {
		strbuf_clear(&name);
		add_group(report, overview->unlike[i].group, &name);
		add_name(&list, &name, out);
	}
	end_names(&list, out);
}

/* "not measured: sh, true and 3 more". Two sides may each have values of which there is no difference. */
static void add_unmeasured(const struct report *report, struct strbuf *out)
{
	const struct overview *overview = report->overview;
	struct name_list list = {.report = report};
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	strbuf_add_str(&list.line,
	               overview_is_change(overview->kind) ? "not comparable" : "not measured");
	for (size_t i = 0; i < overview->unmeasured_count; i++) {
		strbuf_clear(&name);
		add_group(report, overview->unmeasured[i], &name);
		add_name(&list, &name, out);
	}
	end_names(&list, out);
}

void report_add_overview_foot(const struct report *report, struct overview_marks marks,
                              struct strbuf *out)
{
	const struct overview *overview = report->overview;

	if (overview->count == 0 && overview->noise > 0)
		strbuf_addf(out, "no group %s %.0f %% of the %s or more\n",
		            overview_is_change(overview->kind) ? "changed by" : "moved",
		            100 * overview->floor, host_of(report));
	if (marks.partial)
		strbuf_add_str(out, "* may lack some of the group's threads\n");
	if (marks.began_before)
		strbuf_addf(out, "%s waits began before the window; this is their part in it\n",
		            report_began_before_mark);
	add_unlike(report, out);
	add_unmeasured(report, out);
	report_add_second_rest(report, out);
	for (unsigned side = SIDE_MAX; side-- > 0;)
		add_apart(report, side, out);
	add_quiet(report, OVERVIEW_NEW, out);
	add_quiet(report, OVERVIEW_GONE, out);
	add_left_out(report, out);
	add_own(report, out);
}
