// SPDX-License-Identifier: GPL-2.0-or-later
/* The distance between the two readings of a thread in a window. */
#include "window-scene.h"

/* Readings that take 18 s of the 30 between them: what is divided by is a thread's own distance, or the length of the window if
 * it has none, but no less than its life. */
static void slow_readings(void **state)
{
	static const struct {
		uint64_t born_s, first_s, last_s; /* first 0: born inside */
		uint64_t interval_s, life_s;
	} cases[] = {
	        {5, 100, 131, 31, 31}, {5, 118, 146, 28, 28}, {120, 0, 148, 30, 28},
	        {147, 0, 148, 30, 1},  {108, 0, 148, 40, 40},
	};
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t id = 10 + i;

		if (cases[i].first_s > 0)
			reading_add(&scene.a, id, id, SECOND_TICKS(cases[i].born_s))
			        ->read_boottime_ns = SECONDS(cases[i].first_s);
		reading_add(&scene.b, id, id, SECOND_TICKS(cases[i].born_s))->read_boottime_ns =
		        SECONDS(cases[i].last_s);
	}
	join(&scene);
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct thread_sample *row = snapshot_copy_find(&scene.window, 10 + i);

		assert_int_equal(row->interval_ns, SECONDS(cases[i].interval_s));
		assert_int_equal(row->life_ns, SECONDS(cases[i].life_s));
	}
}

/* /proc/stat is read before all threads. The time until the thread was read is in the host's ticks, and in no row: nothing of it is
 * lost if the CPUs can have used as much then. */
static void slow_reading_loses_nothing(void **state)
{
	static const struct {
		uint64_t read_s;        /* of the thread, first */
		uint64_t ticks, inside; /* of the host, and of the thread */
		uint64_t rest;
	} cases[] = {
	        {100, 6000, 6000, 0},    {110, 6000, 4000, 0}, {110, 6000, 3000, 998},
	        {100, 6000, 3000, 3000}, {129, 6000, 200, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene = {0};
		struct thread_sample *first, *last;

		reading_init(&scene.a, SECONDS(100));
		reading_init(&scene.b, SECONDS(130));
		for (unsigned side = 0; side < 2; side++) {
			struct host *host = side ? &scene.b.info.host : &scene.a.info.host;

			host_set_number(host, HOST_user_clock_ticks, side * cases[i].ticks);
			host_set_number(host, HOST_system_clock_ticks, 0);
			host_set_number(host, HOST_forks, 5);
			host_set_number(host, HOST_online_cpus, 2);
			host_set_number(host, HOST_stat_interval_ns, SECONDS(side ? 130 : 100));
		}
		first = reading_add(&scene.a, 7, 7, SECOND_TICKS(5));
		first->read_boottime_ns = SECONDS(cases[i].read_s);
		last = reading_add(&scene.b, 7, 7, SECOND_TICKS(5));
		last->read_boottime_ns = SECONDS(130);
		sample_set(first, utime_clock_ticks, (struct counter_ticks){0});
		sample_set(first, stime_clock_ticks, (struct counter_ticks){0});
		sample_set(last, utime_clock_ticks, (struct counter_ticks){cases[i].inside / 2});
		sample_set(last, stime_clock_ticks, (struct counter_ticks){cases[i].inside / 2});
		join(&scene);
		assert_window(&scene.window.info, unaccounted_clock_ticks, cases[i].rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(slow_readings),
	        cmocka_unit_test(slow_reading_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
