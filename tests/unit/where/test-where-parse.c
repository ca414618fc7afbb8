// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "where/where.h"

struct error_case {
	const char *text;
	size_t offset, len;
	const char *sentence;
};

static void check_error(const char *text, unsigned sides, const struct error_case *expected)
{
	struct where_error error = {0};

	if (where_parse(text, sides, &error))
		fail_msg("\"%s\" is accepted", text);
	if (strcmp(strbuf_str(&error.sentence), expected->sentence) != 0)
		fail_msg("\"%s\": %s", text, strbuf_str(&error.sentence));
	if (error.offset != expected->offset || error.len != expected->len)
		fail_msg("\"%s\": %zu %zu", text, error.offset, error.len);
	where_error_done(&error);
	assert_null(error.sentence.data);
}

static void check_errors(const struct error_case *cases, size_t count, unsigned sides)
{
	for (size_t i = 0; i < count; i++)
		check_error(cases[i].text, sides, &cases[i]);
}

static void test_fields(void **state)
{
	static const struct error_case of_compare[] = {
	        {"foo = 1", 0, 3,
	         "unknown field 'foo'; there are group, metric, section, unit, baseline, "
	         "candidate, delta, percent, impact, threads and seen"},
	        {" detla > 1", 1, 5, "unknown field 'detla'; did you mean 'delta'?"},
	        {"Treads > 1", 0, 6, "unknown field 'Treads'; did you mean 'threads'?"},
	        {"thr > 1", 0, 3, "unknown field 'thr'; did you mean 'threads'?"},
	        {"abs(perc) > 1", 4, 4, "unknown field 'perc'; did you mean 'percent'?"},
	        {"values > 1", 0, 6,
	         "unknown field 'values'; there are group, metric, section, unit, baseline, "
	         "candidate, delta, percent, impact, threads and seen"},
	        {"canxxxxte > 1", 0, 9,
	         "unknown field 'canxxxxte'; there are group, metric, section, unit, baseline, "
	         "candidate, delta, percent, impact, threads and seen"},
	        {"value > 1", 0, 5,
	         "compare has no 'value'; it has baseline, candidate, delta, percent, impact, "
	         "threads and seen"},
	        {"delta-5 > 1", 0, 7, "unknown field 'delta-5'; did you mean 'delta'?"},
	        {"abs(seen) > 1", 4, 4, "abs() takes delta and percent, not 'seen'"},
	        {"abs(group) = x", 4, 5, "abs() takes delta and percent, not 'group'"},
	        {"abs delta > 1", 4, 5, "'(' is missing in front of 'delta'"},
	        {"abs(delta > 1", 10, 1, "')' is missing in front of '>'"},
	        {"abs(", 4, 0, "a test is missing at the end"},
	        {"abs", 3, 0, "'(' is missing at the end"},
	};
	static const struct error_case of_show[] = {
	        {"delta > 1", 0, 5, "show has no 'delta'; it has value, impact, threads and seen"},
	        {"abs(%) > 1", 4, 1, "show has no '%'; it has value, impact, threads and seen"},
	        {"deltas > 1", 0, 6,
	         "unknown field 'deltas'; there are group, metric, section, unit, value, impact, "
	         "threads and seen"},
	};

	(void)state;
	check_errors(of_compare, ARRAY_SIZE(of_compare), 2);
	check_errors(of_show, ARRAY_SIZE(of_show), 1);
}

