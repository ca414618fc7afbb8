// SPDX-License-Identifier: GPL-2.0-or-later
/* rank - oracles/wilcoxon.json, and the cases of oracles/published.json that are about ranks. */
#include "oracle.h"
#include "statistics/rank.h"

/* An interval of the oracle: low, high, k, achieved, reaches_level. */
static void check_estimate(const char *name, const struct rank_estimate *got, json_t *want,
                           double rel)
{
	check_near(name, "low", got->interval.low, oracle_real(want, "low"), rel, 1e-17);
	check_near(name, "high", got->interval.high, oracle_real(want, "high"), rel, 1e-17);
	check_near(name, "achieved", got->achieved, oracle_real(want, "achieved"), rel, 0);
	assert_int_equal(got->k, oracle_count(want, "k"));
	assert_int_equal(got->reaches_level, oracle_bool(want, "reaches_level"));
}

static void check_tails(const char *name, const struct rank_test *got, json_t *want, double rel)
{
	check_near(name, "p_greater", got->p_greater, oracle_real(want, "p_greater"), rel, 0);
	check_near(name, "p_less", got->p_less, oracle_real(want, "p_less"), rel, 0);
}

/* The values of a case: d alone, or x and y. */
struct values {
	double *x, *y; /* owned */
	size_t x_count, y_count;
};

static struct values read_values(json_t *item)
{
	struct values values = {0};
	json_t *d = json_object_get(item, "d");

	values.x = oracle_reals(d ? d : oracle_get(item, "x"), &values.x_count);
	if (!d)
		values.y = oracle_reals(oracle_get(item, "y"), &values.y_count);
	return values;
}

static void values_done(struct values *values)
{
	free(values->x);
	free(values->y);
}

static struct rank_estimate estimate_of(const struct values *values, double level)
{
	struct rank_estimate got;

	assert_true(values->y ? rank_sum_estimate(values->x, values->x_count, values->y,
	                                          values->y_count, level, &got)
	                      : signed_rank_estimate(values->x, values->x_count, level, &got));
	return got;
}

/* A case without ties, of one sample or of two. */
static void check_plain(json_t *item)
{
	json_t *want = oracle_get(item, "expect"), *interval;
	double rel = oracle_real(oracle_get(item, "tolerance"), "rel");
	const char *level, *name = oracle_name(item);
	cleanup_(values_done) struct values values = read_values(item);
	struct rank_test test =
	        values.y ? rank_sum_test(values.x, values.x_count, values.y, values.y_count)
	                 : signed_rank_test(values.x, values.x_count, RANK_ZEROS_DROP);
	unsigned levels = 0;

	check_near(name, "statistic", test.statistic, oracle_real(want, values.y ? "u" : "v"), rel,
	           0);
	check_tails(name, &test, want, rel);
	check_near(name, "p", test.p, oracle_real(want, "p_two_sided"), rel, 0);
	check_near(name, "p by distance", test.p_distance, oracle_real(want, "p_two_sided"), rel,
	           0);
	json_object_foreach(oracle_get(want, "ci"), level, interval)
	{
		struct rank_estimate got = estimate_of(&values, strtod(level, NULL));

		check_near(name, "estimate", got.estimate, oracle_real(want, "hodges_lehmann"), rel,
		           1e-17);
		check_estimate(name, &got, interval, rel);
		levels++;
	}
	assert_int_equal(levels, 3);
}

static void test_plain(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("wilcoxon");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "signed_rank"), i, item) check_plain(item);
	assert_int_equal(i, 9);
	json_array_foreach(oracle_get(oracle.root, "rank_sum"), i, item) check_plain(item);
	assert_int_equal(i, 10);
}

static void check_signed_ties(json_t *item)
{
	json_t *want = oracle_get(item, "expect");
	double rel = oracle_real(oracle_get(item, "tolerance"), "rel");
	const char *name = oracle_name(item);
	cleanup_(values_done) struct values values = read_values(item), rest = read_values(item);
	struct rank_test test = signed_rank_test(values.x, values.x_count, RANK_ZEROS_DROP);
	struct rank_test pratt = signed_rank_test(values.x, values.x_count, RANK_ZEROS_KEEP);
	struct rank_estimate got = estimate_of(&values, 0.95);

	assert_int_equal(test.n, oracle_count(want, "n_without_zeros"));
	check_near(name, "v", test.statistic, oracle_real(want, "v"), rel, 0);
	check_near(name, "p", test.p, oracle_real(want, "p_two_sided"), rel, 0);
	check_tails(name, &test, want, rel);
	assert_true(test.p == test.p_distance);
	check_near(name, "Pratt's v", pratt.statistic, oracle_real(want, "pratt_v"), rel, 0);
	check_near(name, "Pratt's p", pratt.p, oracle_real(want, "pratt_p_two_sided"), rel, 0);
	check_near(name, "estimate", got.estimate, oracle_real(want, "hodges_lehmann"), rel, 0);
	check_estimate(name, &got, oracle_get(want, "ci95_conservative"), rel);
	/* Without zeros the estimate is another one. */
	rest.x_count = 0;
	for (size_t i = 0; i < values.x_count; i++)
		if (values.x[i] < 0 || values.x[i] > 0)
			rest.x[rest.x_count++] = values.x[i];
	check_near(name, "estimate without zeros", estimate_of(&rest, 0.95).estimate,
	           oracle_real(want, "hodges_lehmann_without_zeros"), rel, 0);
}

