// SPDX-License-Identifier: GPL-2.0-or-later
/* The pairing of groups, their labels, and the content of a row. */
#include "check.h"

#include "row-fixture.h"

static void add_named(unsigned side, const char *name)
{
	add_thread(&tables[side], (struct thread_spec){.name = name});
}

static void build(unsigned sides, const struct row_cpu_time *cpu_times)
{
	const struct group_table *const both[] = {&tables[0], &tables[1]};

	row_set_done(&rows);
	row_set_init(&rows, both, sides, cpu_times, &options);
}

static void check_groups(const char *const *labels, size_t count)
{
	assert_int_equal(rows.group_count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(rows.groups[i].label, labels[i]);
}

static void check_unmatched(unsigned side, const char *const *labels, size_t count)
{
	assert_int_equal(rows.unmatched_count[side], count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(rows.unmatched[side][i].label, labels[i]);
}

#define LABELS(...) \
	(const char *const[]){__VA_ARGS__}, ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))

static void test_label_of_one_name(void **state)
{
	(void)state;
	add_named(0, "python3");
	add_named(0, "python3");
	add_named(0, "worker-1");
	add_named(0, "worker-2");
	build(1, NULL);
	check_groups(LABELS("python3", "worker-{N}"));
}

/* The names of both sides count together. */
static void test_label_over_both_sides(void **state)
{
	(void)state;
	add_named(0, "python3");
	add_named(1, "python3");
	add_named(0, "worker-1");
	add_named(1, "worker-2");
	add_named(0, "pool-1");
	add_named(1, "pool-1");
	add_named(1, "pool-2");
	add_named(0, "io-1");
	add_named(0, "io-2");
	add_named(1, "io-1");
	add_named(0, "left-7");
	add_named(1, "right-7");
	build(2, NULL);
	check_groups(LABELS("io-{N}", "pool-{N}", "python3", "worker-{N}"));
	check_unmatched(SIDE_BASELINE, LABELS("left-7"));
	check_unmatched(SIDE_CANDIDATE, LABELS("right-7"));
}

/* Labels are for terminals, keys are bytes. */
static void test_label_is_safe(void **state)
{
	(void)state;
	add_named(0, "a\x1b[31m\n");
	add_named(0, "\xff");
	add_named(0, "\xfe");
	add_named(0, "");
	add_named(0, "back\\slash");
	build(1, NULL);
	check_groups(LABELS("", "\\xfe", "\\xff", "a\\x1b[31m\\x0a", "back\\\\slash"));
}

static void test_unmatched_by_run_time(void **state)
{
	(void)state;
	add_thread(&tables[0],
	           (struct thread_spec){.name = "b", .values = {{METRIC_run_time_ns, 5}}});
	add_thread(&tables[0],
	           (struct thread_spec){.name = "a", .values = {{METRIC_run_time_ns, 5}}});
	add_thread(&tables[0],
	           (struct thread_spec){.name = "c", .values = {{METRIC_run_time_ns, 50}}});
	add_thread(&tables[0], (struct thread_spec){.name = "unseen"});
	add_thread(&tables[0],
	           (struct thread_spec){.name = "zero", .values = {{METRIC_run_time_ns, 0}}});
	add_named(0, "both");
	add_named(1, "both");
	add_named(1, "y");
	add_named(1, "x");
	build(2, NULL);
	check_groups(LABELS("both"));
	check_unmatched(SIDE_BASELINE, LABELS("c", "a", "b", "unseen", "zero"));
	check_unmatched(SIDE_CANDIDATE, LABELS("x", "y"));
	assert_null(rows.unmatched[SIDE_BASELINE][0].sides[SIDE_CANDIDATE]);
	assert_null(rows.unmatched[SIDE_CANDIDATE][0].sides[SIDE_BASELINE]);
	assert_int_equal(rows.unmatched[SIDE_BASELINE][0].sides[SIDE_BASELINE]->threads, 1);
}

