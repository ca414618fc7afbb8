// SPDX-License-Identifier: GPL-2.0-or-later
/* p-adjust - oracles/p-adjust.json, and one case of oracles/published.json. */
#include "oracle.h"
#include "statistics/p-adjust.h"

static const struct {
	const char *key;
	enum p_adjustment how;
} adjustments[] = {
        {"bonferroni", P_ADJUST_BONFERRONI},
        {"holm", P_ADJUST_HOLM},
        {"BH", P_ADJUST_BH},
        {"BY", P_ADJUST_BY},
};

static struct p_value *read_p(json_t *array, size_t count)
{
	struct p_value *p = calloc(count + 1, sizeof(p[0]));

	assert_non_null(p);
	for (size_t i = 0; i < count; i++) {
		json_t *value = json_array_get(array, i);

		p[i].is_defined = !json_is_null(value);
		p[i].p = json_number_value(value);
	}
	return p;
}

static void check_case(json_t *item, double rel)
{
	size_t count = json_array_size(oracle_get(item, "p"));

	for (size_t a = 0; a < ARRAY_SIZE(adjustments); a++) {
		json_t *expected = oracle_get(oracle_get(item, "expect"), adjustments[a].key);
		cleanup_(mem_freep) struct p_value *p = read_p(oracle_get(item, "p"), count);
		cleanup_(mem_freep) struct p_value *want = read_p(expected, count);
		cleanup_(mem_freep) struct p_value *got = calloc(count + 1, sizeof(got[0]));

		assert_int_equal(json_array_size(expected), count);
		p_adjust(adjustments[a].how, p, count, got);
		/* In place as well. */
		p_adjust(adjustments[a].how, p, count, p);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(got[i].is_defined, want[i].is_defined);
			check_near(oracle_name(item), adjustments[a].key, got[i].p, want[i].p, rel,
			           0);
			assert_true(p[i].is_defined == got[i].is_defined && p[i].p == got[i].p);
		}
	}
}

static void check_file_case(json_t *item, json_t *root)
{
	(void)root;
	check_case(item, oracle_real(oracle_get(item, "tolerance"), "rel"));
}

static void test_cases(void **state)
{
	(void)state;
	oracle_each("p-adjust", "cases", 17, check_file_case);
}

static void check_published(json_t *item, json_t *want)
{
	json_t *rejected = oracle_get(want, "rejected_at_0.05");
	size_t count = json_array_size(oracle_get(item, "p"));

	check_case(item, 1e-10);
	for (size_t a = 0; a < ARRAY_SIZE(adjustments); a++) {
		cleanup_(mem_freep) struct p_value *p = read_p(oracle_get(item, "p"), count);
		size_t small = 0;

		p_adjust(adjustments[a].how, p, count, p);
		for (size_t k = 0; k < count; k++)
			small += p[k].p <= 0.05;
		assert_int_equal(small, oracle_count(rejected, adjustments[a].key));
	}
}

static void test_published(void **state)
{
	(void)state;
	oracle_published("rejected_at_0.05", 1, check_published);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cases),
	        cmocka_unit_test(test_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
