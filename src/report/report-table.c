// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <time.h>

#include "ctprof/report.h"
#include "ctprof/text.h"
#include "ctprof/units.h"
#include "report-parts.h"

enum { UNMATCHED_SHOWN = 8 };

/* Behind the number of threads, where they are not the same ones on both sides. */
static const char members_mark[] = "†";

static void add_time(uint64_t unix_ns, struct strbuf *out)
{
	time_t seconds = (time_t)(unix_ns / 1000000000u);
	struct tm parts;
	char text[64];

	if (unix_ns > 0 && gmtime_r(&seconds, &parts) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts) > 0)
		strbuf_add_str(out, text);
	else
		strbuf_add_str(out, "at an unknown time");
}

/* A field of the host behind a separator, or @otherwise where the snapshot does not have it. */
static void add_host_text(const struct host *host, enum host_field field, const char *separator,
                          const char *otherwise, struct strbuf *out)
{
	const char *text = host_text(host, field);

	if (!text) {
		strbuf_addf(out, "%s%s", otherwise[0] ? separator : "", otherwise);
		return;
	}
	strbuf_add_str(out, separator);
	text_add_escaped(out, text, strlen(text));
}

static void add_counts(const struct snapshot_tally *tally, struct strbuf *out)
{
	strbuf_addf(out, ", %llu thread%s", (unsigned long long)tally->threads,
	            tally->threads == 1 ? "" : "s");
	if (tally->processes > 0)
		strbuf_addf(out, " of %llu process%s", (unsigned long long)tally->processes,
		            tally->processes == 1 ? "" : "es");
	if (tally->threads_gone > 0)
		strbuf_addf(out, " (%llu exited while being read)",
		            (unsigned long long)tally->threads_gone);
}

static bool same_boot(const struct report *report)
{
	const char *a = host_text(&report->sides[SIDE_BASELINE].info->host, HOST_boot_id);
	const char *b = host_text(&report->sides[SIDE_CANDIDATE].info->host, HOST_boot_id);

	return a && b && strcmp(a, b) == 0;
}

static void add_elapsed(const struct report *report, struct strbuf *out)
{
	uint64_t a = report->sides[SIDE_BASELINE].info->captured_boottime_ns;
	uint64_t b = report->sides[SIDE_CANDIDATE].info->captured_boottime_ns;

	strbuf_add_str(out, "same boot, ");
	if (a == 0 || b == 0) {
		strbuf_add_str(out, "at an unknown time");
		return;
	}
	units_format(UNIT_ns, quantity_integer(b >= a ? b - a : a - b), false, out);
	strbuf_add_str(out, b >= a ? " later" : " EARLIER than the baseline");
}

/* "baseline   a.zst: vm, Linux 6.18.44, 2026-11-21 01:20:11 UTC, 143 threads of 98 processes" */
static void add_side(const struct report *report, unsigned side, struct strbuf *out)
{
	static const char *const names[SIDE_MAX] = {"baseline ", "candidate"};
	const struct report_side *here = &report->sides[side];
	const struct host *host = &here->info->host;

	strbuf_addf(out, "%s ", report->rows->sides == 1 ? "snapshot" : names[side]);
	text_add_escaped(out, here->path, strlen(here->path));
	strbuf_add_str(out, ": ");
	if (side == SIDE_CANDIDATE && same_boot(report)) {
		add_elapsed(report, out);
	} else {
		add_host_text(host, HOST_hostname, "", "", out);
		add_host_text(host, HOST_kernel_name, host->seen[HOST_hostname] ? ", " : "",
		              "unknown kernel", out);
		add_host_text(host, HOST_kernel_release, " ", "", out);
		strbuf_add_str(out, ", ");
		add_time(here->info->captured_at_unix_ns, out);
	}
	add_counts(&here->info->tally, out);
	strbuf_add_char(out, '\n');
}

static __int128 cpu_ticks(const struct row_cpu_time *time)
{
	return (__int128)time->user_clock_ticks + time->system_clock_ticks;
}

static __int128 exited_ticks(const struct group *exited)
{
	return (__int128)exited->cells[METRIC_utime_clock_ticks].number +
	       exited->cells[METRIC_stime_clock_ticks].number;
}

/* CPU time is what most people look for first, and much of it may belong to threads that no row can show. Those
 * that lived before the baseline took along what they had used by then, hence "up to". */
