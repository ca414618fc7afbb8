// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <string.h>

#include "base/boot-clock.h"
#include "base/clock.h"

static int64_t parse(const char *text)
{
	return boot_clock_parse_offset(text, strlen(text));
}

/* The text is of Linux 6.18. */
static void test_offset(void **state)
{
	(void)state;
	assert_int_equal(
	        parse("monotonic           5         0\nboottime       100000         7\n"),
	        INT64_C(100000) * (int64_t)NS_PER_SECOND + 7);
	assert_int_equal(
	        parse("monotonic           0         0\nboottime       -20000         0\n"),
	        INT64_C(-20000) * (int64_t)NS_PER_SECOND);
	assert_int_equal(parse("monotonic 3 4\n"), 0);
	assert_int_equal(parse("boottime\n"), 0);
	assert_int_equal(parse("boottime 9223372036854775807 0\n"), 0);
	assert_int_equal(parse(""), 0);
}

static void test_start(void **state)
{
	(void)state;
	assert_int_equal(
	        boot_clock_shift_ticks(10000014, INT64_C(100000) * (int64_t)NS_PER_SECOND, 100),
	        14);
	assert_int_equal(
	        boot_clock_shift_ticks(5600, INT64_C(-20000) * (int64_t)NS_PER_SECOND, 100),
	        2005600);
	/* /proc/2/stat showed this number for a thread that had started after 14 ticks. */
	assert_int_equal(boot_clock_shift_ticks(UINT64_C(1844672407385),
	                                        INT64_C(-20000) * (int64_t)NS_PER_SECOND, 100),
	                 14);
}

/* Tests run in the initial namespace, or in one that has no offset. */
static void test_not_shifted(void **state)
{
	uint64_t before_ns = clock_now_ns(CLOCK_BOOTTIME), now_ns = boot_clock_now_ns();

	(void)state;
	if (boot_clock_is_shifted())
		skip();
	assert_in_range(now_ns, before_ns, clock_now_ns(CLOCK_BOOTTIME));
	assert_int_equal(boot_clock_start_ticks(77), 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_offset),
	        cmocka_unit_test(test_start),
	        cmocka_unit_test(test_not_shifted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
