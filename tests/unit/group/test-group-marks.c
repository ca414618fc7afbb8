// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits that began before the window, and values that are impossible on one side only. */
#include "random.h"
#include "row-fixture.h"

enum { ROUNDS = 300, THREADS = 5 };

static struct snapshot_info info;
static struct rate_list rates;
static const uint64_t second = 1000000000;
static const uint16_t spread[] = {METRIC_blkio_delay_total_ns,
                                  METRIC_COUNT + DERIVED_state_block_io_percent,
                                  METRIC_COUNT + DERIVED_cpu_efficiency};

static int start_window(void **state)
{
	start_by_comm(state);
	rates = all_rates();
	info = (struct snapshot_info){.kind = KIND_window};
	window_set(&info.window, WINDOW_length_ns, 10 * second);
	tables[0].info = &info;
	tables[0].window_rates = &rates;
	tables[0].spread_measures = spread;
	tables[0].spread_count = ARRAY_SIZE(spread);
	tables[0].spread_per = PER_COUNT;
	options.per = PER_second;
	return 0;
}

static void add(enum window_part part, uint64_t life_s, uint64_t run_s, uint64_t wait_s,
                uint64_t blkio_s)
{
	add_thread(&tables[0],
	           (struct thread_spec){
	                   .name = "a",
	                   .window_part = part,
	                   .interval_ns = 10 * second,
	                   .life_ns = life_s * second,
	                   .values = {{METRIC_run_time_ns, (int64_t)(run_s * second)},
	                              {METRIC_wait_time_ns, (int64_t)(wait_s * second)},
	                              {METRIC_blkio_delay_total_ns, (int64_t)(blkio_s * second)},
	                              {METRIC_blkio_delay_count, 1}}});
}

static struct row_view view(unsigned measure)
{
	return view_row(&rows, "a", measure);
}

static double largest(unsigned measure)
{
	struct spread_summary summary = {0};
	struct spread *found = row_spread(&rows, find_group(&rows, "a"), measure, 0);

	assert_non_null(found);
	spread_summarise(found, &summary);
	return quantity_double(summary.max);
}

static struct row_view derived(enum derived_id id)
{
	return view(METRIC_COUNT + (unsigned)id);
}

/* The amount is kept. Rates have no more of it than the window, shares no more than the other states leave. */
static void test_began_before(void **state)
{
	(void)state;
	add(WINDOW_PART_continued, 10, 4, 1, 30);
	add(WINDOW_PART_continued, 10, 0, 0, 2);
	build_rows(1);
	assert_real(view(METRIC_blkio_delay_total_ns).values[0], 1.2e9);
	assert_real(view(METRIC_blkio_delay_total_ns).means[0], 0.6e9);
	assert_int_equal(view(METRIC_blkio_delay_total_ns).began_before[0], 1);
	assert_int_equal(view(METRIC_wait_time_ns).began_before[0], 0);
	assert_real(derived(DERIVED_state_block_io_percent).values[0], 100 * (5 + 2) / 20.0);
	assert_int_equal(derived(DERIVED_state_block_io_percent).began_before[0], 1);
	assert_real(derived(DERIVED_state_on_cpu_percent).values[0], 20);
	assert_int_equal(derived(DERIVED_state_on_cpu_percent).began_before[0], 0);
	assert_real(derived(DERIVED_state_unexplained_percent).values[0], 0);
	/* The mean length of waits is no share. */
	assert_real(derived(DERIVED_avg_blkio_delay_ns).values[0], 16e9);
	assert_real(quantity_real(largest(METRIC_blkio_delay_total_ns)), 1e9);
	assert_real(quantity_real(largest(METRIC_COUNT + DERIVED_state_block_io_percent)), 50);

	options.per = PER_total;
	build_rows(1);
	assert_integer(view(METRIC_blkio_delay_total_ns).values[0], 32 * second);
	options.per = PER_cpu_second;
	build_rows(1);
	assert_real(view(METRIC_blkio_delay_total_ns).values[0], 7e9 / 4);
}

/* Exactly the time that there was is no mark. A thread that was born inside has waited inside, whatever the readings are off
 * by; one that ended lived for a part of its interval. */
static void test_which_began_before(void **state)
{
	(void)state;
	add(WINDOW_PART_continued, 10, 0, 0, 10);
	add(WINDOW_PART_born, 3, 0, 0, 4);
	add(WINDOW_PART_passed, 3, 0, 0, 4);
	build_rows(1);
	assert_int_equal(view(METRIC_blkio_delay_total_ns).began_before[0], 0);
	assert_real(view(METRIC_blkio_delay_total_ns).values[0], 1.6e9);
	add(WINDOW_PART_exited, 5, 0, 0, 7);
	build_rows(1);
	assert_int_equal(view(METRIC_blkio_delay_total_ns).began_before[0], 1);
	assert_real(view(METRIC_blkio_delay_total_ns).values[0], 2.1e9);
}

static void test_efficiency(void **state)
{
	(void)state;
	add(WINDOW_PART_continued, 10, 4, 3600, 0);
	build_rows(1);
	assert_real(derived(DERIVED_cpu_efficiency).values[0], 0.4);
	assert_int_equal(derived(DERIVED_cpu_efficiency).began_before[0], 1);
}

