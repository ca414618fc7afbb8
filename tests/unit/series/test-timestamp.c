// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/timestamp.h"

#include "check.h"

static void assert_time(const char *text, int64_t ns, bool has_offset)
{
	int64_t found = -1;
	bool found_offset = !has_offset;

	assert_true(timestamp_parse(text, &found, &found_offset));
	assert_int_equal(found, ns);
	assert_int_equal(found_offset, has_offset);
}

static void test_times(void **state)
{
	/* date -ud '2026-11-22 10:10:22' +%s */
	const int64_t ns = 1795342222 * INT64_C(1000000000);

	(void)state;
	assert_time("2026-11-22T10:10:22+00:00", ns, true);
	assert_time("2026-11-22T10:10:22Z", ns, true);
	assert_time("2026-11-22T11:10:22+0100", ns, true);
	assert_time("2026-11-22T08:40:22-01:30", ns, true);
	assert_time("2026-11-22T09:10:22-01", ns, true);
	assert_time("2026-11-22 10:10:22", ns, false);
	assert_time("2026-11-22T10:10", ns - 22 * INT64_C(1000000000), false);
	assert_time("2026-11-22T10:10:22.567494+00:00", ns + 567494000, true);
	assert_time("2026-11-22T10:10:22.5+00:00", ns + 500000000, true);
	assert_time("2026-11-22T10:10:22.1234567899+00:00", ns + 123456789, true);
	assert_time("1970-01-01T00:00:00Z", 0, true);
	assert_time("2000-02-29T00:00:00Z", INT64_C(951782400000000000), true);
	assert_time("2024-03-01T00:00:00Z", INT64_C(1709251200000000000), true);
}

static void test_no_times(void **state)
{
	static const char *const texts[] = {
	        "",
	        "2026",
	        "2026-11-22",
	        "2026-13-22T10:10:22Z",
	        "2026-00-22T10:10:22Z",
	        "2026-11-32T10:10:22Z",
	        "2026-11-22T24:10:22Z",
	        "2026-11-22T10:60:22Z",
	        "2026-11-22T10:10:22.Z",
	        "2026-11-22T10:10:22Zx",
	        "2026-11-22T10:10:22+1",
	        "2026-11-22T10:10:22+01:3",
	        "2026-11-22T10:10:22+01:60",
	        "9999-11-22T10:10:22Z",
	        "1795342222.5",
	        "-026-11-22T10:10:22Z",
	};
	int64_t ns = 7;
	bool has_offset = true;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(timestamp_parse(texts[i], &ns, &has_offset));
	assert_int_equal(ns, 7);
}

static void test_ages(void **state)
{
	static const char *const texts[] = {
	        "",    "3",   "00:03.25", "1:2:3:4",  "-1:00",  "a:b",
	        "1-2", "00:", ":00",      "1--00:00", "00:03 ", "9999999999:00"};
	uint64_t seconds = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(timestamp_parse_age(texts[i], &seconds));
	assert_int_equal(seconds, 7);
	assert_true(timestamp_parse_age("00:03", &seconds));
	assert_int_equal(seconds, 3);
	assert_true(timestamp_parse_age("02:03:04", &seconds));
	assert_int_equal(seconds, 7384);
	assert_true(timestamp_parse_age("1-02:03:04", &seconds));
	assert_int_equal(seconds, 93784);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_times),
	        cmocka_unit_test(test_no_times),
	        cmocka_unit_test(test_ages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