static void test_rows_of_nothing(void **state)
{
	(void)state;
	build(1, NULL);
	assert_int_equal(rows.row_count, 0);
	build(2, NULL);
	assert_int_equal(rows.row_count, 0);
	assert_int_equal(rows.group_count, 0);
}

static void test_row_of_one_side(void **state)
{
	struct row_view view;

	(void)state;
	add_thread(&tables[0],
	           (struct thread_spec){.name = "a", .values = {{METRIC_run_time_ns, 30}}});
	add_thread(&tables[0],
	           (struct thread_spec){.name = "b", .values = {{METRIC_run_time_ns, 10}}});
	build(1, NULL);
	assert_int_equal(rows.row_count, 2 * MEASURE_COUNT); /* show leaves nothing out */
	assert_int_equal(rows.unchanged_count + rows.unseen_count, 0);
	view = view_row(&rows, "a", METRIC_run_time_ns);
	assert_integer(view.values[0], 30);
	assert_none(view.delta);
	assert_none(view.percent);
	assert_real(view.impact, 0.75);
	assert_int_equal(view.seen[0], 1);
	assert_int_equal(view.expected[0], 1);
	assert_none(view_row(&rows, "a", METRIC_minflt).values[0]);
	assert_none(view_row(&rows, "a", METRIC_minflt).impact);
}

static void add_counter(unsigned side, const char *name, uint64_t number)
{
	add_thread(
	        &tables[side],
	        (struct thread_spec){.name = name, .values = {{METRIC_minflt, (int64_t)number}}});
}

/* |delta| over the larger of the two totals of the host. */
static void test_row_of_counter(void **state)
{
	struct row_view view;

	(void)state;
	add_counter(0, "a", 100);
	add_counter(1, "a", 130);
	add_counter(0, "b", 50);
	add_counter(1, "b", 20);
	add_counter(0, "gone", 150);
	build(2, NULL);
	view = view_row(&rows, "a", METRIC_minflt);
	assert_integer(view.values[SIDE_BASELINE], 100);
	assert_integer(view.values[SIDE_CANDIDATE], 130);
	assert_integer(view.delta, 30);
	assert_real(view.percent, 30);
	assert_real(view.impact, 0.1); /* of 300 */
	view = view_row(&rows, "b", METRIC_minflt);
	assert_integer(view.delta, -30);
	assert_real(view.percent, -60);
	assert_real(view.impact, 0.1);
}

/* The same second on hosts whose clocks tick 100 and 250 times in it, and twice that. */
static void test_row_of_other_ticks(void **state)
{
	static const struct {
		const char *name;
		int64_t ticks[SIDE_MAX];
		double candidate, delta, impact;
	} cases[] = {{"same", {100, 250}, 100, 0, 0}, {"twice", {100, 500}, 200, 100, 1.0 / 3}};
	struct host hosts[SIDE_MAX];

	(void)state;
	memset(hosts, 0, sizeof(hosts));
	host_set_number(&hosts[SIDE_BASELINE], HOST_clock_ticks_per_second, 100);
	host_set_number(&hosts[SIDE_CANDIDATE], HOST_clock_ticks_per_second, 250);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned side = 0; side < SIDE_MAX; side++) {
			tables[side].host = &hosts[side];
			add_thread(&tables[side],
			           (struct thread_spec){.name = cases[i].name,
			                                .values = {{METRIC_utime_clock_ticks,
			                                            cases[i].ticks[side]},
			                                           {METRIC_minflt, 5}}});
		}
	build(2, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct row_view view = view_row(&rows, cases[i].name, METRIC_utime_clock_ticks);

		assert_integer(view.values[SIDE_BASELINE], 100);
		assert_real(view.values[SIDE_CANDIDATE], cases[i].candidate);
		assert_real(view.means[SIDE_CANDIDATE], cases[i].candidate);
		assert_real(view.delta, cases[i].delta);
		assert_real(view.percent, cases[i].delta);
		assert_real(view.impact, cases[i].impact);
		assert_integer(view_row(&rows, cases[i].name, METRIC_minflt).delta, 0);
	}
	host_done(&hosts[SIDE_BASELINE]);
	host_done(&hosts[SIDE_CANDIDATE]);
}

