// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads that are not who their ids say: those that executed a program, and those that have ended and are still there. */
#include "window-scene.h"

/* Another thread of the process has executed a program and has the leader's ids now. */
static void executing_thread_is_not_the_leader(void **state)
{
	cleanup_(scene_done) struct scene scene;
	const struct thread_sample *row;

	(void)state;
	scene_init(&scene);
	scene.b.info.rules[SOURCE_taskstats] = OUTCOME_off;
	sample_set(&scene.a.samples[0], run_time_ns, (struct counter_ns){500});
	sample_set(&scene.b.samples[0], run_time_ns, (struct counter_ns){90000});
	add_end(&scene.exits, (struct end_spec){.tid = TGID,
	                                        .tgid = TGID,
	                                        .born_ns = SECONDS(49),
	                                        .exited_ns = SECONDS(110),
	                                        .late_ns = 1000,
	                                        .run_time_ns = 700});
	join(&scene);
	assert_int_equal(scene.window.count, 2);
	row = &scene.window.samples[0];
	assert_int_equal(row->window_part, WINDOW_PART_exited);
	assert_seen(row, run_time_ns, 200);
	row = &scene.window.samples[1];
	assert_int_equal(row->window_part, WINDOW_PART_continued);
	assert_unseen(row, run_time_ns);
	assert_int_equal(sample_reason(row, METRIC_run_time_ns), OUTCOME_unjoined);
	assert_int_equal(sample_reason(row, METRIC_minflt), OUTCOME_unjoined);
	/* The host has a reason of its own. */
	assert_int_equal(sample_reason(row, METRIC_cpu_delay_count), OUTCOME_off);
	assert_numbers(&scene, 1, 0, 0, 0);
	assert_window(&scene.window.info, threads_unknown, 1);
}

/* The same, and it has ended as well. No other thread of the first reading can have taken over the ids, so it was born inside, and its
 * record has its work. It is of the same process, although a record that comes late seems to be of one born later. The ids were there from the first reading, which ends at 101 s, on. */
static void executing_thread_ends_too(void **state)
{
	(void)state;
	for (int complete = 0; complete < 2; complete++) {
		cleanup_(scene_done) struct scene scene;
		const struct thread_sample *row;

		scene_init(&scene);
		row = reading_add(&scene.a, 700, 700, SECOND_TICKS(60));
		sample_set((struct thread_sample *)row, run_time_ns, (struct counter_ns){500});
		for (uint64_t i = 0; i < 2; i++)
			add_end(&scene.exits,
			        (struct end_spec){.tid = 700,
			                          .tgid = 700,
			                          .born_ns = SECONDS(60),
			                          .exited_ns = SECONDS(110 + i),
			                          .late_ns = complete ? 0 : MILLISECONDS(15),
			                          .is_complete = complete,
			                          .run_time_ns = i == 0 ? 700 : SECONDS(5)});
		join(&scene);
		row = snapshot_copy_find(&scene.window, 700);
		assert_int_equal(row->window_part, WINDOW_PART_exited);
		assert_seen(row, run_time_ns, 200);
		row++;
		assert_int_equal(row->tid, 700);
		assert_int_equal(row->window_part, WINDOW_PART_passed);
		assert_int_equal(row->start_time_clock_ticks, SECOND_TICKS(60));
		assert_int_equal(sample_process_start(row), SECOND_TICKS(60));
		assert_true(row->life_ns > SECONDS(9) && row->life_ns <= SECONDS(11));
		assert_seen(row, run_time_ns, SECONDS(5));
		assert_numbers(&scene, 1, 1, 0, 0);
	}
}

/* Without a record it shows in that it has run for longer than there was time. */
static void executing_thread_ran_too_long(void **state)
{
	static const uint64_t ran_ms[] = {28000, 33000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ran_ms); i++) {
		cleanup_(scene_done) struct scene scene;

		scene_init(&scene);
		sample_set(&scene.a.samples[0], run_time_ns, (struct counter_ns){500});
		sample_set(&scene.b.samples[0], run_time_ns,
		           (struct counter_ns){500 + MILLISECONDS(ran_ms[i])});
		join(&scene);
		assert_window(&scene.window.info, threads_unknown, i);
		assert_window(&scene.window.info, threads_continued, !i);
		assert_int_equal(metric_set_has(&scene.window.samples[0].seen, METRIC_run_time_ns),
		                 !i);
	}
}

