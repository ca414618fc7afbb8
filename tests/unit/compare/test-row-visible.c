// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows that a list for people leaves out: those that repeat others, and those that read as no change. */
#include "compare/row-visible.h"
#include "row-fixture.h"

static void add_one(unsigned side, const char *name, enum metric_id metric, int64_t number,
                    enum metric_id other, int64_t other_number)
{
	add_thread(&tables[side],
	           (struct thread_spec){.name = name,
	                                .values = {{metric, number}, {other, other_number}}});
}

static void test_one_of_a_family(void **state)
{
	(void)state;
	add_one(0, "both", METRIC_run_time_ns, 100, METRIC_utime_clock_ticks, 1);
	add_one(1, "both", METRIC_run_time_ns, 900, METRIC_utime_clock_ticks, 9);
	/* The first one is not there. */
	add_one(0, "ticks", METRIC_stime_clock_ticks, 3, METRIC_utime_clock_ticks, 1);
	add_one(1, "ticks", METRIC_stime_clock_ticks, 5, METRIC_utime_clock_ticks, 9);
	/* One of two threads has it. */
	add_one(0, "part", METRIC_run_time_ns, 100, METRIC_utime_clock_ticks, 1);
	add_one(0, "part", METRIC_minflt, 1, METRIC_utime_clock_ticks, 1);
	add_one(1, "part", METRIC_run_time_ns, 900, METRIC_utime_clock_ticks, 9);
	add_one(1, "part", METRIC_minflt, 1, METRIC_utime_clock_ticks, 9);
	build_rows(2);
	assert_true(is_listed(&rows, "both", METRIC_utime_clock_ticks));
	assert_int_equal(rows.said_count, 0);
	options.once[METRIC_utime_clock_ticks] = options.once[METRIC_stime_clock_ticks] = true;
	build_rows(2);
	assert_true(is_listed(&rows, "both", METRIC_run_time_ns));
	assert_false(is_listed(&rows, "both", METRIC_utime_clock_ticks));
	assert_true(is_listed(&rows, "ticks", METRIC_utime_clock_ticks));
	assert_true(is_listed(&rows, "ticks", METRIC_stime_clock_ticks));
	assert_true(is_listed(&rows, "part", METRIC_utime_clock_ticks));
	assert_int_equal(rows.said_count, 1);
	/* Measures that repeat others are not in the list. */
	options.measures[METRIC_run_time_ns] = false;
	build_rows(2);
	assert_true(is_listed(&rows, "both", METRIC_utime_clock_ticks));
}

static void test_changes_that_read_as_none(void **state)
{
	(void)state;
	add_one(0, "much", METRIC_rchar, 1000000, METRIC_cpu_delay_min_ns, 5);
	add_one(1, "much", METRIC_rchar, 1000499, METRIC_cpu_delay_min_ns, 4);
	add_one(0, "some", METRIC_rchar, 1000000, METRIC_minflt, 1);
	add_one(1, "some", METRIC_rchar, 1000501, METRIC_cpu_delay_min_ns, 4);
	add_one(0, "set", METRIC_nice, 0, METRIC_minflt, 1);
	add_one(0, "set", METRIC_nice, 4, METRIC_minflt, 1);
	add_one(1, "set", METRIC_nice, 1, METRIC_minflt, 1);
	add_one(1, "set", METRIC_nice, 3, METRIC_minflt, 1);
	for (unsigned side = 0; side < 2; side++) {
		add_thread(&tables[side], (struct thread_spec){.name = "label", .state = 'S'});
		add_thread(&tables[side], (struct thread_spec){.name = "label", .state = 'S'});
	}
	add_thread(&tables[1], (struct thread_spec){.name = "label", .state = 'R'});
	options.visible = false;
	build_rows(2);
	assert_true(is_listed(&rows, "much", METRIC_rchar));
	assert_true(is_listed(&rows, "label", METRIC_state));
	options.visible = true;
	build_rows(2);
	assert_false(is_listed(&rows, "much", METRIC_rchar));
	assert_true(is_listed(&rows, "some", METRIC_rchar));
	/* A floor that one side lacks is no change; one that fell is. */
	assert_true(is_listed(&rows, "much", METRIC_cpu_delay_min_ns));
	assert_false(is_listed(&rows, "some", METRIC_cpu_delay_min_ns));
	/* The midpoint is the same, the ends are not. */
	assert_true(is_listed(&rows, "set", METRIC_nice));
	assert_false(is_listed(&rows, "label", METRIC_state));
	options.unchanged = true;
	build_rows(2);
	assert_true(is_listed(&rows, "much", METRIC_rchar));
	assert_true(is_listed(&rows, "label", METRIC_state));
}

/* A delta between two snapshots that lacks threads is no zero. */
static void test_partial_zero(void **state)
{
	static const struct row_group group = {0};
	struct row_view view = {.group = &group,
	                        .measure = METRIC_voluntary_csw,
	                        .delta = quantity_integer(0),
	                        .is_interval = true};

	(void)state;
	assert_false(row_is_visible(&view));
	view.delta_partial = true;
	assert_true(row_is_visible(&view));
	view.is_interval = false;
	assert_false(row_is_visible(&view));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_partial_zero),
	        cmocka_unit_test_setup_teardown(test_one_of_a_family, start_by_comm, end_rows),
	        cmocka_unit_test_setup_teardown(test_changes_that_read_as_none, start_by_comm,
	                                        end_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