static void test_row_percent(void **state)
{
	unsigned ratio = (unsigned)METRIC_COUNT + DERIVED_cpu_efficiency;

	(void)state;
	add_thread(&tables[0], (struct thread_spec){.name = "a",
	                                            .values = {{METRIC_minflt, 0},
	                                                       {METRIC_majflt, 4},
	                                                       {METRIC_run_time_ns, 1},
	                                                       {METRIC_wait_time_ns, 3},
	                                                       {METRIC_nice, -10}}});
	add_thread(&tables[1], (struct thread_spec){.name = "a",
	                                            .values = {{METRIC_minflt, 10},
	                                                       {METRIC_majflt, 5},
	                                                       {METRIC_run_time_ns, 3},
	                                                       {METRIC_wait_time_ns, 1},
	                                                       {METRIC_nice, -5}}});
	build(2, NULL);
	assert_none(view_row(&rows, "a", METRIC_minflt).percent); /* of nothing */
	assert_integer(view_row(&rows, "a", METRIC_minflt).delta, 10);
	assert_real(view_row(&rows, "a", METRIC_majflt).percent, 25);
	assert_real(view_row(&rows, "a", ratio).delta, 0.5);
	assert_none(view_row(&rows, "a", ratio).percent);
	/* A place on a scale is no share of another one. */
	assert_real(view_row(&rows, "a", METRIC_nice).delta, 5);
	assert_none(view_row(&rows, "a", METRIC_nice).percent);
	assert_none(view_row(&rows, "a", METRIC_wait_max).percent);
	assert_none(view_row(&rows, "a", METRIC_wait_max).delta);
}

/* 64-bit counters whose difference a double would not show. */
static void test_row_delta_is_exact(void **state)
{
	(void)state;
	add_counter(0, "a", (UINT64_C(1) << 62) + 1);
	add_counter(1, "a", UINT64_C(1) << 62);
	build(2, NULL);
	assert_integer(view_row(&rows, "a", METRIC_minflt).delta, -1);
	assert_true(is_listed(&rows, "a", METRIC_minflt));
}

/* Labels, places on a scale and CPU sets move nothing; a peak is a share only in comparison. */
static void test_row_impact_of_other_kinds(void **state)
{
	(void)state;
	add_thread(&tables[0], (struct thread_spec){.name = "a",
	                                            .state = 'S',
	                                            .cpus = "0",
	                                            .values = {{METRIC_nice, 0},
	                                                       {METRIC_wait_max, 40},
	                                                       {METRIC_cpu_delay_min_ns, 10}}});
	add_thread(&tables[1], (struct thread_spec){.name = "a",
	                                            .state = 'R',
	                                            .cpus = "0-3",
	                                            .values = {{METRIC_nice, 10},
	                                                       {METRIC_wait_max, 50},
	                                                       {METRIC_cpu_delay_min_ns, 5}}});
	build(2, NULL);
	assert_none(view_row(&rows, "a", METRIC_state).delta);
	assert_none(view_row(&rows, "a", METRIC_state).impact);
	assert_none(view_row(&rows, "a", METRIC_nice).impact);
	assert_integer(view_row(&rows, "a", METRIC_nice).delta, 10);
	assert_none(view_row(&rows, "a", METRIC_cpu_affinity).impact);
	assert_integer(view_row(&rows, "a", METRIC_cpu_affinity).delta, 3);
	assert_real(view_row(&rows, "a", METRIC_wait_max).impact, 0.2);
	assert_none(view_row(&rows, "a", METRIC_cpu_delay_min_ns).impact);
	assert_true(is_listed(&rows, "a", METRIC_state));
	build(1, NULL);
	assert_none(view_row(&rows, "a", METRIC_wait_max).impact);
}

