// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "where-rows.h"
#include "where/where.h"

enum {
	SHOW = 1 << ROW_SHOW,
	GREW = 1 << ROW_GREW,
	FELL = 1 << ROW_FELL,
	LARGE = 1 << ROW_LARGE,
	RATIO = 1 << ROW_RATIO,
	PRESSURE = 1 << ROW_PRESSURE,
	TICKS = 1 << ROW_TICKS,
	EMPTY = 1 << ROW_EMPTY,
	ALL = (1 << ROW_COUNT) - 1,
};

struct holds_case {
	const char *text;
	unsigned rows; /* those that meet it */
};

static struct where *parse(const char *text, unsigned sides)
{
	struct where_error error = {0};
	struct where *where = where_parse(text, sides, &error);

	if (!where)
		fail_msg("%s: %s", text, strbuf_str(&error.sentence));
	return where;
}

static void check_cases(const struct holds_case *cases, size_t count, unsigned sides)
{
	struct where_row rows[ROW_COUNT];

	where_rows_init(rows);
	for (size_t i = 0; i < count; i++) {
		struct where *where = parse(cases[i].text, sides);

		for (unsigned row = 0; row < ROW_COUNT; row++)
			if (where_holds(where, &rows[row]) != (cases[i].rows >> row & 1))
				fail_msg("\"%s\", row %u", cases[i].text, row);
		where_free(where);
	}
}

static void test_text(void **state)
{
	static const struct holds_case cases[] = {
	        {"group = nginx", SHOW},
	        {"group == 'nginx'", SHOW},
	        {"GROUP=\"nginx\"", SHOW},
	        {"group = NGINX", 0},
	        {"group = ngin", 0},
	        {"group != nginx", ALL & ~(SHOW | EMPTY)},
	        {"not group = nginx", ALL & ~SHOW},
	        {"group ~ nginx*", SHOW | GREW},
	        {"group ~ 'nginx*'", SHOW | GREW},
	        {"group~nginx", SHOW},
	        {"group !~ nginx*", ALL & ~(SHOW | GREW | EMPTY)},
	        {"group !~nginx*", ALL & ~(SHOW | GREW | EMPTY)},
	        {"not group ~ nginx*", ALL & ~(SHOW | GREW)},
	        {"group ~ *", ALL & ~EMPTY},
	        {"group ~ ''", 0},
	        {"group = ''", 0},
	        {"group ~ /*.service", FELL},
	        {"group ~ ?system*", FELL},
	        {"group = kworker/{N}:{N}", LARGE},
	        {"group ~ [k-n]*", SHOW | GREW | LARGE},
	        {"group ~ '[!k-n]*'", ALL & ~(SHOW | GREW | LARGE | EMPTY)},
	        {"group ~ []k]*", LARGE},
	        {"group ~ [[:punct:]]*", FELL},
	        {"group ~ '[^[:punct:][:alpha:]]*'", 0},
	        {"group ~ [[:punct:]h]*", FELL | PRESSURE},
	        {"group = 'a b'", RATIO},
	        {"group ~ 'a*b'", RATIO},
	        {"group = 'it\\'s \\x1b[31m \\\\ \"q\"'", TICKS},
	        {"group = \"it's \\x1b[31m \\\\ \\\"q\\\"\"", TICKS},
	        {"group ~ '*\\x1b*'", TICKS},
	        {"group ~ '* \\\\ *'", TICKS},
	        {"group ~ '* \\ *'", 0},
	        {"metric = rchar", LARGE},
	        {"metric ~ *_ns", GREW},
	        {"section = primary", SHOW | GREW | LARGE | TICKS},
	        {"section ~ *pressure", FELL | PRESSURE},
	        {"unit = ns", GREW},
	        {"unit = percent_hundredths", PRESSURE},
	        {"unit = ''", EMPTY},
	        {"unit ~ 'u?'", FELL},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases), 1);
	check_cases(cases, ARRAY_SIZE(cases), 2);
}

/* Percentages of CPU time, beside those in hundredths. */
static void test_percentages(void **state)
{
	static const struct {
		const char *text;
		bool holds;
	} cases[] = {
	        {"value > 50%", true},     {"value >= 250.5%", true},  {"value = 250.5%", true},
	        {"value > 250.5%", false}, {"value < 1000%", true},    {"value > 200", true},
	        {"value > 300", false},    {"value > 50ticks", false}, {"unit = percent", true},
	};
	const struct where_row row = {.unit = UNIT_percent,
	                              .numbers = {[WHERE_VALUE] = quantity_real(250.5)}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct where_error error = {0};
		cleanup_(where_freep) struct where *where = where_parse(cases[i].text, 1, &error);

		assert_non_null(where);
		if (where_holds(where, &row) != cases[i].holds)
			fail_msg("%s", cases[i].text);
	}
}

