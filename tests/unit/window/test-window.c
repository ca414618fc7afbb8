// SPDX-License-Identifier: GPL-2.0-or-later
#include "window/window.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "samples.h"
#include "windows.h"

/* The readings of a test: at 100 s and at 130 s after boot. */
struct pair {
	struct reading a, b;
	struct exit_log exits;
	struct snapshot_copy window;
};

static void pair_init(struct pair *pair)
{
	*pair = (struct pair){0};
	reading_init(&pair->a, SECONDS(100));
	reading_init(&pair->b, SECONDS(130));
}

static void pair_done(struct pair *pair)
{
	reading_done(&pair->a);
	reading_done(&pair->b);
	exit_log_done(&pair->exits);
	snapshot_copy_done(&pair->window);
}

static void join(struct pair *pair)
{
	window_between(&pair->a, &pair->b, &pair->exits, &pair->window);
	assert_int_equal(pair->window.result, 0);
}

static void counters_are_differences(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct thread_sample *first, *last;
	const struct thread_sample *row;

	(void)state;
	pair_init(&pair);
	first = reading_add(&pair.a, 7, 7, 5);
	last = reading_add(&pair.b, 7, 7, 5);
	sample_set(first, run_time_ns, (struct counter_ns){1000});
	sample_set(last, run_time_ns, (struct counter_ns){1700});
	sample_set(first, timeslices, (struct counter_count){UINT64_MAX - 1});
	sample_set(last, timeslices, (struct counter_count){UINT64_MAX});
	sample_set(first, nr_wakeups, (struct counter_count){9});
	sample_set(last, nr_wakeups, (struct counter_count){8});
	sample_set(first, majflt, (struct counter_count){9});
	sample_set(last, rchar, (struct counter_bytes){9});
	sample_set(first, wchar, (struct counter_bytes){9});
	sample_set(last, wchar, (struct counter_bytes){9});
	sample_set(first, nice, (struct ordinal_i32){-5});
	sample_set(last, nice, (struct ordinal_i32){3});
	join(&pair);
	row = snapshot_copy_find(&pair.window, 7);
	assert_seen(row, run_time_ns, 700);
	assert_seen(row, timeslices, 1);
	assert_unseen(row, nr_wakeups);
	assert_unseen(row, majflt);
	assert_unseen(row, rchar);
	assert_seen(row, wchar, 0);
	assert_seen(row, nice, 3);
	assert_int_equal(row->window_part, WINDOW_PART_continued);
	assert_int_equal(row->interval_ns, SECONDS(30));
	assert_int_equal(row->life_ns, SECONDS(30));
	assert_window(&pair.window.info, threads_continued, 1);
	assert_window(&pair.window.info, values_went_back, 1);
	assert_window(&pair.window.info, length_ns, SECONDS(30));
	assert_window(&pair.window.info, begin_boottime_ns, SECONDS(100));
	assert_window(&pair.window.info, begin_unix_ns, SECONDS(1000100));
	assert_int_equal(pair.window.info.captured_boottime_ns, SECONDS(130));
}

static void set_totals(struct thread_sample *sample, uint64_t user, uint64_t system)
{
	sample->has_process_totals = true;
	sample->process_totals_seen = UINT32_C(1) << PROCESS_TOTAL_utime_clock_ticks |
	                              UINT32_C(1) << PROCESS_TOTAL_stime_clock_ticks;
	sample->process_totals[PROCESS_TOTAL_utime_clock_ticks] = user;
	sample->process_totals[PROCESS_TOTAL_stime_clock_ticks] = system;
}

