// SPDX-License-Identifier: GPL-2.0-or-later
/* Clock ticks of threads that were not there all the time: each reading rounds them, and their sum is that of the run time. */
#include "check.h"

#include <stdio.h>

#include "window-scene.h"

enum { THREADS = 30 };

static struct thread_sample *set_times(struct thread_sample *sample, uint64_t run_ns, uint64_t user,
                                       uint64_t system)
{
	sample_name(&sample->pcomm, "many");
	sample_set(sample, run_time_ns, (struct counter_ns){run_ns});
	sample_set(sample, utime_clock_ticks, (struct counter_ticks){user});
	sample_set(sample, stime_clock_ticks, (struct counter_ticks){system});
	return sample;
}

/* Stores the sums over the rows with this part of the window. */
static void add_up(const struct scene *scene, enum window_part part, uint64_t *ret_user,
                   uint64_t *ret_system)
{
	*ret_user = *ret_system = 0;
	for (size_t i = 0; i < scene->window.count; i++) {
		const struct thread_sample *row = &scene->window.samples[i];

		if (row->window_part != part ||
		    !metric_set_has(&row->seen, METRIC_utime_clock_ticks))
			continue;
		*ret_user += row->utime_clock_ticks.v;
		*ret_system += row->stime_clock_ticks.v;
	}
}

static void assert_ticks(const struct scene *scene, enum window_part part, uint64_t user,
                         uint64_t system)
{
	uint64_t user_ticks, system_ticks;

	add_up(scene, part, &user_ticks, &system_ticks);
	assert_int_equal(user_ticks, user);
	assert_int_equal(system_ticks, system);
}

/* Each of 30 processes has used 0.6 of a tick, for which /proc has no tick. */
static void born_add_up(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	for (uint32_t i = 0; i < THREADS; i++)
		set_times(reading_add(&scene.b, 1000 + i, 1000 + i, SECOND_TICKS(120)),
		          TICK_NS * 6 / 10, 0, 0);
	join(&scene);
	assert_ticks(&scene, WINDOW_PART_born, THREADS * 6 / 10, 0);
}

/* Each process has a name of its own, and no other row to which its part of a tick could go. */
static void names_add_up(void **state)
{
	cleanup_(scene_done) struct scene scene;
	uint64_t user, system;

	(void)state;
	scene_init(&scene);
	for (uint32_t i = 0; i < 10 * THREADS; i++) {
		struct thread_sample *sample =
		        set_times(reading_add(&scene.b, 1000 + i, 1000 + i, SECOND_TICKS(120)),
		                  TICK_NS * 6 / 10, 0, 0);
		char name[16];

		snprintf(name, sizeof(name), "name%u", i);
		sample_name(&sample->pcomm, name);
	}
	join(&scene);
	add_up(&scene, WINDOW_PART_born, &user, &system);
	assert_in_range(user, 10 * THREADS * 6 / 10 - 2, 10 * THREADS * 6 / 10 + 2);
	assert_int_equal(system, 0);
}

/* Times in both modes: 4.5 ticks, of which the kernel shows 1 and 2; and 3 when they are a tick too many. */
static void modes_keep_their_parts(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	for (uint32_t i = 0; i < THREADS; i++)
		set_times(reading_add(&scene.b, 1000 + i, 1000 + i, SECOND_TICKS(120)),
		          TICK_NS * (i % 2 == 0 ? 45 : 24) / 10, 1, 2);
	join(&scene);
	assert_ticks(&scene, WINDOW_PART_born, 34, 69);
}

/* A thread whose end is known has spent three quarters of its time in the kernel. */
static void modes_are_those_of_the_name(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	set_times(reading_add(&scene.a, 999, 999, SECOND_TICKS(60)), 0, 0, 0);
	set_times(reading_add(&scene.b, 999, 999, SECOND_TICKS(60)), 0, 0, 0);
	add_end(&scene.exits, (struct end_spec){.tid = 998,
	                                        .tgid = 999,
	                                        .born_ns = SECONDS(110),
	                                        .exited_ns = SECONDS(111),
	                                        .is_complete = true,
	                                        .process_born_ns = SECONDS(60),
	                                        .run_time_ns = 4 * TICK_NS,
	                                        .user_ns = TICK_NS,
	                                        .system_ns = 3 * TICK_NS,
	                                        .pcomm = "many"});
	for (uint32_t i = 0; i < THREADS; i++)
		set_times(reading_add(&scene.b, 1000 + i, 1000 + i, SECOND_TICKS(120)),
		          TICK_NS * 6 / 10, 0, 0);
	join(&scene);
	assert_ticks(&scene, WINDOW_PART_passed, 1, 3);
	assert_ticks(&scene, WINDOW_PART_born, 4, 13);
}

/* Short threads spend a quarter of their time in user mode. A tick meets one in four of them, in one mode; the others seem to have user
 * time alone, and so has a thread of the same name that is not short. */