static void test_numbers_of_show(void **state)
{
	static const struct holds_case cases[] = {
	        {"value > 0", SHOW | LARGE | PRESSURE | TICKS},
	        {"value >= 12000", SHOW | LARGE},
	        {"value >= 12K", SHOW | LARGE},
	        {"value > 12K", LARGE},
	        {"value < 12K", PRESSURE | TICKS},
	        {"value <= 12 K", SHOW | PRESSURE | TICKS},
	        {"value = 0.012M", SHOW},
	        {"value = 0.000012G", SHOW},
	        {"value = 1.2e4", SHOW},
	        {"value = 1200000E-2", SHOW},
	        {"value != 12e+3", LARGE | PRESSURE | TICKS},
	        {"not value = 12000", ALL & ~SHOW},
	        {"value >= 1GiB", LARGE},
	        {"value < 1 GiB", 0},
	        {"value = 18446744073709551615", LARGE},
	        {"value = 18446744073709551614", 0},
	        {"value > 18446744073709551614", LARGE},
	        {"value > 18446744073709551614.5", LARGE},
	        {"value < 18446744073709551615B", 0},
	        {"value = 18446744073709551615B", LARGE},
	        {"value > 16777215TiB", LARGE},
	        {"value = 2.5Kticks", TICKS},
	        {"value = 2500ticks", TICKS},
	        {"value = 0.0025 Mticks", TICKS},
	        {"value != 1ticks", TICKS},
	        {"value = 5%", PRESSURE},
	        {"value >= 5.00 %", PRESSURE},
	        {"value > 5%", 0},
	        {"value > 4.99%", PRESSURE},
	        {"value = 500", PRESSURE},
	        {"value > 0ns", 0},
	        {"value != 0ns", 0},
	        {"not value != 0ns", ALL},
	        {"threads > 3", SHOW | GREW},
	        {"threads = 0.01K", GREW},
	        {"threads < 8.5", SHOW},
	        {"threads < 0.5e1", 0},
	        {"seen < 8", SHOW | LARGE},
	        {"seen = 4", LARGE},
	        {"seen < 100%", SHOW | LARGE},
	        {"seen = 100%", GREW},
	        {"seen = 87.5%", SHOW},
	        {"seen = 25%", LARGE},
	        {"seen > -1", SHOW | GREW | LARGE},
	        {"impact > 5%", RATIO},
	        {"impact >= 5 %", GREW | RATIO},
	        {"impact = 0.05", GREW},
	        {"impact = 5e-2", GREW},
	        {"impact > 1", RATIO},
	        {"impact > 100%", RATIO},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases), 1);
}

static void test_numbers_of_compare(void **state)
{
	static const struct holds_case cases[] = {
	        {"delta > 10ms", GREW},
	        {"delta>10ms", GREW},
	        {"delta > 12ms", 0},
	        {"delta >= 12 ms", GREW},
	        {"delta = 12000us", GREW},
	        {"delta = 12000\xc2\xb5s", GREW},
	        {"delta = 12000 \xce\xbcs", GREW},
	        {"delta = 0.012s", GREW},
	        {"delta = 12e6ns", GREW},
	        {"delta < 0.0002min", FELL},
	        {"delta <= 0.0002min", GREW | FELL},
	        {"delta > 0.000001h", GREW},
	        {"delta < 0s", FELL},
	        {"delta = -500us", FELL},
	        {"delta = -0.5ms", FELL},
	        {"delta = -500000ns", FELL},
	        {"delta = -500001ns", 0},
	        {"delta > -500001ns", GREW | FELL},
	        {"delta < -499999ns", FELL},
	        {"delta <= -500001ns", 0},
	        {"delta != 12ms", FELL},
	        {"delta != 0B", LARGE},
	        {"delta = -500", FELL},
	        {"delta = 18446744073709551614", LARGE},
	        {"delta = 18446744073709551613", 0},
	        {"delta > 18446744073709551613.9", LARGE},
	        {"delta > +1", GREW | LARGE | PRESSURE | TICKS},
	        {"delta = -0.25", RATIO},
	        {"delta < 0", FELL | RATIO},
	        {"delta = 5%", PRESSURE},
	        {"abs(delta) = 500", FELL | PRESSURE},
	        {"ABS ( Delta ) >= 500us", GREW | FELL},
	        {"abs(delta) = 0.25", RATIO},
	        {"abs(delta) < 0", 0},
	        {"percent > 5", GREW},
	        {"percent > 5%", GREW},
	        {"% > 5", GREW},
	        {"%>5%", GREW},
	        {"percent = 150", GREW},
	        {"percent < -33", FELL},
	        {"abs(percent) > 33", GREW | FELL},
	        {"abs(%)>33.4%", GREW},
	        {"not percent > 5", ALL & ~GREW},
	        {"not % <= 5 and not % > 5", ALL & ~(GREW | FELL)},
	        {"baseline = 8ms", GREW},
	        {"candidate = 20ms", GREW},
	        {"baseline > 0.4 and candidate < 0.3", RATIO},
	        {"baseline = 1B", LARGE},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases), 2);
}

