// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that had the same tgid one after the other, in a window, in its groups, and in files that do not tell when a
 * process started. */
#include <stdlib.h>

#include "groups.h"
#include "window-scene.h"

enum { REUSED = 300, WORKER = 301, CLIENT = 302 };

static struct thread_sample *add_row(struct reading *reading, uint32_t tid, uint64_t start,
                                     uint64_t process_start, const char *pcomm)
{
	struct thread_sample *sample = reading_add(reading, REUSED, tid, start);

	if (process_start != PROCESS_START_UNKNOWN)
		sample_set_process_start(sample, process_start);
	sample_name(&sample->pcomm, pcomm);
	return sample;
}

static void set_ticks(struct thread_sample *sample, uint64_t ticks)
{
	sample_set(sample, utime_clock_ticks, (struct counter_ticks){ticks});
	sample_set(sample, stime_clock_ticks, (struct counter_ticks){0});
}

static void set_totals(struct thread_sample *sample, uint64_t ticks)
{
	sample->has_process_totals = true;
	sample->process_totals_seen =
	        1u << PROCESS_TOTAL_utime_clock_ticks | 1u << PROCESS_TOTAL_stime_clock_ticks;
	sample->process_totals[PROCESS_TOTAL_utime_clock_ticks] = ticks;
}

/* The groups of all rows by pcomm, with what exited threads did. */
static void group_rows(const struct snapshot_copy *copy, struct group_table *table)
{
	group_table_init(table, group_by_key(GROUP_KEY_pcomm, true));
	for (size_t i = 0; i < copy->count; i++) {
		struct thread_sample sample = {0};

		sample_copy(&sample, &copy->samples[i]);
		group_table_add(table, &sample);
		sample_done(&sample);
	}
	group_table_finish(table);
	for (size_t i = 0; i < table->map.count; i++)
		group_include_exited(table, table->map.entries[i].value,
		                     (1u << PROCESS_SOURCE_COUNT) - 1, 0);
}

static void assert_group(const struct group_table *table, const char *pcomm, uint32_t threads,
                         uint64_t ticks)
{
	const struct group *group = table_group(table, pcomm);

	assert_non_null(group);
	assert_int_equal(group->threads, threads);
	assert_int_equal(group->cells[METRIC_utime_clock_ticks].number, ticks);
}

static struct end_spec end_of(uint32_t tid, uint64_t born_s, uint64_t process_born_s,
                              uint64_t ticks)
{
	return (struct end_spec){.tid = tid,
	                         .tgid = REUSED,
	                         .born_ns = SECONDS(born_s),
	                         .process_born_ns = SECONDS(process_born_s),
	                         .exited_ns = SECONDS(born_s + 1),
	                         .user_ns = ticks * TICK_NS};
}

/* Three processes passed, each with a worker, and a fourth one has the tgid at the end. All times are the work of exactly one
 * of them, however late the records were. */
static void each_process_has_its_own_name(void **state)
{
	static const char *const names[] = {"alpha", "beta", "gamma"};

	(void)state;
	for (int complete = 0; complete < 2; complete++) {
		cleanup_(scene_done) struct scene scene;
		struct group_table table;

		scene_init(&scene);
		set_totals(add_row(&scene.b, REUSED, SECOND_TICKS(125), PROCESS_START_UNKNOWN,
		                   "delta"),
		           0);
		set_ticks(&scene.b.samples[scene.b.count - 1], 0);
		for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
			uint64_t born_s = 105 + 5 * i;
			struct end_spec worker = end_of(WORKER, born_s + 2, born_s, 10u << i);
			struct end_spec leader = end_of(REUSED, born_s, born_s, 1u << i);

			worker.is_complete = leader.is_complete = complete;
			worker.late_ns = complete ? 0 : MILLISECONDS(35);
			leader.late_ns = complete ? 0 : MILLISECONDS(4);
			leader.exited_ns = SECONDS(born_s + 4);
			leader.comm = names[i];
			worker.comm = "worker";
			add_end(&scene.exits, worker);
			add_end(&scene.exits, leader);
		}
		join(&scene);
		assert_numbers(&scene, 0, 6, 0, 0);
		group_rows(&scene.window, &table);
		assert_group(&table, "alpha", 2, 11);
		assert_group(&table, "beta", 2, 22);
		assert_group(&table, "gamma", 2, 44);
		assert_group(&table, "delta", 1, 0);
		assert_null(table_group(&table, "worker"));
		group_table_done(&table);
	}
}

