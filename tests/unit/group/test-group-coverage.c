// SPDX-License-Identifier: GPL-2.0-or-later
/* The threads that a value is of, and rows whose sides have it of unlike shares of them. */
#include "row-fixture.h"

static struct snapshot_info infos[SIDE_MAX];
static struct rate_list rates;

static int start(void **state, enum snapshot_kind kind)
{
	start_by_comm(state);
	rates = all_rates();
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		infos[side] = (struct snapshot_info){.kind = kind};
		if (kind == KIND_window)
			window_set(&infos[side].window, WINDOW_length_ns, 1000000000);
		tables[side].info = &infos[side];
		tables[side].window_rates = &rates;
	}
	return 0;
}

static int start_lives(void **state)
{
	return start(state, KIND_lifetime);
}

static int start_windows(void **state)
{
	return start(state, KIND_window);
}

enum how { SEEN, UNMOVED, IMPOSSIBLE, DENIED };

/* Adds a thread with these values, or without that of the longest wait. */
static void add(unsigned side, uint32_t tid, enum how how, uint64_t bytes)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tid = sample.tgid = tid;
	sample.window_part = WINDOW_PART_continued;
	sample.interval_ns = 1000000000;
	sample_name(&sample.comm, "a");
	sample_name(&sample.pcomm, "a");
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		sample.outcomes[s] = OUTCOME_read;
	if (how == SEEN)
		sample_set(&sample, blkio_delay_max_ns, (struct peak_ns){bytes});
	if (how == IMPOSSIBLE)
		sample_set_impossible(&sample, METRIC_blkio_delay_max_ns, 1u << 31);
	if (how == DENIED)
		sample.outcomes[SOURCE_taskstats] = sample.outcomes[SOURCE_io] = OUTCOME_denied;
	else
		sample_set(&sample, rchar, (struct counter_bytes){bytes});
	if (how != DENIED)
		sample_set(&sample, read_bytes, (struct counter_bytes){1});
	sample_set(&sample, minflt, (struct counter_count){bytes});
	group_table_add(&tables[side], &sample);
	sample_done(&sample);
}

static struct row_view view(unsigned measure)
{
	return view_row(&rows, "a", measure);
}

static void check(const struct row_view *view, unsigned side, uint32_t seen, uint32_t expected)
{
	assert_int_equal(view->seen[side], seen);
	assert_int_equal(view->expected[side], expected);
}

/* A window has a maximum only of those where it rose: others lack nothing, unless nobody knows whether it rose. */
static void test_maximum_of_window(void **state)
{
	struct row_view of_max, of_min;

	(void)state;
	add(0, 1, SEEN, 5);
	add(0, 2, UNMOVED, 5);
	add(0, 3, IMPOSSIBLE, 5);
	add(0, 4, DENIED, 5);
	build_rows(1);
	of_max = view(METRIC_blkio_delay_max_ns);
	check(&of_max, 0, 1, 3);
	/* The thread with the impossible maximum has a known minimum, which did not fall. */
	of_min = view(METRIC_blkio_delay_min_ns);
	check(&of_min, 0, 0, 1);
	of_max = view(METRIC_wait_max);
	check(&of_max, 0, 0, 0);
	of_max = view(METRIC_rchar);
	check(&of_max, 0, 3, 4);
}

static void test_maximum_of_lives(void **state)
{
	struct row_view of_max;

	add(0, 1, SEEN, 5);
	add(0, 2, UNMOVED, 5);
	add(0, 3, IMPOSSIBLE, 5);
	build_rows(1);
	of_max = view(METRIC_blkio_delay_max_ns);
	check(&of_max, 0, 1, 3);
	(void)state;
}

/* The difference of values is none of the threads if one side lacks half of them. */
static void check_unlike(void)
{
	struct row_view of_bytes, of_faults;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add(side, 1, SEEN, 1000);
		add(side, 2, side ? DENIED : SEEN, 1000);
	}
	build_rows(2);
	of_bytes = view(METRIC_rchar);
	of_faults = view(METRIC_minflt);
	assert_int_not_equal(of_bytes.delta.kind, QUANTITY_NONE);
	assert_true(of_bytes.measured_differently);
	assert_false(of_bytes.delta_partial);
	assert_none(of_bytes.impact);
	assert_false(of_faults.measured_differently);
	assert_int_not_equal(of_faults.impact.kind, QUANTITY_NONE);
	assert_true(view(METRIC_blkio_delay_max_ns).measured_differently);
}

static void test_unlike_lives(void **state)
{
	(void)state;
	check_unlike();
}

static void test_unlike_windows(void **state)
{
	(void)state;
	check_unlike();
}

/* A difference is ranked, and marked as one that lacks threads, if the shares make less than a tenth of it. */
static void test_small(void **state)
{
	enum { THREADS = 100 };
	struct row_view of_bytes;

	(void)state;
	for (unsigned side = 0; side < SIDE_MAX; side++)
		for (uint32_t tid = 1; tid <= THREADS; tid++)
			add(side, tid, side && tid == 1 ? DENIED : SEEN, side ? 3000 : 1000);
	build_rows(2);
	of_bytes = view(METRIC_rchar);
	assert_false(of_bytes.measured_differently);
	assert_true(of_bytes.delta_partial);
	assert_int_not_equal(of_bytes.impact.kind, QUANTITY_NONE);
	/* The thread without a value may be the one with the maximum. */
	assert_true(view(METRIC_blkio_delay_max_ns).measured_differently);
}