/* The ids of a thread that is not the leader cannot be taken over: the kernel was wrong, and its other values stay. */
static void other_thread_ran_too_long(void **state)
{
	cleanup_(scene_done) struct scene scene;
	const struct thread_sample *row;
	struct thread_sample *sample;

	(void)state;
	scene_init(&scene);
	sample = reading_add(&scene.a, TGID, 701, SECOND_TICKS(60));
	sample_set(sample, run_time_ns, (struct counter_ns){500});
	sample_set(sample, minflt, (struct counter_count){5});
	sample = reading_add(&scene.b, TGID, 701, SECOND_TICKS(60));
	sample_set(sample, run_time_ns, (struct counter_ns){500 + SECONDS(40)});
	sample_set(sample, minflt, (struct counter_count){7});
	join(&scene);
	row = snapshot_copy_find(&scene.window, 701);
	assert_int_equal(row->window_part, WINDOW_PART_continued);
	assert_window(&scene.window.info, threads_unknown, 0);
	assert_unseen(row, run_time_ns);
	assert_true(metric_set_has(&row->impossible, METRIC_run_time_ns));
	assert_seen(row, minflt, 2);
}

static void set_ran(struct thread_sample *sample, uint64_t ran_ms, uint64_t process_ran_ms)
{
	sample_set(sample, run_time_ns, (struct counter_ns){MILLISECONDS(ran_ms)});
	if (process_ran_ms == 0)
		return;
	sample->has_process_totals = true;
	sample->process_totals_seen = UINT32_C(1) << PROCESS_TOTAL_run_time_ns;
	sample->process_totals[PROCESS_TOTAL_run_time_ns] = MILLISECONDS(process_ran_ms);
}