/* Three processes that passed, born in one clock tick. */
static void processes_of_one_tick(void **state)
{
	static const char *const names[] = {"alpha", "beta", "gamma"};
	cleanup_(scene_done) struct scene scene;
	struct group_table table;

	(void)state;
	scene_init(&scene);
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		uint64_t born_ns = SECONDS(105) + i * TICK_NS / 4;
		struct end_spec leader = end_of(REUSED, 105, 105, 1u << i);
		struct end_spec worker = end_of(WORKER, 105, 105, 2u << i);

		leader.is_complete = worker.is_complete = true;
		leader.born_ns = leader.process_born_ns = worker.process_born_ns = born_ns;
		worker.born_ns = born_ns + TICK_NS / 8;
		leader.exited_ns = worker.exited_ns = born_ns + TICK_NS / 5;
		leader.comm = names[i];
		leader.pcomm = worker.pcomm = names[i];
		worker.comm = "worker";
		add_end(&scene.exits, worker);
		add_end(&scene.exits, leader);
	}
	join(&scene);
	assert_numbers(&scene, 0, 6, 0, 0);
	group_rows(&scene.window, &table);
	assert_group(&table, "alpha", 2, 3);
	assert_group(&table, "beta", 2, 6);
	assert_group(&table, "gamma", 2, 12);
	group_table_done(&table);
}

/* Two processes by the kernel's records only, the second one born @apart_ns later. A record is late by up to @late_ns. */
static void add_recorded(struct scene *scene, uint64_t apart_ns, uint64_t late_ns,
                         const char *const names[2])
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t born_ns = SECONDS(105) + i * apart_ns;
		struct end_spec leader = end_of(REUSED, 105, 105, 1u << i);
		struct end_spec worker = end_of(WORKER, 105, 105, 4u << i);

		leader.born_ns = leader.process_born_ns = worker.process_born_ns = born_ns;
		worker.born_ns = born_ns + 1000;
		leader.exited_ns = worker.exited_ns = born_ns + apart_ns / 2;
		leader.late_ns = worker.late_ns = late_ns;
		leader.comm = names[i];
		worker.comm = "worker";
		add_end(&scene->exits, leader);
		add_end(&scene->exits, worker);
	}
}

/* The process of a worker is known if the start times of the two cannot be the same. Else it does not matter if their names are the
 * same, and is not known otherwise. A wrong name is worse than none. */
