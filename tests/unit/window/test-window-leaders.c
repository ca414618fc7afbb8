// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads that took over the ids of a leader (exec of a thread that is not the leader), where the kernel's records are all that is
 * known of both: the births that are computed from these differ by the delays of the records. */
#include <string.h>

#include "window-scene.h"

enum { PROCESS = 300, WORKER = 301, LATE_NS = 2000000 };

/* The last millisecond of a tick: a record that is late seems to be of the next tick. */
static const uint64_t born_ns = SECONDS(105) + TICK_NS - MILLISECONDS(1);

static void add_record(struct scene *scene, uint32_t tid, const char *comm, uint64_t exited_ns,
                       uint64_t late_ns)
{
	add_end(&scene->exits, (struct end_spec){.tid = tid,
	                                         .tgid = PROCESS,
	                                         .born_ns = born_ns,
	                                         .process_born_ns = born_ns,
	                                         .exited_ns = exited_ns,
	                                         .late_ns = late_ns,
	                                         .comm = comm,
	                                         .user_ns = TICK_NS});
}

/* All rows of the process: @threads, of one process with that name. */
static void assert_one_process(const struct scene *scene, size_t threads, const char *pcomm)
{
	size_t found = 0;

	for (size_t i = 0; i < scene->window.count; i++) {
		const struct thread_sample *row = &scene->window.samples[i];

		if (row->tgid != PROCESS)
			continue;
		found++;
		assert_int_equal(sample_process_start(row), born_ns / TICK_NS);
		if (row->tid == PROCESS)
			assert_int_equal(row->start_time_clock_ticks, born_ns / TICK_NS);
		assert_int_equal(row->process_successors, 0);
		assert_string_equal(strbuf_str(&row->pcomm), pcomm);
	}
	assert_int_equal(found, threads);
}

static void takers_are_of_the_process(void **state)
{
	(void)state;
	for (unsigned takers = 1; takers <= 3; takers++) {
		cleanup_(scene_done) struct scene scene;
		static const char *const names[] = {"second", "third", "last"};

		scene_init(&scene);
		add_record(&scene, WORKER, "worker", SECONDS(106), LATE_NS);
		add_record(&scene, PROCESS, "first", SECONDS(106), 0);
		for (unsigned i = 0; i < takers; i++)
			add_record(&scene, PROCESS, names[ARRAY_SIZE(names) - takers + i],
			           SECONDS(107 + i), i % 2 ? 0 : LATE_NS);
		join(&scene);
		assert_numbers(&scene, 0, 2 + takers, 0, 0);
		assert_one_process(&scene, 2 + takers, "last");
	}
}

/* The process has the name and the birth of the last reading. */
static void living_taker_is_of_the_process(void **state)
{
	(void)state;
	for (unsigned takers = 0; takers < 2; takers++) {
		cleanup_(scene_done) struct scene scene;
		struct thread_sample *leader;

		scene_init(&scene);
		leader = reading_add(&scene.b, PROCESS, PROCESS, born_ns / TICK_NS);
		sample_set_process_start(leader, born_ns / TICK_NS);
		sample_name(&leader->pcomm, "living");
		add_record(&scene, WORKER, "worker", SECONDS(106), LATE_NS);
		add_record(&scene, PROCESS, "first", SECONDS(106), LATE_NS);
		if (takers > 0)
			add_record(&scene, PROCESS, "second", SECONDS(107), 0);
		join(&scene);
		assert_one_process(&scene, 3 + takers, "living");
	}
}

