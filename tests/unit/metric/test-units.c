// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>

#include "metric/units.h"

static void check_value(enum metric_unit unit, struct quantity value, bool exact,
                        const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	units_format(unit, value, exact, &text);
	assert_text(&text, expected);
	strbuf_done(&text);
}

static void check_delta(enum metric_unit unit, struct quantity delta, bool exact,
                        const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	units_format_delta(unit, delta, exact, &text);
	assert_text(&text, expected);
	strbuf_done(&text);
}

static void check(enum metric_unit unit, __int128 value, const char *expected)
{
	check_value(unit, quantity_integer(value), false, expected);
}

/* Each step is taken when its divisor is reached, and not before. */
static void test_units_ns(void **state)
{
	(void)state;
	check(UNIT_ns, 0, "0ns");
	check(UNIT_ns, 1, "1ns");
	check(UNIT_ns, 999, "999ns");
	check(UNIT_ns, 1000, "1.000µs");
	check(UNIT_ns, 1500, "1.500µs");
	check(UNIT_ns, 999999, "999.999µs");
	check(UNIT_ns, 1000000, "1.000ms");
	check(UNIT_ns, 999999999, "1000.000ms");
	check(UNIT_ns, 1000000000, "1.000s");
	check(UNIT_ns, 3600000000000, "3600.000s");
	check(UNIT_ns, UINT64_MAX, "18446744073.710s");
}

static void test_units_count(void **state)
{
	(void)state;
	check(UNIT_count, 0, "0");
	check(UNIT_count, 999, "999");
	check(UNIT_count, 1000, "1.000K");
	check(UNIT_count, 8697, "8.697K");
	check(UNIT_count, 999999, "999.999K");
	check(UNIT_count, 1000000, "1.000M");
	check(UNIT_count, 999999999, "1000.000M");
	check(UNIT_count, 1000000000, "1.000G");
	check(UNIT_count, UINT64_MAX, "18446744073.710G");
}

static void test_units_ticks(void **state)
{
	(void)state;
	check(UNIT_ticks, 5, "5ticks");
	check(UNIT_ticks, 999, "999ticks");
	check(UNIT_ticks, 1000, "1.000Kticks");
	check(UNIT_ticks, 999999, "999.999Kticks");
	check(UNIT_ticks, 1000000, "1.000Mticks");
	check(UNIT_ticks, 12345678901, "12345.679Mticks");
}

static void test_units_bytes(void **state)
{
	(void)state;
	check(UNIT_bytes, 0, "0B");
	check(UNIT_bytes, 1000, "1000B");
	check(UNIT_bytes, 1023, "1023B");
	check(UNIT_bytes, 1024, "1.000KiB");
	check(UNIT_bytes, (1 << 20) - 1, "1023.999KiB");
	check(UNIT_bytes, 1 << 20, "1.000MiB");
	check(UNIT_bytes, (1 << 30) - 1, "1024.000MiB");
	check(UNIT_bytes, 1 << 30, "1.000GiB");
	check(UNIT_bytes, (__int128)15 << 29, "7.500GiB");
	check(UNIT_bytes, ((__int128)1 << 40) - 1, "1024.000GiB");
	check(UNIT_bytes, (__int128)1 << 40, "1.000TiB");
	check(UNIT_bytes, UINT64_MAX, "16777216.000TiB");
}

static void test_units_without_ladder(void **state)
{
	(void)state;
	check(UNIT_none, 0, "0");
	check(UNIT_none, 1000000, "1000000");
	check(UNIT_none, -101, "-101");
	check(UNIT_none, UINT64_MAX, "18446744073709551615");
	check_value(UNIT_none, quantity_real(-0.5), false, "-0.500");
}

