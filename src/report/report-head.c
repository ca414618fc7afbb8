// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "metric/units.h"
#include "report/report-text.h"
#include "report/report.h"

enum { UNMATCHED_SHOWN = 8 };

/* Adds a field of the host behind a separator, or @otherwise if the snapshot does not have it. */
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

/* A window has rows of threads that ended in it as well, which are not of the processes that its last reading counts. */
static void add_counts(const struct snapshot_info *info, struct strbuf *out)
{
	const struct snapshot_tally *tally = &info->tally;

	strbuf_addf(out, ", %llu thread%s", (unsigned long long)tally->threads,
	            tally->threads == 1 ? "" : "s");
	if (tally->processes > 0 && info->kind != KIND_window)
		strbuf_addf(out, " of %llu process%s", (unsigned long long)tally->processes,
		            tally->processes == 1 ? "" : "es");
	if (tally->threads_gone > 0)
		strbuf_addf(out, " (%llu exited while being read)",
		            (unsigned long long)tally->threads_gone);
}

static bool same_text(const struct report *report, enum host_field field)
{
	const char *a = host_text(&report->sides[SIDE_BASELINE].info->host, field);
	const char *b = host_text(&report->sides[SIDE_CANDIDATE].info->host, field);

	return a && b && strcmp(a, b) == 0;
}

static bool differ_in(const struct report *report, enum host_field field)
{
	return host_text(&report->sides[SIDE_BASELINE].info->host, field) &&
	       host_text(&report->sides[SIDE_CANDIDATE].info->host, field) &&
	       !same_text(report, field);
}

/* Adds the time from the baseline to the candidate, by a clock of both. */
static void add_elapsed(uint64_t baseline_ns, uint64_t candidate_ns, struct strbuf *out)
{
	if (baseline_ns == 0 || candidate_ns == 0) {
		strbuf_add_str(out, "at an unknown time");
		return;
	}
	if (baseline_ns == candidate_ns) {
		strbuf_add_str(out, "at the same time");
		return;
	}
	report_add_duration(candidate_ns >= baseline_ns ? candidate_ns - baseline_ns
	                                                : baseline_ns - candidate_ns,
	                    out);
	strbuf_add_str(out, candidate_ns >= baseline_ns ? " later" : " EARLIER than the baseline");
}

static void add_host(const struct snapshot_info *info, struct strbuf *out)
{
	const struct host *host = &info->host;

	add_host_text(host, HOST_hostname, "", "", out);
	if (host->seen[HOST_hosts])
		strbuf_addf(out, "%llu hosts", (unsigned long long)host->numbers[HOST_hosts]);
	add_host_text(host, HOST_kernel_name,
	              host->seen[HOST_hostname] || host->seen[HOST_hosts] ? ", " : "",
	              "unknown kernel", out);
	add_host_text(host, HOST_kernel_release, " ", "", out);
	strbuf_add_str(out, ", ");
	report_add_time(info->captured_at_unix_ns, out);
}

/* Adds the differences of the candidate's place and time from the baseline's. */
static void add_relation(const struct report *report, struct strbuf *out)
{
	const struct snapshot_info *a = report->sides[SIDE_BASELINE].info;
	const struct snapshot_info *b = report->sides[SIDE_CANDIDATE].info;

	if (differ_in(report, HOST_hostname))
		strbuf_add_str(out, ", another host");
	else if (differ_in(report, HOST_boot_id))
		strbuf_add_str(out, ", another boot");
	if (a->captured_at_unix_ns == 0 || b->captured_at_unix_ns == 0)
		return;
	strbuf_add_str(out, ", ");
	add_elapsed(a->captured_at_unix_ns, b->captured_at_unix_ns, out);
}

/* Adds "baseline   a.zst: vm, Linux 6.18.44, 2026-11-21 01:20:11 UTC, 143 threads of 98 processes". */
static void add_side(const struct report *report, unsigned side, struct strbuf *out)
{
	static const char *const names[SIDE_MAX] = {"baseline ", "candidate"};
	const struct report_side *here = &report->sides[side];

	strbuf_addf(out, "%s ", report->rows->sides == 1 ? "snapshot" : names[side]);
	text_add_escaped(out, here->path, strlen(here->path));
	strbuf_add_str(out, ": ");
	if (side == SIDE_CANDIDATE && same_text(report, HOST_boot_id)) {
		strbuf_add_str(out, "same boot, ");
		add_elapsed(report->sides[SIDE_BASELINE].info->captured_boottime_ns,
		            here->info->captured_boottime_ns, out);
	} else {
		add_host(here->info, out);
		if (side == SIDE_CANDIDATE)
			add_relation(report, out);
	}
	add_counts(here->info, out);
	strbuf_add_char(out, '\n');
}

const char report_swapped_note[] = "the second file is the earlier one: swapped?";

bool report_is_swapped(const struct report *report)
{
	const struct snapshot_info *a = report->sides[SIDE_BASELINE].info;
	const struct snapshot_info *b = report->sides[SIDE_CANDIDATE].info;

	if (report->rows->sides != SIDE_MAX)
		return false;
	if (same_text(report, HOST_boot_id) && a->captured_boottime_ns > 0)
		return b->captured_boottime_ns > 0 &&
		       b->captured_boottime_ns < a->captured_boottime_ns;
	/* Two hosts have no order in time. */
	if (a->host.seen[HOST_hosts] || b->host.seen[HOST_hosts] ||
	    differ_in(report, HOST_hostname))
		return false;
	return b->captured_at_unix_ns > 0 && b->captured_at_unix_ns < a->captured_at_unix_ns;
}

