// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits and errors of the reader, and the calls that move over whole values. */
#include "json-check.h"

static void test_limits(void **state)
{
	static const char *const too_long[] = {
	        "[\"abcde\"]",      "[12345]",       "[-1234]", "[\"abc\xc3\xa9\"]",
	        "[\"abc\\u00e9\"]", "[\"abcd\\n\"]", "[1.5e1]",
	};
	const struct json_limits flat = {.depth = 0, .string_bytes = 9, .total_bytes = 99};
	const struct json_limits tight = {.depth = 2, .string_bytes = 4, .total_bytes = 30};
	const struct json_limits none = {.depth = 2, .string_bytes = 0, .total_bytes = 10};

	(void)state;
	check_limits("[]", &flat, "!byte 0: containers are nested too deep (the limit is 0)");
	check_limits("[[],{}]", &tight, "[ [ ] { } ] $ ");
	check_limits("[{\"a\":[]}]", &tight,
	             "[ { k:a !byte 6: containers are nested too deep (the limit is 2)");
	check_limits("{\"abcd\":\"wxyz\"}", &tight, "{ k:abcd s:wxyz } $ ");
	check_limits("[1234, -123]", &tight, "[ n:1234 n:-123 ] $ ");
	check_limits("[\"\\u00e9\\u00E9\"]", &tight, "[ s:\xc3\xa9\xc3\xa9 ] $ ");
	check_limits("[\"\"]", &none, "[ s: ] $ ");
	for (size_t i = 0; i < ARRAY_SIZE(too_long); i++)
		check_limits(too_long[i], &tight,
		             "[ !byte 1: the string or number is too long (the limit is 4)");
	check_limits("[1,2,3,4,5,6,7,8,9,1,2,3,4,5 ]", &tight,
	             "[ n:1 n:2 n:3 n:4 n:5 n:6 n:7 n:8 n:9 n:1 n:2 n:3 n:4 n:5 ] $ ");
	check_limits("          []", &none, "!byte 10: the document is too long (the limit is 10)");
	check_limits("[1,2,3,4] ", &(struct json_limits){2, 4, 10}, "[ n:1 n:2 n:3 n:4 ] $ ");
	check_limits("[1,2,3,4]  ", &(struct json_limits){2, 4, 10},
	             "[ n:1 n:2 n:3 n:4 ] !byte 10: the document is too long (the limit is 10)");
	check_limits("", &(struct json_limits){2, 4, 0},
	             "!byte 0: an object or an array was expected");
}

/* A document that is too long is read to one byte more than the limit. */
static void test_limit_of_reading(void **state)
{
	const struct json_limits ten = {.depth = 2, .string_bytes = 4, .total_bytes = 10};
	struct test_source source = make_source("[1,2,3,4,5,6,7,8,9]", 19, SIZE_MAX);
	struct json_reader *reader = json_reader_new(&source.base, &ten);
	struct strbuf transcript = STRBUF_INIT;

	(void)state;
	add_transcript(&transcript, reader);
	assert_non_null(strstr(transcript.data, "!byte 10: the document is too long"));
	assert_int_equal(source.position, 11);
	json_reader_free(reader);
	strbuf_done(&transcript);
}

static void test_deep_nesting(void **state)
{
	const struct json_limits deep = {UINT32_MAX, 10, UINT64_MAX};
	enum { DEPTH = 200000 };
	struct strbuf json = STRBUF_INIT;
	struct test_source source;
	struct json_reader *reader;
	enum json_token token;

	(void)state;
	for (int i = 0; i < DEPTH; i++)
		strbuf_add_str(&json, i % 2 ? "[" : "{\"\":");
	strbuf_add_str(&json, "7");
	for (int i = DEPTH - 1; i >= 0; i--)
		strbuf_add_str(&json, i % 2 ? "]" : "}");
	source = make_source(json.data, json.len, SIZE_MAX);
	reader = json_reader_new(&source.base, &deep);
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(json_reader_skip(reader), 0);
	assert_int_equal(json_reader_offset(reader), json.len - 1);
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(token, JSON_TOKEN_END);
	json_reader_free(reader);
	strbuf_done(&json);
}