static void test_units_negative_values(void **state)
{
	(void)state;
	check(UNIT_bytes, -1, "-1B");
	check(UNIT_bytes, -1023, "-1023B");
	check(UNIT_bytes, -1024, "-1.000KiB");
	check(UNIT_ns, -1500000, "-1.500ms");
	check(UNIT_bytes, -(__int128)UINT64_MAX, "-16777216.000TiB");
}

static void test_units_ratio(void **state)
{
	(void)state;
	check_value(UNIT_ratio, quantity_real(0.25), true, "0.250");
	check_value(UNIT_ratio, quantity_real(0.25), false, "0.250");
	check_value(UNIT_ratio, quantity_real(0), true, "0.000");
	check_value(UNIT_ratio, quantity_real(1), true, "1.000");
	check_value(UNIT_ratio, quantity_real(12345.6789), true, "12345.679");
	check_delta(UNIT_ratio, quantity_real(0.0625), true, "+0.062");
	check_delta(UNIT_ratio, quantity_real(-0.25), true, "-0.250");
	check_delta(UNIT_ratio, quantity_real(0), true, "+0.000");
}

/* Averages keep two decimals below the first step. */
static void test_units_averages(void **state)
{
	(void)state;
	check_value(UNIT_ns, quantity_real(12.5), true, "12.50ns");
	check_value(UNIT_bytes, quantity_integer(-25), true, "-25.00B");
	check_delta(UNIT_ns, quantity_integer(0), true, "+0.00ns");
	check_delta(UNIT_bytes, quantity_integer(2048), true, "+2.000KiB");
	check_value(UNIT_ns, quantity_real(0), true, "0.00ns");
	check_value(UNIT_ns, quantity_real(999.994), true, "999.99ns");
	check_value(UNIT_ns, quantity_real(999.999), true, "1000.00ns");
	check_value(UNIT_ns, quantity_real(1000), true, "1.000µs");
	check_value(UNIT_ns, quantity_real(1234.5), true, "1.234µs");
	check_value(UNIT_ns, quantity_real(12.5), false, "12.500ns");
	check_value(UNIT_bytes, quantity_real(512.25), true, "512.25B");
	check_delta(UNIT_ns, quantity_real(12.5), true, "+12.50ns");
	check_delta(UNIT_ns, quantity_real(-0.125), true, "-0.12ns");
	check_delta(UNIT_ns, quantity_real(-1500), true, "-1.500µs");
}

static void test_units_deltas(void **state)
{
	(void)state;
	check_delta(UNIT_ns, quantity_integer(0), false, "+0ns");
	check_delta(UNIT_ns, quantity_integer(0), false, "+0ns");
	check_delta(UNIT_ns, quantity_integer(1), false, "+1ns");
	check_delta(UNIT_ns, quantity_integer(-1), false, "-1ns");
	check_delta(UNIT_ns, quantity_integer(-999), false, "-999ns");
	check_delta(UNIT_ns, quantity_integer(-1500000), false, "-1.500ms");
	check_delta(UNIT_ns, quantity_integer(1000), false, "+1.000µs");
	check_delta(UNIT_ticks, quantity_integer(195), false, "+195ticks");
	check_delta(UNIT_count, quantity_integer(92457), false, "+92.457K");
	check_delta(UNIT_none, quantity_integer(-20), false, "-20");
	check_delta(UNIT_none, quantity_real(0.5), false, "+0.500");
	check_delta(UNIT_none, quantity_real(-63), false, "-63");
	check_delta(UNIT_bytes, quantity_integer(-(__int128)UINT64_MAX), false, "-16777216.000TiB");
	check_delta(UNIT_none, quantity_integer(-(__int128)UINT64_MAX), false,
	            "-18446744073709551615");
}

static void test_units_none(void **state)
{
	const struct quantity none = {0};

	(void)state;
	for (unsigned u = 0; u < UNIT_COUNT; u++) {
		check_value((enum metric_unit)u, none, false, "-");
		check_value((enum metric_unit)u, none, true, "-");
		check_delta((enum metric_unit)u, none, false, "-");
		check_delta((enum metric_unit)u, quantity_real(NAN), true, "-");
	}
}