/* A thread's states fill at most its life; waits that began before are as long as they like. */
static void add_random(struct random *random)
{
	static const enum metric_id waits[] = {
	        METRIC_wait_time_ns,
	        METRIC_blkio_delay_total_ns,
	        METRIC_swapin_delay_total_ns,
	        METRIC_thrashing_delay_total_ns,
	        METRIC_freepages_delay_total_ns,
	        METRIC_compact_delay_total_ns,
	};
	uint64_t life = 1 + random_below(random, 10 * second), left = life;
	struct thread_spec spec = {.name = "a",
	                           .window_part = WINDOW_PART_continued,
	                           .interval_ns = life,
	                           .life_ns = life};
	uint64_t run = random_below(random, left + 1);

	spec.values[0].metric = METRIC_run_time_ns;
	spec.values[0].number = (int64_t)run;
	left -= run;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		uint64_t part = random_below(random, left + 1);

		spec.values[i + 1].metric = waits[i];
		if (random_chance(random, 40)) {
			spec.values[i + 1].number =
			        (int64_t)(life + random_below(random, 3600 * second));
			continue;
		}
		spec.values[i + 1].number = (int64_t)part;
		left -= part;
	}
	add_thread(&tables[0], spec);
}

static bool is_percentage(unsigned measure)
{
	return measure_is_derived(measure) && measure_unit(measure) == UNIT_percent;
}

/* No percentage and no rate of a wait has more than there was time, and the states' shares are 100 together. */
static void check_round(struct random *random)
{
	double states = 0;

	build_rows(1);
	for (unsigned m = 0; m < MEASURE_COUNT; m++) {
		double value = quantity_double(view(m).values[0]);

		if (view(m).values[0].kind == QUANTITY_NONE)
			continue;
		if (is_percentage(m))
			check_random(random, value <= 100 + 1e-6);
		if (is_percentage(m) && measure_section(m) == SECTION_state)
			states += value > 0 ? value : 0;
		if (m == METRIC_COUNT + DERIVED_cpu_efficiency)
			check_random(random, value <= 1);
		if (m < METRIC_COUNT && metric_table[m].bound == BOUND_waiting)
			check_random(random, value <= THREADS * (1e9 + 1));
	}
	check_random(random, states < 100 + 1e-6);
}

static void test_no_more_than_the_window(void **state)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(15, round);

		for (unsigned i = 0; i < THREADS; i++)
			add_random(&random);
		check_round(&random);
		end_rows(state);
		start_window(state);
	}
}

static void add_lifetime(unsigned side, uint32_t tid, uint64_t value, bool impossible)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tid = sample.tgid = tid;
	sample_name(&sample.comm, "a");
	sample_name(&sample.pcomm, "a");
	if (impossible)
		sample_set_impossible(&sample, METRIC_blkio_delay_total_ns, value);
	else
		sample_set(&sample, blkio_delay_total_ns, (struct counter_ns){value});
	sample_set(&sample, blkio_delay_count, (struct counter_count){1});
	sample_set(&sample, wait_time_ns, (struct counter_ns){side});
	group_table_add(&tables[side], &sample);
	sample_done(&sample);
}

/* A value that is impossible at first is plausible once its thread is old enough, and as wrong as before. */
static void test_impossible_on_one_side(void **state)
{
	(void)state;
	for (unsigned first = 0; first < 2; first++) {
		start_by_comm(state);
		options.continues = true;
		add_lifetime(first, 1, 3600 * second, true);
		add_lifetime(first, 2, 5, false);
		add_lifetime(!first, 1, 3600 * second, false);
		add_lifetime(!first, 2, 8, false);
		build_rows(2);
		assert_none(view(METRIC_blkio_delay_total_ns).delta);
		assert_none(view(METRIC_blkio_delay_total_ns).percent);
		assert_none(view(METRIC_blkio_delay_total_ns).impact);
		assert_true(view(METRIC_blkio_delay_total_ns).impossible_differs);
		assert_none(derived(DERIVED_total_offcpu_delay_ns).delta);
		assert_none(derived(DERIVED_avg_blkio_delay_ns).delta);
		assert_int_not_equal(view(METRIC_wait_time_ns).delta.kind, QUANTITY_NONE);
		assert_false(view(METRIC_wait_time_ns).impossible_differs);
		end_rows(state);
	}
}

/* If the same threads lack the value on both sides, the others have a difference. */
static void test_impossible_on_both_sides(void **state)
{
	(void)state;
	options.continues = true;
	for (unsigned side = 0; side < 2; side++) {
		add_lifetime(side, 1, (3600 + side) * second, true);
		add_lifetime(side, 2, 5 + 3 * side, false);
	}
	build_rows(2);
	assert_integer(view(METRIC_blkio_delay_total_ns).delta, 3);
	assert_false(view(METRIC_blkio_delay_total_ns).impossible_differs);
}

#define WINDOW_TEST(test_) cmocka_unit_test_setup_teardown(test_, start_window, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WINDOW_TEST(test_began_before),
	        WINDOW_TEST(test_which_began_before),
	        WINDOW_TEST(test_efficiency),
	        WINDOW_TEST(test_no_more_than_the_window),
	        cmocka_unit_test(test_impossible_on_one_side),
	        cmocka_unit_test_setup_teardown(test_impossible_on_both_sides, start_by_comm,
	                                        end_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
