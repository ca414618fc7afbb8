// SPDX-License-Identifier: GPL-2.0-or-later
#include "group-rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

static uint64_t clock_ticks_per_second(const struct group_table *table)
{
	const struct host *host = table->host;

	return host && host->seen[HOST_clock_ticks_per_second]
	               ? host->numbers[HOST_clock_ticks_per_second]
	               : 0;
}

/* Returns the time from a birth to the reading of the sample; 0 if it is not known. */
static uint64_t age_ns(const struct group_table *table, const struct thread_sample *sample,
                       uint64_t birth_clock_ticks)
{
	uint64_t read_ns = sample->read_boottime_ns, frequency = clock_ticks_per_second(table);
	unsigned __int128 birth_ns = (unsigned __int128)birth_clock_ticks * NS_PER_SECOND;

	if (read_ns == 0 && table->info)
		read_ns = table->info->captured_boottime_ns;
	if (frequency == 0 || read_ns == 0)
		return 0;
	birth_ns /= frequency;
	return birth_ns < read_ns ? read_ns - (uint64_t)birth_ns : 0;
}

uint64_t group_rates_age_ns(const struct group_table *table, const struct thread_sample *sample)
{
	return age_ns(table, sample, sample->start_time_clock_ticks);
}

/* Returns whether the row is of a window. Rows of a window show that themselves, for in a file the kind may stand
 * behind them. */
static bool is_of_window(const struct group_table *table, const struct thread_sample *sample)
{
	return sample->window_part != WINDOW_PART_NONE ||
	       (table->info && table->info->kind == KIND_window);
}

/* Returns how long the counters of the process have been counting, as of this thread: in a window until the end of the
 * thread's observation, else since the process started. */
static uint64_t process_interval_ns(const struct group_table *table,
                                    const struct thread_sample *sample)
{
	return is_of_window(table, sample)
	               ? sample->interval_ns
	               : age_ns(table, sample, table->process.start_time_clock_ticks);
}

void group_rates_see(struct group_table *table, struct thread_sample *sample)
{
	bool window = is_of_window(table, sample);
	uint64_t lived_ns =
	        window ? sample->life_ns : age_ns(table, sample, sample->start_time_clock_ticks);

	if (!table->rates)
		table->rates = window ? table->window_rates : table->lifetime_rates;
	/* The totals of a process that both readings have are those of the time between them. */
	if (table->process.threads == 1 || sample->window_part == WINDOW_PART_NONE ||
	    sample->window_part == WINDOW_PART_continued)
		table->process.exited_interval_ns = process_interval_ns(table, sample);
	/* ps shows the age of the process for a process, and the thread's own for a thread (ps -L). */
	table->process.interval_ns = !window && group_by_has_thread_key(&table->by)
	                                     ? lived_ns
	                                     : process_interval_ns(table, sample);
	if (lived_ns > 0)
		sample_set(sample, lived_ns, (struct counter_ns){lived_ns});
}

