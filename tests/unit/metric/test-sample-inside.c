// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of waits that lie in a window, and the sums of these. */
#include <string.h>

#include "base/clock.h"
#include "check.h"
#include "ctprof/metric/sample.h"

enum { LIFE_MS = 2000, RUN_MS = 100, CPU_MS = 200, LONG_MS = 3000 };

static const enum metric_id delays[] = {
        METRIC_cpu_delay_total_ns,       METRIC_blkio_delay_total_ns,
        METRIC_freepages_delay_total_ns, METRIC_compact_delay_total_ns,
        METRIC_wpcopy_delay_total_ns,    METRIC_irq_delay_total_ns,
        METRIC_swapin_delay_total_ns,    METRIC_thrashing_delay_total_ns,
};

static void set_ms(struct thread_sample *sample, enum metric_id metric, uint64_t ms)
{
	uint64_t ns = ms * NS_PER_MS;

	memcpy((char *)sample + metric_table[metric].offset, &ns, sizeof(ns));
	metric_set_add(&sample->seen, metric);
}

/* A thread of a window ran and waited for a CPU, and the delays of the mask (from blkio on) began before. */
static void make(struct thread_sample *sample, unsigned began)
{
	*sample = (struct thread_sample){.life_ns = LIFE_MS * NS_PER_MS,
	                                 .interval_ns = LIFE_MS * NS_PER_MS,
	                                 .window_part = WINDOW_PART_continued};
	set_ms(sample, METRIC_run_time_ns, RUN_MS);
	set_ms(sample, METRIC_wait_time_ns, CPU_MS);
	set_ms(sample, METRIC_cpu_delay_total_ns, CPU_MS);
	for (size_t i = 1; i < ARRAY_SIZE(delays); i++)
		set_ms(sample, delays[i], began & 1u << (i - 1) ? LONG_MS : 0);
}

/* Returns the delays together, the larger one of the two that overlap, without what is beyond the life. */
static uint64_t sum(const struct thread_sample *sample, bool states)
{
	uint64_t all = 0, parts[ARRAY_SIZE(delays)];
	size_t evicted;

	for (size_t i = 0; i < ARRAY_SIZE(delays); i++) {
		parts[i] = states ? sample_state_inside(sample, delays[i])
		                  : sample_inside(sample, delays[i]);
		if (i < 6)
			all += parts[i];
	}
	evicted = parts[6] > parts[7] ? 6 : 7;
	all += parts[evicted];
	return all - (states ? sample_state_delays_beyond(sample, delays[evicted], sample->life_ns)
	                     : sample_delays_beyond(sample, delays[evicted], sample->life_ns));
}

/* The sum of the delays is never less than what the life leaves, whichever of them began before the window. */
static void sums_are_of_their_parts(void **state)
{
	(void)state;
	for (unsigned began = 0; began < 1u << (ARRAY_SIZE(delays) - 1); began++) {
		struct thread_sample sample;
		bool any = began != 0;

		make(&sample, began);
		assert_int_equal(sum(&sample, true), (any ? LIFE_MS - RUN_MS : CPU_MS) * NS_PER_MS);
		assert_int_equal(sum(&sample, false), (any ? LIFE_MS : CPU_MS) * NS_PER_MS);
		for (size_t i = 6; i < ARRAY_SIZE(delays); i++)
			assert_int_equal(
			        sample_state_delays_beyond(&sample, delays[i], sample.life_ns), 0);
		sample_done(&sample);
	}
}

/* Delays that overlap by themselves are no more than the life together. */
static void no_more_than_a_life(void **state)
{
	struct thread_sample sample;

	(void)state;
	make(&sample, 0);
	set_ms(&sample, METRIC_blkio_delay_total_ns, LIFE_MS - CPU_MS / 2);
	assert_int_equal(
	        sample_state_delays_beyond(&sample, METRIC_swapin_delay_total_ns, sample.life_ns),
	        CPU_MS / 2 * NS_PER_MS);
	assert_int_equal(sum(&sample, true), LIFE_MS * NS_PER_MS);
	assert_int_equal(sum(&sample, false), LIFE_MS * NS_PER_MS);
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sums_are_of_their_parts),
	        cmocka_unit_test(no_more_than_a_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
