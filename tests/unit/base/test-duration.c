// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "base/clock.h"
#include "base/duration.h"

static void test_good(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
	        {"500ms", 500 * NS_PER_MS},
	        {"30s", 30 * NS_PER_SECOND},
	        {"30", 30 * NS_PER_SECOND},
	        {"1.5m", 90 * NS_PER_SECOND},
	        {"2h", 7200 * NS_PER_SECOND},
	        {"0.25ms", 250 * NS_PER_US},
	        {"0", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ns = 1;

		assert_true(duration_parse(cases[i].text, &ns));
		assert_int_equal(ns, cases[i].ns);
	}
}

static void test_bad(void **state)
{
	static const char *const cases[] = {"",    "s",    "1 s", "-1s",   "1.s",
	                                    ".5s", "1us",  "1w",  "1e3s",  "1s ",
	                                    "+1s", "1,5s", "0x1", "1.5.2", "9999999999999"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ns = 7;

		assert_false(duration_parse(cases[i], &ns));
		assert_int_equal(ns, 7);
	}
	{
		uint64_t ns = 7;

		assert_false(duration_parse("999999999999h", &ns));
		assert_int_equal(ns, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_good),
	        cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