static void check_integer(__int128 integer, const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	units_format_integer(integer, &text);
	assert_text(&text, expected);
	strbuf_done(&text);
}

static void test_units_any_integer(void **state)
{
	const __int128 largest = (__int128)(~(unsigned __int128)0 >> 1);

	(void)state;
	check_integer(0, "0");
	check_integer(-1, "-1");
	check_integer(9, "9");
	check_integer(10, "10");
	check_integer(INT64_MAX, "9223372036854775807");
	check_integer(INT64_MIN, "-9223372036854775808");
	check_integer((__int128)INT64_MAX + 1, "9223372036854775808");
	check_integer(UINT64_MAX, "18446744073709551615");
	check_integer((__int128)UINT64_MAX + 1, "18446744073709551616");
	check_integer(-(__int128)UINT64_MAX, "-18446744073709551615");
	check_integer(largest, "170141183460469231731687303715884105727");
	check_integer(-largest - 1, "-170141183460469231731687303715884105728");
}

static void test_units_percentages(void **state)
{
	(void)state;
	check(UNIT_percent_hundredths, 0, "0.00%");
	check(UNIT_percent_hundredths, 7, "0.07%");
	check(UNIT_percent_hundredths, 1234, "12.34%");
	check(UNIT_percent_hundredths, -5, "-0.05%");
	check(UNIT_percent_hundredths, 1000000, "10000.00%");
	check_delta(UNIT_percent_hundredths, quantity_integer(0), false, "+0.00%");
	check_delta(UNIT_percent_hundredths, quantity_integer(150), false, "+1.50%");
	check_delta(UNIT_percent_hundredths, quantity_integer(-150), false, "-1.50%");
	check_delta(UNIT_percent_hundredths, (struct quantity){0}, false, "-");
	check(UNIT_us, 999, "999µs");
	check(UNIT_us, 1500, "1.500ms");
	check(UNIT_us, 60000000, "60.000s");
}

static void test_units_append(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	units_format(UNIT_ns, quantity_integer(5), false, &text);
	units_format_delta(UNIT_ns, quantity_integer(5), false, &text);
	units_format_integer(5, &text);
	assert_text(&text, "5ns+5ns5");
	strbuf_done(&text);
}

static void test_units_ticks_as_time(void **state)
{
	struct quantity value = quantity_integer(175), none = {0};

	(void)state;
	assert_int_equal(units_ticks_as_time(UNIT_ticks, 0, &value), UNIT_ticks);
	assert_int_equal(value.integer, 175);
	assert_int_equal(units_ticks_as_time(UNIT_count, 100, &value), UNIT_count);
	assert_int_equal(value.integer, 175);
	assert_int_equal(units_ticks_as_time(UNIT_ticks, 250, &value), UNIT_ns);
	assert_int_equal(value.kind, QUANTITY_REAL);
	assert_float_equal(value.real, 7e8, 0);
	assert_int_equal(units_ticks_as_time(UNIT_ticks, 250, &none), UNIT_ns);
	assert_int_equal(none.kind, QUANTITY_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_units_ns),
	        cmocka_unit_test(test_units_count),
	        cmocka_unit_test(test_units_ticks),
	        cmocka_unit_test(test_units_bytes),
	        cmocka_unit_test(test_units_without_ladder),
	        cmocka_unit_test(test_units_negative_values),
	        cmocka_unit_test(test_units_ratio),
	        cmocka_unit_test(test_units_averages),
	        cmocka_unit_test(test_units_deltas),
	        cmocka_unit_test(test_units_none),
	        cmocka_unit_test(test_units_any_integer),
	        cmocka_unit_test(test_units_percentages),
	        cmocka_unit_test(test_units_append),
	        cmocka_unit_test(test_units_ticks_as_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
