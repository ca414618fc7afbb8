// SPDX-License-Identifier: GPL-2.0-or-later
/* Two hosts whose clocks tick 100 and 250 times in a second. */
#include "compare/row-ticks.h"
#include "row-fixture.h"

static struct host hosts[SIDE_MAX];

static int start(void **state)
{
	start_by_comm(state);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		hosts[side] = (struct host){0};
		host_set_number(&hosts[side], HOST_clock_ticks_per_second, side ? 250 : 100);
		tables[side].host = &hosts[side];
	}
	return 0;
}

static void add(const char *name, int64_t baseline, int64_t candidate)
{
	const int64_t ticks[SIDE_MAX] = {baseline, candidate};

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_thread(&tables[side],
		           (struct thread_spec){.name = name,
		                                .values = {{METRIC_utime_clock_ticks, ticks[side]},
		                                           {METRIC_minflt, 7}}});
}

static void test_amounts(void **state)
{
	const struct quantity amount = quantity_integer(500);

	(void)state;
	add("a", 100, 250);
	build_rows(2);
	assert_integer(row_in_common_ticks(&rows, SIDE_BASELINE, METRIC_utime_clock_ticks, amount),
	               500);
	assert_real(row_in_common_ticks(&rows, SIDE_CANDIDATE, METRIC_utime_clock_ticks, amount),
	            200);
	assert_integer(row_in_common_ticks(&rows, SIDE_CANDIDATE, METRIC_minflt, amount), 500);
	assert_none(row_in_common_ticks(&rows, SIDE_CANDIDATE, METRIC_utime_clock_ticks,
	                                (struct quantity){0}));
	assert_true(row_ticks_differ(&rows, METRIC_utime_clock_ticks));
	assert_false(row_ticks_differ(&rows, METRIC_minflt));
	/* A clock that is not known has the ticks of the other one. */
	hosts[SIDE_CANDIDATE].seen[HOST_clock_ticks_per_second] = false;
	build_rows(2);
	assert_integer(row_in_common_ticks(&rows, SIDE_CANDIDATE, METRIC_utime_clock_ticks, amount),
	               500);
}

/* A tick of the candidate is less time than one of the baseline. */
static void test_error(void **state)
{
	struct row_view view;

	(void)state;
	add("a", 100, 250);
	build_rows(2);
	view = view_row(&rows, "a", METRIC_utime_clock_ticks);
	assert_real(row_error(&rows, &view, SIDE_BASELINE), 1);
	assert_real(row_error(&rows, &view, SIDE_CANDIDATE), 0.4);
}

/* The same number of ticks is a difference, and the same time is none. */
static void test_unchanged(void **state)
{
	struct row_cursor cursor = {0};
	struct row_view view;

	(void)state;
	add("same number", 100, 100);
	add("same time", 100, 250);
	LIST_ONLY(METRIC_utime_clock_ticks);
	build_rows(2);
	assert_true(row_next(&rows, &cursor, &view));
	assert_string_equal(view.group->label, "same number");
	assert_real(view.delta, -60);
	assert_false(row_next(&rows, &cursor, &view));
	assert_int_equal(rows.unchanged_count, 1);
}

#define on_rows(test_) cmocka_unit_test_setup_teardown(test_, start, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_rows(test_amounts),
	        on_rows(test_error),
	        on_rows(test_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
