// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "base/own-names.h"

static void test_own_names(void **state)
{
	static const char *const own[] = {"ctprof",          "ctprof-exits",   "ctprof-jemalloc",
	                                  "ctprof-settings", "ctprof-walk-17", "ctprof-walk-{N}"};
	static const char *const others[] = {
	        "", "ctpro", "ctprofx", "ctprof-", "ctprof-miner", "ctprof-walk", "my-ctprof"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(own); i++)
		assert_true(own_name_is(own[i]));
	for (unsigned i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(own_name_is(others[i]));
	assert_string_equal(own_names[OWN_NAME_guardian], "ctprof-guardian");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_own_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
