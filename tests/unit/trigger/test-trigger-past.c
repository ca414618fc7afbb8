// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "trigger/trigger-past.h"

enum { SECOND = 1000000, WINDOW = 2 * SECOND, STALL = 150000 };

static void add(struct trigger_past *past, uint64_t at_usec, uint64_t total_usec)
{
	trigger_past_add(past, WINDOW, (struct trigger_reading){at_usec, total_usec});
}

static bool allows(const struct trigger_past *past)
{
	return trigger_past_allows(past, STALL, WINDOW);
}

static void test_nothing_known(void **state)
{
	struct trigger_past past = {0};

	(void)state;
	assert_true(allows(&past));
	add(&past, SECOND, 5000);
	assert_true(allows(&past));
}

static void test_threshold(void **state)
{
	struct trigger_past past = {0};

	(void)state;
	add(&past, SECOND, 5000);
	add(&past, 2 * SECOND, 5000 + STALL - 1);
	assert_false(allows(&past));
	add(&past, 3 * SECOND, 5000 + STALL);
	assert_true(allows(&past));
	add(&past, 4 * SECOND, 0);
	assert_true(allows(&past));
}

/* A pressure that takes longer than a window is not met, however much it is. */
static void test_slow_growth(void **state)
{
	struct trigger_past past = {0};

	(void)state;
	for (unsigned second = 10; second < 60; second++) {
		add(&past, (uint64_t)second * SECOND, (uint64_t)second * STALL / 4);
		assert_true(past.count <= TRIGGER_PAST_MAX);
		assert_int_equal(allows(&past), second == 10);
	}
}

/* The window that has all of it can end at 13 s at most. The kernel wakes up to a window and two seconds later, and that is seen with the
 * next reading. */
static void test_late(void **state)
{
	struct trigger_past past = {0};

	(void)state;
	add(&past, 10 * SECOND, 0);
	add(&past, 11 * SECOND, STALL);
	for (unsigned second = 12; second < 22; second++) {
		add(&past, (uint64_t)second * SECOND, STALL);
		assert_int_equal(allows(&past), second <= 18);
	}
}

/* A window that ended between two readings, and began before either. */
static void test_across_readings(void **state)
{
	struct trigger_past past = {0};

	(void)state;
	add(&past, 10 * SECOND, 0);
	add(&past, 11 * SECOND, 0);
	add(&past, 12 * SECOND, STALL / 2);
	add(&past, 14 * SECOND, STALL);
	assert_true(allows(&past));
}

static void test_close_readings(void **state)
{
	struct trigger_past past = {0};

	(void)state;
	for (unsigned i = 0; i <= 100; i++)
		add(&past, 10 * SECOND + i * (uint64_t)(SECOND / 100), i);
	assert_int_equal(past.count, 3);
	assert_int_equal(past.readings[0].total_usec, 0);
	assert_int_equal(past.readings[1].total_usec, 50);
	assert_int_equal(past.readings[2].total_usec, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_nothing_known),   cmocka_unit_test(test_threshold),
	        cmocka_unit_test(test_slow_growth),     cmocka_unit_test(test_late),
	        cmocka_unit_test(test_across_readings), cmocka_unit_test(test_close_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
