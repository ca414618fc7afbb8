// SPDX-License-Identifier: GPL-2.0-or-later
/* rank - oracles/wilcoxon.json, and the cases of oracles/published.json that are about signed ranks. */
#include "oracle.h"
#include "statistics/rank.h"

/* An interval of the oracle: low, high, k, achieved, reaches_level. */
static void check_interval_of(const char *name, const struct rank_estimate *got, json_t *want,
                              double rel)
{
	check_near(name, "low", got->interval.low, oracle_real(want, "low"), rel, 1e-17);
	check_near(name, "high", got->interval.high, oracle_real(want, "high"), rel, 1e-17);
	check_near(name, "achieved", got->achieved, oracle_real(want, "achieved"), rel, 0);
	assert_int_equal(got->k, oracle_count(want, "k"));
	assert_int_equal(got->reaches_level, oracle_bool(want, "reaches_level"));
}

static struct rank_estimate estimate_of(json_t *item, double level)
{
	cleanup_(mem_freep) double *d = NULL;
	struct rank_estimate got;
	size_t n;

	d = oracle_reals(oracle_get(item, "d"), &n);
	assert_true(signed_rank_estimate(d, n, level, &got));
	return got;
}

static void check_plain(json_t *item, json_t *root)
{
	json_t *want = oracle_get(item, "expect"), *interval;
	double rel = oracle_real(oracle_get(item, "tolerance"), "rel");
	const char *level, *name = oracle_name(item);
	unsigned levels = 0;

	(void)root;
	json_object_foreach(oracle_get(want, "ci"), level, interval)
	{
		struct rank_estimate got = estimate_of(item, strtod(level, NULL));

		check_near(name, "estimate", got.estimate, oracle_real(want, "hodges_lehmann"), rel,
		           1e-17);
		check_interval_of(name, &got, interval, rel);
		levels++;
	}
	assert_int_equal(levels, 3);
}

static void check_ties(json_t *item, json_t *root)
{
	json_t *want = oracle_get(item, "expect");
	double rel = oracle_real(oracle_get(item, "tolerance"), "rel");
	const char *name = oracle_name(item);
	struct rank_estimate got = estimate_of(item, 0.95);

	(void)root;
	check_near(name, "estimate", got.estimate, oracle_real(want, "hodges_lehmann"), rel, 0);
	check_interval_of(name, &got, oracle_get(want, "ci95_conservative"), rel);
}

static void check_published(json_t *item, json_t *want)
{
	json_t *at_96 = json_object_get(want, "ci96"), *at_95 = json_object_get(want, "ci95_walsh");
	struct rank_estimate got;

	/* The others have two samples. */
	if (!json_object_get(item, "d"))
		return;
	got = estimate_of(item, at_96 ? 0.96 : 0.95);
	check_near("published", "estimate", got.estimate, oracle_real(want, "hodges_lehmann"),
	           1e-10, 0);
	if (at_96 || at_95)
		check_interval_of("published", &got, at_96 ? at_96 : at_95, 1e-10);
}

static void test_oracles(void **state)
{
	(void)state;
	oracle_each("wilcoxon", "signed_rank", 9, check_plain);
	oracle_each("wilcoxon", "signed_rank_ties", 6, check_ties);
	oracle_published("hodges_lehmann", 4, check_published);
}

/* The levels that so many contrasts can reach, and none at all. */
static void test_sizes(void **state)
{
	double d[11];
	struct rank_estimate estimate = {.k = 99};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(d); i++)
		d[i] = (double)(i + 1);
	assert_false(signed_rank_estimate(d, 0, 0.95, &estimate));
	assert_int_equal(estimate.k, 99);
	for (size_t n = 1; n <= ARRAY_SIZE(d); n++) {
		assert_true(signed_rank_estimate(d, n, 0.95, &estimate));
		assert_int_equal(estimate.reaches_level, n >= 6);
		assert_true(signed_rank_estimate(d, n, 0.99, &estimate));
		assert_int_equal(estimate.reaches_level, n >= 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_oracles),
	        cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