static void test_operators(void **state)
{
	static const struct holds_case cases[] = {
	        {"unit = ns or unit = us", GREW | FELL},
	        {"unit = ns || unit = us", GREW | FELL},
	        {"unit=ns||unit=us", GREW | FELL},
	        {"unit = ns OR unit = us Or unit = bytes", GREW | FELL | LARGE},
	        {"section = primary and unit = ns", GREW},
	        {"section = primary && unit = ns", GREW},
	        {"section=primary&&!unit=ns", SHOW | LARGE | TICKS},
	        {"section = primary AND NOT unit = ns", SHOW | LARGE | TICKS},
	        /* "and" before "or", "not" before both. */
	        {"unit = us or section = primary and unit = ns", FELL | GREW},
	        {"section = primary and unit = ns or unit = us", FELL | GREW},
	        {"(unit = us or section = primary) and unit = ns", GREW},
	        {"section = primary and (unit = ns or unit = us)", GREW},
	        {"not unit = ns and section = primary", SHOW | LARGE | TICKS},
	        {"not (unit = ns and section = primary)", ALL & ~GREW},
	        {"not unit = ns or section = primary", ALL},
	        {"! ! unit = ns", GREW},
	        {"!!!unit = ns", ALL & ~GREW},
	        {"not not(unit = ns)", GREW},
	        {"!(unit = ns or not (unit = us or unit = bytes))", FELL | LARGE},
	        {"((((unit = ns))))", GREW},
	        {" \t\r\n( unit\n=\tns ) ", GREW},
	        {"unit = ns and unit = us or unit = bytes and metric = rchar", LARGE},
	        {"(unit = ns or unit = us) and (section = pressure or section = derived)", FELL},
	        {"group = 'and' or unit = ns", GREW},
	        {"group = and-or or unit = ns", GREW},
	        {"threads > 8 and unit = ns", GREW},
	        {"threads > 8and unit = ns", GREW},
	        {"threads > 9 or threads > 7 and not metric ~ *_ns", SHOW | GREW},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases), 1);
	check_cases(cases, ARRAY_SIZE(cases), 2);
}

/* An unseen number, whatever is in the rest of the quantity. */
static void test_missing_numbers(void **state)
{
	static const char *const operators[] = {"=", "==", "!=", "<", "<=", ">", ">="};
	struct where_row row = {.unit = UNIT_ns};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct where *where;

		strbuf_addf(&text, "delta %s 0 or abs(delta) %s 0ns", operators[i], operators[i]);
		where = parse(strbuf_str(&text), 2);
		row.numbers[WHERE_DELTA] = (struct quantity){QUANTITY_NONE, 5, 5};
		assert_false(where_holds(where, &row));
		row.numbers[WHERE_DELTA] = (struct quantity){QUANTITY_REAL, 0, __builtin_nan("")};
		assert_false(where_holds(where, &row));
		where_free(where);
	}
}

static void test_add_seen_keeps_the_smaller(void **state)
{
	struct where_row row = {0};

	(void)state;
	where_row_add_seen(&row, 0, 0);
	assert_int_equal(row.numbers[WHERE_SEEN].kind, QUANTITY_INTEGER);
	assert_int_equal(row.numbers[WHERE_SEEN_SHARE].kind, QUANTITY_NONE);

	row = (struct where_row){0};
	where_row_add_seen(&row, 10, 20);
	where_row_add_seen(&row, 8, 8);
	assert_int_equal((int)row.numbers[WHERE_SEEN].integer, 8);
	assert_true(row.numbers[WHERE_SEEN_SHARE].real == 0.5);

	row = (struct where_row){0};
	where_row_add_seen(&row, 8, 8);
	where_row_add_seen(&row, 10, 20);
	assert_int_equal((int)row.numbers[WHERE_SEEN].integer, 8);
	assert_true(row.numbers[WHERE_SEEN_SHARE].real == 0.5);

	/* No threads have no share. */
	where_row_add_seen(&row, 0, 0);
	assert_int_equal((int)row.numbers[WHERE_SEEN].integer, 0);
	assert_true(row.numbers[WHERE_SEEN_SHARE].real == 0.5);
}

/* Nothing of the text is needed afterwards. */
static void test_text_is_copied(void **state)
{
	char text[] = "group = nginx or metric ~ 'run*'";
	struct where *where = parse(text, 2);
	struct where_row rows[ROW_COUNT];

	(void)state;
	memset(text, 'x', sizeof(text));
	where_rows_init(rows);
	assert_true(where_holds(where, &rows[ROW_SHOW]));
	assert_true(where_holds(where, &rows[ROW_GREW]));
	assert_false(where_holds(where, &rows[ROW_FELL]));
	where_freep(&where);
	where_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_text),
	        cmocka_unit_test(test_numbers_of_show),
	        cmocka_unit_test(test_percentages),
	        cmocka_unit_test(test_numbers_of_compare),
	        cmocka_unit_test(test_operators),
	        cmocka_unit_test(test_missing_numbers),
	        cmocka_unit_test(test_add_seen_keeps_the_smaller),
	        cmocka_unit_test(test_text_is_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