static void threads_without_ticks_are_like_the_others(void **state)
{
	enum { LIVES = 800, OF_LONG = 90 };
	cleanup_(scene_done) struct scene scene;
	uint64_t user, system;

	(void)state;
	scene_init(&scene);
	set_times(reading_add(&scene.a, 999, 999, SECOND_TICKS(60)), 0, 0, 0);
	set_times(reading_add(&scene.b, 999, 999, SECOND_TICKS(60)), 0, 0, 0);
	for (uint32_t i = 0; i <= LIVES; i++) {
		bool is_long = i == LIVES / 2, is_met = i % 4 == 0;
		bool is_in_kernel = is_met && i % 16 != 0 && !is_long;
		uint64_t run_ns = is_long ? OF_LONG * TICK_NS : TICK_NS / 2;

		add_end(&scene.exits, (struct end_spec){.tid = 1000 + i,
		                                        .tgid = 999,
		                                        .born_ns = SECONDS(110),
		                                        .exited_ns = SECONDS(111),
		                                        .is_complete = true,
		                                        .process_born_ns = SECONDS(60),
		                                        .run_time_ns = run_ns,
		                                        .user_ns = is_in_kernel ? 0 : run_ns,
		                                        .system_ns = is_in_kernel ? run_ns : 0,
		                                        .has_no_ticks = !is_met && !is_long,
		                                        .pcomm = "many"});
	}
	join(&scene);
	add_up(&scene, WINDOW_PART_passed, &user, &system);
	assert_in_range(user, OF_LONG + LIVES / 8 - 8, OF_LONG + LIVES / 8 + 8);
	assert_in_range(system, 3 * LIVES / 8 - 8, 3 * LIVES / 8 + 8);
}

/* Ticks that differ from the run time by more than is rounded off are of another clock, and stay as they are. */
static void other_clocks_are_left(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	set_times(reading_add(&scene.b, 1000, 1000, SECOND_TICKS(120)), TICK_NS * 20, 7, 4);
	set_times(reading_add(&scene.b, 1001, 1001, SECOND_TICKS(120)), UINT64_MAX, UINT64_MAX,
	          UINT64_MAX);
	join(&scene);
	assert_seen(snapshot_copy_find(&scene.window, 1000), utime_clock_ticks, 7);
	assert_seen(snapshot_copy_find(&scene.window, 1000), stime_clock_ticks, 4);
}

/* Threads with 0.9 of a tick before the window and 0.2 in it: their ticks rise by 30, their time by 6. */
static void exited_have_their_own_time(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	for (uint32_t i = 0; i < THREADS; i++) {
		set_times(reading_add(&scene.a, 1000 + i, 1000 + i, SECOND_TICKS(60)),
		          TICK_NS * 9 / 10, 0, 0);
		add_end(&scene.exits, (struct end_spec){.tid = 1000 + i,
		                                        .tgid = 1000 + i,
		                                        .born_ns = SECONDS(60),
		                                        .exited_ns = SECONDS(110),
		                                        .is_complete = true,
		                                        .process_born_ns = SECONDS(60),
		                                        .run_time_ns = TICK_NS * 11 / 10,
		                                        .user_ns = TICK_NS * 11 / 10,
		                                        .pcomm = "many"});
	}
	join(&scene);
	assert_numbers(&scene, THREADS, 0, 0, 0);
	assert_ticks(&scene, WINDOW_PART_exited, THREADS * 2 / 10, 0);
}

/* A total of a process that is below its rows is rounded, and the window accounts for the rows. */
static void rounded_totals_are_no_lack(void **state)
{
	cleanup_(scene_done) struct scene scene;
	enum { ERROR = 34 }; /* 120 / 100 + 3 * sqrt(120) */

	(void)state;
	scene_init(&scene);
	host_set_number(&scene.a.info.host, HOST_user_clock_ticks, 500);
	host_set_number(&scene.b.info.host, HOST_user_clock_ticks, 620);
	host_set_number(&scene.a.info.host, HOST_system_clock_ticks, 100);
	host_set_number(&scene.b.info.host, HOST_system_clock_ticks, 100);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct thread_sample *sample =
		        set_times(reading_add(&scene.b, 1000 + i, 1000 + i, SECOND_TICKS(120)),
		                  TICK_NS * 6 / 10, 0, 0);

		sample->has_process_totals = true;
		sample->process_totals_seen = UINT32_C(1) << PROCESS_TOTAL_utime_clock_ticks |
		                              UINT32_C(1) << PROCESS_TOTAL_stime_clock_ticks;
	}
	join(&scene);
	assert_window(&scene.window.info, unaccounted_clock_ticks, 120 - THREADS * 6 / 10 - ERROR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(born_add_up),
	        cmocka_unit_test(names_add_up),
	        cmocka_unit_test(modes_keep_their_parts),
	        cmocka_unit_test(modes_are_those_of_the_name),
	        cmocka_unit_test(threads_without_ticks_are_like_the_others),
	        cmocka_unit_test(other_clocks_are_left),
	        cmocka_unit_test(exited_have_their_own_time),
	        cmocka_unit_test(rounded_totals_are_no_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
