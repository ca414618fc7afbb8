// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-note.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "command/command.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

static unsigned long long number_of(const struct snapshot_info *info, enum window_number number)
{
	return info->window.seen[number] ? info->window.numbers[number] : 0;
}

static double seconds_of(uint64_t ns)
{
	return (double)ns / NS_PER_SECOND;
}

void window_note_add_contents(const struct snapshot_info *info, struct strbuf *out)
{
	static const struct {
		enum window_number number;
		const char *part;
	} parts[] = {
	        {WINDOW_threads_continued, "continued"}, {WINDOW_threads_born, "born"},
	        {WINDOW_threads_exited, "exited"},       {WINDOW_threads_passed, "born and exited"},
	        {WINDOW_threads_lost, "lost"},           {WINDOW_threads_unknown, "unknown"},
	};

	strbuf_addf(out, "window of %.3fs: ", seconds_of(number_of(info, WINDOW_length_ns)));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		unsigned long long count = number_of(info, parts[i].number);

		if (i > 0 && count == 0)
			continue;
		strbuf_addf(out, i > 0 ? ", %llu %s" : "%llu threads %s", count, parts[i].part);
	}
}

void window_note_contents(const struct snapshot_info *info)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	window_note_add_contents(info, &text);
	fprintf(stderr, "%s\n", strbuf_str(&text));
}

void window_note_length(const struct snapshot_info *info)
{
	if (window_is_longer_than_asked(&info->window))
		cli_error("the window is %.3fs long, longer than the %.3fs that were asked for",
		          seconds_of(number_of(info, WINDOW_length_ns)),
		          seconds_of(number_of(info, WINDOW_asked_length_ns)));
}

/* Appends the reason why exit records are missing or incomplete. */
static void add_cause(const struct snapshot_info *info, struct strbuf *out)
{
	unsigned long long overruns = number_of(info, WINDOW_exit_overruns);

	switch (info->window.exits) {
	case WINDOW_EXITS_denied:
		strbuf_add_str(out, "exit records denied");
		break;
	case WINDOW_EXITS_off:
		strbuf_add_str(out, "the kernel has no exit records");
		break;
	case WINDOW_EXITS_skipped:
		strbuf_add_str(out, "exit records not listened to");
		break;
	case WINDOW_EXITS_completed:
	case WINDOW_EXITS_recorded:
	case WINDOW_EXITS_UNKNOWN:
	case WINDOW_EXITS_COUNT:
		strbuf_add_str(out, "exit records are not complete");
		if (overruns > 0)
			strbuf_addf(out, " (%llu overrun%s)", overruns, overruns == 1 ? "" : "s");
		break;
	}
}

/* Every end is known, but of short lives not the CPU time. */
static void note_short_records(const struct snapshot_info *info)
{
	uint64_t ticks = number_of(info, WINDOW_unaccounted_clock_ticks);
	uint64_t per_second = info->host.numbers[HOST_clock_ticks_per_second];

	if (info->window.exits != WINDOW_EXITS_recorded || per_second == 0 || ticks < per_second)
		return;
	cli_error("exit records alone lack the CPU time of short lives: at least %.1fs is missing "
	          "(with BPF it is not; see ctprof-capture(1))",
	          (double)ticks / (double)per_second);
}

/* Returns true where exit records were not received and this user cannot see the number of threads on the host. */
static bool is_in_the_dark(const struct snapshot_info *info)
{
	return !window_exits_are_known(info->window.exits) &&
	       !info->window.seen[WINDOW_threads_missed];
}

void window_note_missing(const struct snapshot_info *info)
{
	unsigned long long lost = number_of(info, WINDOW_threads_lost);
	unsigned long long missed = number_of(info, WINDOW_threads_missed);
	unsigned long long overruns = number_of(info, WINDOW_exit_overruns);
	uint64_t ticks = number_of(info, WINDOW_unaccounted_clock_ticks);
	uint64_t per_second = info->host.numbers[HOST_clock_ticks_per_second];
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	/* A record for which there was no room is of a thread that has a row if no birth is missing. */
	if (lost + missed == 0 && !is_in_the_dark(info) &&
	    (overruns == 0 || info->window.seen[WINDOW_threads_missed])) {
		note_short_records(info);
		return;
	}
	add_cause(info, &text);
	strbuf_add_str(&text, ": threads that ended inside the window are missing (");
	if (lost > 0)
		strbuf_addf(&text, "%llu lost", lost);
	if (missed > 0)
		strbuf_addf(&text, "%sat least %llu never seen", lost > 0 ? ", " : "", missed);
	if (lost + missed == 0)
		strbuf_add_str(&text, "number unknown");
	if (ticks > 0 && per_second > 0)
		strbuf_addf(&text, ", at least %.1fs of CPU time",
		            (double)ticks / (double)per_second);
	strbuf_add_char(&text, ')');
	if (info->window.exits == WINDOW_EXITS_denied)
		strbuf_add_str(&text, geteuid() == 0 ? "; see 'ctprof doctor'"
		                                     : "; root can listen to their ends, see "
		                                       "'ctprof doctor'");
	cli_error("%s", strbuf_str(&text));
}