/* Or for longer than its whole process, or for less than before. */
static void executing_thread_ran_more_or_less_than_possible(void **state)
{
	static const struct {
		uint64_t ran_ms, process_ran_ms; /* before; 0: not known */
		uint64_t ran_later_ms, process_ran_later_ms;
		bool is_another;
	} cases[] = {
	        {50, 8000, 20000, 28000, false}, {50, 8000, 20000, 9000, true},
	        {50, 0, 20000, 9000, false},     {50, 8000, 20000, 0, false},
	        {50, 8000, 2050, 9000, false},   {50, 0, 49, 0, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene;

		scene_init(&scene);
		set_ran(&scene.a.samples[0], cases[i].ran_ms, cases[i].process_ran_ms);
		set_ran(&scene.b.samples[0], cases[i].ran_later_ms, cases[i].process_ran_later_ms);
		join(&scene);
		assert_window(&scene.window.info, threads_unknown, cases[i].is_another);
		assert_int_equal(metric_set_has(&scene.window.samples[0].seen, METRIC_run_time_ns),
		                 !cases[i].is_another);
		assert_window(&scene.window.info, values_went_back, 0);
	}
}

/* A process with page faults of its leader and of all its exited threads together. */
static void set_faults(struct thread_sample *leader, uint64_t minflt, uint64_t exited_minflt,
                       uint64_t threads, const char *exe)
{
	sample_set(leader, minflt, (struct counter_count){minflt});
	sample_set(leader, nr_threads, (struct gauge_count){threads});
	leader->has_process_totals = true;
	leader->process_totals_seen = UINT32_C(1) << PROCESS_TOTAL_minflt;
	leader->process_totals[PROCESS_TOTAL_minflt] = minflt + exited_minflt;
	leader->has_exe = exe != NULL;
	if (exe)
		sample_name(&leader->exe, exe);
}

/* Or a process runs another program, and its leader may have been one of the threads that exited meanwhile. It is the same thread
 * if one thread executes programs, as in a shell and its children. */
static void executing_thread_counted_more(void **state)
{
	static const struct {
		const char *exe, *exe_later; /* NULL: not known */
		uint64_t threads, faults, faults_later, exited_faults_later;
		bool records, is_another;
	} cases[] = {
	        {"/bin/sh", "/bin/ls", 1, 100, 400, 0, false, false}, /* a shell's child */
	        {"/bin/sh", "/bin/ls", 1, 100, 400, 99, false, false},
	        {"/bin/sh", "/bin/ls", 1, 100, 400, 100, false,
	         true}, /* a new thread executed it */
	        {"/bin/sh", "/bin/ls", 2, 100, 400, 0, false, true},
	        {"/bin/sh", "/bin/ls", 2, 100, 400, 300, true,
	         false}, /* else there were a record */
	        {"/bin/sh", "/bin/sh", 2, 100, 400, 300, false, false},
	        {"/bin/sh", "/bin/sh", 2, 100, 99, 300, false, true}, /* went back */
	        {"/bin/sh", "/bin/sh (deleted)", 2, 100, 400, 300, false, false},
	        {"/bin/sh", "", 2, 100, 400, 300, false, false}, /* a zombie */
	        {"", "", 1, 0, 0, 0, false,
	         false}, /* a kernel thread, which has another name now */
	        {NULL, NULL, 1, 0, 0, 0, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene;

		scene_init(&scene);
		set_faults(&scene.a.samples[0], cases[i].faults, 0, cases[i].threads, cases[i].exe);
		set_faults(&scene.b.samples[0], cases[i].faults_later, cases[i].exited_faults_later,
		           cases[i].threads, cases[i].exe_later);
		if (cases[i].records)
			scene.exits.exits = WINDOW_EXITS_recorded;
		if (cases[i].faults == 0)
			sample_name(&scene.b.samples[0].pcomm, "kworker/0:1-mm");
		join(&scene);
		assert_window(&scene.window.info, threads_unknown, cases[i].is_another);
		assert_int_equal(metric_set_has(&scene.window.samples[0].seen, METRIC_minflt),
		                 !cases[i].is_another);
		assert_window(&scene.window.info, values_went_back, 0);
	}
}

/* A leader and two threads of its process, of which 702 executes a program. The leader has a record, and 701 as well: the exec ends
 * both. @lives: 702 is in the last reading, with the leader's ids; else it has ended, too. */
static void add_executing(struct scene *scene, bool lives)
{
	struct end_spec end = {.tgid = 700, .is_complete = true, .process_born_ns = SECONDS(60)};

	for (uint32_t tid = 700; tid < 703; tid++) {
		struct thread_sample *sample =
		        reading_add(&scene->a, 700, tid, SECOND_TICKS(60 + tid % 10));

		sample_set_process_start(sample, SECOND_TICKS(60));
		sample_set(sample, run_time_ns, (struct counter_ns){tid});
		sample_set(sample, allocated_bytes, (struct counter_bytes){1});
		if (tid == 702)
			break;
		end.tid = tid;
		end.born_ns = SECONDS(60 + tid % 10);
		end.exited_ns = SECONDS(110);
		end.run_time_ns = tid + 10;
		add_end(&scene->exits, end);
	}
	scene->exits.exits = WINDOW_EXITS_completed;
	end.tid = 700;
	end.born_ns = SECONDS(60);
	end.exited_ns = SECONDS(111);
	end.run_time_ns = 702 + SECONDS(5);
	if (lives) {
		struct thread_sample *sample = reading_add(&scene->b, 700, 700, SECOND_TICKS(60));

		sample_set(sample, run_time_ns, (struct counter_ns){702 + SECONDS(5)});
		sample_set(sample, allocated_bytes, (struct counter_bytes){70});
	} else {
		add_end(&scene->exits, end);
	}
}

/* The only thread without a record of its end is the one that has the leader's ids, so its work in the window is known. */
static void executing_thread_is_known(void **state)
{
	(void)state;
	for (int lives = 0; lives < 2; lives++) {
		cleanup_(scene_done) struct scene scene;
		const struct thread_sample *taker;

		scene_init(&scene);
		add_executing(&scene, lives);
		join(&scene);
		assert_int_equal(scene.window.count, 1 + 3);
		assert_numbers(&scene, lives ? 2 : 3, 0, 0, 0);
		assert_window(&scene.window.info, threads_unknown, 0);
		taker = lives ? &scene.window.samples[3] : snapshot_copy_find(&scene.window, 702);
		assert_int_equal(taker->window_part,
		                 lives ? WINDOW_PART_continued : WINDOW_PART_exited);
		assert_int_equal(taker->tid, lives ? 700 : 702);
		assert_seen(taker, run_time_ns, SECONDS(5));
		/* The allocator of the new program counted anew. */
		assert_unseen(taker, allocated_bytes);
		assert_seen(snapshot_copy_find(&scene.window, 701), run_time_ns, 10);
	}
}

/* It is not known if a record was lost, if nobody listened, if several threads have none, or if a thread that was born inside executed
 * yet another program. */
static void executing_thread_is_not_known(void **state)
{
	enum { OVERRUN, NOT_RECORDED, SEVERAL, TWICE, CASES };

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		cleanup_(scene_done) struct scene scene;

		scene_init(&scene);
		add_executing(&scene, true);
		if (i == OVERRUN)
			scene.exits.overruns = 1;
		if (i == NOT_RECORDED)
			scene.exits.exits = WINDOW_EXITS_skipped;
		if (i == SEVERAL)
			sample_set_process_start(reading_add(&scene.a, 700, 703, SECOND_TICKS(63)),
			                         SECOND_TICKS(60));
		if (i == TWICE)
			add_end(&scene.exits, (struct end_spec){.tid = 700,
			                                        .tgid = 700,
			                                        .born_ns = SECONDS(60),
			                                        .exited_ns = SECONDS(111),
			                                        .is_complete = true,
			                                        .run_time_ns = 5});
		join(&scene);
		assert_numbers(&scene, 2, 0, i == SEVERAL ? 2 : 1, i == TWICE);
		assert_window(&scene.window.info, threads_unknown, 1);
	}
}

/* The leader had ended before the window, and has no record in it. */
static void leader_had_ended_before(void **state)
{
	cleanup_(scene_done) struct scene scene;
	const struct thread_sample *row;
	struct thread_sample *sample;

	(void)state;
	scene_init(&scene);
	scene.exits.exits = WINDOW_EXITS_completed;
	assert_true(sample_set_label(reading_add(&scene.a, 700, 700, SECOND_TICKS(60)),
	                             METRIC_state, "Z", 1));
	sample_set_process_start(reading_add(&scene.a, 700, 701, SECOND_TICKS(61)),
	                         SECOND_TICKS(60));
	for (size_t i = 1; i < scene.a.count; i++)
		sample_set(&scene.a.samples[i], run_time_ns, (struct counter_ns){100 * i});
	sample = reading_add(&scene.b, 700, 700, SECOND_TICKS(60));
	sample_set(sample, run_time_ns, (struct counter_ns){900});
	join(&scene);
	row = snapshot_copy_find(&scene.window, 700);
	assert_int_equal(row->window_part, WINDOW_PART_continued);
	assert_seen(row, run_time_ns, 700);
	assert_numbers(&scene, 0, 0, 0, 0);
}

/* A leader that had ended before the window, and a thread of its process that has run for longer, 701. */
static void add_zombie_leader(struct scene *scene)
{
	struct thread_sample *leader = reading_add(&scene->a, 700, 700, SECOND_TICKS(60));
	struct thread_sample *other;

	assert_true(sample_set_label(leader, METRIC_state, "Z", 1));
	sample_set(leader, run_time_ns, (struct counter_ns){SECONDS(1)});
	other = reading_add(&scene->a, 700, 701, SECOND_TICKS(61));
	sample_set_process_start(other, SECOND_TICKS(60));
	sample_set(other, run_time_ns, (struct counter_ns){SECONDS(3)});
	scene->exits.exits = WINDOW_EXITS_completed;
}

static void add_end_of(struct scene *scene, uint32_t tid, uint64_t exited_ns, uint64_t run_time_ns)
{
	add_end(&scene->exits, (struct end_spec){.tid = tid,
	                                         .tgid = 700,
	                                         .born_ns = SECONDS(60 + tid % 10),
	                                         .process_born_ns = SECONDS(60),
	                                         .exited_ns = exited_ns,
	                                         .is_complete = true,
	                                         .run_time_ns = run_time_ns});
}

/* It has no record in the window: the record with its ids is of the thread that took them over, whatever that had done before. */
static void taker_of_a_zombie_ends(void **state)
{
	enum { KNOWN, OVERRUN, SEVERAL, BORN_INSIDE, ITS_OWN, CASES };
	static const struct {
		uint64_t run_ns;
		unsigned exited, passed, lost, left_out;
	} cases[CASES] = {
	        [KNOWN] = {SECONDS(3) + 5, 1, 0, 0, 0},   [OVERRUN] = {SECONDS(3) + 5, 0, 0, 1, 1},
	        [SEVERAL] = {SECONDS(3) + 5, 0, 0, 2, 1}, [BORN_INSIDE] = {SECONDS(2), 1, 1, 0, 0},
	        [ITS_OWN] = {SECONDS(1) + 5, 2, 0, 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		cleanup_(scene_done) struct scene scene;

		scene_init(&scene);
		add_zombie_leader(&scene);
		if (i == OVERRUN)
			scene.exits.overruns = 1;
		if (i == SEVERAL)
			sample_set_process_start(reading_add(&scene.a, 700, 702, SECOND_TICKS(62)),
			                         SECOND_TICKS(60));
		if (i == BORN_INSIDE || i == ITS_OWN)
			add_end_of(&scene, 701, SECONDS(109), SECONDS(3) + 5);
		add_end_of(&scene, 700, SECONDS(110), cases[i].run_ns);
		join(&scene);
		assert_numbers(&scene, cases[i].exited, cases[i].passed, cases[i].lost,
		               cases[i].left_out);
		assert_window(&scene.window.info, values_went_back, 0);
		if (cases[i].exited == 0)
			continue;
		assert_seen(snapshot_copy_find(&scene.window, 701), run_time_ns, 5);
		if (i == ITS_OWN)
			assert_seen(snapshot_copy_find(&scene.window, 700), run_time_ns, 5);
		if (i == BORN_INSIDE)
			assert_seen(snapshot_copy_find(&scene.window, 700), run_time_ns,
			            SECONDS(2));
	}
}

/* It is in the last reading, and may have ended there as well. Without a thread that has no record, it may have been born inside. */
static void taker_of_a_zombie_is_read(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		bool ended = i & 1, is_known = i & 2;
		cleanup_(scene_done) struct scene scene;
		const struct thread_sample *row;
		struct thread_sample *last;

		scene_init(&scene);
		add_zombie_leader(&scene);
		last = reading_add(&scene.b, 700, 700, SECOND_TICKS(60));
		sample_set(last, run_time_ns, (struct counter_ns){SECONDS(3) + 5});
		if (ended) {
			assert_true(sample_set_label(last, METRIC_state, "Z", 1));
			add_end_of(&scene, 700, SECONDS(110), SECONDS(3) + 5);
		}
		if (!is_known)
			add_end_of(&scene, 701, SECONDS(109), SECONDS(3) + 5);
		join(&scene);
		row = snapshot_copy_find(&scene.window, 700);
		assert_int_equal(row->window_part, WINDOW_PART_continued);
		if (is_known)
			assert_seen(row, run_time_ns, 5);
		else
			assert_unseen(row, run_time_ns);
		assert_window(&scene.window.info, threads_unknown, !is_known);
		assert_numbers(&scene, !is_known, 0, 0, 0);
	}
}

static void rename_process(struct thread_sample *sample, const char *pcomm, const char *exe)
{
	strbuf_clear(&sample->pcomm);
	sample_name(&sample->pcomm, pcomm);
	sample_name(&sample->exe, exe);
	sample->has_exe = true;
}

static void assert_process(const struct thread_sample *row, const char *pcomm, const char *exe)
{
	assert_string_equal(strbuf_str(&row->pcomm), pcomm);
	assert_int_equal(row->has_exe, exe != NULL);
	if (exe)
		assert_string_equal(strbuf_str(&row->exe), exe);
}

/* A thread without a record of its end has the name that its process has now, as the other rows of the process do. If the process has
 * ended with another name than it was read with, nobody knows its executable. */
static void lost_thread_has_the_last_name(void **state)
{
	(void)state;
	for (int lives = 0; lives < 2; lives++) {
		cleanup_(scene_done) struct scene scene;
		const struct thread_sample *row;

		scene_init(&scene);
		rename_process(reading_add(&scene.a, 700, 700, SECOND_TICKS(60)), "sh", "/bin/sh");
		rename_process(reading_add(&scene.a, 700, 701, SECOND_TICKS(61)), "sh", "/bin/sh");
		for (size_t i = 1; i < scene.a.count; i++)
			sample_set_process_start(&scene.a.samples[i], SECOND_TICKS(60));
		if (lives)
			rename_process(reading_add(&scene.b, 700, 700, SECOND_TICKS(60)), "ls",
			               "/bin/ls");
		else
			add_end(&scene.exits, (struct end_spec){.tid = 700,
			                                        .tgid = 700,
			                                        .born_ns = SECONDS(60),
			                                        .exited_ns = SECONDS(110),
			                                        .is_complete = true,
			                                        .comm = "ls"});
		join(&scene);
		row = snapshot_copy_find(&scene.window, 701);
		assert_int_equal(row->window_part, WINDOW_PART_exited);
		assert_process(row, "ls", lives ? "/bin/ls" : NULL);
		assert_process(snapshot_copy_find(&scene.window, 700), "ls",
		               lives ? "/bin/ls" : NULL);
		assert_window(&scene.window.info, threads_lost, 1);
	}
}

/* All threads that ended of a process have the name that its last leader had at its end. */
static void ended_threads_have_the_last_name(void **state)
{
	static const struct end_spec ends[] = {
	        {.tid = 701, .exited_ns = SECONDS(108), .comm = "worker", .pcomm = "sh"},
	        {.tid = 700, .exited_ns = SECONDS(110), .comm = "sh", .pcomm = "sh"},
	        {.tid = 700, .exited_ns = SECONDS(111), .comm = "ls", .pcomm = "ls"},
	};
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	scene.exits.exits = WINDOW_EXITS_completed;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct end_spec end = ends[i];

		end.tgid = 700;
		end.born_ns = end.process_born_ns = SECONDS(105);
		end.is_complete = true;
		add_end(&scene.exits, end);
	}
	join(&scene);
	assert_int_equal(scene.window.count, 1 + ARRAY_SIZE(ends));
	for (size_t i = 1; i < scene.window.count; i++)
		assert_process(&scene.window.samples[i], "ls", NULL);
}

