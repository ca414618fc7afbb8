// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of a row about its threads: their lifetime, their mean, and whether they did anything. */
#include "row-fixture.h"

static void add_born(unsigned side, const char *name, uint64_t birth)
{
	add_thread(&tables[side],
	           (struct thread_spec){.name = name, .start_time_clock_ticks = birth});
}

/* In percent of the group that has lived longest; the last birth is the end. */
static void test_uptime(void **state)
{
	(void)state;
	add_born(0, "a", 100);
	add_born(0, "b", 400);
	add_born(0, "b", 800);
	add_born(0, "c", 1100);
	add_born(0, "d", 0);
	build_rows(1);
	assert_real(row_uptime(&rows, find_group(&rows, "a"), 0), 100);
	assert_real(row_uptime(&rows, find_group(&rows, "b"), 0), 50);
	assert_real(row_uptime(&rows, find_group(&rows, "c"), 0), 0);
	assert_none(row_uptime(&rows, find_group(&rows, "d"), 0));
	/* Each side has its own. */
	add_born(1, "a", 300);
	add_born(1, "b", 200);
	add_born(1, "c", 400);
	build_rows(2);
	assert_real(row_uptime(&rows, find_group(&rows, "a"), 0), 100);
	assert_real(row_uptime(&rows, find_group(&rows, "a"), 1), 50);
	assert_real(row_uptime(&rows, find_group(&rows, "b"), 1), 100);
}

static void test_uptime_of_one_birth(void **state)
{
	(void)state;
	add_born(0, "a", 100);
	add_born(0, "b", 100);
	build_rows(1);
	assert_none(row_uptime(&rows, find_group(&rows, "a"), 0));
}

/* A process of one thread, and others of it that have exited. */
static void add_with_exited(void)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tid = sample.tgid = 9;
	sample_name(&sample.pcomm, "a");
	sample_name(&sample.comm, "a");
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){5});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){0});
	sample.has_process_totals = true;
	sample.process_totals_seen =
	        1u << PROCESS_TOTAL_utime_clock_ticks | 1u << PROCESS_TOTAL_stime_clock_ticks;
	sample.process_totals[PROCESS_TOTAL_utime_clock_ticks] = 1005;
	group_table_add(&tables[0], &sample);
	group_table_finish(&tables[0]);
	sample_done(&sample);
}

static void test_mean_of_exited(void **state)
{
	(void)state;
	add_with_exited();
	build_rows(1);
	assert_real(view_row(&rows, "a", METRIC_utime_clock_ticks).means[0], 5);
	assert_integer(view_row(&rows, "a (exited threads)", METRIC_utime_clock_ticks).values[0],
	               1000);
	assert_none(view_row(&rows, "a (exited threads)", METRIC_utime_clock_ticks).means[0]);
}

/* Over the threads that have the value; only sums have one. */
static void test_means(void **state)
{
	struct row_view view;

	(void)state;
	tables[0].by = group_by_key(GROUP_KEY_pcomm, false);
	add_thread(&tables[0], (struct thread_spec){.name = "a",
	                                            .values = {{METRIC_utime_clock_ticks, 10},
	                                                       {METRIC_wait_max, 3}}});
	add_thread(&tables[0], (struct thread_spec){.name = "a"});
	add_with_exited();
	build_rows(1);
	view = view_row(&rows, "a", METRIC_utime_clock_ticks);
	/* The work of exited threads is in the sum, and of no thread. */
	assert_integer(view.values[0], 1015);
	assert_real(view.means[0], 7.5);
	assert_none(view.means[1]);
	assert_real(view_row(&rows, "a", METRIC_thread_count).means[0], 1);
	assert_none(view_row(&rows, "a", METRIC_wait_max).means[0]);
	assert_none(view_row(&rows, "a", METRIC_rchar).means[0]);
	assert_none(view_row(&rows, "a", METRIC_COUNT + DERIVED_avg_wait_ns).means[0]);
}

/* Kernel workers carry what they have counted from name to name, whatever else they are grouped by. */
static void test_kernel_workers(void **state)
{
	static const struct group_by keys[] = {
	        {.count = 1, .keys = {GROUP_KEY_comm}},
	        {.count = 3, .keys = {GROUP_KEY_cgroup, GROUP_KEY_pcomm, GROUP_KEY_comm}},
	        {.count = 2, .keys = {GROUP_KEY_user, GROUP_KEY_comm_exact}},
	};

	(void)state;
	options.continues = true;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		start_tables(group_by_key(GROUP_KEY_comm, false));
		for (unsigned side = 0; side < SIDE_MAX; side++) {
			tables[side].by = keys[i];
			for (uint32_t tid = 1; tid <= 2 + side; tid++) {
				add_thread(&tables[side],
				           (struct thread_spec){.name = "kworker/0:1",
				                                .cgroup = "/",
				                                .tid = tid,
				                                .values = {{METRIC_minflt, 5}}});
				add_thread(&tables[side],
				           (struct thread_spec){.name = "other",
				                                .cgroup = "/",
				                                .tid = 100 + tid,
				                                .values = {{METRIC_minflt, 5}}});
			}
		}
		build_rows(2);
		assert_int_equal(rows.group_count, 2);
		for (size_t g = 0; g < 2; g++) {
			struct row_view view;
			bool worker = strstr(rows.groups[g].label, "kworker/") != NULL;

			row_view(&rows, &rows.groups[g], METRIC_minflt, &view);
			assert_true(view.members_differ);
			assert_int_equal(view.no_movement, worker);
			assert_int_equal(view.impact.kind == QUANTITY_NONE, worker);
		}
	}
}

#define on_tables(test_) cmocka_unit_test_setup_teardown(test_, start_by_comm, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_tables(test_uptime),         on_tables(test_uptime_of_one_birth),
	        on_tables(test_mean_of_exited), on_tables(test_means),
	        on_tables(test_kernel_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