static void add_exited(const struct report *report, struct strbuf *out)
{
	const struct row_set *set = report->rows;
	uint64_t ticks_per_second;
	__int128 used, exited;

	if (set->sides != SIDE_MAX || !set->exited[SIDE_BASELINE] || !set->exited[SIDE_CANDIDATE])
		return;
	ticks_per_second =
	        report->sides[SIDE_CANDIDATE].info->host.numbers[HOST_clock_ticks_per_second];
	used = cpu_ticks(&set->cpu_times[SIDE_CANDIDATE]) -
	       cpu_ticks(&set->cpu_times[SIDE_BASELINE]);
	exited = exited_ticks(set->exited[SIDE_CANDIDATE]) -
	         exited_ticks(set->exited[SIDE_BASELINE]);
	if (ticks_per_second == 0 || used <= 0 || exited <= 0)
		return;
	strbuf_addf(out,
	            "exited    up to %.2fs of the %.2fs of CPU time in between was used by "
	            "threads that have exited\n",
	            (double)(exited < used ? exited : used) / (double)ticks_per_second,
	            (double)used / (double)ticks_per_second);
}

static void add_unmatched_group(const struct row_group *group, unsigned side, struct strbuf *out)
{
	const struct group *here = group->sides[side];
	const struct fold_cell *run_time = &here->cells[METRIC_run_time_ns];

	strbuf_addf(out, "%s (%u thread%s", group->label, here->threads,
	            here->threads == 1 ? "" : "s");
	if (run_time->seen > 0) {
		strbuf_add_str(out, ", run time ");
		units_format(UNIT_ns, quantity_integer(run_time->number), false, out);
	}
	strbuf_add_char(out, ')');
}

/* As many as fit on a line of the terminal, and one at least; all of them with --limit 0. */
static void add_unmatched(const struct report *report, unsigned side, struct strbuf *out)
{
	static const char *const names[SIDE_MAX] = {"baseline", "candidate"};
	static const char more[] = " and 1000 more (--limit 0 lists all)";
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	size_t count = report->rows->unmatched_count[side], shown = 0;
	size_t room = report->style.width > strlen(more) ? report->style.width - strlen(more) : 0;

	if (count == 0)
		return;
	strbuf_addf(&line, "%zu group%s only in the %s: ", count, count == 1 ? "" : "s",
	            names[side]);
	for (; shown < count; shown++) {
		size_t before = line.len;

		if (report->limit > 0 && shown == UNMATCHED_SHOWN)
			break;
		strbuf_add_str(&line, shown > 0 ? ", " : "");
		add_unmatched_group(&report->rows->unmatched[side][shown], side, &line);
		if (report->limit > 0 && report->style.width > 0 && shown > 0 &&
		    text_width(line.data, line.len) > room) {
			line.len = before;
			break;
		}
	}
	strbuf_add(out, line.data, line.len);
	if (shown < count)
		strbuf_addf(out, " and %zu more (--limit 0 lists all)", count - shown);
	strbuf_add_char(out, '\n');
}

struct row_context {
	const struct report *report;
	struct row_view view; /* of the row last asked for */
	size_t view_row;
};

static const struct row_view *view_of(struct row_context *context, size_t index)
{
	const struct row_set *set = context->report->rows;
	const struct row *row = &set->rows[index];

	if (context->view_row != index + 1) {
		row_view(set, &set->groups[row->group], row->measure, &context->view);
		context->view_row = index + 1;
	}
	return &context->view;
}

static void add_threads(const struct row_view *view, unsigned sides, struct strbuf *out)
{
	const struct group *baseline = view->group->sides[SIDE_BASELINE];
	const struct group *candidate = view->group->sides[SIDE_CANDIDATE];

	if (view->group->exited)
		strbuf_add_char(out, '-');
	else if (sides == 1 || baseline->threads == candidate->threads)
		strbuf_addf(out, "%u", baseline->threads);
	else
		strbuf_addf(out, "%u→%u", baseline->threads, candidate->threads);
	if (view->members_differ)
		strbuf_add_str(out, members_mark);
}

static enum table_color add_delta(const struct row_view *view, struct strbuf *out)
{
	uint32_t threads;

	if (!measure_is_label(view->measure)) {
		units_format_delta(measure_unit(view->measure), view->delta,
		                   measure_is_derived(view->measure), out);
		return report_color_of(view->delta);
	}
	if (view->cells[SIDE_BASELINE]->seen == 0 || view->cells[SIDE_CANDIDATE]->seen == 0)
		strbuf_add_char(out, '-');
	else if (strcmp(fold_winner(view->cells[SIDE_BASELINE], &threads),
	                fold_winner(view->cells[SIDE_CANDIDATE], &threads)) == 0)
		strbuf_add_str(out, "same");
	else
		strbuf_add_str(out, "differs");
	return COLOR_NONE;
}

enum {
	COLUMN_GROUP,
	COLUMN_THREADS,
	COLUMN_METRIC,
	COLUMN_BASELINE,
	COLUMN_CANDIDATE,
	COLUMN_DELTA,
	COLUMN_PERCENT
};

