// SPDX-License-Identifier: GPL-2.0-or-later
/* The thread that an exit record belongs to. */
#include <stdlib.h>

#include "window-scene.h"

static struct thread_sample *first_thread(struct scene *scene, uint64_t start)
{
	struct thread_sample *first = reading_add(&scene->a, TGID, TID, start);

	sample_set(first, run_time_ns, (struct counter_ns){1000});
	return first;
}

/* The parts of all rows of TID, in the order of the file: "e" exited, "p" passed, "b" born, "c" continued. */
static void assert_parts(const struct scene *scene, const char *expected)
{
	static const char letters[WINDOW_PART_COUNT] = {'-', 'c', 'b', 'e', 'p'};
	char parts[16] = "";
	size_t count = 0;

	for (size_t i = 0; i < scene->window.count; i++)
		if (scene->window.samples[i].tid == TID)
			parts[count++] = sample_is_lost(&scene->window.samples[i])
			                         ? 'l'
			                         : letters[scene->window.samples[i].window_part];
	assert_string_equal(parts, expected);
}

static void exited_is_the_record_less_the_first_reading(void **state)
{
	(void)state;
	for (int complete = 0; complete < 2; complete++) {
		cleanup_(scene_done) struct scene scene;
		struct thread_sample *first;
		const struct thread_sample *row;

		scene_init(&scene);
		first = first_thread(&scene, SECOND_TICKS(50));
		sample_name(&first->pcomm, "first name");
		sample_name(&first->exe, "/bin/first");
		first->has_exe = true;
		sample_name(&scene.b.samples[0].exe, "/bin/it");
		sample_name(&scene.b.samples[0].cwd, "/srv/it");
		scene.b.samples[0].has_cwd = true;
		scene.b.samples[0].has_exe = true;
		sample_set(first, utime_clock_ticks, (struct counter_ticks){40});
		sample_set(first, stime_clock_ticks, (struct counter_ticks){10});
		add_end(&scene.exits, (struct end_spec){.tid = TID,
		                                        .tgid = TGID,
		                                        .born_ns = SECONDS(50),
		                                        .exited_ns = SECONDS(111),
		                                        .late_ns = complete ? 0 : 900000,
		                                        .is_complete = complete,
		                                        .run_time_ns = 1700,
		                                        .comm = "renamed",
		                                        .user_ns = MILLISECONDS(549),
		                                        .system_ns = MILLISECONDS(150)});
		join(&scene);
		assert_parts(&scene, "e");
		assert_numbers(&scene, 1, 0, 0, 0);
		row = snapshot_copy_find(&scene.window, TID);
		assert_seen(row, run_time_ns, 700);
		assert_seen(row, utime_clock_ticks, 14);
		assert_seen(row, stime_clock_ticks, 5);
		/* The name is the one that the process has now. */
		assert_string_equal(strbuf_str(&row->pcomm), "leader");
		assert_string_equal(strbuf_str(&row->comm), "renamed");
		assert_string_equal(strbuf_str(&row->exe), "/bin/it");
		assert_string_equal(strbuf_str(&row->cwd), "/srv/it");
		assert_int_equal(row->start_time_clock_ticks, SECOND_TICKS(50));
		assert_int_equal(row->interval_ns, SECONDS(30));
		assert_int_equal(row->life_ns, SECONDS(10) + (complete ? 0 : 900000));
		/* In front of its process's last row. */
		assert_int_equal(scene.window.samples[0].tid, TID);
	}
}

static void passed_is_whole(void **state)
{
	cleanup_(scene_done) struct scene scene;
	const struct thread_sample *row;

	(void)state;
	scene_init(&scene);
	add_end(&scene.exits, (struct end_spec){.tid = TID,
	                                        .tgid = TGID,
	                                        .born_ns = SECONDS(110),
	                                        .exited_ns = SECONDS(111),
	                                        .run_time_ns = 1700});
	join(&scene);
	assert_parts(&scene, "p");
	assert_numbers(&scene, 0, 1, 0, 0);
	row = snapshot_copy_find(&scene.window, TID);
	assert_seen(row, run_time_ns, 1700);
	assert_string_equal(strbuf_str(&row->pcomm), "leader");
	assert_string_equal(strbuf_str(&row->comm), "ended");
	assert_int_equal(row->interval_ns, SECONDS(30));
	assert_int_equal(row->life_ns, SECONDS(1));
	assert_int_equal(sample_reason(row, METRIC_rchar), OUTCOME_gone);
	assert_window(&scene.window.info, exit_records, 1);
}

