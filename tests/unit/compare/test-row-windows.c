// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of windows: counters per second, each thread's by the time in which it was observed. */
#include "row-fixture.h"

static struct snapshot_info infos[SIDE_MAX];
static struct rate_list rates;
static const uint64_t second = 1000000000;

static int start_windows(void **state)
{
	static const uint16_t spread[] = {METRIC_minflt, METRIC_nice,
	                                  METRIC_COUNT + DERIVED_live_heap_estimate};

	start_by_comm(state);
	rates = all_rates();
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		infos[side] = (struct snapshot_info){.kind = KIND_window};
		window_set(&infos[side].window, WINDOW_length_ns, 30 * second);
		tables[side].info = &infos[side];
		tables[side].window_rates = &rates;
		tables[side].spread_measures = spread;
		tables[side].spread_count = ARRAY_SIZE(spread);
		tables[side].spread_per = PER_COUNT;
	}
	options.per = PER_second;
	return 0;
}

static void add(unsigned side, const char *name, int64_t minflt, uint64_t interval_ns)
{
	add_thread(&tables[side], (struct thread_spec){.name = name,
	                                               .interval_ns = interval_ns,
	                                               .life_ns = interval_ns,
	                                               .values = {{METRIC_minflt, minflt}}});
}

static struct row_view view(const char *label, unsigned measure)
{
	return view_row(&rows, label, measure);
}

/* 1000 in 10 s and 1000 in 5 s are 300 a second, to the last digit. */
static void test_rate_exact(void **state)
{
	(void)state;
	add(0, "a", 1000, 10 * second);
	add(0, "a", 1000, 5 * second);
	build_rows(1);
	assert_true(view("a", METRIC_minflt).values[0].real == 300);
	assert_true(view("a", METRIC_minflt).means[0].real == 150);
	/* A measure that is no counter has none. */
	assert_integer(view("a", METRIC_thread_count).values[0], 2);
	assert_int_equal(view("a", METRIC_thread_count).per, PER_total);
}

/* In any order, and put together in any way. */
static void test_rate_order(void **state)
{
	static const uint64_t intervals[] = {3, 7, 11, 999999937, 29999999999, 1};
	enum { COUNT = ARRAY_SIZE(intervals) };
	struct rate_sum halves[2] = {{0}};

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		add(0, "a", 1000 + i, intervals[i]);
		add(1, "a", 1000 + COUNT - 1 - i, intervals[COUNT - 1 - i]);
		rate_add(&halves[i % 2], 1000 + i, intervals[i]);
	}
	build_rows(2);
	rate_merge(&halves[0], halves[1]);
	assert_true(view("a", METRIC_minflt).values[0].real ==
	            view("a", METRIC_minflt).values[1].real);
	assert_true(view("a", METRIC_minflt).values[0].real == rate_value(halves[0]));
	assert_true(quantity_is_zero(view("a", METRIC_minflt).delta));
}

/* Sums of rates that are cut off differ by less than what was cut off. */
static void test_same_work_is_no_change(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		add(0, "a", 2, 30 * second);
	for (unsigned i = 0; i < 6; i++)
		add(1, "a", 2, 60 * second);
	add(0, "b", 2, 30 * second);
	add(1, "b", 2, 30 * second - 1000);
	build_rows(2);
	assert_true(quantity_is_zero(view("a", METRIC_minflt).delta));
	assert_false(is_listed(&rows, "a", METRIC_minflt));
	assert_false(quantity_is_zero(view("b", METRIC_minflt).delta));
	assert_true(is_listed(&rows, "b", METRIC_minflt));
}

/* A thread of which it is not known how long it was observed leaves its group without a rate, and no zero. */
static void test_interval_unknown(void **state)
{
	(void)state;
	add(0, "a", 1000, 10 * second);
	add(0, "a", 1000, 0);
	build_rows(1);
	assert_none(view("a", METRIC_minflt).values[0]);
	assert_none(view("a", METRIC_minflt).means[0]);
	options.per = PER_total;
	build_rows(1);
	assert_integer(view("a", METRIC_minflt).values[0], 2000);
}

