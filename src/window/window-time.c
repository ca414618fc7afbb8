// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-time.h"

#include "window-subtract.h"

void window_time_add(struct window_time *time, const struct thread_sample *sample)
{
	const uint32_t both = UINT32_C(1) << PROCESS_TOTAL_utime_clock_ticks |
	                      UINT32_C(1) << PROCESS_TOTAL_stime_clock_ticks;
	uint64_t ticks;

	if (metric_set_has(&sample->seen, METRIC_utime_clock_ticks) &&
	    window_get_counter(sample, METRIC_utime_clock_ticks, &ticks))
		time->rows = saturating_add(time->rows, ticks);
	if (metric_set_has(&sample->seen, METRIC_stime_clock_ticks) &&
	    window_get_counter(sample, METRIC_stime_clock_ticks, &ticks))
		time->rows = saturating_add(time->rows, ticks);
	if (!sample->has_process_totals || (sample->process_totals_seen & both) != both)
		return;
	time->has_total = true;
	time->total = saturating_add(sample->process_totals[PROCESS_TOTAL_utime_clock_ticks],
	                             sample->process_totals[PROCESS_TOTAL_stime_clock_ticks]);
}

/* A total that is above its rows has work of exited threads; one below them has been rounded. */
void window_time_end(struct window_time *time, uint64_t *accounted_ticks)
{
	saturating_add_to(accounted_ticks,
	                  time->has_total && time->total > time->rows ? time->total : time->rows);
	*time = (struct window_time){0};
}