/* A record of a thread that ended before it could have been read, or after it was. */
static void other_ends_are_ignored(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	first_thread(&scene, SECOND_TICKS(50));
	reading_add(&scene.b, TGID, TID, SECOND_TICKS(50));
	/* A record of an older thread, from before the window's first reading came to its process. */
	add_end(&scene.exits, (struct end_spec){.tid = 9,
	                                        .tgid = 9,
	                                        .born_ns = SECONDS(20),
	                                        .exited_ns = SECONDS(100) + 5});
	/* One that ended before the window is none of its exits. */
	add_end(&scene.exits, (struct end_spec){.tid = 8,
	                                        .tgid = 8,
	                                        .born_ns = SECONDS(20),
	                                        .exited_ns = SECONDS(100) - 5});
	/* Its own, after the last one. */
	add_end(&scene.exits, (struct end_spec){.tid = TID,
	                                        .tgid = TGID,
	                                        .born_ns = SECONDS(50),
	                                        .exited_ns = SECONDS(132)});
	/* A record of a thread that was born after the window. */
	add_end(&scene.exits,
	        (struct end_spec){
	                .tid = 10, .tgid = 10, .born_ns = SECONDS(131), .exited_ns = SECONDS(132)});
	join(&scene);
	assert_parts(&scene, "c");
	assert_numbers(&scene, 0, 0, 0, 1);
}

struct reuse {
	const char *name;
	bool is_complete;
	uint64_t overruns;
	uint64_t start_ms;     /* birth of the thread of the first reading */
	uint64_t ends[4][3];   /* birth, exit, and lateness in milliseconds; exit 0 ends them */
	uint64_t last_born_ms; /* birth of the thread that has the id at the end, 0: none */
	const char *parts;
	uint64_t lost, left_out;
};

static const struct reuse reuses[] = {
        {"its own, then a successor", .start_ms = 50000,
         .ends = {{50000, 110000, 1}, {110001, 111000, 1}}, .parts = "ep"},
        {"the same with exact births", .is_complete = true, .start_ms = 50000,
         .ends = {{50000, 110000, 0}, {110001, 111000, 0}}, .parts = "ep"},
        {"a successor that lives on", .start_ms = 50000, .ends = {{50000, 110000, 1}},
         .last_born_ms = 110010, .parts = "be"},
        {"two successors, one lives on, and ends behind the reading", .start_ms = 50000,
         .ends = {{50000, 110000, 1}, {110001, 111000, 1}, {112000, 132000, 1}},
         .last_born_ms = 112000, .parts = "bep"},
        {"only the successor has a record: its birth says so", .is_complete = true,
         .start_ms = 50000, .ends = {{110001, 111000, 0}}, .parts = "pl", .lost = 1},
        {"the same, with a birth that is right but for the lateness", .start_ms = 50000,
         .ends = {{110001, 111000, 1}}, .parts = "pl", .lost = 1},
        {"records were lost, but so late is none", .start_ms = 50000, .overruns = 1,
         .ends = {{110001, 111000, 1}}, .parts = "pl", .lost = 1},
        {"born just before its reading, its record late, and others were lost: in doubt",
         .start_ms = 100990, .overruns = 1, .ends = {{100990, 111000, 110}}, .parts = "l",
         .lost = 1, .left_out = 1},
        {"born just before its reading, and a record that is late by less than a tick",
         .start_ms = 100995, .ends = {{100995, 111000, 8}}, .parts = "e"},
        {"the same, and we had to wait for a CPU", .start_ms = 100995,
         .ends = {{100995, 111000, 300}}, .parts = "e"},
        {"the same, and we were stopped", .start_ms = 50000, .ends = {{50000, 105000, 60000}},
         .parts = "e"},
        {"several that late: which one it was, nobody knows", .start_ms = 100995,
         .ends = {{100995, 111000, 300}, {111300, 112000, 300}}, .parts = "pl", .lost = 1,
         .left_out = 1},
        {"a predecessor that ended before the reading", .start_ms = 100500,
         .ends = {{50000, 100400, 1}, {100500, 110000, 1}}, .parts = "e", .left_out = 1},
        {
                "a predecessor born inside",
                .start_ms = 100500,
                .ends = {{100100, 100400, 1}, {100500, 110000, 1}},
                .parts = "pe",
        },
        {"a predecessor's record that came after the reading of its successor", .start_ms = 100500,
         .ends = {{100100, 100400, 900}, {100500, 110000, 1}}, .parts = "pe"},
        {"three lives in one tick, with exact births: nobody knows which it was",
         .is_complete = true, .start_ms = 101000,
         .ends = {{101000, 101001, 0}, {101002, 101003, 0}, {101004, 101005, 0}}, .parts = "l",
         .lost = 1, .left_out = 3},
        {"born in the tick behind, with an exact birth: a successor", .is_complete = true,
         .start_ms = 101000, .ends = {{101010, 101020, 0}}, .parts = "pl", .lost = 1},
        {"many lives", .start_ms = 50000,
         .ends = {{50000, 101500, 1},
                  {101501, 102000, 1},
                  {102000, 103000, 1},
                  {103000, 104000, 1}},
         .parts = "eppp"},
};