/* The kernel may split CPU time anew, but neither part goes back while their sum does not. */
static void cpu_time_by_mode_never_falls(void **state)
{
	static const struct {
		uint64_t user_then, system_then, user, system;
		bool seen; /* else what fell is left out */
		uint64_t user_rose, system_rose;
	} cases[] = {
	        {100, 50, 110, 55, true, 10, 5}, {100, 50, 170, 40, true, 60, 0},
	        {100, 50, 90, 65, true, 0, 5},   {100, 50, 99, 51, true, 0, 0},
	        {100, 50, 100, 49, true, 0, 0},  {100, 50, 99, 50, true, 0, 0},
	        {100, 50, 90, 59, true, 0, 0},   {100, 50, 98, 60, true, 0, 8},
	        {100, 50, 90, 40, false, 0, 0},  {0, 0, UINT64_MAX, 1, true, UINT64_MAX, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum {
			USER = PROCESS_TOTAL_utime_clock_ticks,
			SYSTEM = PROCESS_TOTAL_stime_clock_ticks
		};
		cleanup_(pair_done) struct pair pair;
		struct thread_sample *first, *last;
		const struct thread_sample *row;

		pair_init(&pair);
		first = reading_add(&pair.a, 7, 7, 5);
		last = reading_add(&pair.b, 7, 7, 5);
		sample_set(first, utime_clock_ticks, (struct counter_ticks){cases[i].user_then});
		sample_set(first, stime_clock_ticks, (struct counter_ticks){cases[i].system_then});
		sample_set(last, utime_clock_ticks, (struct counter_ticks){cases[i].user});
		sample_set(last, stime_clock_ticks, (struct counter_ticks){cases[i].system});
		set_totals(first, cases[i].user_then, cases[i].system_then);
		set_totals(last, cases[i].user, cases[i].system);
		join(&pair);
		row = snapshot_copy_find(&pair.window, 7);
		assert_window(&pair.window.info, values_went_back, cases[i].seen ? 0 : 2);
		assert_int_equal(row->has_process_totals, cases[i].seen);
		if (!cases[i].seen) {
			assert_unseen(row, utime_clock_ticks);
			assert_unseen(row, stime_clock_ticks);
			continue;
		}
		/* Some are more than there was time for, and kept as such. */
		assert_true(sample_has_said(row, METRIC_utime_clock_ticks));
		assert_true(sample_has_said(row, METRIC_stime_clock_ticks));
		assert_int_equal(row->utime_clock_ticks.v, cases[i].user_rose);
		assert_int_equal(row->stime_clock_ticks.v, cases[i].system_rose);
		assert_int_equal(row->process_totals[USER], cases[i].user_rose);
		assert_int_equal(row->process_totals[SYSTEM], cases[i].system_rose);
	}
}

/* A peak is news where it rose, a floor where it fell or became one. */
static void peaks_and_floors_only_where_they_moved(void **state)
{
	static const struct {
		bool before;
		uint64_t then, now;
		bool peak, floor;
	} cases[] = {
	        {true, 5, 9, true, false},   {true, 9, 9, false, false}, {true, 9, 5, false, true},
	        {true, 0, 5, true, true},    {true, 0, 0, false, false}, {true, 5, 0, false, false},
	        {false, 0, 5, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(pair_done) struct pair pair;
		struct thread_sample *first, *last;
		const struct thread_sample *row;

		pair_init(&pair);
		first = reading_add(&pair.a, 7, 7, 5);
		last = reading_add(&pair.b, 7, 7, 5);
		if (cases[i].before) {
			sample_set(first, wait_max, (struct peak_ns){cases[i].then});
			sample_set(first, cpu_delay_min_ns, (struct floor_ns){cases[i].then});
			sample_set(first, hiwater_rss_bytes, (struct peak_bytes){cases[i].then});
		}
		sample_set(last, wait_max, (struct peak_ns){cases[i].now});
		sample_set(last, cpu_delay_min_ns, (struct floor_ns){cases[i].now});
		sample_set(last, hiwater_rss_bytes, (struct peak_bytes){cases[i].now});
		join(&pair);
		row = snapshot_copy_find(&pair.window, 7);
		assert_int_equal(metric_set_has(&row->seen, METRIC_wait_max), cases[i].peak);
		assert_int_equal(metric_set_has(&row->seen, METRIC_hiwater_rss_bytes),
		                 cases[i].peak);
		assert_int_equal(metric_set_has(&row->seen, METRIC_cpu_delay_min_ns),
		                 cases[i].floor);
		if (cases[i].peak)
			assert_seen(row, wait_max, cases[i].now);
		if (cases[i].floor)
			assert_seen(row, cpu_delay_min_ns, cases[i].now);
	}
}

static void born_inside_is_whole(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct thread_sample *last;
	const struct thread_sample *row;

	(void)state;
	pair_init(&pair);
	last = reading_add(&pair.b, 7, 7, SECOND_TICKS(120));
	sample_set(last, run_time_ns, (struct counter_ns){55});
	/* In the tick in which the first reading began. */
	last = reading_add(&pair.b, 8, 8, SECOND_TICKS(100));
	sample_set(last, run_time_ns, (struct counter_ns){66});
	/* Born behind the begin of the last reading, and read there. */
	reading_add(&pair.b, 9, 9, SECOND_TICKS(131))->read_boottime_ns = SECONDS(131);
	join(&pair);
	row = snapshot_copy_find(&pair.window, 7);
	assert_int_equal(row->window_part, WINDOW_PART_born);
	assert_seen(row, run_time_ns, 55);
	assert_int_equal(row->interval_ns, SECONDS(30));
	assert_int_equal(row->life_ns, SECONDS(11));
	assert_seen(snapshot_copy_find(&pair.window, 8), run_time_ns, 66);
	assert_int_equal(snapshot_copy_find(&pair.window, 9)->life_ns, 1);
	assert_window(&pair.window.info, threads_born, 3);
}

/* A thread that was there and was not read has done nobody knows how much before. */
static void what_was_not_read_before_is_unknown(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct thread_sample *last;
	const struct thread_sample *row;

	(void)state;
	pair_init(&pair);
	last = reading_add(&pair.b, 7, 7, SECOND_TICKS(100) - 1);
	sample_set(last, run_time_ns, (struct counter_ns){55});
	sample_set(last, wait_max, (struct peak_ns){55});
	sample_set(last, nice, (struct ordinal_i32){3});
	join(&pair);
	row = snapshot_copy_find(&pair.window, 7);
	assert_int_equal(row->window_part, WINDOW_PART_continued);
	assert_unseen(row, run_time_ns);
	assert_unseen(row, wait_max);
	assert_seen(row, nice, 3);
	assert_window(&pair.window.info, threads_unknown, 1);
	assert_window(&pair.window.info, threads_born, 0);
	assert_window(&pair.window.info, threads_continued, 0);
}

static void lost_without_a_record(void **state)
{
	cleanup_(pair_done) struct pair pair;
	const struct thread_sample *row;
	struct thread_sample *leader;

	(void)state;
	pair_init(&pair);
	leader = reading_add(&pair.a, 7, 7, 5);
	sample_set(leader, run_time_ns, (struct counter_ns){12345});
	sample_set(leader, nice, (struct ordinal_i32){3});
	reading_add(&pair.a, 7, 8, 5);
	reading_add(&pair.b, 7, 8, 6); /* the id is another thread's now */
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	assert_window(&pair.window.info, threads_lost, 2);
	assert_window(&pair.window.info, threads_exited, 0);
	assert_window(&pair.window.info, threads_unknown, 1);
	assert_int_equal(pair.window.count, 3);
	row = snapshot_copy_find(&pair.window, 7);
	assert_true(sample_is_lost(row));
	assert_int_equal(row->run_time_before_ns, 12345);
	assert_true(metric_set_is_empty(&row->seen));
	assert_int_equal(sample_reason(row, METRIC_run_time_ns), OUTCOME_gone);
	assert_int_equal(sample_reason(row, METRIC_nice), OUTCOME_gone);
	assert_int_equal(row->life_ns, 0);
	assert_int_equal(pair.window.info.window.exits, WINDOW_EXITS_skipped);
	assert_false(pair.window.info.window.seen[WINDOW_exit_records]);
}

static void zombies_are_not_lost(void **state)
{
	static const char states[] = "SRDZXt";

	(void)state;
	for (size_t i = 0; i < strlen(states); i++) {
		cleanup_(pair_done) struct pair pair;
		struct thread_sample *first;

		pair_init(&pair);
		first = reading_add(&pair.a, 7, 7, 5);
		sample_set(first, state, (struct label_letter){states[i]});
		join(&pair);
		assert_window(&pair.window.info, threads_lost, !strchr("ZX", states[i]));
	}
}

/* The reason why there is no difference is the first reading's, where that is to blame. */
static void reasons_of_the_begin_remain(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct thread_sample *first, *last;
	const struct thread_sample *row;

	(void)state;
	pair_init(&pair);
	first = reading_add(&pair.a, 7, 7, 5);
	last = reading_add(&pair.b, 7, 7, 5);
	first->outcomes[SOURCE_io] = OUTCOME_denied;
	pair.a.info.rules[SOURCE_taskstats] = OUTCOME_off;
	sample_set(last, rchar, (struct counter_bytes){9});
	sample_set(last, cpu_delay_count, (struct counter_count){9});
	join(&pair);
	row = snapshot_copy_find(&pair.window, 7);
	assert_int_equal(sample_reason(row, METRIC_rchar), OUTCOME_denied);
	assert_int_equal(sample_reason(row, METRIC_cpu_delay_count), OUTCOME_off);
	assert_int_equal(row->outcomes[SOURCE_taskstats], OUTCOME_off);
}

static void totals_are_differences(void **state)
{
	enum { USER = PROCESS_TOTAL_utime_clock_ticks, SYSTEM = PROCESS_TOTAL_stime_clock_ticks };
	cleanup_(pair_done) struct pair pair;
	const struct thread_sample *row;

	(void)state;
	pair_init(&pair);
	reading_add(&pair.a, 7, 7, 5);
	set_totals(reading_add(&pair.a, 7, 8, 5), 100, 50);
	set_totals(reading_add(&pair.b, 7, 7, 5), 130, 49);
	/* The same tgid, another process. */
	set_totals(reading_add(&pair.a, 9, 9, 5), 100, 50);
	set_totals(reading_add(&pair.b, 9, 9, SECOND_TICKS(110)), 3, 4);
	/* It was there, and not read. */
	set_totals(reading_add(&pair.b, 10, 10, 5), 3, 4);
	/* Both have gone back. */
	set_totals(reading_add(&pair.a, 11, 11, 5), 100, 50);
	set_totals(reading_add(&pair.b, 11, 11, 5), 99, 49);
	join(&pair);
	row = snapshot_copy_find(&pair.window, 7);
	assert_int_equal(row->process_totals_seen, 1u << USER | 1u << SYSTEM);
	assert_int_equal(row->process_totals[USER], 29);
	assert_int_equal(row->process_totals[SYSTEM], 0);
	assert_false(snapshot_copy_find(&pair.window, 11)->has_process_totals);
	row = snapshot_copy_find(&pair.window, 9);
	assert_int_equal(row->process_totals[USER], 3);
	assert_int_equal(row->process_totals[SYSTEM], 4);
	assert_false(snapshot_copy_find(&pair.window, 10)->has_process_totals);
}

/* Two of 64 threads remain; the process's total has the work of the others. */
static void shrinking_pool_keeps_its_work(void **state)
{
	enum { THREADS = 64, KEPT = 2, BEFORE = 1000, INSIDE = 20 };
	cleanup_(pair_done) struct pair pair;
	const struct thread_sample *last_row;
	uint64_t by_rows = 0;

	(void)state;
	pair_init(&pair);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct thread_sample *first = reading_add(&pair.a, 100, 100 + i, 5), *last;

		sample_set(first, utime_clock_ticks, (struct counter_ticks){BEFORE});
		sample_set(first, stime_clock_ticks, (struct counter_ticks){0});
		if (i == THREADS - 1)
			set_totals(first, BEFORE * THREADS, 0);
		if (i >= KEPT)
			continue;
		last = reading_add(&pair.b, 100, 100 + i, 5);
		sample_set(last, utime_clock_ticks, (struct counter_ticks){BEFORE + INSIDE});
		sample_set(last, stime_clock_ticks, (struct counter_ticks){0});
		if (i == KEPT - 1)
			set_totals(last, (BEFORE + INSIDE) * THREADS, 0);
	}
	join(&pair);
	assert_int_equal(pair.window.count, THREADS);
	for (size_t i = 0; i < pair.window.count; i++)
		if (!sample_is_lost(&pair.window.samples[i]))
			by_rows += pair.window.samples[i].utime_clock_ticks.v;
	/* The others stand in front of the row that has the totals. */
	last_row = &pair.window.samples[THREADS - 1];
	assert_int_equal(by_rows, INSIDE * KEPT);
	assert_int_equal(last_row->process_totals[PROCESS_TOTAL_utime_clock_ticks],
	                 INSIDE * THREADS);
	assert_window(&pair.window.info, threads_lost, THREADS - KEPT);
	assert_window(&pair.window.info, values_went_back, 0);
}

static void set_host(struct reading *reading, uint64_t user, uint64_t system, uint64_t forks)
{
	host_set_number(&reading->info.host, HOST_user_clock_ticks, user);
	host_set_number(&reading->info.host, HOST_system_clock_ticks, system);
	host_set_number(&reading->info.host, HOST_forks, forks);
}

static void host_knows_what_is_missing(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct thread_sample *last;
	enum { ERROR = 60 }; /* 360 / 100 + 3 * sqrt(360) */

	(void)state;
	pair_init(&pair);
	set_host(&pair.a, 1000, 500, 40);
	set_host(&pair.b, 1300, 560, 50);
	host_set_number(&pair.a.info.host, HOST_idle_clock_ticks, 9);
	host_set_number(&pair.b.info.host, HOST_idle_clock_ticks, 8);
	host_set_number(&pair.b.info.host, HOST_uptime_ns, 12345);
	reading_add(&pair.a, 6, 6, SECOND_TICKS(101)); /* born during the first reading */
	last = reading_add(&pair.b, 7, 7, SECOND_TICKS(110));
	sample_set(last, utime_clock_ticks, (struct counter_ticks){100});
	sample_set(last, stime_clock_ticks, (struct counter_ticks){1});
	last = reading_add(&pair.b, 8, 8, SECOND_TICKS(110));
	sample_set(last, utime_clock_ticks, (struct counter_ticks){5});
	set_totals(last, 50, 6);
	add_end(&pair.exits, (struct end_spec){.tid = 9,
	                                       .tgid = 9,
	                                       .born_ns = SECONDS(110),
	                                       .exited_ns = SECONDS(111),
	                                       .user_ns = MILLISECONDS(30)});
	join(&pair);
	assert_int_equal(pair.window.info.host.numbers[HOST_user_clock_ticks], 300);
	assert_int_equal(pair.window.info.host.numbers[HOST_forks], 10);
	assert_false(pair.window.info.host.seen[HOST_idle_clock_ticks]);
	assert_int_equal(pair.window.info.host.numbers[HOST_uptime_ns], 12345);
	assert_window(&pair.window.info, threads_missed, 10 - 4);
	assert_window(&pair.window.info, unaccounted_clock_ticks, 360 - 101 - 56 - 3 - ERROR);
}

/* Ticks of the host that missed what ran between them do not tell how much is in no thread. */
static void ticks_below_the_threads_account_for_nothing(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct thread_sample *first;
	struct thread_sample *last;

	(void)state;
	pair_init(&pair);
	set_host(&pair.a, 1000, 500, 40);
	set_host(&pair.b, 1003, 501, 50);
	first = reading_add(&pair.a, 7, 7, 100);
	sample_set(first, utime_clock_ticks, (struct counter_ticks){50});
	sample_set(first, stime_clock_ticks, (struct counter_ticks){0});
	last = reading_add(&pair.b, 7, 7, 100);
	sample_set(last, utime_clock_ticks, (struct counter_ticks){65});
	sample_set(last, stime_clock_ticks, (struct counter_ticks){0});
	join(&pair);
	assert_true(pair.window.info.window.seen[WINDOW_threads_missed]);
	assert_false(pair.window.info.window.seen[WINDOW_unaccounted_clock_ticks]);
}

/* A part of the host says nothing about the rest. */
static void part_of_a_host_misses_nothing(void **state)
{
	cleanup_(pair_done) struct pair pair;

	(void)state;
	pair_init(&pair);
	set_host(&pair.a, 1000, 500, 40);
	set_host(&pair.b, 1300, 560, 50);
	host_set_number(&pair.b.info.host, HOST_total_threads, 1000);
	join(&pair);
	assert_false(pair.window.info.window.seen[WINDOW_threads_missed]);
	assert_false(pair.window.info.window.seen[WINDOW_unaccounted_clock_ticks]);
}

/* If many threads come and go, their number is no evidence; but a reader that has the first process and the kernel's in the host's
 * own pid namespace, and is denied none, has all. */
static void who_sees_the_first_processes_sees_all(void **state)
{
	enum { ALL, IN_A_CONTAINER, WITHOUT_THE_KERNEL, DENIED, CASES };

	(void)state;
	for (int i = 0; i < CASES; i++) {
		cleanup_(pair_done) struct pair pair;
		struct reading *readings[] = {&pair.a, &pair.b};

		pair_init(&pair);
		set_host(&pair.a, 1000, 500, 40);
		set_host(&pair.b, 1300, 560, 50);
		for (size_t r = 0; r < ARRAY_SIZE(readings); r++) {
			struct snapshot_info *info = &readings[r]->info;

			host_set_number(&info->host, HOST_total_threads, 1000);
			if (i != IN_A_CONTAINER)
				host_set_text(&info->host, HOST_pid_namespace,
				              HOST_INITIAL_PID_NAMESPACE,
				              strlen(HOST_INITIAL_PID_NAMESPACE));
			info->tally.processes_denied = i == DENIED;
			reading_add(readings[r], 1, 1, 1);
			if (i != WITHOUT_THE_KERNEL)
				reading_add(readings[r], 2, 2, 1);
		}
		join(&pair);
		assert_int_equal(pair.window.info.window.seen[WINDOW_threads_missed], i == ALL);
	}
}

static void skew_is_that_of_the_worse_reading(void **state)
{
	cleanup_(pair_done) struct pair pair;

	(void)state;
	pair_init(&pair);
	for (uint32_t i = 1; i <= 100; i++) {
		reading_add(&pair.a, i, i, 1);
		reading_add(&pair.b, i, i, 1);
	}
	pair.a.info.cost[COST_walk_spread_ns] = 100 * 500;
	pair.b.info.cost[COST_walk_spread_ns] = 100 * 400;
	pair.a.info.cost_seen[COST_walk_spread_ns] = pair.b.info.cost_seen[COST_walk_spread_ns] =
	        true;
	join(&pair);
	assert_window(&pair.window.info, read_skew_ns, 32 * 500);
	assert_false(pair.window.info.cost_seen[COST_walk_spread_ns]);
}

/* Processes that the pass does not show are read behind it. */
static void skew_is_that_of_the_pass(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct snapshot_info *infos[] = {&pair.a.info, &pair.b.info};

	(void)state;
	pair_init(&pair);
	for (uint32_t i = 1; i <= 100; i++) {
		reading_add(&pair.a, i, i, 1);
		reading_add(&pair.b, i, i, 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(infos); i++) {
		infos[i]->cost[COST_walk_spread_ns] = 100 * 9000;
		infos[i]->cost[COST_pass_ns] = 100 * 500;
		infos[i]->cost_seen[COST_walk_spread_ns] = infos[i]->cost_seen[COST_pass_ns] = true;
	}
	join(&pair);
	assert_window(&pair.window.info, read_skew_ns, 32 * 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(counters_are_differences),
	        cmocka_unit_test(cpu_time_by_mode_never_falls),
	        cmocka_unit_test(peaks_and_floors_only_where_they_moved),
	        cmocka_unit_test(born_inside_is_whole),
	        cmocka_unit_test(what_was_not_read_before_is_unknown),
	        cmocka_unit_test(lost_without_a_record),
	        cmocka_unit_test(zombies_are_not_lost),
	        cmocka_unit_test(reasons_of_the_begin_remain),
	        cmocka_unit_test(totals_are_differences),
	        cmocka_unit_test(shrinking_pool_keeps_its_work),
	        cmocka_unit_test(host_knows_what_is_missing),
	        cmocka_unit_test(ticks_below_the_threads_account_for_nothing),
	        cmocka_unit_test(part_of_a_host_misses_nothing),
	        cmocka_unit_test(who_sees_the_first_processes_sees_all),
	        cmocka_unit_test(skew_is_that_of_the_worse_reading),
	        cmocka_unit_test(skew_is_that_of_the_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
