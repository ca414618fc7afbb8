// SPDX-License-Identifier: GPL-2.0-or-later
/* The short way of the JSON reader sees the same as the long one, or nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "json-check.h"

/* A reader of @json behind its first bracket. */
static struct json_reader *opened(struct test_source *source, const char *json, size_t chunk,
                                  const struct json_limits *limits)
{
	struct json_reader *reader;
	enum json_token token;

	*source = make_source(json, strlen(json), chunk);
	reader = json_reader_new(&source->base, limits);
	assert_int_equal(json_reader_next(reader, &token), 0);
	/* The buffer is there, which it is behind any first member. */
	return reader;
}

static struct json_expected expected_key(const char *name)
{
	struct json_expected expected;

	json_expected_init(&expected, name);
	return expected;
}

/* Returns a member with the key "key" and this value, as a number. */
static bool expect_number(const char *value, uint64_t *ret)
{
	const struct json_expected key = expected_key("key");
	char json[128];
	struct test_source source;
	struct json_reader *reader;
	enum json_token token;
	bool expected;

	snprintf(json, sizeof(json), "{\"key\":%s}", value);
	reader = opened(&source, json, SIZE_MAX, &roomy);
	expected = json_reader_expect_u64(reader, &key, ret);
	if (expected) {
		assert_int_equal(json_reader_next(reader, &token), 0);
		assert_int_equal(token, JSON_TOKEN_OBJECT_CLOSE);
		assert_int_equal(json_reader_next(reader, &token), 0);
		assert_int_equal(token, JSON_TOKEN_END);
	} else {
		/* Nothing was lost. */
		assert_int_equal(json_reader_next(reader, &token), 0);
		assert_int_equal(token, JSON_TOKEN_KEY);
	}
	json_reader_free(reader);
	return expected;
}

static void test_number_every_length(void **state)
{
	uint64_t value, wanted = 0;
	char text[32];

	(void)state;
	for (unsigned digits = 1; digits <= 19; digits++) {
		wanted = wanted * 10 + digits % 10;
		snprintf(text, sizeof(text), "%" PRIu64, wanted);
		assert_int_equal(strlen(text), digits);
		assert_true(expect_number(text, &value));
		assert_true(value == wanted);
		memset(text, '9', digits);
		assert_true(expect_number(text, &value));
		assert_true(value == strtoull(text, NULL, 10));
	}
	assert_true(expect_number("0", &value));
	assert_true(value == 0);
	assert_false(expect_number("10000000000000000000", &value));
	assert_false(expect_number("123456789012345678901234567890", &value));
}

static void test_number_otherwise(void **state)
{
	static const char *const others[] = {"-1",   "01",    "00",  "1.0", "1e3", " 1",
	                                     "1 ",   "\"1\"", "",    "1]",  "1a",  "12345678x",
	                                     "true", "[1]",   "1\t", "0x1", "1:"};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(expect_number(others[i], &value));
}

static void test_other_keys(void **state)
{
	static const char *const others[] = {
	        "{\"kez\":1}",  "{\"ke\":1}",        "{\"keyy\":1}", "{ \"key\":1}",
	        "{\"key\" :1}", "{\"k\\u0065y\":1}", "{}",           "{",
	        "[\"key\",1]",  "[1,\"key\":1]"};
	const struct json_expected
	        key = expected_key("key"),
	        none = expected_key("a_name_that_is_longer_than_what_any_row_of_the_registry_has");
	struct test_source source;
	uint64_t value;

	(void)state;
	assert_int_equal(none.len, 0);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct json_reader *reader = opened(&source, others[i], SIZE_MAX, &roomy);

		assert_false(json_reader_expect_u64(reader, &key, &value));
		assert_false(json_reader_expect_u64(reader, &none, &value));
		json_reader_free(reader);
	}
}

/* An array has no members, whatever stands in it. */
static void test_not_in_array(void **state)
{
	const struct json_expected key = expected_key("key");
	struct test_source source;
	struct json_reader *reader = opened(&source, "[1,\"key\":2,3]", SIZE_MAX, &roomy);
	enum json_token token;
	uint64_t value;

	(void)state;
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_false(json_reader_expect_u64(reader, &key, &value));
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(token, JSON_TOKEN_STRING);
	assert_int_equal(json_reader_next(reader, &token), -EBADMSG);
	assert_false(json_reader_expect_u64(reader, &key, &value));
	json_reader_free(reader);
}

static bool expect_text(const char *value, struct strbuf *ret)
{
	const struct json_expected key = expected_key("key");
	struct strbuf json = STRBUF_INIT;
	struct test_source source;
	struct json_reader *reader;
	const char *text;
	bool expected;
	size_t len;

	strbuf_addf(&json, "{\"key\":%s,\"a\":1}", value);
	reader = opened(&source, json.data, SIZE_MAX, &roomy);
	expected = json_reader_expect_text(reader, &key, &text, &len);
	strbuf_clear(ret);
	if (expected)
		strbuf_add(ret, text, len);
	json_reader_free(reader);
	strbuf_done(&json);
	return expected;
}