static void check_sum_ties(json_t *item)
{
	json_t *want = oracle_get(item, "expect");
	double rel = oracle_real(oracle_get(item, "tolerance"), "rel");
	const char *name = oracle_name(item);
	cleanup_(values_done) struct values values = read_values(item);
	struct rank_test test = rank_sum_test(values.x, values.x_count, values.y, values.y_count);

	check_near(name, "u", test.statistic, oracle_real(want, "u"), rel, 0);
	check_tails(name, &test, want, rel);
	check_near(name, "p", test.p, oracle_real(want, "p_two_sided_doubled"), rel, 0);
	check_near(name, "p by distance", test.p_distance,
	           oracle_real(want, "p_two_sided_distance"), rel, 0);
	check_near(name, "estimate", estimate_of(&values, 0.95).estimate,
	           oracle_real(want, "hodges_lehmann"), rel, 0);
}

static void test_ties(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("wilcoxon");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "signed_rank_ties"), i, item)
	        check_signed_ties(item);
	assert_int_equal(i, 6);
	json_array_foreach(oracle_get(oracle.root, "rank_sum_ties"), i, item) check_sum_ties(item);
	assert_int_equal(i, 4);
}

/* Compares @got with the value of the first of the keys that is there. */
static void check_any(json_t *want, double got, const char *key, const char *other)
{
	json_t *value = json_object_get(want, key);

	if (!value)
		value = json_object_get(want, other);
	if (value)
		check_near("published", key, got, json_number_value(value), 1e-10, 0);
}

static void check_published(json_t *item, json_t *want)
{
	cleanup_(values_done) struct values values = read_values(item);
	json_t *at_96 = json_object_get(want, "ci96"), *at_95 = json_object_get(want, "ci95_walsh");
	struct rank_test test =
	        values.y ? rank_sum_test(values.x, values.x_count, values.y, values.y_count)
	                 : signed_rank_test(values.x, values.x_count, RANK_ZEROS_DROP);
	struct rank_estimate got = estimate_of(&values, at_96 ? 0.96 : 0.95);

	check_any(want, test.statistic, values.y ? "u" : "signed_rank_v", "v");
	check_any(want, test.p_less, "p_less", "p_less");
	check_any(want, test.p_greater, "p_greater", "p_greater");
	check_any(want, test.p_distance, "p_two_sided_distance", "signed_rank_p");
	/* The p of a case with a t is that of the t. */
	if (!json_object_get(want, "t") && !json_object_get(want, "p_two_sided_distance"))
		check_any(want, test.p, "p_two_sided", "p_two_sided");
	check_any(want, got.estimate, "hodges_lehmann", "hodges_lehmann");
	if (at_96 || at_95)
		check_estimate("published", &got, at_96 ? at_96 : at_95, 1e-10);
	if (json_object_get(want, "n_without_zeros"))
		assert_int_equal(test.n, oracle_count(want, "n_without_zeros"));
	if (json_object_get(want, "pratt_v")) {
		test = signed_rank_test(values.x, values.x_count, RANK_ZEROS_KEEP);
		check_any(want, test.statistic, "pratt_v", "pratt_v");
		check_any(want, test.p, "pratt_p", "pratt_p");
	}
}

static void test_published(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("published");
	unsigned cases = 0;
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "cases"), i, item)
	{
		json_t *want = oracle_get(item, "expect"), *copy;

		if (!json_object_get(item, "d") && !json_object_get(item, "y"))
			continue;
		/* The depression data have x, y and d, which is y - x. */
		copy = json_copy(item);
		if (json_object_get(copy, "d"))
			json_object_del(copy, "y");
		check_published(copy, want);
		json_decref(copy);
		cases++;
	}
	assert_int_equal(cases, 6);
}

/* More values than a double could count the ways of, and none at all. */
static void test_sizes(void **state)
{
	double d[300];
	struct rank_estimate estimate = {.k = 99};
	struct rank_test test;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(d); i++)
		d[i] = (double)(i + 1);
	test = signed_rank_test(d, ARRAY_SIZE(d), RANK_ZEROS_DROP);
	check_near("300", "p", test.p, ldexp(1, -299), 1e-12, 0);
	assert_true(test.p_less == 1);
	test = signed_rank_test(d, 0, RANK_ZEROS_DROP);
	assert_true(test.n == 0 && test.p == 1 && test.p_greater == 1 && test.statistic == 0);
	test = rank_sum_test(d, 3, d, 0);
	assert_true(test.p == 1);
	assert_false(signed_rank_estimate(d, 0, 0.95, &estimate));
	assert_false(rank_sum_estimate(d, 3, d, 0, 0.95, &estimate));
	assert_int_equal(estimate.k, 99);
	/* The levels that so many contrasts can reach. */
	for (size_t n = 1; n < 12; n++) {
		assert_true(signed_rank_estimate(d, n, 0.95, &estimate));
		assert_int_equal(estimate.reaches_level, n >= 6);
		assert_true(signed_rank_estimate(d, n, 0.99, &estimate));
		assert_int_equal(estimate.reaches_level, n >= 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_plain),
	        cmocka_unit_test(test_ties),
	        cmocka_unit_test(test_published),
	        cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