/* An average moves the host's by its share of what is divided by. */
static void test_row_impact_of_average(void **state)
{
	unsigned average = (unsigned)METRIC_COUNT + DERIVED_avg_slice_ns;

	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		add_thread(&tables[side],
		           (struct thread_spec){.name = "a",
		                                .values = {{METRIC_run_time_ns, side ? 30 : 10},
		                                           {METRIC_timeslices, 1}}});
		add_thread(&tables[side], (struct thread_spec){.name = "b",
		                                               .values = {{METRIC_run_time_ns, 30},
		                                                          {METRIC_timeslices, 3}}});
	}
	build(2, NULL);
	/* 10 to 30 in a quarter of the host's slices; the host's average goes from 10 to 15. */
	assert_real(view_row(&rows, "a", average).delta, 20);
	assert_real(view_row(&rows, "a", average).impact, 20 * 0.25 / 15);
	assert_real(view_row(&rows, "b", average).impact, 0);
	build(1, NULL);
	assert_none(view_row(&rows, "a", average).impact);
}

/* Values that only leaders have are expected of leaders only; a derived metric is covered as its worst input is. */
static void test_row_coverage(void **state)
{
	unsigned slice = (unsigned)METRIC_COUNT + DERIVED_avg_slice_ns;
	struct row_view view;

	(void)state;
	add_thread(&tables[0], (struct thread_spec){.name = "a",
	                                            .values = {{METRIC_nr_threads, 3},
	                                                       {METRIC_run_time_ns, 5},
	                                                       {METRIC_timeslices, 5}}});
	add_thread(
	        &tables[0],
	        (struct thread_spec){.name = "a", .tgid = 1, .values = {{METRIC_run_time_ns, 5}}});
	add_thread(&tables[0], (struct thread_spec){.name = "a", .tgid = 1});
	build(1, NULL);
	view = view_row(&rows, "a", METRIC_nr_threads);
	assert_int_equal(view.seen[0], 1);
	assert_int_equal(view.expected[0], 1);
	view = view_row(&rows, "a", METRIC_run_time_ns);
	assert_int_equal(view.seen[0], 2);
	assert_int_equal(view.expected[0], 3);
	view = view_row(&rows, "a", METRIC_thread_count);
	assert_int_equal(view.seen[0], 3);
	view = view_row(&rows, "a", METRIC_wait_max);
	assert_int_equal(view.seen[0], 0);
	view = view_row(&rows, "a", slice);
	assert_int_equal(view.seen[0], 1);
	assert_int_equal(view.expected[0], 3);
	assert_non_null(view_row(&rows, "a", METRIC_wait_max).cells[0]);
	assert_null(view.cells[0]);
}

static const struct row_cpu_time times[SIDE_MAX] = {
        {.seen = true, .user_clock_ticks = 1000, .system_clock_ticks = 100},
        {.seen = true, .user_clock_ticks = 1500, .system_clock_ticks = 150}};

static void add_ticks(unsigned side, const char *name, uint64_t user, uint64_t system)
{
	add_thread(&tables[side],
	           (struct thread_spec){.name = name,
	                                .values = {{METRIC_utime_clock_ticks, (int64_t)user},
	                                           {METRIC_stime_clock_ticks, (int64_t)system}}});
}