static void test_end_and_offsets(void **state)
{
	static const char json[] = " {\"a\" : [17 ,\n  \"e\" ]}\n";
	static const uint64_t offsets[] = {1, 2, 8, 9, 16, 20, 21};
	struct test_source source = make_source(json, strlen(json), 3);
	struct json_reader *reader = json_reader_new(&source.base, &roomy);
	enum json_token token;

	(void)state;
	assert_int_equal(json_reader_offset(reader), 0);
	assert_string_equal(json_reader_error(reader), "");
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		assert_int_equal(json_reader_next(reader, &token), 0);
		assert_int_equal(json_reader_offset(reader), offsets[i]);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(json_reader_next(reader, &token), 0);
		assert_int_equal(token, JSON_TOKEN_END);
		assert_int_equal(json_reader_offset(reader), strlen(json));
	}
	assert_int_equal(source.ends, 1);
	reader = json_reader_free(reader);
	assert_null(reader);
	assert_null(json_reader_free(NULL));
}

static void check_stuck(struct json_reader *reader, int expected, const char *error)
{
	struct strbuf out = STRBUF_INIT;
	enum json_token token = JSON_TOKEN_NULL;
	uint64_t u64;
	int64_t i64;
	size_t len;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(json_reader_next(reader, &token), expected);
		assert_int_equal(json_reader_skip(reader), expected);
		assert_int_equal(json_reader_capture(reader, &out, 100), expected);
		assert_int_equal(json_reader_u64(reader, &u64), -ERANGE);
		assert_int_equal(json_reader_i64(reader, &i64), -ERANGE);
		assert_string_equal(json_reader_text(reader, &len), "");
		assert_int_equal(len, 0);
		assert_string_equal(json_reader_error(reader), error);
	}
	assert_int_equal(token, JSON_TOKEN_NULL);
	assert_int_equal(out.len, 0);
	strbuf_done(&out);
}

static void test_sticky_errors(void **state)
{
	static const char json[] = "{\"a\":01}";
	struct test_source source = make_source(json, strlen(json), SIZE_MAX);
	struct json_reader *reader = json_reader_new(&source.base, &roomy);
	enum json_token token;

	(void)state;
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(json_reader_next(reader, &token), -EBADMSG);
	check_stuck(reader, -EBADMSG, "byte 6: not a number");
	assert_int_equal(json_reader_offset(reader), 6);
	json_reader_free(reader);
}

/* An error of the source at any byte comes out unchanged, once what is before it was delivered. */
static void test_source_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(chunk_sizes); i++) {
		for (size_t at = 0; at <= strlen(every_token); at++) {
			struct test_source source =
			        make_source(every_token, strlen(every_token), chunk_sizes[i]);
			struct json_reader *reader = json_reader_new(&source.base, &roomy);
			struct strbuf error = STRBUF_INIT, transcript = STRBUF_INIT;

			source.fail_at = at;
			add_transcript(&transcript, reader);
			strbuf_addf(&error, "!byte %zu: the data cannot be read", at);
			assert_string_equal(strstr(transcript.data, "!"), error.data);
			source.fail_at = SIZE_MAX;
			check_stuck(reader, -EIO, error.data + 1);
			json_reader_free(reader);
			strbuf_done(&transcript);
			strbuf_done(&error);
		}
	}
}

/* Moves over @tokens tokens, then skips; what is left is @expected. */
static void check_skip(const char *json, int tokens, const char *expected)
{
	for (size_t i = 0; i < ARRAY_SIZE(chunk_sizes); i++) {
		struct test_source source = make_source(json, strlen(json), chunk_sizes[i]);
		struct json_reader *reader = json_reader_new(&source.base, &roomy);
		struct strbuf left = STRBUF_INIT;
		enum json_token token;

		for (int k = 0; k < tokens; k++)
			assert_int_equal(json_reader_next(reader, &token), 0);
		if (json_reader_skip(reader) == 0)
			add_transcript(&left, reader);
		else
			strbuf_add_str(&left, json_reader_error(reader));
		assert_string_equal(left.data, expected);
		json_reader_free(reader);
		strbuf_done(&left);
	}
}

