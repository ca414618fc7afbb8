// SPDX-License-Identifier: GPL-2.0-or-later
/* sign-flip - oracles/sign-flip.json, and the counts of oracles/published.json. */
#include "oracle.h"
#include "statistics/sign-flip.h"

/* The tosses of an array of words such as "0110", one behind the other; to be freed. */
static uint8_t *read_tosses(json_t *words, size_t blocks)
{
	uint8_t *tosses = calloc(json_array_size(words) * blocks + 1, 1);
	json_t *word;
	size_t i;

	assert_non_null(tosses);
	json_array_foreach(words, i, word)
	{
		assert_int_equal(json_string_length(word), blocks);
		for (size_t k = 0; k < blocks; k++)
			tosses[i * blocks + k] = json_string_value(word)[k] == '1';
	}
	return tosses;
}

static void test_all_tosses(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("sign-flip");
	double rel = oracle_real(oracle_get(oracle.root, "tolerance"), "rel");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "cases"), i, item)
	{
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
	assert_int_equal(i, 23);
}

static struct flips restricted_flips(json_t *item, size_t n)
{
	json_t *allowed = oracle_get(item, "allowed");
	json_t *observed = json_pack("[O]", oracle_get(item, "observed"));
	cleanup_(mem_freep) uint8_t *seen = read_tosses(observed, n), *tosses = NULL;
	struct flips flips;

	json_decref(observed);
	if (json_is_null(allowed))
		return flips_of_coins(n, 0);
	tosses = read_tosses(allowed, n);
	assert_int_equal(flips_of_tosses(seen, n, tosses, json_array_size(allowed), false, &flips),
	                 0);
	return flips;
}

static void test_restricted(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("sign-flip");
	double rel = oracle_real(oracle_get(oracle.root, "tolerance"), "rel");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "restricted"), i, item)
	{
		json_t *want = oracle_get(item, "expect");
		cleanup_(flips_done) struct flips flips = {0}, free_flips = {0};
		cleanup_(mem_freep) double *d = NULL;
		struct sign_flip got;
		size_t n;

		d = oracle_reals(oracle_get(item, "d"), &n);
		flips = restricted_flips(item, n);
		got = sign_flip(d, &flips);
		if (got.count != oracle_count(want, "count"))
			fail_msg("%s: count is %zu", oracle_name(item), got.count);
		assert_int_equal(flips.count, oracle_count(want, "total"));
		check_near(oracle_name(item), "p", got.p, oracle_real(want, "p"), rel, 0);
		assert_true(got.p >= flips_smallest_p(&flips));
		free_flips = flips_of_coins(n, 0);
		check_near(oracle_name(item), "unrestricted p", sign_flip(d, &free_flips).p,
		           oracle_real(want, "unrestricted_p"), rel, 0);
	}
	assert_int_equal(i, 16);
}

static void test_sampled(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("sign-flip");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "sampled"), i, item)
	{
		struct flips drawn = {.count = oracle_count(item, "draws"), .is_drawn = true};

		check_near("sampled", "p", flips_p(&drawn, oracle_count(item, "hits")),
		           oracle_real(item, "p"), 1e-15, 0);
	}
	assert_int_equal(i, 6);
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
		json_t *want = oracle_get(item, "expect");
		cleanup_(flips_done) struct flips flips = {0};
		cleanup_(mem_freep) double *d = NULL;
		struct sign_flip got;
		size_t n;

		if (!json_object_get(want, "sign_flip_count"))
			continue;
		d = oracle_reals(oracle_get(item, "d"), &n);
		flips = flips_of_coins(n, 0);
		got = sign_flip(d, &flips);
		assert_int_equal(got.count, oracle_count(want, "sign_flip_count"));
		assert_int_equal(flips.count, oracle_count(want, "sign_flip_total"));
		if (json_object_get(want, "sign_flip_upper"))
			assert_int_equal(got.count_upper, oracle_count(want, "sign_flip_upper"));
		cases++;
	}
	assert_int_equal(cases, 4);
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