static void test_text(void **state)
{
	static const char *const others[] = {"\"a\\n\"", "\"\xc3\xa4\"", "\"a\tb\"", "\"a",
	                                     "1",        "\"a\" ",       "\"\\\"\"", "\"a\"b"};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_true(expect_text("\"\"", &text));
	assert_string_equal(strbuf_str(&text), "");
	assert_true(expect_text("\"kworker/0:1 ~\x7f\"", &text));
	assert_string_equal(strbuf_str(&text), "kworker/0:1 ~\x7f");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(expect_text(others[i], &text));
	strbuf_done(&text);
}

static void test_bool(void **state)
{
	static const struct {
		const char *json;
		bool expected, value;
	} cases[] = {{"{\"key\":true}", true, true},   {"{\"key\":false}", true, false},
	             {"{\"key\":truE}", false, false}, {"{\"key\":fals", false, false},
	             {"{\"key\":null}", false, false}, {"{\"key\":truely}", false, false},
	             {"{\"key\":t", false, false},     {"{\"key\":", false, false}};
	const struct json_expected key = expected_key("key");
	struct test_source source;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_reader *reader = opened(&source, cases[i].json, SIZE_MAX, &roomy);
		bool value = !cases[i].value;

		assert_int_equal(json_reader_expect_bool(reader, &key, &value), cases[i].expected);
		if (cases[i].expected)
			assert_int_equal(value, cases[i].value);
		json_reader_free(reader);
	}
}

static void test_member(void **state)
{
	static const char member[] = "\"key\":[1,22]";
	static const struct json_limits flat = {1, 1000, UINT64_MAX};
	struct test_source source;
	enum json_token token;
	struct json_reader *reader =
	        opened(&source, "{\"a\":1,\"key\":[1,22],\"key\":[1,22,3]}", SIZE_MAX, &roomy);

	(void)state;
	assert_false(json_reader_expect_member(reader, member, strlen(member)));
	for (int i = 0; i < 2; i++)
		assert_int_equal(json_reader_next(reader, &token), 0);
	assert_true(json_reader_expect_member(reader, member, strlen(member)));
	assert_false(json_reader_expect_member(reader, member, strlen(member)));
	assert_false(json_reader_expect_member(reader, member, 0));
	json_reader_free(reader);

	/* The limit of the depth is for the long way. */
	reader = opened(&source, "{\"key\":[1,22]}", SIZE_MAX, &flat);
	assert_false(json_reader_expect_member(reader, member, strlen(member)));
	json_reader_free(reader);
}

/* Low limits must be looked at for each string. */
static void test_low_limits(void **state)
{
	static const struct json_limits low = {10, 3, UINT64_MAX};
	const struct json_expected key = expected_key("key");
	struct test_source source;
	struct json_reader *reader = opened(&source, "{\"key\":1234}", SIZE_MAX, &low);
	enum json_token token;
	uint64_t value;

	(void)state;
	assert_false(json_reader_expect_u64(reader, &key, &value));
	assert_int_equal(json_reader_next(reader, &token), 0);
	assert_int_equal(json_reader_next(reader, &token), -EBADMSG);
	assert_true(json_reader_over_limit(reader));
	json_reader_free(reader);
}

/* The sum of the members of an object that comes in pieces: the short way where it can be gone. */
static uint64_t sum_in_chunks(const char *json, size_t chunk, unsigned *ret_short)
{
	const struct json_expected key = expected_key("key");
	struct test_source source;
	struct json_reader *reader = opened(&source, json, chunk, &roomy);
	enum json_token token = JSON_TOKEN_OBJECT_OPEN;
	uint64_t sum = 0, value = 0;

	*ret_short = 0;
	for (;;) {
		while (json_reader_expect_u64(reader, &key, &value)) {
			sum += value;
			++*ret_short;
		}
		assert_int_equal(json_reader_next(reader, &token), 0);
		if (token == JSON_TOKEN_END)
			break;
		if (token != JSON_TOKEN_NUMBER)
			continue;
		assert_int_equal(json_reader_u64(reader, &value), 0);
		sum += value;
	}
	json_reader_free(reader);
	return sum;
}

static void test_every_refill(void **state)
{
	struct strbuf json = STRBUF_INIT;
	unsigned members = 200, found;
	uint64_t wanted = 0;

	(void)state;
	for (uint64_t i = 0; i < members; i++) {
		strbuf_addf(&json, "%s\"key\":%" PRIu64, i > 0 ? "," : "{", i * i * i * 977);
		wanted += i * i * i * 977;
	}
	strbuf_add_str(&json, "}");
	for (size_t chunk = 1; chunk < 100; chunk++)
		assert_true(sum_in_chunks(json.data, chunk, &found) == wanted);
	assert_true(sum_in_chunks(json.data, SIZE_MAX, &found) == wanted);
	assert_int_equal(found, members);
	strbuf_done(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_number_every_length),
	        cmocka_unit_test(test_number_otherwise),
	        cmocka_unit_test(test_other_keys),
	        cmocka_unit_test(test_not_in_array),
	        cmocka_unit_test(test_text),
	        cmocka_unit_test(test_bool),
	        cmocka_unit_test(test_member),
	        cmocka_unit_test(test_low_limits),
	        cmocka_unit_test(test_every_refill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
