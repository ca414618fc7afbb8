// SPDX-License-Identifier: GPL-2.0-or-later
/* max-t - oracles/westfall-young.json, whose single-step counts are of a procedure that is less powerful and not here. */
#include "statistics/generator.h"
#include "statistics/max-t.h"
#include "statistics/sign-flip.h"
#include "statistics/t-test.h"
#include "tosses.h"

/* The t of the row alone and its p. */
static void check_row(const char *name, const double *d, const struct flips *flips, json_t *want,
                      size_t i, double rel)
{
	json_t *t = json_array_get(oracle_get(want, "t"), i);
	json_t *raw = json_array_get(oracle_get(want, "raw_count"), i);
	struct t_test test = t_test(d, flips->blocks);

	assert_int_equal(test.has_t, !json_is_null(t));
	if (test.has_t)
		check_near(name, "t", test.t, json_number_value(t), rel, 0);
	if (!json_is_null(raw))
		assert_int_equal(sign_flip(d, flips).count, json_integer_value(raw));
}

/* The order of the family by the counts: a row that stands before another one has no larger count. */
static void check_order(const struct max_t *got, size_t m, json_t *order)
{
	size_t family = 0;

	for (size_t i = 0; i < m; i++)
		family += got[i].is_in_family;
	assert_int_equal(json_array_size(order), family);
	for (size_t i = 1; i < family; i++)
		assert_true(got[json_integer_value(json_array_get(order, i - 1))].count <=
		            got[json_integer_value(json_array_get(order, i))].count);
}

static void check_case(json_t *item, json_t *limits)
{
	size_t n = oracle_count(item, "n"), m = oracle_count(item, "m");
	json_t *want = oracle_get(item, "expect"), *lines = oracle_get(item, "rows");
	cleanup_(flips_done) struct flips flips =
	        read_flips(json_object_get(item, "allowed"), json_object_get(item, "observed"), n);
	cleanup_(mem_freep) double *d = calloc(m, n * sizeof(d[0]));
	cleanup_(mem_freep) struct max_t *got = calloc(m, sizeof(got[0]));
	struct contrast_rows rows = {d, m, n};

	assert_true(d && got);
	assert_int_equal(json_array_size(lines), m);
	for (size_t i = 0; i < m; i++)
		for (size_t k = 0; k < n; k++)
			d[i * n + k] =
			        json_number_value(json_array_get(json_array_get(lines, i), k));
	max_t_step_down(&rows, &flips, &max_t_student, got);
	assert_int_equal(flips.count, oracle_count(want, "total"));
	for (size_t i = 0; i < m; i++) {
		json_t *count = json_array_get(oracle_get(want, "adjusted_count"), i);
		json_t *p = json_array_get(oracle_get(want, "adjusted_p"), i);

		check_row(oracle_name(item), d + i * n, &flips, want, i,
		          oracle_real(limits, "rel_of_t"));
		assert_int_equal(got[i].is_in_family, !json_is_null(count));
		if (!got[i].is_in_family)
			continue;
		if ((json_int_t)got[i].count != json_integer_value(count))
			fail_msg("%s: count of row %zu is %zu", oracle_name(item), i, got[i].count);
		check_near(oracle_name(item), "p", got[i].p, json_number_value(p),
		           oracle_real(limits, "rel_of_p"), 0);
	}
	check_order(got, m, oracle_get(want, "order"));
}

static void test_cases(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("westfall-young");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "cases"), i, item)
	        check_case(item, oracle_get(oracle.root, "tolerance"));
	assert_int_equal(i, 14);
}

/* A measure by the definition: t, divided by @own, or with the floor, divided by @floored. */
static double measure_of(const double *d, size_t n, unsigned toss,
                         const struct max_t_measure *measure)
{
	double flipped[16];
	struct t_test test;

	for (size_t k = 0; k < n; k++)
		flipped[k] = toss & 1u << k ? -d[k] : d[k];
	test = t_test(flipped, n);
	return fmax(fabs(test.mean) / (test.se * measure->own),
	            fabs(test.mean) / (fmax(test.sd, measure->sd_floor) / sqrt((double)n) *
	                               measure->floored));
}

