// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "ctprof/metric/sample.h"
#include "metric/fold.h"

static void fold_value(enum metric_id metric, struct fold_cell *cell, uint64_t value)
{
	struct thread_sample sample = {0};

	assert_true(sample_set_integer(&sample, metric, value));
	metric_table[metric].fold(cell, sample_value(&sample, metric));
}

static void fold_signed(enum metric_id metric, struct fold_cell *cell, int64_t value)
{
	struct thread_sample sample = {0};

	assert_true(sample_set_negative(&sample, metric, value));
	metric_table[metric].fold(cell, sample_value(&sample, metric));
}

static void fold_cpus(struct fold_cell *cell, const char *list)
{
	struct cpu_mask mask;

	assert_true(cpu_mask_parse(&mask, list, strlen(list)));
	fold_affinity(cell, &mask);
}

static void assert_integer(struct quantity quantity, __int128 expected)
{
	assert_int_equal(quantity.kind, QUANTITY_INTEGER);
	assert_true(quantity.integer == expected);
}

static void assert_real(struct quantity quantity, double expected)
{
	assert_int_equal(quantity.kind, QUANTITY_REAL);
	assert_memory_equal(&quantity.real, &expected, sizeof(expected));
}

/* Threads that slept for weeks have lives whose sum is above 2^64 ns. */
static void test_sum_does_not_wrap(void **state)
{
	struct fold_cell cell = {0}, other = {0};
	fold_number limit = UINT64_MAX;

	(void)state;
	fold_value(METRIC_run_time_ns, &cell, 5);
	fold_value(METRIC_run_time_ns, &cell, 0);
	fold_value(METRIC_run_time_ns, &cell, 7);
	assert_true(cell.number == 12);
	assert_int_equal(cell.seen, 3);
	fold_value(METRIC_run_time_ns, &cell, UINT64_MAX);
	assert_true(cell.number == limit + 12);
	assert_int_equal(cell.seen, 4);

	fold_value(METRIC_run_time_ns, &other, UINT64_MAX - 1);
	fold_merge(METRIC_run_time_ns, &other, &cell);
	assert_true(other.number == 2 * limit + 11);
	assert_int_equal(other.seen, 5);
	assert_integer(fold_quantity(METRIC_run_time_ns, &other), (__int128)limit * 2 + 11);
	assert_true(fold_number_capped(other.number) == UINT64_MAX);
	assert_true(fold_number_capped(limit - 1) == UINT64_MAX - 1);
}

static void test_max_keeps_zero(void **state)
{
	struct fold_cell cell = {0};

	(void)state;
	fold_value(METRIC_wait_max, &cell, 0);
	assert_int_equal(cell.seen, 1);
	assert_integer(fold_quantity(METRIC_wait_max, &cell), 0);
	fold_value(METRIC_wait_max, &cell, 9);
	fold_value(METRIC_wait_max, &cell, 3);
	assert_int_equal(cell.number, 9);
	assert_int_equal(cell.seen, 3);
}

/* A zero says that nothing happened yet. */
static void test_min_ignores_zero(void **state)
{
	struct fold_cell cell = {0}, empty = {0};

	(void)state;
	fold_value(METRIC_cpu_delay_min_ns, &cell, 0);
	assert_int_equal(cell.seen, 0);
	assert_int_equal(fold_quantity(METRIC_cpu_delay_min_ns, &cell).kind, QUANTITY_NONE);
	fold_value(METRIC_cpu_delay_min_ns, &cell, 9);
	fold_value(METRIC_cpu_delay_min_ns, &cell, 0);
	fold_value(METRIC_cpu_delay_min_ns, &cell, 3);
	assert_int_equal(cell.number, 3);
	assert_int_equal(cell.seen, 2);
	fold_merge(METRIC_cpu_delay_min_ns, &cell, &empty);
	assert_int_equal(cell.number, 3);
	fold_merge(METRIC_cpu_delay_min_ns, &empty, &cell);
	assert_int_equal(empty.number, 3);
	assert_int_equal(empty.seen, 2);
}