/* The use of the host, less that of its threads. */
static void test_row_of_exited_threads(void **state)
{
	static const char label[] = "(exited threads)";
	struct row_view view;

	(void)state;
	add_ticks(0, "a", 300, 30);
	add_ticks(1, "a", 350, 80);
	add_ticks(0, "gone", 100, 10);
	build(2, times);
	check_groups(LABELS(label, "a"));
	assert_true(find_group(&rows, label)->exited);
	view = view_row(&rows, label, METRIC_utime_clock_ticks);
	assert_integer(view.values[SIDE_BASELINE], 600);
	assert_integer(view.values[SIDE_CANDIDATE], 1150);
	assert_integer(view.delta, 550);
	view = view_row(&rows, label, METRIC_stime_clock_ticks);
	assert_integer(view.values[SIDE_BASELINE], 60);
	assert_integer(view.values[SIDE_CANDIDATE], 70);
	assert_true(is_listed(&rows, label, METRIC_utime_clock_ticks));
	assert_false(is_listed(&rows, label, METRIC_minflt));
	assert_false(is_listed(&rows, label, METRIC_thread_count));
	build(2, NULL);
	check_groups(LABELS("a"));
}

/* More than the host used in between did not happen in between. */
static void test_row_of_exited_threads_moved(void **state)
{
	static const char label[] = "(exited threads)";

	(void)state;
	add_ticks(0, "a", 300, 30);
	add_ticks(1, "a", 300, 85);
	build(2, times);
	/* User time: 700 to 1200 is 500, all that the host used. System time fell. */
	assert_false(view_row(&rows, label, METRIC_utime_clock_ticks).no_movement);
	assert_true(view_row(&rows, label, METRIC_stime_clock_ticks).no_movement);
	assert_none(view_row(&rows, label, METRIC_stime_clock_ticks).impact);
	add_ticks(0, "b", 1, 0);
	add_ticks(1, "b", 0, 0);
	build(2, times);
	/* 501 now, of which 500 count; the living have 300 on both sides, and one more before. */
	assert_integer(view_row(&rows, label, METRIC_utime_clock_ticks).delta, 501);
	assert_real(view_row(&rows, label, METRIC_utime_clock_ticks).impact, 500.0 / 301);
}

static void test_row_of_exited_threads_unknown(void **state)
{
	struct row_cpu_time changed[SIDE_MAX] = {times[0], times[1]};

	(void)state;
	add_ticks(0, "a", 300, 30);
	add_ticks(1, "a", 350, 80);
	changed[1].seen = false;
	build(2, changed);
	check_groups(LABELS("a"));
	changed[1] = times[1];
	changed[0].user_clock_ticks = 299; /* below what is there already */
	build(2, changed);
	check_groups(LABELS("a"));
	assert_int_equal(rows.row_count + rows.unchanged_count + rows.unseen_count, MEASURE_COUNT);
}

/* Within one boot: the same threads, others, and a counter that fell. */
/* A counter of the same thread that is lower than before is no negative work; one of other threads may be. */
static void test_row_went_back(void **state)
{
	(void)state;
	options.continues = true;
	for (unsigned side = 0; side < 2; side++) {
		add_thread(&tables[side],
		           (struct thread_spec){.name = "same",
		                                .tid = 5,
		                                .values = {{METRIC_minflt, side ? 90 : 100},
		                                           {METRIC_majflt, side ? 7 : 5},
		                                           {METRIC_nice, side ? -5 : 5}}});
		add_thread(&tables[side],
		           (struct thread_spec){.name = "others",
		                                .tid = 6 + side,
		                                .values = {{METRIC_minflt, side ? 90 : 100}}});
	}
	build_rows(2);
	assert_true(view_row(&rows, "same", METRIC_minflt).went_back);
	assert_none(view_row(&rows, "same", METRIC_minflt).delta);
	assert_none(view_row(&rows, "same", METRIC_minflt).percent);
	assert_none(view_row(&rows, "same", METRIC_minflt).impact);
	assert_integer(view_row(&rows, "same", METRIC_minflt).values[SIDE_CANDIDATE], 90);
	assert_false(view_row(&rows, "same", METRIC_majflt).went_back);
	assert_integer(view_row(&rows, "same", METRIC_majflt).delta, 2);
	assert_integer(view_row(&rows, "same", METRIC_nice).delta, -10);
	assert_false(view_row(&rows, "others", METRIC_minflt).went_back);
	assert_integer(view_row(&rows, "others", METRIC_minflt).delta, -10);
}

