// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentages of waits that began before a window count the part inside, whatever the value has. */
#include "row-fixture.h"

enum { AVERAGE = METRIC_COUNT + DERIVED_avg_blkio_delay_ns };

static struct snapshot_info infos[SIDE_MAX];
static struct rate_list rates;
static const uint64_t second = 1000000000;

static int start_windows(void **state)
{
	start_by_comm(state);
	rates = all_rates();
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		infos[side] = (struct snapshot_info){.kind = KIND_window};
		window_set(&infos[side].window, WINDOW_length_ns, 10 * second);
		tables[side].info = &infos[side];
		tables[side].window_rates = &rates;
	}
	return 0;
}

/* A thread that was there for all of a window, and whose wait ended in it. */
static void add(unsigned side, const char *name, int64_t waited_s)
{
	add_thread(&tables[side],
	           (struct thread_spec){
	                   .name = name,
	                   .interval_ns = 10 * second,
	                   .life_ns = 10 * second,
	                   .values = {{METRIC_blkio_delay_total_ns, waited_s * (int64_t)second},
	                              {METRIC_blkio_delay_count, 1}},
	           });
}

static void test_of_windows(void **state)
{
	static const struct {
		enum measure_per per;
		unsigned measure;
		bool has_all; /* the value has the time before the window */
	} cases[] = {
	        {PER_total, METRIC_blkio_delay_total_ns, true},
	        {PER_thread, METRIC_blkio_delay_total_ns, true},
	        {PER_total, AVERAGE, true},
	        {PER_second, AVERAGE, true},
	        {PER_second, METRIC_blkio_delay_total_ns, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct row_view view;

		start_windows(state);
		options.per = cases[i].per;
		add(SIDE_BASELINE, "a", 5);
		add(SIDE_CANDIDATE, "a", 100);
		add(SIDE_BASELINE, "b", 5);
		add(SIDE_CANDIDATE, "b", 10);
		build_rows(2);
		view = view_row(&rows, "a", cases[i].measure);
		assert_int_equal(view.began_before[SIDE_CANDIDATE], 1);
		if (cases[i].has_all)
			assert_true(quantity_double(view.delta) >= 95 * (double)second);
		assert_real(view.percent, 100);
		/* The host did as much in "b", where no wait began before. */
		assert_real(view.impact,
		            quantity_double(view_row(&rows, "b", cases[i].measure).impact));
		assert_real(view_row(&rows, "b", cases[i].measure).percent, 100);
		/* 5 s of the 20 s that the host had inside; half of 5 s, of 10 s on average. */
		assert_real(view.impact, .25);
		end_rows(state);
	}
}

/* A baseline that has such waits does not make the difference small either. */
static void test_of_baseline(void **state)
{
	struct row_view view;

	(void)state;
	options.per = PER_total;
	add(SIDE_BASELINE, "a", 100);
	add(SIDE_CANDIDATE, "a", 5);
	build_rows(2);
	view = view_row(&rows, "a", METRIC_blkio_delay_total_ns);
	assert_integer(view.delta, -95 * (int64_t)second);
	assert_real(view.percent, -50);
	assert_integer(view.inside[SIDE_BASELINE], 10 * second);
	assert_integer(view.inside[SIDE_CANDIDATE], 5 * second);
}

/* The parts inside may be the same where the values are not, which is a change. */
static void test_is_listed(void **state)
{
	struct row_view view;

	(void)state;
	options.per = PER_total;
	options.visible = true;
	add(SIDE_BASELINE, "a", 100);
	add(SIDE_CANDIDATE, "a", 50);
	build_rows(2);
	view = view_row(&rows, "a", METRIC_blkio_delay_total_ns);
	assert_real(view.percent, 0);
	assert_true(is_listed(&rows, "a", METRIC_blkio_delay_total_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_of_windows),
	        cmocka_unit_test_setup_teardown(test_of_baseline, start_windows, end_rows),
	        cmocka_unit_test_setup_teardown(test_is_listed, start_windows, end_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