static struct rate_sum *rates_of(const struct group_table *table, struct group *group)
{
	if (!group->rates) {
		group->rates = mem_calloc(table->rates->count, sizeof(group->rates[0]));
		group->rate_count = table->rates->count;
	}
	return group->rates;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

uint64_t group_rates_interval_ns(const struct group_table *table,
                                 const struct thread_sample *sample, enum metric_id metric)
{
	uint64_t interval = table->process.interval_ns;

	if (metric_table[metric].source != SOURCE_jemalloc || interval == 0)
		return interval;
	if (is_of_window(table, sample))
		return sample->jemalloc_interval_ns > 0 ? sample->jemalloc_interval_ns : interval;
	if (sample->read_boottime_ns == 0 ||
	    sample->jemalloc_boottime_ns < sample->read_boottime_ns)
		return interval;
	return interval + (sample->jemalloc_boottime_ns - sample->read_boottime_ns);
}

/* Notes the distance of the readings of jemalloc's counters from all other readings, at both ends of a window. */
static void note_jemalloc_lag(const struct group_table *table, struct group *group,
                              const struct thread_sample *sample)
{
	uint64_t between_ns = group_rates_interval_ns(table, sample, METRIC_allocated_bytes);
	uint64_t end_ns, difference;
	double lag = INFINITY;

	if (!is_of_window(table, sample) || !metric_set_has(&sample->seen, METRIC_allocated_bytes))
		return;
	if (sample->jemalloc_boottime_ns > 0 && sample->read_boottime_ns > 0 && between_ns > 0) {
		end_ns = distance(sample->jemalloc_boottime_ns, sample->read_boottime_ns);
		difference = sample->jemalloc_interval_ns > 0
		                     ? distance(sample->jemalloc_interval_ns, sample->interval_ns)
		                     : 0;
		lag = (2 * (double)end_ns + (double)difference) / (double)between_ns;
	}
	group->jemalloc_lag = fmax(group->jemalloc_lag, lag);
}

/* Returns the most that the thread can have run in a part of its life. */
static uint64_t run_within(const struct thread_sample *sample, uint64_t time_ns)
{
	uint64_t run_ns;

	if (!metric_set_has(&sample->seen, METRIC_run_time_ns))
		return time_ns;
	memcpy(&run_ns, sample_value(sample, METRIC_run_time_ns), sizeof(run_ns));
	return run_ns < time_ns ? run_ns : time_ns;
}

/* Notes how far the time in which a thread was observed is from that of the window. A thread of both readings is read at about the same
 * place in both, so that its time is as long as the window. */
static void note_edges(const struct group_table *table, struct group *group,
                       const struct thread_sample *sample)
{
	uint64_t end_ns = table->info ? table->info->captured_boottime_ns : 0;
	uint64_t read_ns = sample->read_boottime_ns, late_ns;

	if (sample->window_part == WINDOW_PART_NONE ||
	    sample->window_part == WINDOW_PART_continued || sample_is_lost(sample) ||
	    sample->merged_threads > 0 || sample->life_ns == 0 || end_ns == 0)
		return;
	late_ns = read_ns > end_ns ? read_ns - end_ns : 0;
	if (late_ns > 0) {
		group->late_run_ns =
		        saturating_add(group->late_run_ns, run_within(sample, late_ns));
		group->late_parts +=
		        late_ns < sample->life_ns ? (double)late_ns / (double)sample->life_ns : 1;
	}
	if (late_ns > group->late_ns)
		group->late_ns = late_ns;
	if (sample->window_part != WINDOW_PART_exited || read_ns <= sample->life_ns)
		return;
	group->first_read++;
	if (read_ns - sample->life_ns > group->first_read_ns)
		group->first_read_ns = read_ns - sample->life_ns;
}

static void merge_edges(struct group *into, const struct group *from)
{
	saturating_add_to(&into->late_run_ns, from->late_run_ns);
	into->late_parts += from->late_parts;
	into->first_read += from->first_read;
	if (from->late_ns > into->late_ns)
		into->late_ns = from->late_ns;
	if (from->first_read_ns > into->first_read_ns)
		into->first_read_ns = from->first_read_ns;
}

static void note_before(struct group *group, enum metric_id metric, struct wait_before more)
{
	struct wait_before *before;

	if (more.threads == 0 && more.beyond_ns == 0)
		return;
	if (!group->before)
		group->before = mem_calloc(METRIC_COUNT, sizeof(group->before[0]));
	before = &group->before[metric];
	before->threads += more.threads;
	before->beyond_ns += more.beyond_ns;
	rate_merge(&before->beyond_rate, more.beyond_rate);
}

static void note_waits(struct group *group, const struct thread_sample *sample,
                       uint64_t interval_ns)
{
	if (sample->life_ns == 0)
		return;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		struct wait_before before = {0};
		uint64_t inside_ns;

		if (metric_table[i].bound != BOUND_waiting ||
		    !metric_set_has(&sample->seen, metric))
			continue;
		inside_ns = sample_state_inside(sample, metric);
		before.threads = sample_began_before(sample, metric);
		/* Every wait is a counter, which is 64 bits wide. */
		before.beyond_ns = *(const uint64_t *)sample_value(sample, metric) - inside_ns;
		if (interval_ns > 0)
			rate_add(&before.beyond_rate, sample_inside(sample, metric) - inside_ns,
			         interval_ns);
		note_before(group, metric, before);
	}
}

void group_rates_note_delays_beyond(struct delays_beyond *beyond,
                                    const struct thread_sample *sample, uint64_t interval_ns)
{
	static const enum metric_id evicted[EVICTED_COUNT] = {
	        [EVICTED_swapin] = METRIC_swapin_delay_total_ns,
	        [EVICTED_thrashing] = METRIC_thrashing_delay_total_ns,
	};
	const void *lived = sample_value(sample, METRIC_lived_ns);
	uint64_t longest_ns = interval_ns, lived_ns;

	/* Threads whose delays are longer than their lives are not merged. */
	if (interval_ns == 0 || sample->merged_threads > 0)
		return;
	if (metric_set_has(&sample->seen, METRIC_lived_ns)) {
		memcpy(&lived_ns, lived, sizeof(lived_ns));
		longest_ns = lived_ns < interval_ns ? lived_ns : interval_ns;
	}
	for (unsigned i = 0; i < EVICTED_COUNT; i++) {
		uint64_t ns = sample_delays_beyond(sample, evicted[i], longest_ns);

		if (ns > 0)
			rate_add(&beyond->rates[i], ns, interval_ns);
		saturating_add_to(&beyond->ns[i],
		                  sample_state_delays_beyond(sample, evicted[i], longest_ns));
	}
}

