// SPDX-License-Identifier: GPL-2.0-or-later
/* The documents that the reader accepts, and the values that it reads. */
#include "json-check.h"

enum { BUFFER_BYTES = 64 * 1024 };

/* @result of reading all of @json, in whichever pieces it comes. */
static int read_all(const char *json, size_t len)
{
	int results[ARRAY_SIZE(chunk_sizes)];

	for (size_t i = 0; i < ARRAY_SIZE(chunk_sizes); i++) {
		struct test_source source = make_source(json, len, chunk_sizes[i]);
		struct json_reader *reader = json_reader_new(&source.base, &roomy);
		enum json_token token = JSON_TOKEN_NULL;

		do
			results[i] = json_reader_next(reader, &token);
		while (results[i] == 0 && token != JSON_TOKEN_END);
		json_reader_free(reader);
		assert_int_equal(results[i], results[0]);
	}
	return results[0];
}

/* Wraps @value into an array; @len bytes of it, which may hold NUL. */
static int read_in_array(const char *value, size_t len)
{
	struct strbuf json = STRBUF_INIT;
	int result;

	strbuf_add_char(&json, '[');
	strbuf_add(&json, value, len);
	strbuf_add_char(&json, ']');
	result = read_all(json.data, json.len);
	strbuf_done(&json);
	return result;
}

static int read_in_string(const char *bytes, size_t len)
{
	struct strbuf value = STRBUF_INIT;
	int result;

	strbuf_add_char(&value, '"');
	strbuf_add(&value, bytes, len);
	strbuf_add_char(&value, '"');
	result = read_in_array(value.data, value.len);
	strbuf_done(&value);
	return result;
}

static void test_structure(void **state)
{
	(void)state;
	check("{}", "{ } $ ");
	check("[]", "[ ] $ ");
	check(" \t\r\n[ \t\r\n] \t\r\n", "[ ] $ ");
	check("[1,[2,{\"a\":{}}],3]", "[ n:1 [ n:2 { k:a { } } ] n:3 ] $ ");
	check("{\"a\":1,\"a\":\"b\",\"\":null}", "{ k:a n:1 k:a s:b k: z } $ ");
	check("[true,false,null,\"\"]", "[ t f z s: ] $ ");
	check(every_token,
	      "{ k:key [ n:12 n:-3.5e+7 s:s\n\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac t f z { } "
	      "[ ] ] k:b n:0 } $ ");
}