/* A process that has ended inside and was not waited for is in the last reading, and nowhere else. */
static void zombies_have_one_row(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		bool complete = i & 1, old = i & 2;
		uint64_t born = old ? 60 : 105;
		cleanup_(scene_done) struct scene scene;
		struct thread_sample *row;

		scene_init(&scene);
		if (old)
			reading_add(&scene.a, 700, 700, SECOND_TICKS(born));
		row = reading_add(&scene.b, 700, 700, SECOND_TICKS(born));
		assert_true(sample_set_label(row, METRIC_state, "Z", 1));
		sample_set(row, run_time_ns, (struct counter_ns){700});
		add_end(&scene.exits, (struct end_spec){.tid = 700,
		                                        .tgid = 700,
		                                        .born_ns = SECONDS(born),
		                                        .exited_ns = SECONDS(110),
		                                        .late_ns = complete ? 0 : 1000,
		                                        .is_complete = complete,
		                                        .run_time_ns = 700});
		join(&scene);
		assert_int_equal(scene.window.count, 2);
		assert_int_equal(snapshot_copy_find(&scene.window, 700)->window_part,
		                 old ? WINDOW_PART_continued : WINDOW_PART_born);
		assert_numbers(&scene, 0, 0, 0, 0);
		assert_window(&scene.window.info, threads_unknown, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(executing_thread_is_not_the_leader),
	        cmocka_unit_test(executing_thread_ends_too),
	        cmocka_unit_test(executing_thread_ran_too_long),
	        cmocka_unit_test(other_thread_ran_too_long),
	        cmocka_unit_test(executing_thread_ran_more_or_less_than_possible),
	        cmocka_unit_test(executing_thread_counted_more),
	        cmocka_unit_test(executing_thread_is_known),
	        cmocka_unit_test(executing_thread_is_not_known),
	        cmocka_unit_test(leader_had_ended_before),
	        cmocka_unit_test(taker_of_a_zombie_ends),
	        cmocka_unit_test(taker_of_a_zombie_is_read),
	        cmocka_unit_test(lost_thread_has_the_last_name),
	        cmocka_unit_test(ended_threads_have_the_last_name),
	        cmocka_unit_test(zombies_have_one_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