static int compare_letters(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

/* Sorted: where the rows stand depends on their processes. */
static void assert_same_parts(const struct scene *scene, const struct reuse *reuse)
{
	static const char letters[WINDOW_PART_COUNT] = {'-', 'c', 'b', 'e', 'p'};
	char parts[16] = "", expected[16] = "";
	size_t count = 0;

	for (size_t i = 0; i < scene->window.count; i++)
		if (scene->window.samples[i].tid == TID)
			parts[count++] = sample_is_lost(&scene->window.samples[i])
			                         ? 'l'
			                         : letters[scene->window.samples[i].window_part];
	qsort(parts, count, 1, compare_letters);
	strcpy(expected, reuse->parts);
	qsort(expected, strlen(expected), 1, compare_letters);
	if (strcmp(parts, expected) != 0)
		fail_msg("%s: %s, not %s", reuse->name, parts, expected);
}

static void ids_that_are_used_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reuses); i++) {
		const struct reuse *reuse = &reuses[i];
		cleanup_(scene_done) struct scene scene;
		uint64_t exited = 0;

		scene_init(&scene);
		first_thread(&scene, MILLISECONDS(reuse->start_ms) / TICK_NS);
		if (reuse->last_born_ms > 0)
			reading_add(&scene.b, TGID, TID,
			            MILLISECONDS(reuse->last_born_ms) / TICK_NS);
		for (size_t e = 0; e < 4 && reuse->ends[e][1] > 0; e++)
			add_end(&scene.exits,
			        (struct end_spec){.tid = TID,
			                          .tgid = TGID,
			                          .born_ns = MILLISECONDS(reuse->ends[e][0]),
			                          .exited_ns = MILLISECONDS(reuse->ends[e][1]),
			                          .late_ns = MILLISECONDS(reuse->ends[e][2]),
			                          .is_complete = reuse->is_complete,
			                          .run_time_ns = 1000 * (e + 2)});
		scene.exits.overruns = reuse->overruns;
		join(&scene);
		assert_same_parts(&scene, reuse);
		for (size_t row = 0; row < scene.window.count; row++)
			exited += scene.window.samples[row].window_part == WINDOW_PART_exited &&
			          !sample_is_lost(&scene.window.samples[row]);
		if (scene.window.info.window.numbers[WINDOW_threads_lost] != reuse->lost ||
		    scene.window.info.window.numbers[WINDOW_exits_left_out] != reuse->left_out)
			fail_msg("%s: %d lost, %d left out", reuse->name,
			         (int)scene.window.info.window.numbers[WINDOW_threads_lost],
			         (int)scene.window.info.window.numbers[WINDOW_exits_left_out]);
		assert_window(&scene.window.info, threads_exited, exited);
	}
}

/* The thread of the first reading has the difference, and not its successors. */
static void differences_are_those_of_the_right_life(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	first_thread(&scene, SECOND_TICKS(50));
	for (unsigned i = 0; i < 3; i++)
		add_end(&scene.exits,
		        (struct end_spec){.tid = TID,
		                          .tgid = TGID,
		                          .born_ns = i ? SECONDS(110 + i) : SECONDS(50),
		                          .exited_ns = SECONDS(110 + i) + MILLISECONDS(900),
		                          .run_time_ns = 1001 + i});
	join(&scene);
	for (size_t i = 0; i < scene.window.count; i++) {
		const struct thread_sample *row = &scene.window.samples[i];

		if (row->window_part == WINDOW_PART_exited)
			assert_seen(row, run_time_ns, 1);
		if (row->window_part == WINDOW_PART_passed)
			assert_true(row->run_time_ns.v == 1002 || row->run_time_ns.v == 1003);
	}
	assert_numbers(&scene, 1, 2, 0, 0);
}