static void test_skip(void **state)
{
	static const char json[] = "{\"a\":[1,{\"b\":2}],\"c\":{\"d\":[]},\"e\":5}";

	(void)state;
	check_skip(json, 0, "{ k:a [ n:1 { k:b n:2 } ] k:c { k:d [ ] } k:e n:5 } $ ");
	check_skip(json, 1, "$ ");
	check_skip(json, 2, "k:c { k:d [ ] } k:e n:5 } $ ");
	check_skip(json, 3, "k:c { k:d [ ] } k:e n:5 } $ ");
	check_skip(json, 4, "{ k:b n:2 } ] k:c { k:d [ ] } k:e n:5 } $ ");
	check_skip(json, 5, "] k:c { k:d [ ] } k:e n:5 } $ ");
	check_skip(json, 6, "} ] k:c { k:d [ ] } k:e n:5 } $ ");
	check_skip(json, 9, "k:c { k:d [ ] } k:e n:5 } $ ");
	check_skip(json, 15, "k:e n:5 } $ ");
	check_skip(json, 16, "} $ ");
	check_skip(json, 17, "} $ ");
	check_skip(json, 18, "$ ");
	check_skip("{\"a\":[1,}", 1, "byte 8: a value was expected");
	check_skip("{\"a\":[1,}", 2, "byte 8: a value was expected");
}

/* Captures the value of the first key, with a limit. */
static int capture(const char *json, size_t chunk, size_t max_bytes, struct strbuf *out,
                   struct strbuf *left)
{
	struct test_source source = make_source(json, strlen(json), chunk);
	struct json_reader *reader = json_reader_new(&source.base, &roomy);
	enum json_token token;
	int result;

	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(json_reader_capture(reader, out, max_bytes), -EINVAL);
	assert_int_equal(json_reader_next(reader, &token), 0);
	strbuf_add_str(out, "kept");
	result = json_reader_capture(reader, out, max_bytes);
	add_transcript(left, reader);
	json_reader_free(reader);
	return result;
}

static void check_capture(const char *json, size_t max_bytes, const char *captured,
                          const char *left)
{
	for (size_t i = 0; i < ARRAY_SIZE(chunk_sizes); i++) {
		struct strbuf out = STRBUF_INIT, rest = STRBUF_INIT;
		int result = capture(json, chunk_sizes[i], max_bytes, &out, &rest);

		if (strstr(left, "of this key is too long")) /* the caller's cap */
			assert_int_equal(result, -EMSGSIZE);
		else
			assert_int_equal(result, *left == '!' ? -EBADMSG : 0);
		assert_memory_equal(out.data, "kept", 4);
		assert_string_equal(out.data + 4, captured);
		assert_int_equal(strlen(out.data), out.len);
		assert_string_equal(rest.data, left);
		strbuf_done(&out);
		strbuf_done(&rest);
	}
}

static void test_capture(void **state)
{
	(void)state;
	check_capture("{\"a\": 17 }", 2, "17", "} $ ");
	check_capture("{\"a\": -1.50E+3, \"b\":1}", 99, "-1.50E+3", "k:b n:1 } $ ");
	check_capture("{\"a\": [ true, false,null , { } ,[] ] }", 99, "[true,false,null,{},[]]",
	              "} $ ");
	check_capture("{\"a\": { \"b\" : [ 1, {\"c\":\"\"} ], \"d\":[ [ ] ] } , \"e\":0}", 99,
	              "{\"b\":[1,{\"c\":\"\"}],\"d\":[[]]}", "k:e n:0 } $ ");
	check_capture("{\"a\":{\"\\n\\u0001\":\"\\/\\\"\\\\\\u00e9\\u007f\"}}", 99,
	              "{\"\\n\\u0001\":\"/\\\"\\\\\xc3\xa9\\u007f\"}", "} $ ");
	check_capture("{\"a\":[1, 2]}", 5, "[1,2]", "} $ ");
	check_capture("{\"a\":[1, 2]}", 4, "",
	              "!byte 1: the value of this key is too long (the limit is 4)");
	check_capture("{\"a\":[1, 2}]}", 99, "", "!byte 10: ',' or ']' was expected");
	check_capture("{\"a\"}", 99, "", "!byte 4: ':' was expected");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_limits),        cmocka_unit_test(test_limit_of_reading),
	        cmocka_unit_test(test_deep_nesting),  cmocka_unit_test(test_end_and_offsets),
	        cmocka_unit_test(test_sticky_errors), cmocka_unit_test(test_source_errors),
	        cmocka_unit_test(test_skip),          cmocka_unit_test(test_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
