// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/snapshot/snapshot.h"

#include <math.h>

#include "base/clock.h"

/* clang-format off */
const struct window_number_desc window_number_table[WINDOW_NUMBER_COUNT] = {
#define WINDOW_NUMBER(id_, unit_, text_) [WINDOW_##id_] = {#id_, UNIT_##unit_, text_},
#include "window.def"
#undef WINDOW_NUMBER
};
/* clang-format on */

const char *const snapshot_kind_names[KIND_COUNT] = {
        [KIND_lifetime] = "lifetime",
        [KIND_window] = "window",
};

const char *const window_exits_names[WINDOW_EXITS_COUNT] = {
        [WINDOW_EXITS_UNKNOWN] = "",
        [WINDOW_EXITS_recorded] = "recorded",
        [WINDOW_EXITS_completed] = "completed",
        [WINDOW_EXITS_off] = "off",
        [WINDOW_EXITS_denied] = "denied",
        [WINDOW_EXITS_skipped] = "skipped",
};

bool window_exits_are_known(enum window_exits exits)
{
	return exits == WINDOW_EXITS_recorded || exits == WINDOW_EXITS_completed;
}

static enum window_ends ends_of(enum window_exits exits)
{
	return exits == WINDOW_EXITS_completed  ? WINDOW_ENDS_COMPLETED
	       : exits == WINDOW_EXITS_recorded ? WINDOW_ENDS_RECORDED
	                                        : WINDOW_ENDS_NONE;
}

unsigned window_ends_of(enum window_exits exits, unsigned exits_also)
{
	unsigned ends = 1u << ends_of(exits);

	for (unsigned i = 0; i < WINDOW_EXITS_COUNT; i++)
		if (exits_also >> i & 1)
			ends |= 1u << ends_of((enum window_exits)i);
	return ends;
}

void window_join_exits(struct snapshot_window *into, const struct snapshot_window *from,
                       enum window_exits exits)
{
	unsigned all = into->exits_also | from->exits_also | 1u << into->exits | 1u << from->exits;

	into->exits = exits;
	into->exits_also = all & ~(1u << exits | 1u << WINDOW_EXITS_UNKNOWN);
}

void window_set(struct snapshot_window *window, enum window_number number, uint64_t value)
{
	window->numbers[number] = value;
	window->seen[number] = true;
}

bool window_is_longer_than_asked(const struct snapshot_window *window)
{
	unsigned __int128 length = window->numbers[WINDOW_length_ns];
	unsigned __int128 asked = window->numbers[WINDOW_asked_length_ns];

	return window->seen[WINDOW_length_ns] && window->seen[WINDOW_asked_length_ns] &&
	       length * 100 > asked * 105;
}

bool window_find_span(const struct snapshot_info *info, struct window_span *ret)
{
	const struct snapshot_window *window = &info->window;

	if (info->kind != KIND_window || !window->seen[WINDOW_begin_boottime_ns] ||
	    !window->seen[WINDOW_length_ns])
		return false;
	ret->begin_ns = window->numbers[WINDOW_begin_boottime_ns];
	ret->end_ns =
	        ret->begin_ns + window->numbers[WINDOW_length_ns] + window->numbers[WINDOW_gap_ns];
	return true;
}

uint64_t window_spans_overlap_ns(const struct window_span *a, const struct window_span *b)
{
	__int128 begin = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns;
	__int128 end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;

	return end > begin ? (uint64_t)(end - begin) : 0;
}

double window_unaccounted_percent(const struct snapshot_info *info)
{
	const struct snapshot_window *window = &info->window;
	double length_s = (double)window->numbers[WINDOW_length_ns] / NS_PER_SECOND;

	if (info->kind != KIND_window || !window->seen[WINDOW_unaccounted_clock_ticks] ||
	    !window->seen[WINDOW_length_ns] || length_s <= 0)
		return NAN;
	return 100 * (double)window->numbers[WINDOW_unaccounted_clock_ticks] /
	       (double)host_ticks_per_second(&info->host) / length_s;
}

bool snapshot_has_all_threads(const struct snapshot_info *info)
{
	uint64_t total = info->host.numbers[HOST_total_threads];
	uint64_t hosts = info->host.seen[HOST_hosts] ? info->host.numbers[HOST_hosts] : 1;
	uint64_t walked =
	        info->tally.threads + info->tally.threads_gone + info->tally.processes_gone;

	/* Threads come and go between the count and the walk, on each host. */
	return !host_text(&info->host, HOST_selection) && info->host.seen[HOST_total_threads] &&
	       walked + walked / 50 + 10 * hosts >= total;
}
