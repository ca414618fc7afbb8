// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "when/time-range.h"

/* 2026-10-26 11:30:00 UTC, 12:30 in Berlin, the day after the end of summer time. */
#define NOW UINT64_C(1793014200)
#define BOOT (NOW - 7200)
#define HOUR 3600

static const struct time_words words = {NOW * NS_PER_SECOND, BOOT *NS_PER_SECOND};

static int in_berlin(void **state)
{
	(void)state;
	/* The rule of the zone itself, so that no files of zones are needed. */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	return 0;
}

static void assert_range(const char *text, uint64_t begin, uint64_t end)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct time_range range = {0};

	if (time_range_parse(text, &words, &range, &reason) < 0)
		fail_msg("%s: %s", text, strbuf_str(&reason));
	if (range.begin_ns != begin * NS_PER_SECOND || range.end_ns != end * NS_PER_SECOND)
		fail_msg("%s: %llu..%llu", text,
		         (unsigned long long)(range.begin_ns / NS_PER_SECOND),
		         (unsigned long long)(range.end_ns / NS_PER_SECOND));
}

static void assert_refused(const char *text, const char *why)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct time_range range = {1, 2};

	assert_int_equal(time_range_parse(text, &words, &range, &reason), -EINVAL);
	assert_contains(strbuf_str(&reason), why);
	assert_int_equal(range.begin_ns, 1);
}

static void words_and_ago(void **state)
{
	(void)state;
	assert_range("now", NOW, NOW);
	assert_range("-1h", NOW - HOUR, NOW);
	assert_range("-25h..-24h", NOW - 25 * HOUR, NOW - 24 * HOUR);
	assert_range("-1h..now", NOW - HOUR, NOW);
	assert_range("-1h..", NOW - HOUR, NOW);
	assert_range("..-1h", 0, NOW - HOUR);
	assert_range("..", 0, NOW);
	assert_range("boot", BOOT, NOW);
	assert_range("boot..-1h", BOOT, NOW - HOUR);
	assert_range("-1000000h..now", 0, NOW);
}

static void fractions(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct time_range range = {0};

	(void)state;
	assert_int_equal(time_range_parse("2026-10-26T11:30:00.25Z..12:30:01.000000001", &words,
	                                  &range, &reason),
	                 0);
	assert_true(range.begin_ns == NOW * NS_PER_SECOND + 250000000);
	assert_true(range.end_ns == NOW * NS_PER_SECOND + NS_PER_SECOND + 1);
	assert_refused("12:30:00.", "is no time");
	assert_refused("12:30.5", "is no time");
	assert_refused("12:30:00.1234567891", "is no time");
	assert_refused("2026-10-26T11:30:00.-1Z", "is no time");
}

/* 12:30 local is NOW. */
static void times_of_day(void **state)
{
	(void)state;
	assert_range("12:30", NOW, NOW);
	assert_range("10:00..10:05", NOW - 9000, NOW - 8700);
	assert_range("10:00:30..10:05", NOW - 8970, NOW - 8700);
	assert_range("2026-10-26T10:00..now", NOW - 9000, NOW);
	assert_range("2026-10-26 10:00..10:05", NOW - 9000, NOW - 8700);
	assert_range("2026-10-26T11:30Z", NOW, NOW);
	assert_range("today 12:30", NOW, NOW);
	/* Yesterday had 25 hours, but its ten o'clock is behind the change. */
	assert_range("yesterday 10:00..10:05", NOW - 9000 - 86400, NOW - 8700 - 86400);
	assert_range("yesterday 10:00..today 10:00", NOW - 9000 - 86400, NOW - 9000);
	assert_range("2026-10-24T10:00", NOW - 9000 - 2 * 86400 - HOUR,
	             NOW - 9000 - 2 * 86400 - HOUR);
}

static void days(void **state)
{
	const uint64_t midnight = NOW - 12 * HOUR - HOUR / 2;

	(void)state;
	assert_range("today", midnight, midnight + 24 * HOUR);
	/* The clock was set back. */
	assert_range("yesterday", midnight - 25 * HOUR, midnight);
	assert_range("2026-10-25", midnight - 25 * HOUR, midnight);
	assert_range("2026-10-24..2026-10-25", midnight - 49 * HOUR, midnight);
	/* And forward in March, which has one of 23 hours. */
	assert_range("2026-03-29", 1774738800, 1774738800 + 23 * HOUR);
}

