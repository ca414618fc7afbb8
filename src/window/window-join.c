// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-join.h"
#include "window-subtract.h"

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

void window_note_unobserved(struct window_join *join, const struct thread_sample *first)
{
	const struct host *host = &join->first.info.host;
	uint64_t read_ns = window_read_time(&join->first, first->read_boottime_ns);
	uint64_t stat_ns = host->numbers[HOST_stat_interval_ns], time_ns, run_ns;

	if (!host->seen[HOST_stat_interval_ns] || read_ns <= stat_ns)
		return;
	time_ns = read_ns - stat_ns;
	if (window_get_counter(first, METRIC_run_time_ns, &run_ns) && run_ns < time_ns)
		time_ns = run_ns;
	window_time_unobserved(&join->accounted, time_ns);
}
