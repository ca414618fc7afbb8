// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-time.h"

#include "base/clock.h"
#include "window-subtract.h"

static void keep_shorter(uint64_t *shortest_ns, uint64_t interval_ns)
{
	if (interval_ns > 0 && (*shortest_ns == 0 || interval_ns < *shortest_ns))
		*shortest_ns = interval_ns;
}

void window_time_add(struct window_time *time, const struct thread_sample *sample)
{
	const uint32_t both = UINT32_C(1) << PROCESS_TOTAL_utime_clock_ticks |
	                      UINT32_C(1) << PROCESS_TOTAL_stime_clock_ticks;
	uint64_t ticks;

	if (sample->window_part == WINDOW_PART_continued)
		keep_shorter(&time->shortest_ns, sample->interval_ns);
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
void window_time_end(struct window_time *time, struct window_accounted *accounted)
{
	keep_shorter(&accounted->shortest_ns, time->shortest_ns);
	saturating_add_to(&accounted->ticks,
	                  time->has_total && time->total > time->rows ? time->total : time->rows);
	*time = (struct window_time){0};
}

/* Returns the ticks that the host's CPUs can have used while /proc/stat counted and a thread was not observed. It is read before all
 * threads, and their readings may take long. */
static uint64_t unobserved_ticks(const struct host *host, uint64_t shortest_ns)
{
	uint64_t stat_ns = host->numbers[HOST_stat_interval_ns];
	uint64_t tick_ns = NS_PER_SECOND / host_ticks_per_second(host);

	if (!host->seen[HOST_stat_interval_ns] || !host->seen[HOST_online_cpus] ||
	    shortest_ns == 0 || stat_ns <= shortest_ns)
		return 0;
	return saturating_multiply((stat_ns - shortest_ns) / tick_ns + 1,
	                           host->numbers[HOST_online_cpus]);
}

bool window_time_rest(const struct host *host, const struct window_accounted *accounted,
                      uint64_t *ret)
{
	uint64_t ticks = saturating_add(host->numbers[HOST_user_clock_ticks],
	                                host->numbers[HOST_system_clock_ticks]);
	uint64_t unobserved = unobserved_ticks(host, accounted->shortest_ns);

	if (!host->seen[HOST_user_clock_ticks] || !host->seen[HOST_system_clock_ticks] ||
	    ticks < accounted->ticks)
		return false;
	*ret = ticks - accounted->ticks;
	*ret -= *ret < unobserved ? *ret : unobserved;
	return true;
}