static void recorded_processes_of_one_tick(void **state)
{
	static const struct {
		uint64_t apart_ns, late_ns;
		const char *names[2];
		bool is_known;
	} cases[] = {
	        {TICK_NS / 4, TICK_NS / 40, {"alpha", "beta"}, true},
	        {TICK_NS / 4, TICK_NS, {"alpha", "beta"}, false},
	        {TICK_NS / 4, TICK_NS, {"alpha", "alpha"}, true},
	        {3 * TICK_NS, 5 * TICK_NS, {"alpha", "beta"}, false},
	        {3 * TICK_NS, TICK_NS, {"alpha", "beta"}, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene;
		struct group_table table;
		bool same = cases[i].names[0] == cases[i].names[1];

		scene_init(&scene);
		add_recorded(&scene, cases[i].apart_ns, cases[i].late_ns, cases[i].names);
		join(&scene);
		assert_numbers(&scene, 0, 4, 0, 0);
		group_rows(&scene.window, &table);
		if (same) {
			assert_group(&table, "alpha", 4, 15);
		} else {
			assert_group(&table, "alpha", cases[i].is_known ? 2 : 1,
			             cases[i].is_known ? 5 : 1);
			assert_group(&table, "beta", cases[i].is_known ? 2 : 1,
			             cases[i].is_known ? 10 : 2);
		}
		if (cases[i].is_known) {
			assert_false(scene.window.info.window.seen[WINDOW_threads_unnamed]);
		} else {
			assert_group(&table, "(without a name)", 2, 12);
			assert_window(&scene.window.info, threads_unnamed, 2);
		}
		assert_null(table_group(&table, "worker"));
		group_table_done(&table);
	}
}

/* A worker may have been of the process that lives. Then its total is not used: the work would count twice. */
static void recorded_process_beside_a_live_one(void **state)
{
	(void)state;
	for (int may_be = 0; may_be < 2; may_be++) {
		static const char *const names[] = {"alpha", "beta"};
		cleanup_(scene_done) struct scene scene;
		struct group_table table;

		scene_init(&scene);
		add_recorded(&scene, TICK_NS / 4, TICK_NS / 40, names);
		set_totals(add_row(&scene.b, REUSED, SECOND_TICKS(105) + (may_be ? 0 : 20),
		                   PROCESS_START_UNKNOWN, "delta"),
		           50);
		set_ticks(&scene.b.samples[scene.b.count - 1], 3);
		join(&scene);
		group_rows(&scene.window, &table);
		assert_group(&table, "delta", 1, may_be ? 3 : 50);
		assert_group(&table, "alpha", may_be ? 1 : 2, may_be ? 1 : 5);
		if (may_be)
			assert_group(&table, "(without a name)", 2, 12);
		group_table_done(&table);
	}
}

/* A process with the tgid of the others, born in the tick at 105 s, and alive at the end. It has used @total ticks, its exited
 * threads included, of which its leader has used 3. */
static void add_living(struct scene *scene, uint64_t total)
{
	set_ticks(add_row(&scene->b, REUSED, SECOND_TICKS(105), PROCESS_START_UNKNOWN, "living"),
	          3);
	set_totals(&scene->b.samples[scene->b.count - 1], total);
}

/* A thread that ended, complete, of a process that was born @offset_ns into the same tick. */
static void add_end_in_tick(struct scene *scene, uint32_t tid, uint64_t offset_ns,
                            uint64_t exited_ns, uint64_t ticks, const char *pcomm)
{
	struct end_spec end = end_of(tid, 105, 105, ticks);

	end.is_complete = true;
	end.process_born_ns = SECONDS(105) + offset_ns;
	end.born_ns = end.process_born_ns + (tid == REUSED ? 0 : TICK_NS / 16);
	end.exited_ns = SECONDS(105) + exited_ns;
	end.comm = tid == REUSED ? pcomm : "worker";
	end.pcomm = pcomm;
	add_end(&scene->exits, end);
}

/* Processes that ended in the tick in which the living one was born keep their own rows, whether a thread of the living one
 * has ended or not. If none has, the last of them may be the living one itself, before another of its threads executed a
 * program: then its total is not used, because it may count that work a second time. */
static void predecessors_of_a_living_process(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		cleanup_(scene_done) struct scene scene;
		struct group_table table;

		scene_init(&scene);
		add_living(&scene, 20);
		for (unsigned i = 0; i < 2; i++) {
			const char *pcomm = i == 0 ? "alpha" : "beta";
			uint64_t offset_ns = i * TICK_NS / 4;

			add_end_in_tick(&scene, WORKER, offset_ns, offset_ns + TICK_NS / 5, 2u << i,
			                pcomm);
			add_end_in_tick(&scene, REUSED, offset_ns, offset_ns + TICK_NS / 5, 1u << i,
			                pcomm);
		}
		if (known)
			add_end_in_tick(&scene, CLIENT, TICK_NS / 2, SECONDS(10), 5, "living");
		join(&scene);
		assert_numbers(&scene, 0, 4 + (uint64_t)known, 0, 0);
		group_rows(&scene.window, &table);
		assert_group(&table, "alpha", 2, 3);
		assert_group(&table, "beta", 2, 6);
		assert_group(&table, "living", known ? 2 : 1, known ? 20 : 3);
		group_table_done(&table);
	}
}

/* Threads that were not leaders have executed programs, and took over the ids of the leaders, once or twice, after the tick of
 * the birth. The work of the leaders is in the total of the process, and is not counted beside it. */
static void leaders_whose_ids_were_taken_over(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		bool twice = i & 1, complete = i & 2;
		cleanup_(scene_done) struct scene scene;
		struct group_table table;

		scene_init(&scene);
		add_living(&scene, 0);
		scene.b.samples[scene.b.count - 1].has_process_totals = false;
		set_ticks(add_row(&scene.b, WORKER, SECOND_TICKS(110), SECOND_TICKS(105), "living"),
		          2);
		set_totals(&scene.b.samples[scene.b.count - 1], 40);
		for (unsigned k = 0; k <= twice; k++) {
			struct end_spec end = end_of(REUSED, 105, 105, 15 - k);

			end.is_complete = complete;
			end.late_ns = complete ? 0 : 1000;
			end.exited_ns = SECONDS(106 + k);
			end.comm = "former";
			add_end(&scene.exits, end);
		}
		join(&scene);
		group_rows(&scene.window, &table);
		assert_null(table_group(&table, "former"));
		assert_group(&table, "living", 3 + twice, 40);
		group_table_done(&table);
	}
}