/* Means are of the threads that have a value: these are half as many. */
static void test_per_thread(void **state)
{
	(void)state;
	options.per = PER_thread;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add(side, 1, SEEN, 1000);
		add(side, 2, side ? DENIED : SEEN, 1000);
	}
	build_rows(2);
	assert_true(view(METRIC_rchar).measured_differently);
	assert_real(view(METRIC_rchar).delta, 0);
}

/* A ratio of other threads, by less than a tenth. */
static void test_ratio(void **state)
{
	enum { THREADS = 20, RATIO = METRIC_COUNT + DERIVED_disk_io_fraction };

	(void)state;
	for (unsigned lacking = 1; lacking <= 2; lacking++) {
		start_lives(state);
		for (unsigned side = 0; side < SIDE_MAX; side++)
			for (uint32_t tid = 1; tid <= THREADS; tid++)
				add(side, tid, side && tid <= lacking ? DENIED : SEEN, 1000);
		build_rows(2);
		assert_int_equal(view(RATIO).delta_partial, lacking == 1);
		assert_int_equal(view(RATIO).measured_differently, lacking == 2);
		end_rows(state);
	}
}

/* A sum of parts is of the threads that have the part that most of them have. Those in the totals of their processes alone have no part
 * in a mean. */
static void test_sum_of_parts(void **state)
{
	const unsigned total = METRIC_COUNT + DERIVED_total_offcpu_delay_ns;
	struct fold_cell cells[METRIC_COUNT] = {0};
	uint32_t covered[PROCESS_TOTAL_COUNT] = {[PROCESS_TOTAL_cpu_delay_total_ns] = 3};
	const struct group group = {.threads = 5, .cells = cells, .covered = covered};
	const struct derive_frame frame = {0};
	const struct derive_inputs in = {.cells = cells, .frame = &frame};

	(void)state;
	cells[METRIC_cpu_delay_total_ns].seen = 4;
	cells[METRIC_blkio_delay_total_ns].seen = 2;
	assert_int_equal(group_covers_measure(&group, &in, total, false, true).seen, 4);
	assert_int_equal(group_covers_measure(&group, &in, total, true, true).seen, 2);
	assert_int_equal(group_covers_measure(&group, &in, total, true, true).expected, 5);
}

/* A window without exit records lacks the lives of threads that ended, but no share of those that have a row. */
static void test_lacks_lives(void **state)
{
	const struct group group = {.exited_unseen = GROUP_EXITED_RAN};
	const struct derive_frame frame = {.kind = KIND_window, .exits = WINDOW_EXITS_off};

	(void)state;
	assert_true(group_measure_lacks_exited(&group, &frame, METRIC_lived_ns));
	assert_false(group_measure_lacks_exited(&group, &frame,
	                                        METRIC_COUNT + DERIVED_state_on_cpu_percent));
}

static void test_shares(void **state)
{
	const struct group_coverage all = {4, 4}, half = {2, 4}, none = {0, 4}, empty = {0, 0};

	(void)state;
	assert_true(group_shares_differ(all, half));
	assert_false(group_shares_differ(half, (struct group_coverage){5, 10}));
	assert_false(group_shares_differ(all, empty));
	assert_float_equal(group_shares_part(all, half), .5, 1e-9);
	assert_float_equal(group_shares_part(half, all), 1, 1e-9);
	assert_float_equal(group_shares_part(none, all), 0, 0);
	assert_true(group_shares_are_small(all, all, 1, 2));
	assert_false(group_shares_are_small(all, half, 100, 100));
	assert_false(group_shares_are_small(all, half, 100, 700));
	/* Nothing is no part of nothing. */
	assert_true(group_shares_are_small(half, all, 0, 0));
	/* The values of threads that ended are in as well. */
	assert_false(group_shares_differ((struct group_coverage){3, 2}, all));
	assert_true(group_shares_differ((struct group_coverage){3, 2}, half));
	assert_float_equal(group_shares_part((struct group_coverage){3, 2}, half), .5, 1e-9);
	assert_false(group_shares_are_small(half, all, 100, 1100));
	assert_true(group_shares_are_small((struct group_coverage){99, 100}, all, 100, 500));
}

#define LIVES_TEST(test_) cmocka_unit_test_setup_teardown(test_, start_lives, end_rows)
#define WINDOW_TEST(test_) cmocka_unit_test_setup_teardown(test_, start_windows, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WINDOW_TEST(test_maximum_of_window),
	        LIVES_TEST(test_maximum_of_lives),
	        LIVES_TEST(test_unlike_lives),
	        WINDOW_TEST(test_unlike_windows),
	        LIVES_TEST(test_small),
	        LIVES_TEST(test_per_thread),
	        cmocka_unit_test(test_ratio),
	        cmocka_unit_test(test_shares),
	        cmocka_unit_test(test_sum_of_parts),
	        cmocka_unit_test(test_lacks_lives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
