// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-join.h"

uint64_t window_tick_of(const struct window_join *join, uint64_t boottime_ns)
{
	return boottime_ns / join->tick_ns;
}

uint64_t window_tick_begin(const struct window_join *join, uint64_t tick)
{
	return saturating_multiply(tick, join->tick_ns);
}

void window_set_partial_interval(const struct window_join *join, struct thread_sample *sample)
{
	uint64_t length_ns = join->end_ns - join->begin_ns;

	sample->interval_ns = length_ns > sample->life_ns ? length_ns : sample->life_ns;
}

void window_count(struct window_join *join, enum window_number number, uint64_t more)
{
	window_set(&join->info->window, number, join->info->window.numbers[number] + more);
}