/* The same within the first tick: nothing tells the leader from that of another process. Its work counts once. */
static void leader_whose_ids_were_taken_over_at_once(void **state)
{
	(void)state;
	for (int complete = 0; complete < 2; complete++) {
		cleanup_(scene_done) struct scene scene;
		struct end_spec end = end_of(REUSED, 105, 105, 1);
		struct group_table table;

		scene_init(&scene);
		add_living(&scene, 20);
		end.is_complete = complete;
		end.late_ns = complete ? 0 : 1000;
		end.exited_ns = SECONDS(105) + TICK_NS / 2;
		end.comm = "former";
		add_end(&scene.exits, end);
		join(&scene);
		group_rows(&scene.window, &table);
		assert_group(&table, "former", 1, 1);
		assert_group(&table, "living", 1, 3);
		group_table_done(&table);
	}
}

/* The same tid, tgid and start time, and yet another process: the kernel gives a tid again within a tick where it is asked
 * to. */
static void tid_of_another_process(void **state)
{
	cleanup_(scene_done) struct scene scene;
	const struct thread_sample *row;
	struct thread_sample *first, *last;

	(void)state;
	scene_init(&scene);
	add_row(&scene.a, REUSED, SECOND_TICKS(20), SECOND_TICKS(20), "old");
	first = add_row(&scene.a, WORKER, SECOND_TICKS(90), SECOND_TICKS(20), "old");
	sample_set(first, run_time_ns, (struct counter_ns){500});
	add_row(&scene.b, REUSED, SECOND_TICKS(90), SECOND_TICKS(90), "new");
	last = add_row(&scene.b, WORKER, SECOND_TICKS(90), SECOND_TICKS(90), "new");
	sample_set(last, run_time_ns, (struct counter_ns){700});
	join(&scene);
	row = snapshot_copy_find(&scene.window, WORKER);
	assert_unseen(row, run_time_ns);
	assert_int_equal(sample_process_start(row), SECOND_TICKS(90));
	assert_window(&scene.window.info, threads_lost, 2);
}

static void set_both(struct thread_sample *sample, uint64_t user, uint64_t system)
{
	set_totals(sample, user);
	sample->process_totals[PROCESS_TOTAL_stime_clock_ticks] = system;
}

/* A total that is impossible for all of the process's life has a true difference, unless that is impossible itself: two CPUs for
 * 30 s. The first process has run for 120 years, by both readings. */
static void impossible_totals_have_differences(void **state)
{
	enum { USER = PROCESS_TOTAL_utime_clock_ticks, SYSTEM = PROCESS_TOTAL_stime_clock_ticks };
	const uint64_t years = UINT64_C(378432000000), most = 2 * (30 * 100 + 30 + 10) + 2;
	cleanup_(scene_done) struct scene scene;
	const struct thread_sample *row;

	(void)state;
	scene_init(&scene);
	host_set_number(&scene.a.info.host, HOST_possible_cpus, 2);
	host_set_number(&scene.b.info.host, HOST_possible_cpus, 2);
	set_both(reading_add(&scene.a, 7, 7, 5), years, 50);
	set_both(reading_add(&scene.b, 7, 7, 5), years + 30, 60);
	set_both(reading_add(&scene.a, 8, 8, 5), 10, 50);
	set_both(reading_add(&scene.b, 8, 8, 5), 10 + most, 50 + most + 1);
	for (size_t i = 0; i < scene.a.count; i++) {
		scene.a.samples[i].read_boottime_ns = SECONDS(100);
		scene.b.samples[i].read_boottime_ns = SECONDS(130);
	}
	join(&scene);
	row = snapshot_copy_find(&scene.window, 7);
	assert_int_equal(row->process_totals_seen, 1u << USER | 1u << SYSTEM);
	assert_int_equal(row->process_totals[USER], 30);
	assert_int_equal(row->process_totals[SYSTEM], 10);
	row = snapshot_copy_find(&scene.window, 8);
	assert_int_equal(row->process_totals_seen, 1u << USER);
	assert_int_equal(row->process_totals[USER], most);
	assert_int_equal(row->process_totals_impossible, 1u << SYSTEM);
	assert_int_equal(row->process_totals[SYSTEM], most + 1);
	assert_int_equal(snapshot_tally_impossible_totals(&scene.window.info.tally), 1);
}

