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

static void test_cases(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("p-adjust");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "cases"), i, item)
	        check_case(item, oracle_real(oracle_get(item, "tolerance"), "rel"));
	assert_int_equal(i, 17);
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
		json_t *rejected = json_object_get(oracle_get(item, "expect"), "rejected_at_0.05");
		size_t count;

		if (!rejected)
			continue;
		check_case(item, 1e-10);
		count = json_array_size(oracle_get(item, "p"));
		for (size_t a = 0; a < ARRAY_SIZE(adjustments); a++) {
			cleanup_(mem_freep) struct p_value *p =
			        read_p(oracle_get(item, "p"), count);
			size_t small = 0;

			p_adjust(adjustments[a].how, p, count, p);
			for (size_t k = 0; k < count; k++)
				small += p[k].p <= 0.05;
			assert_int_equal(small, oracle_count(rejected, adjustments[a].key));
		}
		cases++;
	}
	assert_int_equal(cases, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cases),
	        cmocka_unit_test(test_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
