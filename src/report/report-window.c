// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of the head about a window: its time, its threads, and those that it lacks. */
#include <string.h>

#include "metric/units.h"
#include "report/report-text.h"

/* Parts of a line, with separators. */
struct parts {
	struct strbuf *out;
	bool begun;
};

static struct strbuf *next_part(struct parts *parts, const char *separator)
{
	if (parts->begun)
		strbuf_add_str(parts->out, separator);
	parts->begun = true;
	return parts->out;
}

/* Returns a number that is known and not 0, or 0. */
static uint64_t number(const struct snapshot_window *window, enum window_number which)
{
	return window->seen[which] ? window->numbers[which] : 0;
}

static void add_count(struct parts *parts, const struct snapshot_window *window,
                      enum window_number which, const char *before, const char *behind)
{
	if (number(window, which) > 0)
		strbuf_addf(next_part(parts, ", "), "%s%llu %s", before,
		            (unsigned long long)number(window, which), behind);
}

/* Adds "threads: 90 continued, 14 born, 3 exited, 2 born and exited, 0 lost, at least 4 never seen". */
static void add_threads(const struct snapshot_window *window, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct parts parts = {.out = &text};

	add_count(&parts, window, WINDOW_threads_continued, "", "continued");
	add_count(&parts, window, WINDOW_threads_born, "", "born");
	add_count(&parts, window, WINDOW_threads_exited, "", "exited");
	add_count(&parts, window, WINDOW_threads_passed, "", "born and exited");
	/* A count of 0 is printed if the exits are known. */
	if (window_exits_are_known(window->exits) && window->seen[WINDOW_threads_lost] &&
	    number(window, WINDOW_threads_lost) == 0)
		strbuf_add_str(next_part(&parts, ", "), "0 lost");
	add_count(&parts, window, WINDOW_threads_lost, "", "lost");
	add_count(&parts, window, WINDOW_threads_missed, "at least ", "never seen");
	if (window->exits != WINDOW_EXITS_UNKNOWN && !window_exits_are_known(window->exits) &&
	    !window->seen[WINDOW_threads_missed])
		strbuf_add_str(next_part(&parts, ", "), "unknown how many never seen");
	add_count(&parts, window, WINDOW_threads_unknown, "", "unknown at the begin");
	if (text.len > 0)
		strbuf_addf(out, "; threads: %s", strbuf_str(&text));
}

static void add_span(const struct snapshot_window *window, struct strbuf *out)
{
	if (window->seen[WINDOW_length_ns])
		report_add_duration(window->numbers[WINDOW_length_ns], out);
	else
		strbuf_add_str(out, "of unknown length");
	if (window_is_longer_than_asked(window)) {
		strbuf_add_str(out, " (longer than the ");
		report_add_duration(window->numbers[WINDOW_asked_length_ns], out);
		strbuf_add_str(out, " that were asked for)");
	}
	if (!window->seen[WINDOW_begin_unix_ns])
		return;
	strbuf_add_str(out, " from ");
	report_add_time(window->numbers[WINDOW_begin_unix_ns], out);
}

/* Adds " to 2026-11-23 05:52:42 UTC in 30 windows of 2 boots, without 2 gaps of 34s" to a sum of windows. */
static void add_sum(const struct snapshot_info *info, struct strbuf *out)
{
	const struct snapshot_window *window = &info->window;
	uint64_t windows = number(window, WINDOW_windows), gaps = number(window, WINDOW_gaps);

	if (windows == 0)
		return;
	strbuf_add_str(out, " to ");
	report_add_time(info->captured_at_unix_ns, out);
	strbuf_addf(out, " in %llu %s", (unsigned long long)windows,
	            windows == 1 ? "window" : "windows");
	if (number(window, WINDOW_boots) > 1)
		strbuf_addf(out, " of %llu boots",
		            (unsigned long long)number(window, WINDOW_boots));
	if (gaps == 0)
		return;
	strbuf_addf(out, ", without %llu %s of ", (unsigned long long)gaps,
	            gaps == 1 ? "gap" : "gaps");
	report_add_duration(number(window, WINDOW_gap_ns), out);
}

static const char *exits_text(enum window_exits exits)
{
	switch (exits) {
	case WINDOW_EXITS_recorded:
		return "recorded, but for the last steps of each thread";
	case WINDOW_EXITS_completed:
		return "recorded, complete to the last switch of each thread";
	case WINDOW_EXITS_off:
		return "not recorded: the kernel keeps no exit records";
	case WINDOW_EXITS_denied:
		return "not recorded: that takes CAP_NET_ADMIN in the initial namespaces";
	case WINDOW_EXITS_skipped:
		return "not recorded: nobody listened";
	case WINDOW_EXITS_UNKNOWN:
	case WINDOW_EXITS_COUNT:
		break;
	}
	return NULL;
}