static void an_end_before_the_begin_is_refused(void **state)
{
	(void)state;
	assert_refused("now..-1h", "ends before it begins");
	assert_refused("2026-10-24..2026-10-22", "ends before it begins");
	/* The day before ends where the first one begins. */
	assert_refused("2026-10-24..2026-10-23", "ends before it begins");
	assert_refused("today..yesterday", "ends before it begins");
	assert_refused("2026-10-24T00:00..2026-10-23", "ends before it begins");
	assert_range("2026-10-24 00:00..2026-10-24", 1792792800, 1792792800 + 24 * HOUR);
}

/* 2^64 ns are 18446744073.7 s. */
static void times_that_no_file_has_are_refused(void **state)
{
	(void)state;
	assert_range("2554-07-21T23:34:32Z", 18446744072, 18446744072);
	assert_refused("2554-07-21T23:34:33Z", "is too late");
	assert_refused("..2611-05-16T01:34Z", "is too late");
	assert_refused("2600-01-01", "is too late");
	assert_refused("2554-07-22", "is too late");
	assert_refused("2600-01-01 10:00..now", "is too late");
	assert_refused("1969-12-31", "is before 1970");
	assert_refused("1969-12-31 10:00", "is before 1970");
	assert_refused("1969-12-31T10:00Z", "is before 1970");
}

/* Samoa had no 30th of December in 2011. */
static void a_day_may_be_missing(void **state)
{
	static const struct time_words later = {UINT64_C(1325289600) * NS_PER_SECOND, 0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const time_t behind = 1325239200; /* 31st, 00:00 */
	struct time_range range = {0};
	struct tm local;

	(void)state;
	setenv("TZ", "Pacific/Apia", 1);
	tzset();
	if (!localtime_r(&behind, &local) || local.tm_mday != 31)
		skip();
	assert_range("2011-12-29", (uint64_t)behind - 24 * HOUR, (uint64_t)behind);
	assert_range("2011-12-29..2011-12-31", (uint64_t)behind - 24 * HOUR,
	             (uint64_t)behind + 24 * HOUR);
	assert_refused("2011-12-30", "is no day");
	assert_int_equal(time_range_parse("yesterday", &later, &range, &reason), 0);
	assert_true(range.end_ns == (uint64_t)behind * NS_PER_SECOND);
	assert_true(range.begin_ns == ((uint64_t)behind - 24 * HOUR) * NS_PER_SECOND);
}

static void an_hour_that_is_there_twice_is_refused(void **state)
{
	(void)state;
	assert_refused("2026-10-25 02:30",
	               "is there twice: 2026-10-25 02:30:00 CEST and 2026-10-25 02:30:00 CET");
	assert_refused("yesterday 01:00..02:30", "is there twice");
	assert_range("2026-10-25T00:30Z..2026-10-25T01:30Z", 1792888200, 1792888200 + HOUR);
	/* The hours around it are not. */
	assert_range("2026-10-25 01:59..03:00", 1792886340, 1792886340 + 60 + 2 * HOUR);
	assert_refused("2026-03-29 02:30", "is no local time");
	assert_range("2026-03-29 01:59..03:00", 1774745940, 1774745940 + 60);
}

static void nonsense_is_refused(void **state)
{
	static const char *const texts[] = {
	        "",
	        "noon",
	        "-",
	        "-x",
	        "24:00",
	        "10:60",
	        "1:00",
	        "10:00x",
	        "2026-13-01",
	        "10",
	        "2026-02-30 10:00",
	        "nowx",
	        "yesterdayx",
	        "-1h....now",
	        "10:00..now..now",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		struct time_range range;

		if (time_range_parse(texts[i], &words, &range, &reason) == 0)
			fail_msg("'%s' is a range", texts[i]);
		assert_true(reason.len > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(words_and_ago),
	        cmocka_unit_test(fractions),
	        cmocka_unit_test(times_of_day),
	        cmocka_unit_test(days),
	        cmocka_unit_test(an_end_before_the_begin_is_refused),
	        cmocka_unit_test(times_that_no_file_has_are_refused),
	        cmocka_unit_test_teardown(a_day_may_be_missing, in_berlin),
	        cmocka_unit_test(an_hour_that_is_there_twice_is_refused),
	        cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, in_berlin, NULL);
}