static void test_values(void **state)
{
	static const struct error_case cases[] = {
	        {"delta > 1kib", 9, 3, "unknown unit 'kib'; did you mean 'KiB'?"},
	        {"delta > 1 \xce\xbcS", 10, 3,
	         "unknown unit '\xce\xbcS'; did you mean '\xce\xbcs'?"},
	        {"delta > 1m", 9, 1, "unknown unit 'm'; did you mean 'M'?"},
	        {"delta > 1 MB and", 10, 2,
	         "unknown unit 'MB'; there are ns us ms s min h, B KiB MiB GiB TiB, K M G, % and "
	         "ticks"},
	        {"delta > 0x10", 9, 3,
	         "unknown unit 'x10'; there are ns us ms s min h, B KiB MiB GiB TiB, K M G, % and "
	         "ticks"},
	        {"threads > 1ms", 11, 2, "'ms' is no unit of 'threads', which takes K, M, G"},
	        {"threads > 1 %", 12, 1, "'%' is no unit of 'threads', which takes K, M, G"},
	        {"seen > 1B", 8, 1, "'B' is no unit of 'seen', which takes K, M, G and %"},
	        {"% > 1ticks", 5, 5, "'ticks' is no unit of '%', which takes K, M, G and %"},
	        {"impact>1s", 8, 1, "'s' is no unit of 'impact', which takes K, M, G and %"},
	        {"delta > foo", 8, 3, "'foo' is no number, as 'delta' is"},
	        {"delta > .5", 8, 2, "'.5' is no number, as 'delta' is"},
	        {"delta > -", 8, 1, "'-' is no number, as 'delta' is"},
	        {"delta > '5'", 8, 1, "''' begins a text, and 'delta' is a number"},
	        {"delta > 5.5.5", 8, 5, "'5.5.5' is no number"},
	        {"delta > 1_000", 8, 5, "'1_000' is no number"},
	        {"delta > 1-5ms", 8, 5, "'1-5ms' is no number"},
	        {"delta > 99e18", 8, 5,
	         "'99e18' is out of range: more than 25 digits, or beyond 18446744073709551615 in "
	         "base units"},
	        {"delta < -1e9 h and", 8, 6,
	         "'-1e9 h' is out of range: more than 25 digits, or beyond 18446744073709551615 "
	         "in base units"},
	        {"delta > 0.00000000000000000000000001 ", 8, 28, NULL},
	        {"delta > 1000000000000000001e-1000000000000000001 ", 8, 40, NULL},
	        {"delta > 18446744073709551615 %", 8, 22,
	         "'18446744073709551615 %' is out of range: more than 25 digits, or beyond "
	         "18446744073709551615 in base units"},
	        {"group = ", 8, 0, "a value is missing at the end"},
	        {"group = and", 8, 3, "a value is missing in front of 'and'"},
	        {"group = )", 8, 1, "a value is missing in front of ')'"},
	        {"delta > or", 8, 2, "a value is missing in front of 'or'"},
	        {"delta > ", 8, 0, "a value is missing at the end"},
	        {"delta > %", 8, 1, "a value is missing in front of '%'"},
	        {"group = 'nginx", 8, 1, "the quote ''' is not closed"},
	        {"group = \"nginx' or", 8, 1, "the quote '\"' is not closed"},
	        {"group = 'nginx\\'", 8, 1, "the quote ''' is not closed"},
	        {"group = 'nginx\\", 8, 1, "the quote ''' is not closed"},
	        {"group ~ '[a'", 8, 4, "'[' without ']' in ''[a''"},
	        {"group ~ a[]*", 8, 4, "'[' without ']' in 'a[]*'; other signs need quotes"},
	        {"group ~ [!a]", 8, 1, "'[' without ']' in '['; other signs need quotes"},
	        {"group !~ \"[!]\" or", 9, 5, "'[' without ']' in '\"[!]\"'"},
	        {"group ~ '[[:alpha:]'", 8, 12, "'[' without ']' in ''[[:alpha:]''"},
	        {"group ~ '[a]b[c'", 8, 8, "'[' without ']' in ''[a]b[c''"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct where_error error = {0};

		if (cases[i].sentence) {
			check_error(cases[i].text, 2, &cases[i]);
		} else {
			struct where *where = where_parse(cases[i].text, 2, &error);

			assert_non_null(where);
			where_free(where);
		}
	}
}

static void test_operators(void **state)
{
	static const struct error_case cases[] = {
	        {"delta 10ms", 6, 4, "an operator is missing in front of '10ms'"},
	        {"delta", 5, 0, "an operator is missing at the end"},
	        {"(delta)", 6, 1, "an operator is missing in front of ')'"},
	        {"delta like 5", 6, 4, "an operator is missing in front of 'like'"},
	        {"delta => 5", 6, 2, "unknown operator '=>'; did you mean '>='?"},
	        {"delta <> 5", 6, 2, "unknown operator '<>'; did you mean '!='?"},
	        {"group =~ x", 6, 2, "unknown operator '=~'; did you mean '~'?"},
	        {"group === x", 6, 3, "unknown operator '==='; did you mean '='?"},
	        {"delta ! 5", 6, 1, "unknown operator '!'; there are = != < <= > >= ~ !~"},
	        {"group > x", 6, 1, "'>' compares numbers, and 'group' is text"},
	        {"unit <= x", 5, 2, "'<=' compares numbers, and 'unit' is text"},
	        {"delta ~ 5", 6, 1, "'~' compares text, and 'delta' is a number"},
	        {"abs(%) !~ 5", 7, 2, "'!~' compares text, and '%' is a number"},
	        {"group = a & unit = b", 10, 1, "unknown operator '&'; did you mean '&&'?"},
	        {"group = a | unit = b", 10, 1, "unknown operator '|'; did you mean '||'?"},
	        {"group = a &| unit = b", 10, 2,
	         "unknown operator '&|'; there are = != < <= > >= ~ !~"},
	        {"group = a &&& unit = b", 12, 1, "a test is missing in front of '&'"},
	};

	(void)state;
	check_errors(cases, ARRAY_SIZE(cases), 2);
}

static void test_structure(void **state)
{
	static const struct error_case cases[] = {
	        {"", 0, 0, "the expression is empty"},
	        {" \t\n\r ", 0, 0, "the expression is empty"},
	        {"and", 0, 3, "a test is missing in front of 'and'"},
	        {"group = a or", 12, 0, "a test is missing at the end"},
	        {"group = a and or group = b", 14, 2, "a test is missing in front of 'or'"},
	        {"not", 3, 0, "a test is missing at the end"},
	        {"!", 1, 0, "a test is missing at the end"},
	        {"!= 5", 0, 2, "a test is missing in front of '!='"},
	        {"= 5", 0, 1, "a test is missing in front of '='"},
	        {"()", 1, 1, "a test is missing in front of ')'"},
	        {"'a' = group", 0, 1, "a test is missing in front of '''"},
	        {"(group = a", 0, 1, "the parenthesis '(' is not closed"},
	        {"group = b or (group = a ", 13, 1, "the parenthesis '(' is not closed"},
	        {"(group = a unit = b)", 11, 4, "'and' or 'or' is missing in front of 'unit'"},
	        {"group = a)", 9, 1, "')' without '('"},
	        {"(group = a) )", 12, 1, "')' without '('"},
	        {"group = a unit = b", 10, 4, "'and' or 'or' is missing in front of 'unit'"},
	        {"seen > 3 threads > 2", 9, 7, "'and' or 'or' is missing in front of 'threads'"},
	        {"seen > 3 abs(delta) > 2", 9, 3, "'and' or 'or' is missing in front of 'abs'"},
	        {"seen > 3 5", 9, 1, "'and' or 'or' is missing in front of '5'"},
	        {"seen > 3 not unit = b", 9, 3, "'and' or 'or' is missing in front of 'not'"},
	        {"seen > 3 (unit = b)", 9, 1, "'and' or 'or' is missing in front of '('"},
	        {"group = 'a''b'", 11, 1, "'and' or 'or' is missing in front of '''"},
	        {"group = a = b", 10, 1, "'and' or 'or' is missing in front of '='"},
	        {"group = na\xc3\xafve", 10, 2,
	         "'\xc3\xaf' is unknown here; text with it needs quotes"},
	        {"group = a\x1b[0m", 9, 1, "'\\x1b' is unknown here; text with it needs quotes"},
	        {"group = a\xff", 9, 1, "'\\xff' is unknown here; text with it needs quotes"},
	        {"seen > 1,000", 8, 1, "',' is unknown here; text with it needs quotes"},
	        {"\xe2\x80\xae = 1", 0, 3, "a test is missing in front of '\\xe2\\x80\\xae'"},
	        {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeee = 1", 0, 44,
	         "unknown field 'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd...'; there are group, "
	         "metric, section, unit, baseline, candidate, delta, percent, impact, threads and "
	         "seen"},
	};

	(void)state;
	check_errors(cases, ARRAY_SIZE(cases), 2);
}

static void add_times(struct strbuf *text, const char *part, size_t times)
{
	while (times-- > 0)
		strbuf_add_str(text, part);
}

static void test_depth(void **state)
{
	for (size_t depth = WHERE_DEPTH_MAX - 1; depth <= WHERE_DEPTH_MAX + 1; depth++) {
		static const struct error_case expected = {
		        NULL, 9 * WHERE_DEPTH_MAX + 8, 1,
		        "the parenthesis '(' is inside of 64 others"};
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		cleanup_(strbuf_done) struct strbuf twice = STRBUF_INIT;
		struct where_error error = {0};
		struct where *where;

		(void)state;
		add_times(&text, "seen>1or(", depth);
		strbuf_add_str(&text, "seen>1");
		add_times(&text, ")", depth);
		if (depth > WHERE_DEPTH_MAX) {
			check_error(strbuf_str(&text), 2, &expected);
			continue;
		}
		/* Parentheses that were closed do not count. */
		strbuf_addf(&twice, "%s and %s", strbuf_str(&text), strbuf_str(&text));
		where = where_parse(strbuf_str(&twice), 2, &error);
		assert_non_null(where);
		where_free(where);
	}
}

/* Long chains and many negations nest nothing. */
static void test_length(void **state)
{
	static const struct error_case too_long = {NULL, WHERE_BYTES_MAX, 0,
	                                           "the expression is longer than 65536 bytes"};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct where_error error = {0};
	struct where_row row = {.numbers = {[WHERE_SEEN] = quantity_integer(2)}};
	struct where *where;

	(void)state;
	add_times(&text, "not ", 10000);
	strbuf_add_str(&text, "(");
	while (text.len < WHERE_BYTES_MAX - 30)
		strbuf_add_str(&text, "seen<1or ");
	strbuf_add_str(&text, "seen=2)");
	add_times(&text, " ", WHERE_BYTES_MAX - text.len);
	where = where_parse(strbuf_str(&text), 2, &error);
	if (!where)
		fail_msg("%s", strbuf_str(&error.sentence));
	assert_true(where_holds(where, &row));
	row.numbers[WHERE_SEEN] = quantity_integer(3);
	assert_false(where_holds(where, &row));
	where_free(where);

	strbuf_add_str(&text, " ");
	check_error(strbuf_str(&text), 2, &too_long);
}

/* An error takes the place of the one before. */
static void test_error_is_replaced(void **state)
{
	struct where_error error = {0};
	struct where *where;

	(void)state;
	assert_null(where_parse("group = a or delta > 1mS", 2, &error));
	assert_null(where_parse("foo(", 1, &error));
	assert_int_equal(error.offset, 0);
	assert_int_equal(error.len, 3);
	assert_null(where_parse(")", 1, &error));
	assert_text(&error.sentence, "a test is missing in front of ')'");
	where = where_parse("group = a", 1, &error);
	assert_non_null(where);
	where_free(where);
	assert_text(&error.sentence, "a test is missing in front of ')'");
	where_error_done(&error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_fields),
	        cmocka_unit_test(test_values),
	        cmocka_unit_test(test_operators),
	        cmocka_unit_test(test_structure),
	        cmocka_unit_test(test_depth),
	        cmocka_unit_test(test_length),
	        cmocka_unit_test(test_error_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
