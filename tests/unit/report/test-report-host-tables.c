// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "report/report-host-tables.h"

static struct host_cpu_ticks ticks_of(const char *text, const char *before)
{
	struct host_cpu_ticks ticks;

	assert_true(host_cpu_ticks_parse(text, before, &ticks));
	return ticks;
}

static void assert_busy(const struct host_cpu_ticks *ticks, double uncut, double clamped)
{
	assert_true(quantity_double(host_cpu_busy(ticks, false)) == uncut);
	assert_true(quantity_double(host_cpu_busy(ticks, true)) == clamped);
}

/* 500 + 50 + 150 + 200 + 40 + 60 of 4000 are 25 %; guest time is in user and nice. */
static void test_busy(void **state)
{
	struct host_cpu_ticks ticks = ticks_of("500 50 150 3000 200 40 60 0 400 30", NULL);

	(void)state;
	assert_int_equal(ticks.all, 4000);
	assert_int_equal(ticks.modes[8], 400);
	assert_busy(&ticks, 25, 25);
	ticks = ticks_of("600 50 150 3300 200 40 60 0 400 30",
	                 "500 50 150 3000 200 40 60 0 400 30");
	assert_busy(&ticks, 25, 25);
}

/* Only the clamped column stays in its bounds if a number of the kernel fell. */
static void test_went_back(void **state)
{
	struct host_cpu_ticks ticks = ticks_of("200 0 0 90 0 0 0 0 0 0", "100 0 0 100 0 0 0 0 0 0");

	(void)state;
	assert_int_equal(ticks.modes[3], -10);
	assert_busy(&ticks, 100 * 100.0 / 90, 100);
	ticks = ticks_of("100 0 0 300 0 0 0 0 0 0", "100 0 0 100 50 0 0 0 0 0");
	assert_busy(&ticks, 100 * -50.0 / 150, 0);
	/* gopsutil has 100 if the whole did not grow, and 0 if busy time did not. */
	ticks = ticks_of("110 0 0 50 0 0 0 0 0 0", "100 0 0 100 0 0 0 0 0 0");
	assert_int_equal(host_cpu_busy(&ticks, false).kind, QUANTITY_NONE);
	assert_true(quantity_double(host_cpu_busy(&ticks, true)) == 100);
	ticks = ticks_of("1 0 0 0 0 0 0 0 0 0", "1 0 0 0 0 0 0 0 0 0");
	assert_int_equal(host_cpu_busy(&ticks, false).kind, QUANTITY_NONE);
	assert_true(quantity_double(host_cpu_busy(&ticks, true)) == 0);
}

/* A number that fell makes the shares of all modes unknown, but one that is in another number already. */
static void test_shares(void **state)
{
	struct host_cpu_ticks ticks = ticks_of("30 10 0 60 0 0 0 0 5 1", "0 0 0 0 0 0 0 0 0 2");

	(void)state;
	assert_true(quantity_double(host_cpu_share(&ticks, 0)) == 30);
	assert_true(quantity_double(host_cpu_share(&ticks, 8)) == 5);
	assert_int_equal(host_cpu_share(&ticks, 9).kind, QUANTITY_NONE);
	ticks = ticks_of("30 10 0 60 0 0 0 0 0 0", "0 0 0 0 1 0 0 0 0 0");
	for (unsigned mode = 0; mode < HOST_CPU_MODES; mode++)
		assert_int_equal(host_cpu_share(&ticks, mode).kind, QUANTITY_NONE);
	ticks = ticks_of("1 0 0 0 0 0 0 0 0 0", "1 0 0 0 0 0 0 0 0 0");
	assert_int_equal(host_cpu_share(&ticks, 0).kind, QUANTITY_NONE);
}

static void test_malformed(void **state)
{
	static const char *const bad[] = {"", "1 2 3", "1 2 3 4 5 6 7 8 9 x",
	                                  "-1 2 3 4 5 6 7 8 9 10",
	                                  "18446744073709551615 2 3 4 5 6 7 8 9 10"};
	struct host_cpu_ticks ticks;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(host_cpu_ticks_parse(bad[i], NULL, &ticks));
		assert_false(host_cpu_ticks_parse("1 2 3 4 5 6 7 8 9 10", bad[i], &ticks));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_busy),
	        cmocka_unit_test(test_went_back),
	        cmocka_unit_test(test_shares),
	        cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