/* A process that began when the other one had ended is another one, although their ticks are as far apart. */
static void another_process_is_none(void **state)
{
	cleanup_(scene_done) struct scene scene;
	struct end_spec next = {.tid = PROCESS,
	                        .tgid = PROCESS,
	                        .born_ns = born_ns + MILLISECONDS(1),
	                        .process_born_ns = born_ns + MILLISECONDS(1),
	                        .exited_ns = SECONDS(107),
	                        .comm = "next"};
	uint64_t starts[2] = {0};
	size_t found = 0;

	(void)state;
	scene_init(&scene);
	add_record(&scene, PROCESS, "first", born_ns + MILLISECONDS(1), LATE_NS);
	add_end(&scene.exits, next);
	join(&scene);
	for (size_t i = 0; i < scene.window.count; i++) {
		const struct thread_sample *row = &scene.window.samples[i];

		if (row->tgid != PROCESS)
			continue;
		assert_true(found < ARRAY_SIZE(starts));
		assert_string_equal(strbuf_str(&row->pcomm), found == 0 ? "first" : "next");
		starts[found++] = sample_process_start(row) + row->process_successors;
	}
	assert_int_equal(found, 2);
}

/* A living process that may have been born when the other one had ended is another one. */
static void living_process_may_be_another(void **state)
{
	const uint64_t start = SECONDS(105) / TICK_NS;
	cleanup_(scene_done) struct scene scene;
	struct thread_sample *leader;

	(void)state;
	scene_init(&scene);
	leader = reading_add(&scene.b, PROCESS, PROCESS, start + 1);
	sample_set_process_start(leader, start + 1);
	sample_name(&leader->pcomm, "living");
	add_end(&scene.exits, (struct end_spec){.tid = PROCESS,
	                                        .tgid = PROCESS,
	                                        .born_ns = SECONDS(105) + MILLISECONDS(1),
	                                        .process_born_ns = SECONDS(105) + MILLISECONDS(1),
	                                        .exited_ns = SECONDS(105) + MILLISECONDS(16),
	                                        .late_ns = MILLISECONDS(5),
	                                        .comm = "ended"});
	join(&scene);
	for (size_t i = 0; i < scene.window.count; i++) {
		const struct thread_sample *row = &scene.window.samples[i];
		bool is_living = strcmp(strbuf_str(&row->pcomm), "living") == 0;

		if (row->tgid == PROCESS)
			assert_int_equal(sample_process_start(row), start + is_living);
	}
}

/* A leader that ended in the tick of its birth is of the living process, if another one took over its ids in between. */
static void short_leader_is_of_the_process(void **state)
{
	cleanup_(scene_done) struct scene scene;
	struct thread_sample *leader;

	(void)state;
	scene_init(&scene);
	leader = reading_add(&scene.b, PROCESS, PROCESS, born_ns / TICK_NS);
	sample_set_process_start(leader, born_ns / TICK_NS);
	sample_name(&leader->pcomm, "living");
	add_record(&scene, PROCESS, "first", born_ns + MILLISECONDS(1) / 2, 0);
	add_record(&scene, PROCESS, "second", SECONDS(106), 0);
	join(&scene);
	assert_one_process(&scene, 3, "living");
}

/* A young process of the first reading: its leader's record is the first of two, however short its life was. The second record has
 * the work of the thread that executed the program. */
static void young_leader_has_its_own_record(void **state)
{
	const uint64_t start = (SECONDS(100) - MILLISECONDS(300)) / TICK_NS;
	cleanup_(scene_done) struct scene scene;
	const uint64_t run_ns[] = {1000, 500, 1400, 7500};

	(void)state;
	scene_init(&scene);
	for (unsigned i = 0; i < 2; i++) {
		struct thread_sample *row = reading_add(&scene.a, PROCESS, PROCESS + i, start);

		sample_set_process_start(row, start);
		row->read_boottime_ns = SECONDS(100);
		sample_name(&row->pcomm, "young");
		sample_set(row, run_time_ns, (struct counter_ns){run_ns[i]});
	}
	for (unsigned i = 0; i < 2; i++)
		add_end(&scene.exits,
		        (struct end_spec){.tid = PROCESS,
		                          .tgid = PROCESS,
		                          .born_ns = start * TICK_NS,
		                          .process_born_ns = start * TICK_NS,
		                          .exited_ns = SECONDS(100 + i * 5) + MILLISECONDS(100),
		                          .late_ns = i * LATE_NS,
		                          .run_time_ns = run_ns[2 + i],
		                          .comm = i == 0 ? "young" : "old"});
	join(&scene);
	assert_numbers(&scene, 2, 0, 0, 0);
	assert_seen(snapshot_copy_find(&scene.window, PROCESS), run_time_ns, 400);
	assert_seen(snapshot_copy_find(&scene.window, WORKER), run_time_ns, 7000);
}

