// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of delays, and what they leave of a life, of which some threads lack a part. */
#include "compare/row-marks.h"
#include "row-fixture.h"

enum { TOTAL = METRIC_COUNT + DERIVED_total_offcpu_delay_ns, THREADS = 1000 };

/* Adds threads that waited for the CPU and for blocks. The first ones of a side have no value of the latter. */
static void add(unsigned side, unsigned threads, unsigned lacking, int64_t cpu_ns)
{
	for (unsigned i = 0; i < threads; i++) {
		const struct thread_spec with = {.name = "a",
		                                 .values = {{METRIC_cpu_delay_total_ns, cpu_ns},
		                                            {METRIC_blkio_delay_total_ns, 9}}};
		const struct thread_spec without = {
		        .name = "a", .values = {{METRIC_cpu_delay_total_ns, cpu_ns}}};

		add_thread(&tables[side], i < lacking ? without : with);
	}
}

static void test_uneven(void **state)
{
	static const struct {
		unsigned threads[SIDE_MAX], lacking[SIDE_MAX];
		int64_t cpu_ns; /* of the candidate; the baseline's is 1 */
		enum row_inputs inputs;
		bool has_delta;
	} cases[] = {
	        {{THREADS, THREADS}, {1, 1}, 50, ROW_INPUTS_SAME, true},
	        {{THREADS, THREADS + 1}, {1, 1}, 50, ROW_INPUTS_UNEVEN, true},
	        {{THREADS, THREADS + 1}, {1, 2}, 50, ROW_INPUTS_UNEVEN, true},
	        {{THREADS, THREADS}, {0, 1}, 50, ROW_INPUTS_UNEVEN, true},
	        /* 9 of blocks in a difference of 1000 less 9, and of 900 less 900. */
	        {{THREADS, THREADS}, {0, 1}, 2, ROW_INPUTS_UNEVEN, true},
	        {{THREADS, THREADS}, {0, 2}, 2, ROW_INPUTS_UNEVEN, false},
	        {{THREADS, THREADS}, {0, 100}, 50, ROW_INPUTS_UNEVEN, false},
	        {{THREADS, THREADS}, {0, THREADS}, 50, ROW_INPUTS_DIFFER, false},
	        {{THREADS, THREADS}, {THREADS, THREADS}, 50, ROW_INPUTS_SAME, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool even = cases[i].inputs == ROW_INPUTS_SAME;
		struct row_view view;

		start_by_comm(state);
		for (unsigned side = 0; side < SIDE_MAX; side++)
			add(side, cases[i].threads[side], cases[i].lacking[side],
			    side == SIDE_CANDIDATE ? cases[i].cpu_ns : 1);
		build_rows(2);
		view = view_row(&rows, "a", TOTAL);
		assert_int_equal(row_marks_inputs(&view), cases[i].inputs);
		assert_int_equal(view.delta.kind != QUANTITY_NONE, cases[i].has_delta);
		assert_int_equal(view.delta_partial, cases[i].has_delta && !even);
		assert_int_equal(view.impact.kind != QUANTITY_NONE, even);
		end_rows(state);
	}
}

/* Nor is a sum whose parts all lack the same threads: a part that is missing nowhere else shows it as little. */
static void test_all_parts_lack_threads(void **state)
{
	static const struct {
		unsigned lacking; /* of the candidate's threads */
		int64_t cpu_ns;   /* of each thread of the candidate; the baseline's is 100 */
		bool differs, partial;
	} cases[] = {
	        {0, 200, false, false},
	        {100, 200, true, false},
	        {10, 9000, false, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct row_view view;

		start_by_comm(state);
		for (unsigned side = 0; side < SIDE_MAX; side++)
			for (unsigned thread = 0; thread < THREADS; thread++) {
				bool lacks = side == SIDE_CANDIDATE && thread < cases[i].lacking;

				add_thread(
				        &tables[side],
				        (struct thread_spec){
				                .name = "a",
				                .values = {{lacks ? METRIC_minflt
				                                  : METRIC_cpu_delay_total_ns,
				                            side == SIDE_CANDIDATE ? cases[i].cpu_ns
				                                                   : 100}}});
			}
		build_rows(2);
		view = view_row(&rows, "a", TOTAL);
		assert_int_equal(view.measured_differently, cases[i].differs);
		assert_int_equal(view.delta_partial, cases[i].partial);
		assert_int_equal(view.impact.kind == QUANTITY_NONE, cases[i].differs);
		end_rows(state);
	}
}

/* Adds threads that lived for 100 and waited for blocks for 40 of it. The first ones of a side have no value of that. */
static void add_lives(unsigned side, unsigned threads, unsigned lacking)
{
	for (unsigned i = 0; i < threads; i++)
		add_thread(
		        &tables[side],
		        (struct thread_spec){.name = "a",
		                             .values = {{METRIC_lived_ns, 100},
		                                        {METRIC_run_time_ns, 10},
		                                        {METRIC_wait_time_ns, 10},
		                                        {i < lacking ? METRIC_irq_delay_total_ns
		                                                     : METRIC_blkio_delay_total_ns,
		                                         i < lacking ? 0 : 40}}});
}

/* The time of a delay counts as other sleep where it is not known of all threads: a difference only of how it was measured. */
static void test_rest_of_life(void **state)
{
	static const struct {
		unsigned lacking[SIDE_MAX];
		bool differ;
	} cases[] = {
	        {{0, 0}, false}, {{0, 10}, true}, {{10, 0}, true}, {{0, 1}, true}, {{1, 2}, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct row_view view;

		start_by_comm(state);
		for (unsigned side = 0; side < SIDE_MAX; side++)
			add_lives(side, 10, cases[i].lacking[side]);
		build_rows(2);
		view = view_row(&rows, "a", METRIC_COUNT + DERIVED_state_other_sleep_percent);
		assert_int_equal(row_marks_inputs(&view),
		                 cases[i].differ ? ROW_INPUTS_DIFFER : ROW_INPUTS_SAME);
		assert_int_equal(view.delta.kind == QUANTITY_NONE, cases[i].differ);
		assert_int_equal(view.percent.kind == QUANTITY_NONE, cases[i].differ);
		end_rows(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_uneven),
	        cmocka_unit_test(test_all_parts_lack_threads),
	        cmocka_unit_test(test_rest_of_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