/* Few groups have such a time. */
static void add_delays_beyond(struct group *group, const struct delays_beyond *more)
{
	bool any = false;

	for (unsigned i = 0; more && i < EVICTED_COUNT; i++)
		any = any || more->rates[i].fixed > 0 || more->ns[i] > 0;
	if (!any)
		return;
	if (!group->delays_beyond)
		group->delays_beyond = mem_calloc(1, sizeof(*group->delays_beyond));
	for (unsigned i = 0; i < EVICTED_COUNT; i++) {
		rate_merge(&group->delays_beyond->rates[i], more->rates[i]);
		saturating_add_to(&group->delays_beyond->ns[i], more->ns[i]);
	}
}

void group_rates_add(const struct group_table *table, struct group *group,
                     const struct thread_sample *sample)
{
	struct delays_beyond beyond = {0};
	struct rate_sum *rates;

	note_jemalloc_lag(table, group, sample);
	note_edges(table, group, sample);
	note_waits(group, sample, table->process.interval_ns);
	group_rates_note_delays_beyond(&beyond, sample, table->process.interval_ns);
	add_delays_beyond(group, &beyond);
	if (!table->rates || table->rates->count == 0)
		return;
	rates = rates_of(table, group);
	for (unsigned i = 0; i < table->rates->count; i++) {
		enum metric_id metric = (enum metric_id)table->rates->metrics[i];
		uint64_t interval = group_rates_interval_ns(table, sample, metric), value;

		if (!metric_set_has(&sample->seen, metric))
			continue;
		/* Every metric with a rate is a counter, which is 64 bits wide. */
		value = *(const uint64_t *)sample_value(sample, metric);
		/* The number of threads only serves to compute how long they were observed; it has no rate to lack. */
		if (interval == 0)
			group->rates_unknown =
			        group->rates_unknown || metric != METRIC_thread_count;
		else if (value > 0)
			rate_add(&rates[i], sample_inside(sample, metric), interval);
	}
}

void group_rates_add_exited(const struct group_table *table, struct group *group,
                            const uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	uint64_t interval = table->process.exited_interval_ns;
	bool has_list = table->rates && table->rates->count > 0;

	if (!has_list && !table->with_exited_rates)
		return;
	if (has_list)
		rates_of(table, group);
	if (!group->exited_rates)
		group->exited_rates =
		        mem_calloc(PROCESS_TOTAL_COUNT, sizeof(group->exited_rates[0]));
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		if (remainders[i] == 0)
			continue;
		if (interval > 0)
			rate_add(&group->exited_rates[i], remainders[i], interval);
		else
			group->rates_unknown = true;
	}
}

void group_rates_include(const struct rate_list *list, struct group *group,
                         enum process_total total)
{
	unsigned place;

	if (!group->exited_rates || !list || list->count == 0)
		return;
	place = list->places[process_total_table[total].metric];
	if (place > 0)
		rate_merge(&group->rates[place - 1], group->exited_rates[total]);
}

void group_rates_merge(struct group *into, const struct group *from)
{
	into->rates_unknown = into->rates_unknown || from->rates_unknown;
	into->jemalloc_lag = fmax(into->jemalloc_lag, from->jemalloc_lag);
	merge_edges(into, from);
	for (unsigned i = 0; from->before && i < METRIC_COUNT; i++)
		note_before(into, (enum metric_id)i, from->before[i]);
	add_delays_beyond(into, from->delays_beyond);
	if (!from->rates)
		return;
	if (!into->rates) {
		into->rates = mem_calloc(from->rate_count, sizeof(into->rates[0]));
		into->rate_count = from->rate_count;
	}
	for (unsigned i = 0; i < from->rate_count; i++)
		rate_merge(&into->rates[i], from->rates[i]);
}

void group_rates_done(struct group *group)
{
	free(group->before);
	free(group->rates);
	free(group->exited_rates);
	free(group->delays_beyond);
}