static void add_process(struct scene *scene, uint32_t tgid, uint64_t born, const char *comm,
                        uint32_t tid)
{
	add_end(&scene->exits, (struct end_spec){.tid = tid ? tid : tgid,
	                                         .tgid = tgid,
	                                         .born_ns = SECONDS(born) + (tid ? 5 : 0),
	                                         .exited_ns = SECONDS(born) + 50 - (tid ? 20 : 0),
	                                         .comm = comm});
}

/* Rows of a process stand together, the leader in front; a process takes its name from its leader's record. */
static void processes_that_are_gone_stand_together(void **state)
{
	static const uint32_t expected[][2] = {{TGID, TGID}, {300, 300}, {300, 302},
	                                       {300, 303},   {400, 400}, {400, 401}};
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	add_process(&scene, 300, 110, "worker", 302);
	add_process(&scene, 400, 111, "other", 401);
	add_process(&scene, 300, 110, "worker", 303);
	add_process(&scene, 400, 111, "second", 0);
	add_process(&scene, 300, 110, "chief", 0);
	join(&scene);
	assert_int_equal(scene.window.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct thread_sample *row = &scene.window.samples[i];

		assert_int_equal(row->tgid, expected[i][0]);
		assert_int_equal(row->tid, expected[i][1]);
		if (i > 0)
			assert_string_equal(strbuf_str(&row->pcomm),
			                    row->tgid == 300 ? "chief" : "second");
	}
}

/* Another process had the tgid before: its threads are none of the one that has it now. */
static void process_with_an_older_one_of_its_id(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	reading_add(&scene.a, 300, 300, SECOND_TICKS(20));
	reading_add(&scene.b, 300, 300, SECOND_TICKS(120));
	reading_add(&scene.b, 500, 500, SECOND_TICKS(50));
	add_end(&scene.exits, (struct end_spec){.tid = 300,
	                                        .tgid = 300,
	                                        .born_ns = SECONDS(20),
	                                        .exited_ns = SECONDS(110),
	                                        .comm = "older"});
	add_end(&scene.exits, (struct end_spec){.tid = 301,
	                                        .tgid = 300,
	                                        .born_ns = SECONDS(105),
	                                        .exited_ns = SECONDS(110)});
	add_end(&scene.exits, (struct end_spec){.tid = 302,
	                                        .tgid = 300,
	                                        .born_ns = SECONDS(121),
	                                        .exited_ns = SECONDS(122)});
	join(&scene);
	assert_int_equal(scene.window.count, 6);
	assert_int_equal(scene.window.samples[1].tid, 302);
	assert_int_equal(scene.window.samples[2].tid, 300);
	assert_int_equal(scene.window.samples[2].window_part, WINDOW_PART_born);
	assert_int_equal(scene.window.samples[4].tid, 300);
	assert_int_equal(scene.window.samples[4].window_part, WINDOW_PART_exited);
	assert_int_equal(scene.window.samples[5].tid, 301);
}

/* A process that has ended is called what it was called then, in the cgroup that it was in then; it may have executed
 * another program than the one that the first reading saw. */
static void exited_as_it_was_at_the_end(void **state)
{
	(void)state;
	for (int renamed = 0; renamed < 2; renamed++) {
		cleanup_(scene_done) struct scene scene;
		const struct thread_sample *row;
		struct thread_sample *first;

		scene_init(&scene);
		first = reading_add(&scene.a, 700, 700, SECOND_TICKS(60));
		sample_name(&first->pcomm, "shell");
		sample_name(&first->comm, "shell");
		sample_name(&first->exe, "/bin/shell");
		first->has_exe = true;
		sample_name(&first->cgroup, "/first");
		first->has_cgroup = true;
		add_end(&scene.exits, (struct end_spec){.tid = 700,
		                                        .tgid = 700,
		                                        .born_ns = SECONDS(60),
		                                        .exited_ns = SECONDS(111),
		                                        .is_complete = true,
		                                        .comm = renamed ? "program" : "shell",
		                                        .cgroup = renamed ? "/moved" : NULL});
		join(&scene);
		row = snapshot_copy_find(&scene.window, 700);
		assert_int_equal(row->window_part, WINDOW_PART_exited);
		assert_string_equal(strbuf_str(&row->pcomm), renamed ? "program" : "shell");
		assert_string_equal(strbuf_str(&row->cgroup), renamed ? "/moved" : "/first");
		assert_int_equal(row->has_exe, !renamed);
	}
}

