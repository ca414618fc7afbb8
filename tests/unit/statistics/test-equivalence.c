// SPDX-License-Identifier: GPL-2.0-or-later
/* equivalence - oracles/tost.json. */
#include "oracle.h"
#include "statistics/equivalence.h"

static void check_case(json_t *root, json_t *item, double rel)
{
	json_t *want = oracle_get(item, "expect");
	json_t *data =
	        oracle_get(oracle_get(root, "data"), json_string_value(oracle_get(item, "data")));
	struct interval margins = {oracle_real(item, "low"), oracle_real(item, "high")};
	const char *name = oracle_name(item);
	cleanup_(mem_freep) double *d = NULL;
	struct equivalence got;
	struct t_test test;
	size_t n;

	d = oracle_reals(data, &n);
	test = t_test(d, n);
	got = equivalence_test(&test, &margins);
	assert_int_equal(got.is_defined, !oracle_is_null(want, "p"));
	if (!got.is_defined) {
		assert_true(oracle_is_null(want, "equivalent") && oracle_is_null(want, "ci90"));
		assert_false(got.is_equivalent);
		return;
	}
	check_near(name, "p_low", got.p_low, oracle_real(want, "p_low"), rel, 0);
	check_near(name, "p_high", got.p_high, oracle_real(want, "p_high"), rel, 0);
	check_near(name, "p", got.p, oracle_real(want, "p"), rel, 0);
	check_interval(name, got.ci90.low, got.ci90.high, oracle_get(want, "ci90"), rel, 0);
	assert_int_equal(got.is_equivalent, oracle_bool(want, "equivalent"));
	assert_int_equal(got.is_equivalent, got.p < 0.05);
}

static void test_cases(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("tost");
	double rel = oracle_real(oracle_get(oracle.root, "tolerance"), "rel");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "cases"), i, item)
	        check_case(oracle.root, item, rel);
	assert_int_equal(i, 32);
}

static void test_margins(void **state)
{
	struct interval margins = equivalence_margins(0.02);

	(void)state;
	check_near("2 %", "low", margins.low, -0.02020270731751945, 1e-14, 0);
	check_near("2 %", "high", margins.high, 0.019802627296179712, 1e-14, 0);
}

/* Contrasts without a t prove nothing, however close to 0 they are. */
static void test_undefined(void **state)
{
	static const double zeros[6];
	struct interval margins = equivalence_margins(0.02);
	struct t_test constant = t_test(zeros, 6), one = t_test(zeros, 1), none = t_test(zeros, 0);

	(void)state;
	assert_false(equivalence_test(&constant, &margins).is_defined);
	assert_false(equivalence_test(&one, &margins).is_defined);
	assert_false(equivalence_test(&none, &margins).is_equivalent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cases),
	        cmocka_unit_test(test_margins),
	        cmocka_unit_test(test_undefined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