static void test_range_of_signed_numbers(void **state)
{
	struct fold_cell cell = {0};

	(void)state;
	fold_signed(METRIC_nice, &cell, -1);
	assert_int_equal(fold_range_bound(METRIC_nice, cell.range.low), -1);
	assert_int_equal(fold_range_bound(METRIC_nice, cell.range.high), -1);
	fold_signed(METRIC_nice, &cell, 0);
	fold_signed(METRIC_nice, &cell, -20);
	fold_signed(METRIC_nice, &cell, 19);
	assert_int_equal(fold_range_bound(METRIC_nice, cell.range.low), -20);
	assert_int_equal(fold_range_bound(METRIC_nice, cell.range.high), 19);
	assert_real(fold_quantity(METRIC_nice, &cell), -0.5);
	fold_signed(METRIC_nice, &cell, INT32_MIN);
	fold_signed(METRIC_nice, &cell, INT32_MAX);
	assert_int_equal(fold_range_bound(METRIC_nice, cell.range.low), INT32_MIN);
	assert_int_equal(fold_range_bound(METRIC_nice, cell.range.high), INT32_MAX);
	assert_real(fold_quantity(METRIC_nice, &cell), -0.5);
	assert_int_equal(cell.seen, 6);
}

static void test_range_of_unsigned_numbers(void **state)
{
	struct fold_cell cell = {0};

	(void)state;
	fold_value(METRIC_rt_priority, &cell, UINT32_MAX);
	assert_integer(fold_quantity(METRIC_rt_priority, &cell), UINT32_MAX);
	fold_value(METRIC_rt_priority, &cell, 1);
	assert_int_equal(fold_range_bound(METRIC_rt_priority, cell.range.low), 1);
	assert_int_equal(fold_range_bound(METRIC_rt_priority, cell.range.high), UINT32_MAX);
	assert_integer(fold_quantity(METRIC_rt_priority, &cell), INT64_C(1) << 31);
}

static void check_winner(const struct fold_cell *cell, const char *label, uint32_t threads)
{
	uint32_t found;

	assert_string_equal(fold_winner(cell, &found), label);
	assert_int_equal(found, threads);
}

static void test_mode_most_frequent(void **state)
{
	struct fold_cell cell = {0};

	(void)state;
	fold_mode(&cell, "S");
	check_winner(&cell, "S", 1);
	fold_mode(&cell, "R");
	fold_mode(&cell, "S");
	check_winner(&cell, "S", 2);
	assert_int_equal(cell.seen, 3);
	assert_int_equal(fold_quantity(METRIC_state, &cell).kind, QUANTITY_NONE);
	fold_cell_done(METRIC_state, &cell);
	assert_int_equal(cell.seen, 0);
	assert_null(cell.tally);
}

/* A file may have a label for each thread. Those behind the first ones are one. */
static void test_mode_many_labels(void **state)
{
	enum { LABELS = 10000 };
	struct fold_cell cell = {0};
	char label[16];

	(void)state;
	fold_mode(&cell, "S");
	fold_mode(&cell, "S");
	for (unsigned i = 0; i < LABELS; i++) {
		snprintf(label, sizeof(label), "label %u", i);
		fold_mode(&cell, label);
	}
	fold_mode(&cell, "S");
	assert_int_equal(cell.seen, LABELS + 3);
	assert_true(cell.tally->len < 4096);
	assert_string_equal(fold_winner(&cell, &(uint32_t){0}), "(others)");
	fold_cell_done(METRIC_state, &cell);
}

/* Entries are of different lengths, and one label may begin with another. */
static void test_mode_entries(void **state)
{
	static const char *const labels[] = {"a",   "", "abc", "ab",
	                                     "abc", "", "",    "a label of 31 bytes, no fewer--"};
	static const struct fold_tally_entry expected[] = {
	        {"a", 1}, {"", 3}, {"abc", 2}, {"ab", 1}, {"a label of 31 bytes, no fewer--", 1}};
	struct fold_cell cell = {0}, merged = {0};
	struct fold_tally_entry entry;
	uint32_t at = 0;

	(void)state;
	assert_false(fold_tally_next(cell.tally, &at, &entry));
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		fold_mode(&cell, labels[i]);
	fold_mode(&merged, "a");
	fold_merge(METRIC_policy, &merged, &cell);
	fold_merge(METRIC_policy, &merged, &cell);
	assert_int_equal(merged.seen, 1 + 2 * ARRAY_SIZE(labels));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_true(fold_tally_next(cell.tally, &at, &entry));
		assert_string_equal(entry.label, expected[i].label);
		assert_int_equal(entry.threads, expected[i].threads);
	}
	assert_false(fold_tally_next(cell.tally, &at, &entry));
	at = 0;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_true(fold_tally_next(merged.tally, &at, &entry));
		assert_string_equal(entry.label, expected[i].label);
		assert_int_equal(entry.threads, 2 * expected[i].threads + (i == 0));
	}
	assert_false(fold_tally_next(merged.tally, &at, &entry));
	fold_cell_done(METRIC_policy, &cell);
	fold_cell_done(METRIC_policy, &merged);
}