static void test_per_others(void **state)
{
	static const struct {
		enum measure_per per;
		double value;
	} cases[] = {{PER_second, 40}, {PER_thread, 200}, {PER_cpu_second, 100}};

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		add_thread(&tables[0],
		           (struct thread_spec){
		                   .name = "a",
		                   .interval_ns = 10 * second,
		                   .values = {{METRIC_minflt, 100 + 200 * i},
		                              {METRIC_run_time_ns, (int64_t)(2 * second)}}});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		options.per = cases[i].per;
		build_rows(1);
		assert_real(view("a", METRIC_minflt).values[0], cases[i].value);
		assert_int_equal(view("a", METRIC_minflt).per, cases[i].per);
		assert_string_equal(measure_unit_name(METRIC_nice, cases[i].per), "");
	}
	assert_string_equal(measure_unit_name(METRIC_minflt, PER_total), "count");
	assert_string_equal(measure_unit_name(METRIC_minflt, PER_cpu_second), "count/cpu-second");
	assert_string_equal(measure_unit_name(METRIC_run_time_ns, PER_second), "ns/s");
	assert_string_equal(measure_unit_name(METRIC_cpu_affinity, PER_second), "");
}

static struct spread_summary spread_of(const char *label, unsigned measure)
{
	struct spread_summary summary = {0};
	struct spread *spread = row_spread(&rows, find_group(&rows, label), measure, 0);

	assert_non_null(spread);
	spread_summarise(spread, &summary);
	return summary;
}

/* Each thread by its own interval; with totals as they are; per CPU second none. */
static void test_spread(void **state)
{
	unsigned heap = METRIC_COUNT + DERIVED_live_heap_estimate;

	for (enum measure_per per = PER_total; per <= PER_COUNT; per++) {
		start_windows(state);
		options.per = per == PER_COUNT ? PER_second : per;
		tables[0].spread_per = per;
		for (unsigned i = 1; i <= 2; i++)
			add_thread(
			        &tables[0],
			        (struct thread_spec){.name = "a",
			                             .interval_ns = 10 * second / i,
			                             .values = {{METRIC_minflt, 1000},
			                                        {METRIC_nice, 5},
			                                        {METRIC_allocated_bytes, 500},
			                                        {METRIC_deallocated_bytes, 100}}});
		build_rows(1);
		assert_integer(spread_of("a", METRIC_nice).max, 5);
		if (per == PER_cpu_second) {
			assert_int_equal(spread_of("a", METRIC_minflt).n, 0);
			assert_int_equal(spread_of("a", heap).n, 0);
		} else if (per == PER_second || per == PER_COUNT) {
			assert_real(spread_of("a", METRIC_minflt).p50, 100);
			assert_real(spread_of("a", METRIC_minflt).max, 200);
			assert_real(spread_of("a", METRIC_minflt).busiest_share, 2.0 / 3);
			assert_real(spread_of("a", heap).max, 80);
		} else {
			assert_integer(spread_of("a", METRIC_minflt).p50, 1000);
			assert_real(spread_of("a", heap).max, 400);
		}
		end_rows(state);
	}
}

/* The time that threads lived in the window, in percent of it. */
static void test_uptime(void **state)
{
	(void)state;
	add(0, "a", 1, 30 * second);
	add(0, "a", 1, 6 * second);
	add(0, "b", 1, 0);
	build_rows(1);
	assert_real(row_uptime(&rows, find_group(&rows, "a"), 0), 60);
	assert_none(row_uptime(&rows, find_group(&rows, "b"), 0));
	infos[0].window = (struct snapshot_window){0};
	build_rows(1);
	assert_none(row_uptime(&rows, find_group(&rows, "a"), 0));
}