/* A leader has run for longer than the window. The kernel was wrong unless a thread that was there before is lost, or was not read. */
static void leader_ran_too_long(void **state)
{
	static const struct {
		uint64_t threads; /* that the process had at the first reading */
		bool reads_other, loses_other;
		bool is_another;
	} cases[] = {
	        {1, false, false, false}, {2, false, false, true}, {2, true, false, false},
	        {2, true, true, true},    {3, true, false, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene;
		struct thread_sample *leader;

		scene_init(&scene);
		leader = reading_add(&scene.a, 700, 700, SECOND_TICKS(60));
		sample_set(leader, run_time_ns, (struct counter_ns){500});
		sample_set(leader, minflt, (struct counter_count){7});
		sample_set(leader, nr_threads, (struct gauge_count){cases[i].threads});
		if (cases[i].reads_other)
			reading_add(&scene.a, 700, 701, SECOND_TICKS(60));
		leader = reading_add(&scene.b, 700, 700, SECOND_TICKS(60));
		sample_set(leader, run_time_ns, (struct counter_ns){SECONDS(33)});
		sample_set(leader, minflt, (struct counter_count){9});
		if (cases[i].reads_other && !cases[i].loses_other)
			reading_add(&scene.b, 700, 701, SECOND_TICKS(60));
		join(&scene);
		leader = (struct thread_sample *)snapshot_copy_find(&scene.window, 700);
		assert_window(&scene.window.info, threads_unknown, cases[i].is_another);
		assert_unseen(leader, run_time_ns);
		assert_int_equal(metric_set_has(&leader->impossible, METRIC_run_time_ns),
		                 !cases[i].is_another);
		assert_int_equal(metric_set_has(&leader->seen, METRIC_minflt),
		                 !cases[i].is_another);
	}
}

/* A leader that the first reading has executed a program: the process has its last name, also where its record seems to be born in the next
 * tick. */
static void read_leader_has_its_last_name(void **state)
{
	(void)state;
	for (uint64_t late_ns = 0; late_ns <= LATE_NS; late_ns += LATE_NS) {
		cleanup_(scene_done) struct scene scene;
		const uint64_t birth_ns = SECONDS(90) + TICK_NS - MILLISECONDS(1);
		struct thread_sample *leader;

		scene_init(&scene);
		leader = reading_add(&scene.a, PROCESS, PROCESS, birth_ns / TICK_NS);
		sample_name(&leader->pcomm, "shell");
		sample_name(&leader->comm, "shell");
		add_end(&scene.exits, (struct end_spec){.tid = WORKER,
		                                        .tgid = PROCESS,
		                                        .born_ns = SECONDS(110),
		                                        .process_born_ns = birth_ns,
		                                        .exited_ns = SECONDS(115),
		                                        .late_ns = late_ns,
		                                        .comm = "worker"});
		add_end(&scene.exits, (struct end_spec){.tid = PROCESS,
		                                        .tgid = PROCESS,
		                                        .born_ns = birth_ns,
		                                        .process_born_ns = birth_ns,
		                                        .exited_ns = SECONDS(120),
		                                        .late_ns = late_ns,
		                                        .comm = "program"});
		join(&scene);
		assert_numbers(&scene, 1, 1, 0, 0);
		for (uint32_t tid = PROCESS; tid <= WORKER; tid++)
			assert_string_equal(
			        strbuf_str(&snapshot_copy_find(&scene.window, tid)->pcomm),
			        "program");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(takers_are_of_the_process),
	        cmocka_unit_test(living_taker_is_of_the_process),
	        cmocka_unit_test(leader_ran_too_long),
	        cmocka_unit_test(another_process_is_none),
	        cmocka_unit_test(living_process_may_be_another),
	        cmocka_unit_test(short_leader_is_of_the_process),
	        cmocka_unit_test(young_leader_has_its_own_record),
	        cmocka_unit_test(read_leader_has_its_last_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