/* Adds "; those of other windows or hosts: completed" to a sum of unlike ones. */
static void add_exits_also(struct parts *parts, unsigned exits_also)
{
	struct parts names = {.out = parts->out};

	if (exits_also == 0)
		return;
	strbuf_add_str(next_part(parts, "; "), "those of other windows or hosts: ");
	for (unsigned i = WINDOW_EXITS_UNKNOWN + 1; i < WINDOW_EXITS_COUNT; i++)
		if (exits_also >> i & 1)
			strbuf_add_str(next_part(&names, ", "), window_exits_names[i]);
}

static void add_plural(struct parts *parts, const struct snapshot_window *window,
                       enum window_number which, const char *one, const char *many)
{
	uint64_t count = number(window, which);

	if (count > 0)
		strbuf_addf(next_part(parts, "; "), "%llu %s", (unsigned long long)count,
		            count == 1 ? one : many);
}

/* Returns whether BPF alone has the threads that ended: the kernel sent no record of them. */
static bool lacks_records(const struct snapshot_window *window)
{
	return window->exits == WINDOW_EXITS_completed && window->seen[WINDOW_exit_records] &&
	       window->numbers[WINDOW_exit_records] == 0 &&
	       number(window, WINDOW_threads_exited) + number(window, WINDOW_threads_passed) > 0;
}

/* Adds the source of the exits, and what it lacks. */
static void add_exits(const struct snapshot_info *info, struct strbuf *out)
{
	const struct snapshot_window *window = &info->window;
	uint64_t ticks_per_second = info->host.seen[HOST_clock_ticks_per_second]
	                                    ? info->host.numbers[HOST_clock_ticks_per_second]
	                                    : 0;
	uint64_t unaccounted = number(window, WINDOW_unaccounted_clock_ticks);
	struct parts parts = {.out = out};
	const char *exits = exits_text(window->exits);

	if (exits)
		strbuf_add_str(next_part(&parts, "; "), exits);
	if (lacks_records(window))
		strbuf_add_str(next_part(&parts, "; "),
		               "no record of the kernel came, with their other delays and peaks");
	add_exits_also(&parts, window->exits_also);
	if (unaccounted > 0 && ticks_per_second > 0)
		strbuf_addf(
		        next_part(&parts, "; "),
		        "at least %.2fs of the host's CPU time is in no row and no process total",
		        (double)unaccounted / (double)ticks_per_second);
	add_plural(&parts, window, WINDOW_exit_overruns, "time there was no room for a record",
	           "times there was no room for records");
	add_plural(&parts, window, WINDOW_exits_left_out, "record fits no thread of the window",
	           "records fit no thread of the window");
	add_plural(&parts, window, WINDOW_values_went_back, "value went back and is left out",
	           "values went back and are left out");
	add_plural(&parts, window, WINDOW_cgroups_lost, "cgroup was removed or left empty",
	           "cgroups were removed or left empty");
}

void report_add_window(const struct report *report, unsigned side, struct strbuf *out)
{
	static const char *const names[SIDE_MAX] = {"baseline: ", "candidate: "};
	const char *name = report->rows->sides == 1 ? "" : names[side];
	const struct snapshot_info *info = report->sides[side].info;
	cleanup_(strbuf_done) struct strbuf exits = STRBUF_INIT;

	if (info->kind != KIND_window)
		return;
	strbuf_addf(out, "window    %s", name);
	add_span(&info->window, out);
	add_sum(info, out);
	add_threads(&info->window, out);
	strbuf_add_char(out, '\n');
	add_exits(info, &exits);
	if (exits.len > 0)
		strbuf_addf(out, "exits     %s%s\n", name, strbuf_str(&exits));
}

bool report_windows_overlap(const struct report *report, uint64_t *ret_overlap_ns, bool *ret_same)
{
	const struct snapshot_info *a = report->sides[SIDE_BASELINE].info;
	const struct snapshot_info *b = report->sides[SIDE_CANDIDATE].info;
	const char *boot_a = host_text(&a->host, HOST_boot_id);
	const char *boot_b = host_text(&b->host, HOST_boot_id);
	struct window_span span_a, span_b;

	if (!boot_a || !boot_b || !window_find_span(a, &span_a) || !window_find_span(b, &span_b))
		return false;
	*ret_overlap_ns =
	        strcmp(boot_a, boot_b) == 0 ? window_spans_overlap_ns(&span_a, &span_b) : 0;
	*ret_same = span_a.begin_ns == span_b.begin_ns && span_a.end_ns == span_b.end_ns;
	return true;
}

void report_add_overlap(const struct report *report, struct strbuf *out)
{
	uint64_t overlap_ns;
	bool same;

	if (!report_windows_overlap(report, &overlap_ns, &same) || overlap_ns == 0 || same)
		return;
	strbuf_add_str(out, "overlap   the windows overlap by ");
	report_add_duration(overlap_ns, out);
	strbuf_add_str(out, ": what was done then is on both sides\n");
}