/* Two threads, of which one may have ended in the window. */
static void add_pair(unsigned side, const char *name, bool ended, int64_t number)
{
	for (unsigned i = 0; i < 2; i++)
		add_thread(&tables[side],
		           (struct thread_spec){.name = name,
		                                .interval_ns = 30 * second,
		                                .life_ns = 30 * second,
		                                .window_part = ended && i == 1
		                                                       ? WINDOW_PART_passed
		                                                       : WINDOW_PART_continued,
		                                .values = {{METRIC_run_time_ns, number},
		                                           {METRIC_rchar, number},
		                                           {METRIC_blkio_delay_total_ns, number},
		                                           {METRIC_wait_sum, number},
		                                           {METRIC_utime_clock_ticks, number},
		                                           {METRIC_stime_clock_ticks, 0}}});
}

static void know_exits(enum window_exits baseline, enum window_exits candidate)
{
	infos[SIDE_BASELINE].window.exits = baseline;
	infos[SIDE_CANDIDATE].window.exits = candidate;
	build_rows(2);
}

static bool differs(const char *label, unsigned measure)
{
	struct row_view found = view(label, measure);

	assert_int_equal(found.impact.kind == QUANTITY_NONE, found.measured_differently);
	return found.measured_differently;
}

/* A thread of "churn" ended on both sides, and none of "calm" did. "calm" has the smaller difference and comes first by
 * impact; the other orders rank "churn" by its size. */
static void test_measured_differently(void **state)
{
	static const unsigned cpu = METRIC_COUNT + DERIVED_cpu_percent;
	static const struct row_sort_key by_run_time = {.measure = METRIC_run_time_ns};

	(void)state;
	LIST_ONLY(METRIC_run_time_ns);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		infos[side].host.seen[HOST_clock_ticks_per_second] = true;
		infos[side].host.numbers[HOST_clock_ticks_per_second] = 100;
		add_pair(side, "calm", false, 100000 + 100 * side);
		add_pair(side, "churn", true, 100000 + 100000 * side);
	}
	know_exits(WINDOW_EXITS_recorded, WINDOW_EXITS_completed);
	assert_true(differs("churn", METRIC_run_time_ns));
	assert_true(differs("churn", METRIC_rchar));
	assert_true(differs("churn", cpu));
	assert_false(differs("churn", METRIC_blkio_delay_total_ns));
	assert_false(differs("churn", METRIC_wait_sum));
	assert_false(differs("calm", METRIC_run_time_ns));
	assert_int_equal(rows.row_count, 2);
	assert_string_equal(rows.groups[rows.rows[0].group].label, "calm");
	assert_real(view("churn", METRIC_run_time_ns).percent, 100);
	options.order = ORDER_DELTA;
	know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_recorded);
	assert_true(differs("churn", METRIC_run_time_ns));
	assert_string_equal(rows.groups[rows.rows[0].group].label, "churn");
	options.order = ORDER_PERCENT;
	know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_recorded);
	assert_string_equal(rows.groups[rows.rows[0].group].label, "churn");
	assert_true(view("churn", METRIC_run_time_ns).measured_differently);
	options.order = ORDER_IMPACT;
	know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_recorded);
	assert_string_equal(rows.groups[rows.rows[0].group].label, "calm");
	options.sort_keys = &by_run_time;
	options.sort_key_count = 1;
	know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_recorded);
	assert_string_equal(rows.groups[rows.rows[0].group].label, "churn");
}