static void add_labels(const struct report *report, unsigned side, struct strbuf *out)
{
	static const char *const names[SIDE_MAX] = {"baseline ", "candidate "};
	const struct labels *labels = &report->sides[side].info->labels;

	if (labels->count == 0)
		return;
	strbuf_addf(out, "labels    %s", report->rows->sides == 1 ? "" : names[side]);
	labels_add_text(labels, out);
	strbuf_add_char(out, '\n');
}

static __int128 cpu_ticks(const struct row_cpu_time *time)
{
	return (__int128)time->user_clock_ticks + time->system_clock_ticks;
}

static __int128 exited_ticks(const struct group *exited)
{
	return (__int128)(exited->cells[METRIC_utime_clock_ticks].number +
	                  exited->cells[METRIC_stime_clock_ticks].number);
}

/* CPU time is the first number that most people need, and much of it may belong to threads without a row. Threads that
 * lived before the baseline took their earlier time with them, hence "up to". */
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
	struct fold_cell run_time = group_number(here, METRIC_run_time_ns);

	strbuf_addf(out, "%s (", group->label);
	if (here->threads > 0)
		strbuf_addf(out, "%u thread%s", here->threads, here->threads == 1 ? "" : "s");
	else
		strbuf_add_str(out, "no living thread");
	if (run_time.seen > 0) {
		strbuf_add_str(out, ", run time ");
		units_format(UNIT_ns, quantity_integer((__int128)run_time.number), false, out);
	}
	strbuf_add_char(out, ')');
}

/* Adds as many as fit on a line of the terminal, and at least one; all of them with --limit 0. */
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
			strbuf_cut(&line, before);
			break;
		}
	}
	strbuf_add(out, line.data, line.len);
	if (shown < count)
		strbuf_addf(out, " and %zu more (--limit 0 lists all)", count - shown);
	strbuf_add_char(out, '\n');
}

/* Adds "renamed   /old → /new: 12 of 13 kinds of threads are in both, 3 cgroups below were paired too". */
static void add_renames(const struct report *report, struct strbuf *out)
{
	const struct row_set *set = report->rows;
	size_t shown = set->rename_count;

	if (report->limit > 0 && shown > UNMATCHED_SHOWN)
		shown = UNMATCHED_SHOWN;
	for (size_t i = 0; i < shown; i++) {
		const struct row_rename *rename = &set->renames[i];
		uint32_t larger = rename->types[rename->types[1] > rename->types[0]];

		strbuf_addf(out, "renamed   %s → %s: %u of %u kinds of threads are in both",
		            rename->labels[SIDE_BASELINE], rename->labels[SIDE_CANDIDATE],
		            rename->overlap, larger);
		if (rename->cascaded > 0)
			strbuf_addf(out, ", %u cgroup%s below paired too", rename->cascaded,
			            rename->cascaded == 1 ? "" : "s");
		strbuf_add_char(out, '\n');
	}
	if (shown < set->rename_count)
		strbuf_addf(out, "renamed   %zu more (--limit 0 lists all)\n",
		            set->rename_count - shown);
}

/* A label is as safe as a table prints it, but the user may have given a literal name. */
static void add_label(const char *label, struct strbuf *out)
{
	size_t len = strlen(label), at = 0, char_len = 1;
	uint32_t code_point;

	for (; at < len && char_len > 0; at += char_len) {
		char_len = text_decode(label + at, len - at, &code_point);
		if (char_len > 0 && !text_is_harmless(code_point))
			char_len = 0;
	}
	if (char_len > 0)
		strbuf_add_str(out, label);
	else
		text_add_escaped(out, label, len);
}

void report_add_explained(const struct report *report, struct strbuf *out)
{
	if (!report->explains)
		return;
	strbuf_add_str(out, "threads   of the group '");
	add_label(report->explains, out);
	strbuf_add_char(out, '\'');
	if (report->rows->sides == 1)
		strbuf_add_char(out, '\n');
	else if (differ_in(report, HOST_boot_id) || differ_in(report, HOST_hostname))
		strbuf_add_str(out, "; none is on both sides, for these are two boots\n");
	else
		strbuf_add_str(out, ", matched by tid and start time\n");
}

/* Adds the meaning of another tool's snapshot. */
static void add_note(const struct report *report, unsigned side, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf note = STRBUF_INIT;

	if (report_add_origin(&report->sides[side], &note))
		strbuf_addf(out, "note      %s\n", strbuf_str(&note));
}

/* Adds the line about the deltas of two snapshots of one boot. */
static void add_interval(const struct report *report, struct strbuf *out)
{
	if (!report->interval)
		return;
	strbuf_add_str(out, "interval  deltas of counters are what happened in the ");
	report_add_duration(report->rows->interval_frame.length_ns, out);
	strbuf_add_str(out, " in between\n");
}

void report_add_head(const struct report *report, struct strbuf *out)
{
	for (unsigned side = 0; side < report->rows->sides; side++)
		add_side(report, side, out);
	for (unsigned side = 0; side < report->rows->sides; side++)
		report_add_window(report, side, out);
	for (unsigned side = 0; side < report->rows->sides; side++)
		add_labels(report, side, out);
	if (report->rows->sides == SIDE_MAX)
		report_add_overlap(report, out);
	for (unsigned side = 0; side < report->rows->sides; side++)
		add_note(report, side, out);
	if (report->rows->sides == 1)
		report_add_tally(report, SIDE_BASELINE, out);
	else
		report_add_missing(report, out);
	add_interval(report, out);
	report_add_differs(report, out);
	if (report->without_rows)
		return;
	add_exited(report, out);
	add_renames(report, out);
	for (unsigned side = SIDE_MAX; side-- > 0;)
		add_unmatched(report, side, out);
}