/* The definition with both measures: of each row, the tosses that reach it in the rows with no larger measure, and not less
 * than the counts of the rows with a larger one. */
static void check_both(struct generator *generator, const struct max_t_measure *measure)
{
	enum { BLOCKS = 7, ROWS = 6, TOSSES = 1 << BLOCKS };
	double d[ROWS][BLOCKS], seen[ROWS];
	struct contrast_rows rows = {d[0], ROWS, BLOCKS};
	cleanup_(flips_done) struct flips flips = flips_of_coins(BLOCKS, 0);
	struct max_t got[ROWS];
	size_t counts[ROWS], above = 0;
	double critical;

	for (size_t i = 0; i < ROWS; i++) {
		for (size_t k = 0; k < BLOCKS; k++)
			d[i][k] = (0.3 * (double)i + generator_normal(generator)) * (double)(i + 1);
		seen[i] = measure_of(d[i], BLOCKS, 0, measure);
	}
	critical = max_t_step_down(&rows, &flips, measure, got);
	assert_true(max_t_critical(&rows, &flips, measure) == critical);
	for (size_t i = 0; i < ROWS; i++) {
		counts[i] = 0;
		for (unsigned toss = 0; toss < TOSSES; toss++) {
			double largest = 0;

			for (size_t j = 0; j < ROWS; j++)
				if (seen[j] <= seen[i])
					largest = fmax(largest,
					               measure_of(d[j], BLOCKS, toss, measure));
			counts[i] += largest >= seen[i] * (1 - 1e-9);
		}
	}
	for (size_t i = 0; i < ROWS; i++) {
		size_t want = counts[i];

		for (size_t j = 0; j < ROWS; j++)
			if (seen[j] > seen[i] && counts[j] > want)
				want = counts[j];
		assert_int_equal(got[i].count, want);
	}
	for (unsigned toss = 0; toss < TOSSES; toss++) {
		double largest = 0;

		for (size_t j = 0; j < ROWS; j++)
			largest = fmax(largest, measure_of(d[j], BLOCKS, toss, measure));
		above += largest > critical * (1 + 1e-9);
	}
	/* .05 of 128 tosses are 6.4, and they come in pairs. */
	assert_int_equal(above, 6);
}

static void test_both_measures(void **state)
{
	static const struct max_t_measure measures[] = {
	        {1, INFINITY, 0}, {INFINITY, 1, 2}, {3, 2, 1.5}, {1, 1, 3}, {5, 1, 0.1}};
	struct generator generator = {21};

	(void)state;
	for (int round = 0; round < 20; round++)
		for (size_t i = 0; i < ARRAY_SIZE(measures); i++)
			check_both(&generator, &measures[i]);
}

/* A list of all coins is gone through by halves; as a list of tosses that happen to be all it is not. */
static void test_halves(void **state)
{
	struct generator generator = {2};
	double d[5][8];
	struct contrast_rows rows = {d[0], 5, 8};
	cleanup_(flips_done) struct flips all = flips_of_coins(8, 0), listed = flips_of_coins(8, 0);
	struct max_t got[5], want[5];
	double critical;

	(void)state;
	assert_true(all.is_every);
	listed.is_every = false;
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 8; k++)
			d[i][k] = generator_normal(&generator) + (i == 2);
	critical = max_t_step_down(&rows, &all, &max_t_student, got);
	check_near("halves", "critical", max_t_step_down(&rows, &listed, &max_t_student, want),
	           critical, 1e-12, 0);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(got[i].count, want[i].count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cases),
	        cmocka_unit_test(test_both_measures),
	        cmocka_unit_test(test_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