/* Totals are those of the process that has them, also where its leader was not read. */
static void totals_of_the_same_process(void **state)
{
	(void)state;
	for (int reused = 0; reused < 2; reused++) {
		cleanup_(scene_done) struct scene scene;
		const struct thread_sample *row;

		scene_init(&scene);
		set_totals(add_row(&scene.a, WORKER, SECOND_TICKS(60), SECOND_TICKS(50), "app"),
		           40);
		set_totals(add_row(&scene.b, WORKER, SECOND_TICKS(60),
		                   SECOND_TICKS(reused ? 55 : 50), "app"),
		           50);
		join(&scene);
		row = snapshot_copy_find(&scene.window, WORKER);
		assert_int_equal(row->has_process_totals, !reused);
		if (!reused)
			assert_int_equal(row->process_totals[PROCESS_TOTAL_utime_clock_ticks], 10);
	}
}

/* A thread that ended is of the process of its own, not of the one that has the tgid at the end, whether its own leader was
 * ever seen or not. */
static void ended_before_the_process_that_is_there(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		cleanup_(scene_done) struct scene scene;
		struct end_spec end = end_of(CLIENT, 105, known ? 40 : 0, 7);
		const struct thread_sample *row;
		struct group_table table;

		scene_init(&scene);
		set_ticks(
		        add_row(&scene.b, REUSED, SECOND_TICKS(120), PROCESS_START_UNKNOWN, "new"),
		        3);
		set_totals(&scene.b.samples[scene.b.count - 1], 3);
		end.comm = "client";
		end.is_complete = true;
		add_end(&scene.exits, end);
		join(&scene);
		row = snapshot_copy_find(&scene.window, CLIENT);
		assert_int_equal(sample_process_start(row),
		                 known ? SECOND_TICKS(40) : PROCESS_START_UNKNOWN);
		group_rows(&scene.window, &table);
		assert_group(&table, "new", 1, 3);
		/* Its own name is not that of its process. */
		assert_group(&table, "(without a name)", 1, 7);
		assert_window(&scene.window.info, threads_unnamed, 1);
		group_table_done(&table);
	}
}

/* A file without the key: threads are of the leader before them, and two leaders never of one process. */
static void files_without_start_times_of_processes(void **state)
{
	static const uint64_t starts[] = {50, 50, 60, 60, PROCESS_START_UNKNOWN};
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	struct snapshot_copy copy;
	struct group_table table;
	struct reading reading;

	(void)state;
	reading_init(&reading, SECONDS(100));
	set_ticks(add_row(&reading, REUSED, 50, PROCESS_START_UNKNOWN, "first"), 1);
	set_ticks(add_row(&reading, WORKER, 50, PROCESS_START_UNKNOWN, "first"), 2);
	set_totals(&reading.samples[1], 13);
	set_ticks(add_row(&reading, REUSED, 60, PROCESS_START_UNKNOWN, "second"), 100);
	set_ticks(add_row(&reading, WORKER, 70, PROCESS_START_UNKNOWN, "second"), 200);
	/* Older than the leader before it. */
	set_ticks(add_row(&reading, CLIENT, 55, PROCESS_START_UNKNOWN, "third"), 400);
	reading_pack(&reading, &bytes);
	snapshot_copy_read(&copy, bytes.data, bytes.len, NULL);
	assert_int_equal(copy.count, ARRAY_SIZE(starts));
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		assert_int_equal(sample_process_start(&copy.samples[i]), starts[i]);
	group_rows(&copy, &table);
	assert_group(&table, "first", 2, 13);
	assert_group(&table, "second", 2, 300);
	assert_group(&table, "third", 1, 400);
	group_table_done(&table);
	snapshot_copy_done(&copy);
	reading_done(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_process_has_its_own_name),
	        cmocka_unit_test(processes_of_one_tick),
	        cmocka_unit_test(recorded_processes_of_one_tick),
	        cmocka_unit_test(recorded_process_beside_a_live_one),
	        cmocka_unit_test(predecessors_of_a_living_process),
	        cmocka_unit_test(leaders_whose_ids_were_taken_over),
	        cmocka_unit_test(leader_whose_ids_were_taken_over_at_once),
	        cmocka_unit_test(tid_of_another_process),
	        cmocka_unit_test(impossible_totals_have_differences),
	        cmocka_unit_test(totals_of_the_same_process),
	        cmocka_unit_test(ended_before_the_process_that_is_there),
	        cmocka_unit_test(files_without_start_times_of_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
