// SPDX-License-Identifier: GPL-2.0-or-later
/* sign-flip - oracles/sign-flip.json, and the counts of oracles/published.json. */
#include "statistics/sign-flip.h"
#include "tosses.h"

static void check_all_tosses(json_t *item, json_t *root)
{
	double rel = oracle_real(oracle_get(root, "tolerance"), "rel");
	json_t *want = oracle_get(item, "expect");
	cleanup_(flips_done) struct flips flips = {0};
	cleanup_(mem_freep) double *d = NULL;
	struct sign_flip got;
	size_t n;

	d = oracle_reals(oracle_get(item, "d"), &n);
	flips = flips_of_coins(n, 0);
	got = sign_flip(d, &flips);
	if (got.count != oracle_count(want, "count"))
		fail_msg("%s: count is %zu", oracle_name(item), got.count);
	assert_int_equal(got.count_upper, oracle_count(want, "count_upper"));
	assert_int_equal(got.count_lower, oracle_count(want, "count_lower"));
	assert_int_equal(flips.count, oracle_count(want, "total"));
	assert_false(flips.is_drawn);
	check_near(oracle_name(item), "p", got.p, oracle_real(want, "p"), rel, 0);
}

static void test_all_tosses(void **state)
{
	(void)state;
	oracle_each("sign-flip", "cases", 23, check_all_tosses);
}

static void check_restricted(json_t *item, json_t *root)
{
	double rel = oracle_real(oracle_get(root, "tolerance"), "rel");
	json_t *want = oracle_get(item, "expect");
	cleanup_(flips_done) struct flips flips = {0}, free_flips = {0};
	cleanup_(mem_freep) double *d = NULL;
	struct sign_flip got;
	size_t n;

	d = oracle_reals(oracle_get(item, "d"), &n);
	flips = read_flips(oracle_get(item, "allowed"), oracle_get(item, "observed"), n);
	got = sign_flip(d, &flips);
	if (got.count != oracle_count(want, "count"))
		fail_msg("%s: count is %zu", oracle_name(item), got.count);
	assert_int_equal(flips.count, oracle_count(want, "total"));
	check_near(oracle_name(item), "p", got.p, oracle_real(want, "p"), rel, 0);
	free_flips = flips_of_coins(n, 0);
	check_near(oracle_name(item), "unrestricted p", sign_flip(d, &free_flips).p,
	           oracle_real(want, "unrestricted_p"), rel, 0);
}

static void test_restricted(void **state)
{
	(void)state;
	oracle_each("sign-flip", "restricted", 16, check_restricted);
}

static void check_sampled(json_t *item, json_t *root)
{
	struct flips drawn = {.count = oracle_count(item, "draws"), .is_drawn = true};

	(void)root;
	check_near("sampled", "p", flips_p(&drawn, oracle_count(item, "hits")),
	           oracle_real(item, "p"), 1e-15, 0);
}

static void test_sampled(void **state)
{
	(void)state;
	oracle_each("sign-flip", "sampled", 6, check_sampled);
}

static void check_published(json_t *item, json_t *want)
{
	cleanup_(flips_done) struct flips flips = {0};
	cleanup_(mem_freep) double *d = NULL;
	struct sign_flip got;
	size_t n;

	d = oracle_reals(oracle_get(item, "d"), &n);
	flips = flips_of_coins(n, 0);
	got = sign_flip(d, &flips);
	assert_int_equal(got.count, oracle_count(want, "sign_flip_count"));
	assert_int_equal(flips.count, oracle_count(want, "sign_flip_total"));
	if (json_object_get(want, "sign_flip_upper"))
		assert_int_equal(got.count_upper, oracle_count(want, "sign_flip_upper"));
}

static void test_published(void **state)
{
	(void)state;
	oracle_published("sign_flip_count", 4, check_published);
}

/* Drawn tosses give nearly the p that all tosses give: the first block of 21 is 0, so its coin does not matter. */
static void test_drawn_against_listed(void **state)
{
	double d[21] = {0};
	cleanup_(flips_done) struct flips drawn = flips_of_coins(21, 7),
	                                  listed = flips_of_coins(20, 7);
	double p, exact;

	(void)state;
	assert_true(drawn.is_drawn);
	assert_int_equal(drawn.count, FLIPS_DRAWN);
	for (size_t i = 1; i < 21; i++)
		d[i] = (double)i * (i % 3 == 0 ? -0.011 : 0.013);
	p = sign_flip(d, &drawn).p;
	exact = sign_flip(d + 1, &listed).p;
	assert_true(exact > 0.01 && exact < 0.2);
	check_near("drawn", "p", p, exact, 0, 5 * sqrt(exact * (1 - exact) / FLIPS_DRAWN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_all_tosses),
	        cmocka_unit_test(test_restricted),
	        cmocka_unit_test(test_sampled),
	        cmocka_unit_test(test_published),
	        cmocka_unit_test(test_drawn_against_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