static enum table_color row_cell(void *opaque, size_t index, unsigned column, struct strbuf *out)
{
	struct row_context *context = opaque;
	const struct row_view *view = view_of(context, index);

	switch (column) {
	case COLUMN_GROUP:
		strbuf_add_str(out, view->group->label);
		break;
	case COLUMN_THREADS:
		add_threads(view, context->report->rows->sides, out);
		break;
	case COLUMN_METRIC:
		strbuf_add_str(out, measure_name(view->measure));
		break;
	case COLUMN_BASELINE:
		report_add_value(view, SIDE_BASELINE, out);
		break;
	case COLUMN_CANDIDATE:
		report_add_value(view, SIDE_CANDIDATE, out);
		break;
	case COLUMN_DELTA:
		return add_delta(view, out);
	case COLUMN_PERCENT:
		if (view->percent.kind == QUANTITY_NONE)
			strbuf_add_char(out, '-');
		else
			strbuf_addf(out, "%+.1f%%", quantity_double(view->percent));
		return report_color_of_percent(view->percent);
	}
	return COLOR_NONE;
}

static void print_rows(FILE *file, const struct report *report)
{
	const struct group_key_desc *key = &group_key_table[report->group_key];
	const char *heading = key->normalised && !report->normalised
	                              ? group_key_table[GROUP_KEY_comm_exact].heading
	                              : key->heading;
	struct table_column columns[] = {
	        [COLUMN_GROUP] = {heading, false, SHRINKS_ALWAYS},
	        [COLUMN_THREADS] = {"threads", true, false},
	        [COLUMN_METRIC] = {"metric", false, SHRINKS_WRAPPED},
	        [COLUMN_BASELINE] = {"baseline", true, false},
	        [COLUMN_CANDIDATE] = {"candidate", true, false},
	        [COLUMN_DELTA] = {"delta", true, false},
	        [COLUMN_PERCENT] = {"%", true, false},
	};
	unsigned count = ARRAY_SIZE(columns);
	struct row_context context = {.report = report};

	if (report->group_key == GROUP_KEY_pcomm)
		columns[COLUMN_GROUP].heading = key->heading;
	if (report->rows->sides == 1) {
		columns[COLUMN_BASELINE].heading = "value";
		count = COLUMN_BASELINE + 1;
	}
	if (report->rows->row_count == 0)
		fputs(report->rows->sides == 1 ? "no rows\n" : "no row changed\n", file);
	else
		table_print(file, &report->style, columns, count, report_shown(report), row_cell,
		            &context);
}

/* Explains the marks that the rows carry. */
static void add_footnotes(const struct report *report, struct strbuf *out)
{
	struct row_context context = {.report = report};
	bool partial = false, members_differ = false;

	for (size_t i = 0; i < report_shown(report); i++) {
		const struct row_view *view = view_of(&context, i);

		members_differ = members_differ || view->members_differ;
		for (unsigned side = 0; side < report->rows->sides; side++)
			partial = partial ||
			          (!view->group->exited && view->cells[side] &&
			           view->seen[side] > 0 && view->seen[side] < view->expected[side]);
	}
	if (partial)
		strbuf_add_str(out, "* from some of the group's threads: the others did not have "
		                    "the value or could not be read\n");
	if (members_differ)
		strbuf_addf(
		        out,
		        "%s not the same threads on both sides: some started, exited or changed "
		        "their name\n",
		        members_mark);
}

static void add_note(const struct report *report, unsigned side, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf note = STRBUF_INIT;

	if (report_add_origin(&report->sides[side], &note))
		strbuf_addf(out, "note      %s\n", strbuf_str(&note));
}

static void add_head(const struct report *report, struct strbuf *out)
{
	for (unsigned side = 0; side < report->rows->sides; side++)
		add_side(report, side, out);
	for (unsigned side = 0; side < report->rows->sides; side++)
		add_note(report, side, out);
	if (report->rows->sides == 1)
		report_add_tally(report, SIDE_BASELINE, out);
	report_add_differs(report, out);
	if (report->without_rows)
		return;
	add_exited(report, out);
	for (unsigned side = SIDE_MAX; side-- > 0;)
		add_unmatched(report, side, out);
	strbuf_add_char(out, '\n');
}

void report_table(FILE *file, const struct report *report)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	add_head(report, &text);
	fputs(strbuf_str(&text), file);
	if (!report->without_rows) {
		print_rows(file, report);
		strbuf_clear(&text);
		report_add_left_out(report, &text);
		if (text.len > 0)
			strbuf_add_char(&text, '\n');
		add_footnotes(report, &text);
		fputs(strbuf_str(&text), file);
	}
	report_print_facts(file, report);
}
