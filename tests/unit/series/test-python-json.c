// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/python-json.h"

#include <jansson.h>

#include "check.h"

static void assert_json(const char *text, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	cleanup_(python_json_freep) json_t *json = python_json_parse(text, strlen(text), &error);
	char *found;

	assert_non_null(json);
	found = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
	assert_string_equal(found, expected);
	free(found);
}

static void test_values(void **state)
{
	(void)state;
	assert_json("{\"a\": 1}", "{\"a\":1}");
	assert_json("[NaN, Infinity, -Infinity, 1]", "[null,null,null,1]");
	/* Words in strings stay. */
	assert_json("{\"NaN\": \"a\\\"NaN\", \"b\": NaN}", "{\"NaN\":\"a\\\"NaN\",\"b\":null}");
	assert_json("NaN", "null");
	assert_json("[18446744073709551616]", "[1.8446744073709552e19]");
}

static void assert_refused(const char *text, const char *reason)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_null(python_json_parse(text, strlen(text), &error));
	assert_text(&error, reason);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused("{\"a\": ", "the text ends too early");
	assert_refused("{\"a\": NaN,", "the text ends too early");
	assert_refused("\"NaN", "the text ends too early");
	assert_refused("hello", "this is no JSON");
	assert_refused("{} {}", "something follows the value");
	assert_refused("[1e999]", "a number is too large");
	assert_refused("\"\xff\"", "a string is no UTF-8");
	assert_refused("[NaNa]", "this is no JSON");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_values),
	        cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
