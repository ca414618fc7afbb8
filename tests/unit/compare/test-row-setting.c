// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of groups whose threads come and go. */
#include "compare/row-setting.h"
#include "row-fixture.h"

enum { TICKS_PER_SECOND = 100 };
static struct snapshot_info info;

static int start(void **state)
{
	start_by_comm(state);
	host_set_number(&info.host, HOST_clock_ticks_per_second, TICKS_PER_SECOND);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		tables[side].info = &info;
		tables[side].host = &info.host;
		tables[side].with_elders = true;
	}
	options.one_boot = true;
	return 0;
}

static int end(void **state)
{
	end_rows(state);
	host_done(&info.host);
	return 0;
}

/* A thread of its own process, born at that second. */
static void add(unsigned side, uint32_t tid, uint64_t born_s, int nice, const char *cpus)
{
	add_thread(&tables[side],
	           (struct thread_spec){.name = "group",
	                                .tid = tid,
	                                .start_time_clock_ticks = born_s * TICKS_PER_SECOND,
	                                .policy = nice == 19 ? "SCHED_BATCH" : "SCHED_OTHER",
	                                .cpus = cpus,
	                                .values = {{METRIC_nice, nice}}});
}

static void add_youngest(unsigned side, uint64_t born_s)
{
	add_thread(&tables[side],
	           (struct thread_spec){.name = "other",
	                                .start_time_clock_ticks = born_s * TICKS_PER_SECOND,
	                                .values = {{METRIC_nice, 0}}});
}

static bool is_set(enum metric_id metric, struct fold_cell cells[SIDE_MAX])
{
	struct row_view view = view_row(&rows, "group", metric);

	memset(cells, 0, SIDE_MAX * sizeof(cells[0]));
	return row_is_set_differently(&rows, &view, cells);
}

static bool found(enum metric_id metric)
{
	struct fold_cell cells[SIDE_MAX];
	bool differs = is_set(metric, cells);

	for (unsigned side = 0; side < SIDE_MAX; side++)
		fold_cell_done(metric, &cells[side]);
	return differs;
}

/* Short threads of other nice values are no setting, however the values lie. */
static void test_churn(void **state)
{
	static const struct {
		int before[2], after[2];
	} cases[] = {{{10, 10}, {0, 10}}, {{10, 10}, {0, 0}}, {{0, 19}, {19, 19}}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start(state);
		for (uint32_t t = 0; t < 2; t++) {
			add(0, 10 + t, 100 + t, cases[i].before[t], "0-1");
			add(1, 20 + t, 110 + t, cases[i].after[t], "1");
		}
		add_youngest(0, 103);
		add_youngest(1, 113);
		build_rows(2);
		assert_false(found(METRIC_nice));
		assert_false(found(METRIC_policy));
		assert_false(found(METRIC_cpu_affinity));
	}
}

/* A service among threads that come and go was given another value; of all others nothing is said. */
static void test_service_among_churn(void **state)
{
	struct fold_cell cells[SIDE_MAX];

	(void)state;
	add(0, 5, 1, 0, "0-1");
	add(1, 5, 1, 19, "0");
	for (uint32_t t = 0; t < 30; t++) {
		add(0, 100 + t, 100, t % 2 ? 10 : -5, "0-1");
		add(1, 200 + t, 110, t % 2 ? 10 : -5, "0-1");
	}
	build_rows(2);
	assert_true(found(METRIC_policy));
	assert_true(found(METRIC_cpu_affinity));
	assert_true(is_set(METRIC_nice, cells));
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		int64_t nice = side == SIDE_CANDIDATE ? 19 : 0;

		assert_int_equal(fold_range_bound(METRIC_nice, cells[side].range.low), nice);
		assert_int_equal(fold_range_bound(METRIC_nice, cells[side].range.high), nice);
	}
}

/* The same threads are compared as a whole: here the youngest of many. */
static void test_same_threads(void **state)
{
	(void)state;
	for (uint32_t t = 0; t < 30; t++) {
		add(0, 10 + t, 10 + t, 0, "0");
		add(1, 10 + t, 10 + t, t == 29 ? 5 : 0, "0");
	}
	build_rows(2);
	assert_true(found(METRIC_nice));
	assert_false(found(METRIC_cpu_affinity));
}

/* A service that was started again with another value is told from short threads by how long it had run. */
static void test_started_again(void **state)
{
	for (unsigned seconds = 1; seconds < 20; seconds += 8) {
		start(state);
		add(0, 5, 100, 0, "0");
		add_youngest(0, 100 + seconds);
		add(1, 6, 130, 5, "0");
		build_rows(2);
		assert_int_equal(found(METRIC_nice), seconds >= 5);
		assert_false(found(METRIC_policy));
	}
}

/* On another boot there is no thread of before: all values count. */
static void test_other_boot(void **state)
{
	(void)state;
	options.one_boot = false;
	add(0, 5, 100, 0, "0");
	add(1, 6, 100, 0, "0");
	add(1, 7, 100, 5, "0");
	build_rows(2);
	assert_true(found(METRIC_nice));
}

#define SETTING_TEST(test_) cmocka_unit_test_setup_teardown(test_, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        SETTING_TEST(test_churn),        SETTING_TEST(test_service_among_churn),
	        SETTING_TEST(test_same_threads), SETTING_TEST(test_started_again),
	        SETTING_TEST(test_other_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