/* Before Linux 5.19 a record does not say of which process it is. */
static void records_without_a_process(void **state)
{
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	first_thread(&scene, SECOND_TICKS(50));
	add_end(&scene.exits, (struct end_spec){.tid = TID,
	                                        .born_ns = SECONDS(50),
	                                        .exited_ns = SECONDS(111),
	                                        .late_ns = 1000,
	                                        .run_time_ns = 1700});
	add_end(&scene.exits, (struct end_spec){.tid = 900,
	                                        .born_ns = SECONDS(110),
	                                        .exited_ns = SECONDS(111),
	                                        .comm = "alone"});
	join(&scene);
	assert_numbers(&scene, 1, 1, 0, 0);
	assert_int_equal(snapshot_copy_find(&scene.window, TID)->tgid, TGID);
	assert_string_equal(strbuf_str(&snapshot_copy_find(&scene.window, 900)->pcomm), "alone");
}

/* Short processes use parts of ticks; their sum is right to a tick. */
static void parts_of_ticks_add_up(void **state)
{
	enum { PROCESSES = 1000 };
	cleanup_(scene_done) struct scene scene;
	uint64_t user = 0, system = 0;

	(void)state;
	scene_init(&scene);
	for (uint32_t i = 0; i < PROCESSES; i++)
		add_end(&scene.exits, (struct end_spec){.tid = 1000 + i,
		                                        .tgid = 1000 + i,
		                                        .born_ns = SECONDS(110),
		                                        .exited_ns = SECONDS(111),
		                                        .user_ns = 1234567,
		                                        .system_ns = 20000003,
		                                        .comm = i % 2 ? "odd" : "even"});
	join(&scene);
	for (size_t i = 0; i < scene.window.count; i++)
		if (scene.window.samples[i].window_part == WINDOW_PART_passed) {
			user += scene.window.samples[i].utime_clock_ticks.v;
			system += scene.window.samples[i].stime_clock_ticks.v;
		}
	assert_in_range(user, UINT64_C(1234567) * PROCESSES / TICK_NS - 1,
	                UINT64_C(1234567) * PROCESSES / TICK_NS);
	assert_in_range(system, UINT64_C(20000003) * PROCESSES / TICK_NS - 1,
	                UINT64_C(20000003) * PROCESSES / TICK_NS);
}

/* The record splits CPU time anew; only the sum of both modes is certain. */
static void split_of_cpu_time_does_not_go_back(void **state)
{
	static const struct {
		uint64_t user, system; /* first reading, in ticks */
		uint64_t user_ms, system_ms;
		bool seen;
		uint64_t user_rose, system_rose;
	} cases[] = {
	        {40, 10, 450, 150, true, 5, 5},  {40, 10, 350, 250, true, 0, 10},
	        {40, 10, 600, 50, true, 15, 0},  {40, 10, 395, 105, true, 0, 0},
	        {40, 10, 300, 100, false, 0, 0}, {UINT64_MAX, 10, 300, 100, false, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene;
		struct thread_sample *first;
		const struct thread_sample *row;

		scene_init(&scene);
		first = first_thread(&scene, SECOND_TICKS(50));
		sample_set(first, utime_clock_ticks, (struct counter_ticks){cases[i].user});
		sample_set(first, stime_clock_ticks, (struct counter_ticks){cases[i].system});
		add_end(&scene.exits,
		        (struct end_spec){.tid = TID,
		                          .tgid = TGID,
		                          .born_ns = SECONDS(50),
		                          .exited_ns = SECONDS(111),
		                          .run_time_ns = 1000,
		                          .user_ns = MILLISECONDS(cases[i].user_ms),
		                          .system_ns = MILLISECONDS(cases[i].system_ms)});
		join(&scene);
		row = snapshot_copy_find(&scene.window, TID);
		assert_window(&scene.window.info, values_went_back, !cases[i].seen);
		if (cases[i].seen) {
			assert_seen(row, utime_clock_ticks, cases[i].user_rose);
			assert_seen(row, stime_clock_ticks, cases[i].system_rose);
		} else {
			assert_unseen(row, utime_clock_ticks);
			assert_unseen(row, stime_clock_ticks);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(exited_is_the_record_less_the_first_reading),
	        cmocka_unit_test(exited_as_it_was_at_the_end),
	        cmocka_unit_test(passed_is_whole),
	        cmocka_unit_test(other_ends_are_ignored),
	        cmocka_unit_test(ids_that_are_used_again),
	        cmocka_unit_test(differences_are_those_of_the_right_life),
	        cmocka_unit_test(processes_that_are_gone_stand_together),
	        cmocka_unit_test(process_with_an_older_one_of_its_id),
	        cmocka_unit_test(records_without_a_process),
	        cmocka_unit_test(parts_of_ticks_add_up),
	        cmocka_unit_test(split_of_cpu_time_does_not_go_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