/* The less complete window must have such threads in the group. If it lacks threads, the other window decides. */
static void test_measured_differently_by_side(void **state)
{
	static const struct {
		enum window_exits exits[SIDE_MAX];
		bool before,
		        after; /* whether the row differs of a group whose threads ended then */
	} cases[] = {
	        {{WINDOW_EXITS_recorded, WINDOW_EXITS_completed}, true, false},
	        {{WINDOW_EXITS_completed, WINDOW_EXITS_recorded}, false, true},
	        {{WINDOW_EXITS_denied, WINDOW_EXITS_recorded}, true, true},
	        {{WINDOW_EXITS_recorded, WINDOW_EXITS_skipped}, true, true},
	        {{WINDOW_EXITS_completed, WINDOW_EXITS_off}, true, true},
	        {{WINDOW_EXITS_off, WINDOW_EXITS_skipped}, false, false},
	        {{WINDOW_EXITS_recorded, WINDOW_EXITS_recorded}, false, false},
	        {{WINDOW_EXITS_UNKNOWN, WINDOW_EXITS_completed}, true, true},
	};

	(void)state;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_pair(side, "before", side == SIDE_BASELINE, 1000 + side);
		add_pair(side, "after", side == SIDE_CANDIDATE, 1000 + side);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		know_exits(cases[i].exits[0], cases[i].exits[1]);
		assert_int_equal(differs("before", METRIC_run_time_ns), cases[i].before);
		assert_int_equal(differs("after", METRIC_run_time_ns), cases[i].after);
	}
	/* The candidate has no records, but it is known that no thread ended there. */
	window_set(&infos[SIDE_CANDIDATE].window, WINDOW_threads_lost, 0);
	know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_denied);
	assert_true(differs("before", METRIC_run_time_ns));
	window_set(&infos[SIDE_CANDIDATE].window, WINDOW_threads_missed, 0);
	know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_denied);
	assert_false(differs("before", METRIC_run_time_ns));
	/* The candidate has records, but not of all. */
	know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_recorded);
	assert_false(differs("before", METRIC_run_time_ns));
	window_set(&infos[SIDE_CANDIDATE].window, WINDOW_threads_missed, 1);
	know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_recorded);
	assert_true(differs("before", METRIC_run_time_ns));
}

/* Threads that ended unseen in a window without records of ends may have been of a group that both windows have. It is measured differently
 * unless they can have used less than a tenth of the CPU time that the group has where it has more. */