static void test_row_members(void **state)
{
	(void)state;
	options.continues = true;
	for (unsigned side = 0; side < 2; side++) {
		add_thread(&tables[side],
		           (struct thread_spec){.name = "same",
		                                .tid = 5,
		                                .values = {{METRIC_minflt, 5 + side}}});
		add_thread(&tables[side],
		           (struct thread_spec){.name = "kworker/u8:1-events",
		                                .tid = 6 + side,
		                                .values = {{METRIC_minflt, 5 + side}}});
		add_thread(&tables[side], (struct thread_spec){.name = "fewer",
		                                               .tid = 20,
		                                               .values = {{METRIC_minflt, 5},
		                                                          {METRIC_majflt, 5}}});
	}
	add_thread(&tables[0], (struct thread_spec){
	                               .name = "fewer", .tid = 21, .values = {{METRIC_minflt, 5}}});
	add_thread(&tables[1], (struct thread_spec){.name = "born",
	                                            .tid = 30,
	                                            .start_time_clock_ticks = 200,
	                                            .values = {{METRIC_minflt, 50}}});
	add_thread(&tables[0],
	           (struct thread_spec){.name = "born", .tid = 31, .values = {{METRIC_minflt, 5}}});
	build(2, NULL);
	assert_false(view_row(&rows, "same", METRIC_minflt).members_differ);
	assert_false(view_row(&rows, "same", METRIC_minflt).no_movement);
	assert_true(view_row(&rows, "kworker/u8:1-events", METRIC_minflt).members_differ);
	assert_true(view_row(&rows, "kworker/u8:1-events", METRIC_minflt).no_movement);
	assert_none(view_row(&rows, "kworker/u8:1-events", METRIC_minflt).impact);
	assert_integer(view_row(&rows, "kworker/u8:1-events", METRIC_minflt).delta, 1);
	assert_true(view_row(&rows, "fewer", METRIC_minflt).members_differ);
	assert_true(view_row(&rows, "fewer", METRIC_minflt).no_movement);
	assert_false(view_row(&rows, "fewer", METRIC_majflt).no_movement);
	assert_false(view_row(&rows, "fewer", METRIC_thread_count).no_movement);
	/* One old thread that came in does not take a group's movement away, unless it is a kernel worker. */
	assert_true(view_row(&rows, "born", METRIC_minflt).members_differ);
	assert_false(view_row(&rows, "born", METRIC_minflt).no_movement);

	options.continues = false;
	build(2, NULL);
	assert_false(view_row(&rows, "kworker/u8:1-events", METRIC_minflt).members_differ);
	assert_false(view_row(&rows, "fewer", METRIC_minflt).no_movement);
}

#define on_tables(test_) cmocka_unit_test_setup_teardown(test_, start_by_comm, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_tables(test_label_of_one_name),
	        on_tables(test_label_over_both_sides),
	        on_tables(test_label_is_safe),
	        on_tables(test_unmatched_by_run_time),
	        on_tables(test_rows_of_nothing),
	        on_tables(test_row_of_one_side),
	        on_tables(test_row_of_counter),
	        on_tables(test_row_percent),
	        on_tables(test_row_of_other_ticks),
	        on_tables(test_row_delta_is_exact),
	        on_tables(test_row_impact_of_other_kinds),
	        on_tables(test_row_impact_of_average),
	        on_tables(test_row_coverage),
	        on_tables(test_row_of_exited_threads),
	        on_tables(test_row_of_exited_threads_moved),
	        on_tables(test_row_of_exited_threads_unknown),
	        on_tables(test_row_members),
	        on_tables(test_row_went_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