static void test_structural_errors(void **state)
{
	static const struct {
		const char *json, *expected;
	} cases[] = {
	        {"", "!byte 0: an object or an array was expected"},
	        {"  ", "!byte 2: an object or an array was expected"},
	        {"1", "!byte 0: an object or an array was expected"},
	        {"\"a\"", "!byte 0: an object or an array was expected"},
	        {"null", "!byte 0: an object or an array was expected"},
	        {"]", "!byte 0: an object or an array was expected"},
	        {"\xef\xbb\xbf{}", "!byte 0: an object or an array was expected"},
	        {"[}", "[ !byte 1: a value was expected"},
	        {"{]", "{ !byte 1: a key was expected"},
	        {"[1}", "[ n:1 !byte 2: ',' or ']' was expected"},
	        {"{\"a\":1]", "{ k:a n:1 !byte 6: ',' or '}' was expected"},
	        {"[1,]", "[ n:1 !byte 3: a value was expected"},
	        {"[,1]", "[ !byte 1: a value was expected"},
	        {"[1 2]", "[ n:1 !byte 3: ',' or ']' was expected"},
	        {"[1,,2]", "[ n:1 !byte 3: a value was expected"},
	        {"{,}", "{ !byte 1: a key was expected"},
	        {"{\"a\":1,}", "{ k:a n:1 !byte 7: a key was expected"},
	        {"{\"a\"}", "{ k:a !byte 4: ':' was expected"},
	        {"{\"a\" 1}", "{ k:a !byte 5: ':' was expected"},
	        {"{\"a\"::1}", "{ k:a !byte 5: a value was expected"},
	        {"{\"a\":}", "{ k:a !byte 5: a value was expected"},
	        {"{1:2}", "{ !byte 1: a key was expected"},
	        {"{a:2}", "{ !byte 1: a key was expected"},
	        {"{'a':2}", "{ !byte 1: a key was expected"},
	        {"{}{}", "{ } !byte 2: nothing may follow the document"},
	        {"[] ]", "[ ] !byte 3: nothing may follow the document"},
	        {"[],", "[ ] !byte 2: nothing may follow the document"},
	        {"[tru]", "[ !byte 4: a value was expected"},
	        {"[truee]", "[ t !byte 5: ',' or ']' was expected"},
	        {"[True]", "[ !byte 1: a value was expected"},
	        {"[nan]", "[ !byte 2: a value was expected"},
	        {"[\xc2\xa0]", "[ !byte 1: a value was expected"},
	        {"[/**/]", "[ !byte 1: a value was expected"},
	        {"[\"a", "[ !byte 3: the data ends inside a string"},
	        {"[", "[ !byte 1: a value was expected"},
	        {"[1", "[ n:1 !byte 2: ',' or ']' was expected"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(cases[i].json, cases[i].expected);
}

static void test_every_truncation(void **state)
{
	/* The white space at the end is no loss. */
	size_t len = strlen(every_token);

	(void)state;
	while (every_token[len - 1] != '}')
		assert_int_equal(read_all(every_token, len--), 0);
	assert_int_equal(read_all(every_token, len), 0);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(read_all(every_token, i), -EBADMSG);
}

/* The tokens must be the same wherever the end of the buffer falls. */
static void test_every_refill(void **state)
{
	struct strbuf json = STRBUF_INIT;
	struct strbuf expected = STRBUF_INIT;
	struct test_source source = make_source(every_token, strlen(every_token), SIZE_MAX);
	struct json_reader *reader = json_reader_new(&source.base, &roomy);

	(void)state;
	add_transcript(&expected, reader);
	for (size_t before = 0; before <= strlen(every_token); before++) {
		strbuf_clear(&json);
		for (size_t i = 0; i < BUFFER_BYTES - before; i++)
			strbuf_add_char(&json, ' ');
		strbuf_add_str(&json, every_token);
		check_chunk(json.data, json.len, SIZE_MAX, &roomy, expected.data);
	}
	json_reader_free(reader);
	strbuf_done(&json);
	strbuf_done(&expected);
}

/* Strings and numbers of every length up to some hundred, after the one before them. */
static void test_every_length(void **state)
{
	struct strbuf json = STRBUF_INIT, expected = STRBUF_INIT;

	(void)state;
	strbuf_add_str(&json, "[\"\"");
	strbuf_add_str(&expected, "[ s: ");
	for (int len = 1; len < 150; len++) {
		strbuf_addf(&json, ",\"%0*d\",1%0*d", len, len, len, len);
		strbuf_addf(&expected, "s:%0*d n:1%0*d ", len, len, len, len);
	}
	strbuf_add_str(&json, "]");
	strbuf_add_str(&expected, "] $ ");
	check(json.data, expected.data);
	strbuf_done(&json);
	strbuf_done(&expected);
}

static void test_escapes(void **state)
{
	(void)state;
	check("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[ s:\"\\/\b\f\n\r\t ] $ ");
	check("[\"a\\u0041\\u00e9\\u20AC\\uFFff\"]", "[ s:aA\xc3\xa9\xe2\x82\xac\xef\xbf\xbf ] $ ");
	check("[\"\\u0001\\u007f\\u0080\\u07ff\\u0800\"]",
	      "[ s:\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80 ] $ ");
	check("[\"\\ud800\\udc00\\uDBFF\\uDFFF\"]", "[ s:\xf0\x90\x80\x80\xf4\x8f\xbf\xbf ] $ ");
	check("[\"\\ud7ff\\ue000\"]", "[ s:\xed\x9f\xbf\xee\x80\x80 ] $ ");
	for (int c = 0; c < 256; c++) {
		bool valid = c != 0 && strchr("\"\\/bfnrt", c);

		assert_int_equal(read_in_string((const char[]){'\\', (char)c, 'x'}, 3),
		                 valid ? 0 : -EBADMSG);
	}
}

static void test_bad_escapes(void **state)
{
	static const char *const lone[] = {
	        "\\ud800",        "\\udbffx",        "\\udc00",        "\\udfff",
	        "\\udc00\\ud800", "\\ud800\\ud800",  "\\ud800\\u0041", "\\ud800\\n",
	        "\\ud800u1234",   "\\ud800\\\\dc00", "\\ud800\\ue000",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lone); i++)
		assert_int_equal(read_in_string(lone[i], strlen(lone[i])), -EBADMSG);
	check("[\"ab\\udc00\"]", "[ !byte 4: a lone surrogate");
	check("[\"ab\\ud800 \"]", "[ !byte 4: a lone surrogate");
	check("[\"\\u0000\"]", "[ !byte 2: \\u0000 is not supported");
	check("{\"\\u0000\":1}", "{ !byte 2: \\u0000 is not supported");
	check("[\"\\u12g4\"]", "[ !byte 2: \\u needs four hexadecimal digits");
	check("[\"\\u123\"]", "[ !byte 2: \\u needs four hexadecimal digits");
	check("[\"\\u 123\"]", "[ !byte 2: \\u needs four hexadecimal digits");
	check("[\"\\x41\"]", "[ !byte 2: no such escape");
}

static void test_utf8(void **state)
{
	static const char *const good[] = {
	        "\x7f",
	        "\xc2\x80",
	        "\xdf\xbf",
	        "\xe0\xa0\x80",
	        "\xed\x9f\xbf",
	        "\xee\x80\x80",
	        "\xef\xbf\xbf",
	        "\xef\xbb\xbf",
	        "\xef\xbf\xbe",
	        "\xf0\x90\x80\x80",
	        "\xf4\x8f\xbf\xbf",
	        "a\xe2\x82\xac\xe2\x82\xac z",
	};
	static const char *const bad[] = {
	        "\x80",
	        "\xbf",
	        "\xc0\x80",
	        "\xc1\xbf",
	        "\xe0\x80\x80",
	        "\xe0\x9f\xbf",
	        "\xed\xa0\x80",
	        "\xed\xbf\xbf",
	        "\xf0\x80\x80\x80",
	        "\xf0\x8f\xbf\xbf",
	        "\xf4\x90\x80\x80",
	        "\xf5\x80\x80\x80",
	        "\xf8\x88\x80\x80",
	        "\xfe",
	        "\xff",
	        "\xc2",
	        "\xe2\x82",
	        "\xf0\x9f\x98",
	        "\xc2 ",
	        "\xe2 \x82",
	        "\xe2\x82\xe2\x82\xac",
	        "\xf0\x9f\x98 \x80",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(read_in_string(good[i], strlen(good[i])), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(read_in_string(bad[i], strlen(bad[i])), -EBADMSG);
	check("[\"abcdefgh\xe2\x82\"]", "[ !byte 10: ill-formed UTF-8");
}

static void test_every_byte(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		const char byte = (char)c;
		bool in_string = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
		bool alone =
		        c == ' ' || c == '\t' || c == '\r' || c == '\n' || (c >= '0' && c <= '9');

		assert_int_equal(read_in_string(&byte, 1), in_string ? 0 : -EBADMSG);
		assert_int_equal(read_in_array(&byte, 1), alone ? 0 : -EBADMSG);
	}
	check("[\"a\nb\"]", "[ !byte 3: a control character inside a string");
}

static void test_number_grammar(void **state)
{
	static const char *const good[] = {
	        "0",
	        "-0",
	        "7",
	        "10",
	        "-10",
	        "0.0",
	        "-0.5",
	        "1.25",
	        "0e0",
	        "0E-0",
	        "1e5",
	        "1E+05",
	        "1e-5",
	        "1.5e2",
	        "1e999",
	        "-1e-999",
	        "18446744073709551616",
	};
	static const char *const bad[] = {
	        "-",   "+1",   "01",  "00",   "-01",  "-a",   "1.",    ".5", "1.e5",
	        "-.5", "1e",   "1e+", "1e-",  "1e5.", "1.2.", "1e5e5", "1-", "1+2",
	        "--1", "0x10", "1_0", "1,,2", "1e 5", "1. 5", "- 1",   "0-", "1e+-5",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(read_in_array(good[i], strlen(good[i])), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(read_in_array(bad[i], strlen(bad[i])), -EBADMSG);
	check("[-1.5E+07,2]", "[ n:-1.5E+07 n:2 ] $ ");
	check("[12.x]", "[ !byte 4: not a number");
	check("[012]", "[ !byte 2: not a number");
}

static void check_integer(const char *number, int u64_result, uint64_t u64, int i64_result,
                          int64_t i64)
{
	struct strbuf json = STRBUF_INIT;
	struct test_source source;
	struct json_reader *reader;
	enum json_token token;
	uint64_t got_u64 = 4711;
	int64_t got_i64 = 4711;

	strbuf_addf(&json, "[%s]", number);
	source = make_source(json.data, json.len, SIZE_MAX);
	reader = json_reader_new(&source.base, &roomy);
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(json_reader_u64(reader, &got_u64), -ERANGE);
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(token, JSON_TOKEN_NUMBER);
	assert_int_equal(json_reader_u64(reader, &got_u64), u64_result);
	assert_int_equal(json_reader_i64(reader, &got_i64), i64_result);
	assert_true(got_u64 == (u64_result ? 4711 : u64));
	assert_true(got_i64 == (i64_result ? 4711 : i64));
	json_reader_free(reader);
	strbuf_done(&json);
}

static void test_integers(void **state)
{
	(void)state;
	check_integer("0", 0, 0, 0, 0);
	check_integer("-0", 0, 0, 0, 0);
	check_integer("42", 0, 42, 0, 42);
	check_integer("-1", -ERANGE, 0, 0, -1);
	check_integer("9223372036854775807", 0, INT64_MAX, 0, INT64_MAX);
	check_integer("9223372036854775808", 0, (uint64_t)INT64_MAX + 1, -ERANGE, 0);
	check_integer("-9223372036854775808", -ERANGE, 0, 0, INT64_MIN);
	check_integer("-9223372036854775809", -ERANGE, 0, -ERANGE, 0);
	check_integer("18446744073709551615", 0, UINT64_MAX, -ERANGE, 0);
	check_integer("18446744073709551616", -ERANGE, 0, -ERANGE, 0);
	check_integer("-18446744073709551616", -ERANGE, 0, -ERANGE, 0);
	check_integer("99999999999999999999999999", -ERANGE, 0, -ERANGE, 0);
	check_integer("1.0", -ERANGE, 0, -ERANGE, 0);
	check_integer("1e2", -ERANGE, 0, -ERANGE, 0);
	check_integer("-0.0", -ERANGE, 0, -ERANGE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_structure),        cmocka_unit_test(test_structural_errors),
	        cmocka_unit_test(test_every_truncation), cmocka_unit_test(test_every_refill),
	        cmocka_unit_test(test_every_length),     cmocka_unit_test(test_escapes),
	        cmocka_unit_test(test_bad_escapes),      cmocka_unit_test(test_utf8),
	        cmocka_unit_test(test_every_byte),       cmocka_unit_test(test_number_grammar),
	        cmocka_unit_test(test_integers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