static void test_measured_differently_unseen(void **state)
{
	enum { UNKNOWN = -1 };
	static const struct {
		enum window_exits exits; /* of the candidate */
		int64_t unaccounted_ms;  /* in 30 s */
		enum group_key key;
		bool differs;
	} cases[] = {
	        {WINDOW_EXITS_off, 2990, GROUP_KEY_comm, false},
	        {WINDOW_EXITS_off, 3010, GROUP_KEY_comm, true},
	        {WINDOW_EXITS_denied, 3010, GROUP_KEY_comm, true},
	        {WINDOW_EXITS_off, UNKNOWN, GROUP_KEY_comm, true},
	        {WINDOW_EXITS_off, 3010, GROUP_KEY_pid, false},
	        {WINDOW_EXITS_off, 3010, GROUP_KEY_thread, false},
	        {WINDOW_EXITS_recorded, 3010, GROUP_KEY_comm, false},
	        {WINDOW_EXITS_completed, 3010, GROUP_KEY_comm, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start_windows(state);
		add_pair(SIDE_BASELINE, "a", false, 15 * (int64_t)second);
		add_pair(SIDE_CANDIDATE, "a", false, 5 * (int64_t)second);
		infos[SIDE_CANDIDATE].host.seen[HOST_clock_ticks_per_second] = true;
		infos[SIDE_CANDIDATE].host.numbers[HOST_clock_ticks_per_second] = 1000;
		if (cases[i].unaccounted_ms != UNKNOWN)
			window_set(&infos[SIDE_CANDIDATE].window, WINDOW_unaccounted_clock_ticks,
			           (uint64_t)cases[i].unaccounted_ms);
		know_exits(WINDOW_EXITS_completed, cases[i].exits);
		rows.by = group_by_key(cases[i].key, false);
		assert_int_equal(differs("a", METRIC_run_time_ns), cases[i].differs);
		assert_false(differs("a", METRIC_wait_sum));
		rows.frames[SIDE_CANDIDATE].missed_known = true;
		assert_false(differs("a", METRIC_run_time_ns));
		end_rows(state);
	}
}

/* Threads of a process that ended unseen are in its total. They leave no trace there if they ran for less than some ticks. */
static void test_measured_differently_in_process(void **state)
{
	static const struct {
		enum group_key keys[2];
		unsigned key_count;
		int64_t run_ms, exited_ms; /* of the candidate; the latter in totals alone */
		bool differs;
	} cases[] = {
	        {{GROUP_KEY_pid}, 1, 401, 0, false},
	        {{GROUP_KEY_pid}, 1, 399, 0, true},
	        {{GROUP_KEY_pid, GROUP_KEY_comm}, 2, 4000, 300, false},
	        {{GROUP_KEY_pid, GROUP_KEY_comm}, 2, 4000, 400, true},
	        {{GROUP_KEY_pid, GROUP_KEY_thread}, 2, 4000, 400, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fold_number exited[PROCESS_TOTAL_COUNT] = {0};

		start_windows(state);
		add_thread(&tables[0], (struct thread_spec){.name = "a",
		                                            .interval_ns = 30 * second,
		                                            .life_ns = 30 * second,
		                                            .values = {{METRIC_run_time_ns, 0}}});
		add_thread(&tables[1],
		           (struct thread_spec){
		                   .name = "a",
		                   .interval_ns = 30 * second,
		                   .life_ns = 30 * second,
		                   .values = {{METRIC_run_time_ns, cases[i].run_ms * 1000000}}});
		infos[SIDE_CANDIDATE].host.seen[HOST_clock_ticks_per_second] = true;
		infos[SIDE_CANDIDATE].host.numbers[HOST_clock_ticks_per_second] = 100;
		know_exits(WINDOW_EXITS_completed, WINDOW_EXITS_denied);
		rows.by.count = 0;
		for (unsigned key = 0; key < cases[i].key_count; key++)
			rows.by.keys[rows.by.count++] = cases[i].keys[key];
		exited[PROCESS_TOTAL_utime_clock_ticks] = (fold_number)cases[i].exited_ms / 10;
		rows.totals[SIDE_CANDIDATE]->exited = exited;
		assert_int_equal(differs("a", METRIC_run_time_ns), cases[i].differs);
		rows.totals[SIDE_CANDIDATE]->exited = NULL;
		end_rows(state);
	}
}

/* Two windows have records of ends, and one misses threads: any of them may have been of the group. */
static void test_missed_many(void **state)
{
	static const struct {
		uint64_t missed;
		enum window_exits exits;
		bool differs;
	} cases[] = {
	        {0, WINDOW_EXITS_recorded, false}, {1, WINDOW_EXITS_recorded, false},
	        {2, WINDOW_EXITS_recorded, true},  {2, WINDOW_EXITS_completed, true},
	        {9, WINDOW_EXITS_off, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start_windows(state);
		for (unsigned pair = 0; pair < 10; pair++)
			add_pair(SIDE_BASELINE, "a", true, 1000);
		add_pair(SIDE_CANDIDATE, "a", false, 2000);
		add_pair(SIDE_BASELINE, "calm", false, 1000);
		add_pair(SIDE_CANDIDATE, "calm", false, 2000);
		window_set(&infos[SIDE_CANDIDATE].window, WINDOW_threads_missed, cases[i].missed);
		window_set(&infos[SIDE_CANDIDATE].window, WINDOW_threads_lost, 0);
		know_exits(cases[i].exits, cases[i].exits);
		assert_int_equal(differs("a", METRIC_run_time_ns), cases[i].differs);
		assert_false(differs("calm", METRIC_run_time_ns));
		end_rows(state);
	}
}

#define WINDOW_TEST(test_) cmocka_unit_test_setup_teardown(test_, start_windows, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WINDOW_TEST(test_rate_exact),
	        WINDOW_TEST(test_rate_order),
	        WINDOW_TEST(test_same_work_is_no_change),
	        WINDOW_TEST(test_interval_unknown),
	        WINDOW_TEST(test_per_others),
	        cmocka_unit_test(test_spread),
	        WINDOW_TEST(test_uptime),
	        WINDOW_TEST(test_measured_differently),
	        WINDOW_TEST(test_measured_differently_by_side),
	        cmocka_unit_test(test_measured_differently_unseen),
	        cmocka_unit_test(test_measured_differently_in_process),
	        cmocka_unit_test(test_missed_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
