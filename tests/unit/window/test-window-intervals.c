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

enum { IDLE = 8 };

/* Adds a thread to both readings; it runs for these ticks in the window, and has run for @before_s when it is read first. */
static void add_busy(struct scene *scene, uint32_t tid, uint64_t read_s, uint64_t before_s,
                     uint64_t ticks)
{
	for (unsigned side = 0; side < 2; side++) {
		struct thread_sample *sample =
		        reading_add(side ? &scene->b : &scene->a, tid, tid, SECOND_TICKS(5));
		uint64_t used = before_s * 100 + side * ticks;

		sample->read_boottime_ns = SECONDS(side ? 130 : read_s);
		sample_set(sample, utime_clock_ticks, (struct counter_ticks){used});
		sample_set(sample, stime_clock_ticks, (struct counter_ticks){0});
		sample_set(sample, run_time_ns, (struct counter_ns){used * TICK_NS});
	}
}

/* /proc/stat is read before all threads. The time until a thread was read is in the host's ticks, and in no row: as much as the thread
 * can have used then is not lost. If that is all, nobody knows, and a hundredth of the host's ticks is noise. */
static void slow_reading_loses_nothing(void **state)
{
	static const struct {
		uint64_t read_s, late;  /* the number of threads that are read then, first */
		uint64_t before_s;      /* the run time of each, then */
		uint64_t ticks, inside; /* of the host, and of all threads */
		bool is_known;
		uint64_t rest;
	} cases[] = {
	        {100, 1, 50, 6000, 6000, true, 0},
	        {110, 2, 50, 6000, 4000, false, 0},
	        {110, 4, 50, 6000, 4000, false, 0},
	        {110, 2, 50, 6000, 3000, true, 999 - 64},
	        {110, 4, 50, 6000, 3000, true, 999 - 64},
	        {110, 1, 50, 6000, 3000, true, 1999 - 64},
	        {110, 4, 1, 6000, 3000, true, 2799 - 64},
	        {110, 1, 0, 6000, 3000, true, 3000 - 64},
	        {100, 1, 50, 6000, 3000, true, 3000 - 64},
	        {129, 2, 50, 6000, 200, false, 0},
	        {100, 1, 50, 6000, 6064, true, 0},
	        {100, 1, 50, 6000, 6065, false, 0},
	        {101, 2, 50, 6000, 5936, true, 0},
	        {101, 2, 50, 6000, 5935, false, 0},
	        {100, 1, 50, 6000, 5936, true, 0},
	        {100, 1, 50, 6000, 5935, true, 65 - 64},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene = {0};
		uint64_t each = cases[i].inside / (IDLE + cases[i].late), rest = cases[i].inside;
		struct snapshot_window *window = &scene.window.info.window;

		reading_init(&scene.a, SECONDS(100));
		reading_init(&scene.b, SECONDS(130));
		for (unsigned side = 0; side < 2; side++) {
			struct host *host = side ? &scene.b.info.host : &scene.a.info.host;

			host_set_number(host, HOST_user_clock_ticks, side * cases[i].ticks);
			host_set_number(host, HOST_system_clock_ticks, 0);
			host_set_number(host, HOST_forks, 5);
			host_set_number(host, HOST_online_cpus, 2);
			host_set_number(host, HOST_total_threads, IDLE + cases[i].late);
			host_set_number(host, HOST_stat_interval_ns, SECONDS(side ? 130 : 100));
		}
		for (uint32_t tid = 0; tid < IDLE; tid++, rest -= each)
			add_busy(&scene, 10 + tid, 100, 50, each);
		for (uint32_t tid = 0; tid < cases[i].late; tid++, rest -= each)
			add_busy(&scene, 30 + tid, cases[i].read_s, cases[i].before_s,
			         tid + 1 < cases[i].late ? each : rest);
		join(&scene);
		if (window->seen[WINDOW_unaccounted_clock_ticks] != cases[i].is_known ||
		    window->numbers[WINDOW_unaccounted_clock_ticks] != cases[i].rest)
			fail_msg("case %zu: %d, %llu", i,
			         window->seen[WINDOW_unaccounted_clock_ticks],
			         (unsigned long long)
			                 window->numbers[WINDOW_unaccounted_clock_ticks]);
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