/* Ties go to the label that sorts first, whichever came first. */
static void test_mode_ties(void **state)
{
	static const char *const orders[][3] = {{"b", "a", "c"}, {"c", "b", "a"}, {"a", "c", "b"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct fold_cell cell = {0};

		for (size_t j = 0; j < 3; j++)
			fold_mode(&cell, orders[i][j]);
		check_winner(&cell, "a", 1);
		fold_mode(&cell, "c");
		check_winner(&cell, "c", 2);
		fold_mode(&cell, "b");
		check_winner(&cell, "b", 2);
		fold_cell_done(METRIC_policy, &cell);
	}
}

static void test_mode_label_types(void **state)
{
	struct fold_cell flags = {0}, letters = {0}, texts = {0};

	(void)state;
	metric_table[METRIC_ext_enabled].fold(&flags, &(struct label_flag){true});
	check_winner(&flags, "true", 1);
	metric_table[METRIC_ext_enabled].fold(&flags, &(struct label_flag){false});
	check_winner(&flags, "false", 1);
	metric_table[METRIC_state].fold(&letters, &(struct label_letter){'Z'});
	check_winner(&letters, "Z", 1);
	metric_table[METRIC_policy].fold(&texts,
	                                 &(struct label_text){{"1234567890123456789012345678901"}});
	check_winner(&texts, "1234567890123456789012345678901", 1);
	fold_cell_done(METRIC_ext_enabled, &flags);
	fold_cell_done(METRIC_state, &letters);
	fold_cell_done(METRIC_policy, &texts);
}

static void test_affinity_uniform_or_mixed(void **state)
{
	struct fold_cell cell = {0};

	(void)state;
	fold_cpus(&cell, "0-3");
	fold_cpus(&cell, "0,1,2,3");
	assert_true(cell.affinity->uniform);
	assert_int_equal(cell.affinity->min_cpus, 4);
	assert_int_equal(cell.affinity->max_cpus, 4);
	assert_integer(fold_quantity(METRIC_cpu_affinity, &cell), 4);
	fold_cpus(&cell, "4-7");
	assert_false(cell.affinity->uniform);
	assert_int_equal(cell.affinity->max_cpus, 4);
	fold_cpus(&cell, "8191");
	fold_cpus(&cell, "0-3");
	assert_false(cell.affinity->uniform);
	assert_int_equal(cell.affinity->min_cpus, 1);
	assert_int_equal(cell.seen, 5);
	assert_real(fold_quantity(METRIC_cpu_affinity, &cell), 2.5);
	fold_cell_done(METRIC_cpu_affinity, &cell);
	assert_null(cell.affinity);
}

static void test_equal_numbers(void **state)
{
	struct fold_cell a = {0}, b = {0};

	(void)state;
	assert_true(fold_equal(METRIC_minflt, &a, &b));
	fold_value(METRIC_minflt, &a, 0);
	assert_false(fold_equal(METRIC_minflt, &a, &b));
	assert_false(fold_equal(METRIC_minflt, &b, &a));
	fold_value(METRIC_minflt, &b, 0);
	fold_value(METRIC_minflt, &b, 0);
	assert_true(fold_equal(METRIC_minflt, &a, &b));
	fold_value(METRIC_minflt, &b, 1);
	assert_false(fold_equal(METRIC_minflt, &a, &b));
}

/* Two ranges with one midpoint are two ranges. */
static void test_equal_ranges(void **state)
{
	struct fold_cell a = {0}, b = {0};

	(void)state;
	fold_signed(METRIC_nice, &a, -5);
	fold_signed(METRIC_nice, &a, 5);
	fold_signed(METRIC_nice, &b, -1);
	fold_signed(METRIC_nice, &b, 1);
	assert_true(quantity_is_zero(quantity_difference(fold_quantity(METRIC_nice, &a),
	                                                 fold_quantity(METRIC_nice, &b))));
	assert_false(fold_equal(METRIC_nice, &a, &b));
	fold_signed(METRIC_nice, &b, -5);
	assert_false(fold_equal(METRIC_nice, &a, &b));
	fold_signed(METRIC_nice, &b, 5);
	assert_true(fold_equal(METRIC_nice, &a, &b));
}

static void test_equal_modes(void **state)
{
	struct fold_cell a = {0}, b = {0};

	(void)state;
	fold_mode(&a, "S");
	fold_mode(&b, "S");
	fold_mode(&b, "S");
	assert_true(fold_equal(METRIC_state, &a, &b)); /* unanimous, however many */
	fold_mode(&b, "R");
	assert_false(fold_equal(METRIC_state, &a, &b)); /* 1/1 and 2/3 */
	fold_mode(&a, "S");
	fold_mode(&a, "T");
	assert_true(fold_equal(METRIC_state, &a, &b)); /* 2/3 and 2/3 */
	fold_mode(&a, "X");
	assert_false(fold_equal(METRIC_state, &a, &b)); /* 2/4 and 2/3 */
	fold_mode(&a, "T");
	fold_mode(&a, "T");
	fold_mode(&b, "S");
	assert_false(fold_equal(METRIC_state, &a, &b)); /* T and S win */
	fold_cell_done(METRIC_state, &a);
	fold_cell_done(METRIC_state, &b);
}

static void test_equal_affinities(void **state)
{
	struct fold_cell a = {0}, b = {0};

	(void)state;
	fold_cpus(&a, "0-3");
	fold_cpus(&b, "4-7");
	assert_false(fold_equal(METRIC_cpu_affinity, &a, &b));
	fold_cpus(&a, "4-7");
	assert_false(fold_equal(METRIC_cpu_affinity, &a, &b));
	fold_cpus(&b, "0-3");
	assert_true(fold_equal(METRIC_cpu_affinity, &a, &b));
	fold_cpus(&b, "0");
	assert_false(fold_equal(METRIC_cpu_affinity, &a, &b));
	fold_cell_done(METRIC_cpu_affinity, &a);
	fold_cell_done(METRIC_cpu_affinity, &b);
}

/* 64-bit counters are not rounded to what a double holds. */
static void test_quantities_are_exact(void **state)
{
	const uint64_t large = (UINT64_C(1) << 53) + 1;
	struct fold_cell a = {0}, b = {0};

	(void)state;
	fold_value(METRIC_rchar, &a, UINT64_MAX);
	fold_value(METRIC_rchar, &b, UINT64_MAX - 1);
	assert_integer(fold_quantity(METRIC_rchar, &a), UINT64_MAX);
	assert_integer(quantity_difference(fold_quantity(METRIC_rchar, &a),
	                                   fold_quantity(METRIC_rchar, &b)),
	               1);
	assert_integer(quantity_difference(quantity_integer(0), quantity_integer(UINT64_MAX)),
	               -(__int128)UINT64_MAX);
	assert_integer(quantity_difference(quantity_integer(large), quantity_integer(1)),
	               UINT64_C(1) << 53);
	assert_false(quantity_is_zero(
	        quantity_difference(quantity_integer(large), quantity_integer(large - 1))));
}

static void test_quantity_kinds(void **state)
{
	const struct quantity none = {0};

	(void)state;
	assert_int_equal(quantity_real(NAN).kind, QUANTITY_NONE);
	assert_int_equal(quantity_real(INFINITY).kind, QUANTITY_NONE);
	assert_int_equal(quantity_real(-INFINITY).kind, QUANTITY_NONE);
	assert_real(quantity_real(0.25), 0.25);
	assert_int_equal(quantity_difference(none, quantity_integer(1)).kind, QUANTITY_NONE);
	assert_int_equal(quantity_difference(quantity_integer(1), none).kind, QUANTITY_NONE);
	assert_real(quantity_difference(quantity_integer(1), quantity_real(0.25)), 0.75);
	assert_real(quantity_difference(quantity_real(0.25), quantity_integer(1)), -0.75);
	assert_true(quantity_is_zero(quantity_integer(0)));
	assert_true(quantity_is_zero(quantity_real(0.0)));
	assert_true(quantity_is_zero(quantity_real(-0.0)));
	assert_false(quantity_is_zero(quantity_real(1e-300)));
	assert_false(quantity_is_zero(none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sum_does_not_wrap),
	        cmocka_unit_test(test_max_keeps_zero),
	        cmocka_unit_test(test_min_ignores_zero),
	        cmocka_unit_test(test_range_of_signed_numbers),
	        cmocka_unit_test(test_range_of_unsigned_numbers),
	        cmocka_unit_test(test_mode_most_frequent),
	        cmocka_unit_test(test_mode_many_labels),
	        cmocka_unit_test(test_mode_entries),
	        cmocka_unit_test(test_mode_ties),
	        cmocka_unit_test(test_mode_label_types),
	        cmocka_unit_test(test_affinity_uniform_or_mixed),
	        cmocka_unit_test(test_equal_numbers),
	        cmocka_unit_test(test_equal_ranges),
	        cmocka_unit_test(test_equal_modes),
	        cmocka_unit_test(test_equal_affinities),
	        cmocka_unit_test(test_quantities_are_exact),
	        cmocka_unit_test(test_quantity_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
