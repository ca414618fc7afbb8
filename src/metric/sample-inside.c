// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of waits that can lie in a window. */
#include "base/clock.h"

#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns whether the value is the time of waits in a window. */
static bool is_waiting_inside(const struct thread_sample *sample, enum metric_id metric)
{
	return sample->life_ns > 0 && metric_table[metric].bound == BOUND_waiting &&
	       metric_set_has(&sample->seen, metric);
}

bool sample_began_before(const struct thread_sample *sample, enum metric_id metric)
{
	return is_waiting_inside(sample, metric) && sample->window_part != WINDOW_PART_born &&
	       sample->window_part != WINDOW_PART_passed &&
	       sample_number(sample, metric) > sample->life_ns;
}

uint64_t sample_inside(const struct thread_sample *sample, enum metric_id metric)
{
	uint64_t value = sample_number(sample, metric);

	return is_waiting_inside(sample, metric) ? smaller(value, sample->life_ns) : value;
}

/* Only the larger one of these two counts. */
static bool overlaps(enum metric_id metric)
{
	return metric == METRIC_swapin_delay_total_ns || metric == METRIC_thrashing_delay_total_ns;
}

static bool is_too_long(const struct thread_sample *sample, enum metric_id metric)
{
	return is_waiting_inside(sample, metric) && sample_number(sample, metric) > sample->life_ns;
}

/* The states of a thread. The last two overlap, and the larger one counts. */
static const enum metric_id states[] = {
        METRIC_run_time_ns,
        METRIC_wait_time_ns,
        METRIC_blkio_delay_total_ns,
        METRIC_freepages_delay_total_ns,
        METRIC_compact_delay_total_ns,
        METRIC_wpcopy_delay_total_ns,
        METRIC_irq_delay_total_ns,
        METRIC_swapin_delay_total_ns,
        METRIC_thrashing_delay_total_ns,
};

static bool is_state(enum metric_id metric)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i] == metric)
			return true;
	return false;
}

/* Returns the time in the states that are not too long. */
static uint64_t known_states_ns(const struct thread_sample *sample)
{
	uint64_t sum = 0, overlapping = 0;

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		uint64_t value;

		if (!metric_set_has(&sample->seen, states[i]) || is_too_long(sample, states[i]))
			continue;
		value = smaller(sample_number(sample, states[i]), sample->life_ns);
		if (!overlaps(states[i]))
			sum = smaller(sum + value, sample->life_ns);
		else if (value > overlapping)
			overlapping = value;
	}
	return smaller(sum + overlapping, sample->life_ns);
}

/* Returns the number of states that are too long; the two that overlap count once. */
static uint64_t too_long_states(const struct thread_sample *sample)
{
	uint64_t count = 0;
	bool overlapping = false;

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (overlaps(states[i]))
			overlapping = overlapping || is_too_long(sample, states[i]);
		else
			count += is_too_long(sample, states[i]);
	return count + overlapping;
}

static bool is_first_too_long(const struct thread_sample *sample, enum metric_id metric)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (is_too_long(sample, states[i]))
			return states[i] == metric;
	return false;
}

uint64_t sample_state_inside(const struct thread_sample *sample, enum metric_id metric)
{
	uint64_t left_ns, count;

	if (!is_state(metric) || !is_too_long(sample, metric))
		return sample_inside(sample, metric);
	left_ns = sample->life_ns - known_states_ns(sample);
	count = too_long_states(sample);
	/* The parts add up to the life: a rest of some nanoseconds would be other sleep. */
	return left_ns / count + (is_first_too_long(sample, metric) ? left_ns % count : 0);
}

/* Returns the time by which the delays, each as the function counts it, exceed the life. */
static uint64_t delays_beyond(const struct thread_sample *sample, enum metric_id evicted,
                              uint64_t lived_ns,
                              uint64_t (*inside)(const struct thread_sample *, enum metric_id))
{
	const enum metric_id delays[] = {
	        METRIC_cpu_delay_total_ns,
	        METRIC_blkio_delay_total_ns,
	        METRIC_freepages_delay_total_ns,
	        METRIC_compact_delay_total_ns,
	        METRIC_wpcopy_delay_total_ns,
	        METRIC_irq_delay_total_ns,
	        evicted,
	};
	unsigned __int128 sum = 0, beyond;

	for (size_t i = 0; i < ARRAY_SIZE(delays); i++)
		if (metric_set_has(&sample->seen, delays[i]))
			sum += inside(sample, delays[i]);
	beyond = sum > lived_ns ? sum - lived_ns : 0;
	return beyond < UINT64_MAX ? (uint64_t)beyond : UINT64_MAX;
}

uint64_t sample_delays_beyond(const struct thread_sample *sample, enum metric_id evicted,
                              uint64_t lived_ns)
{
	return delays_beyond(sample, evicted, lived_ns, sample_inside);
}

uint64_t sample_state_delays_beyond(const struct thread_sample *sample, enum metric_id evicted,
                                    uint64_t lived_ns)
{
	return delays_beyond(sample, evicted, lived_ns, sample_state_inside);
}
