// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "window/exit-log.h"

/* The last waits and steps of a thread come behind its record, and only BPF sees those for a CPU. */
static void test_last_steps(void **state)
{
	static const enum metric_id of_cpu[] = {METRIC_cpu_delay_count,  METRIC_cpu_delay_total_ns,
	                                        METRIC_cpu_delay_max_ns, METRIC_cpu_delay_min_ns,
	                                        METRIC_wait_time_ns,     METRIC_lived_ns};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(of_cpu); i++) {
		assert_int_equal(exit_part_of(of_cpu[i], WINDOW_EXITS_recorded), EXIT_PART_PART);
		assert_int_equal(exit_part_of(of_cpu[i], WINDOW_EXITS_completed), EXIT_PART_WHOLE);
	}
	assert_int_equal(exit_part_of(METRIC_blkio_delay_total_ns, WINDOW_EXITS_completed),
	                 EXIT_PART_PART);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_last_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
