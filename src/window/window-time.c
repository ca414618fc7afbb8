// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-time.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "window-subtract.h"

void window_accounted_done(struct window_accounted *accounted)
{
	free(accounted->unobserved_ns);
	*accounted = (struct window_accounted){0};
}

void window_time_unobserved(struct window_accounted *accounted, uint64_t time_ns)
{
	if (time_ns > 0)
		*array_add(accounted->unobserved_ns, accounted->count, accounted->capacity) =
		        time_ns;
}

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
void window_time_end(struct window_time *time, struct window_accounted *accounted)
{
	saturating_add_to(&accounted->ticks,
	                  time->has_total && time->total > time->rows ? time->total : time->rows);
	*time = (struct window_time){0};
}

/* The longest first. */
static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Returns the ticks that the host's CPUs can have used for threads that were not observed. Each has one of them at a time, so no more
 * threads than there are CPUs have used all of their time. */
static uint64_t unobserved_ticks(const struct host *host, struct window_accounted *accounted)
{
	uint64_t tick_ns = NS_PER_SECOND / host_ticks_per_second(host), sum_ns = 0;
	uint64_t cpus = host->seen[HOST_online_cpus] ? host->numbers[HOST_online_cpus] : UINT64_MAX;

	if (accounted->count == 0)
		return 0;
	qsort(accounted->unobserved_ns, accounted->count, sizeof(accounted->unobserved_ns[0]),
	      compare_times);
	for (size_t i = 0; i < accounted->count && i < cpus; i++)
		saturating_add_to(&sum_ns, accounted->unobserved_ns[i]);
	return sum_ns / tick_ns + 1;
}

bool window_time_rest(const struct host *host, struct window_accounted *accounted, uint64_t *ret)
{
	uint64_t ticks = saturating_add(host->numbers[HOST_user_clock_ticks],
	                                host->numbers[HOST_system_clock_ticks]);
	uint64_t busy = host_busy_ticks(host), least = busy < ticks ? busy : ticks;
	uint64_t rest = least > accounted->ticks ? least - accounted->ticks : 0;
	uint64_t unobserved = unobserved_ticks(host, accounted), error = host_ticks_error(host);
	bool contradicts = accounted->ticks > saturating_add(least, error) ||
	                   ticks > saturating_add(busy, error);

	if (!host->seen[HOST_user_clock_ticks] || !host->seen[HOST_system_clock_ticks] ||
	    contradicts)
		return false;
	if (rest <= error)
		*ret = 0;
	else if (rest - error > unobserved)
		*ret = rest - error - unobserved;
	else
		return false;
	return true;
}
