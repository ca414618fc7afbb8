// SPDX-License-Identifier: GPL-2.0-or-later
#include "runs/run-yaml.h"

#include <string.h>

#include "check.h"

static void assert_yaml(const char *json, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	yaml_add_json(&out, json, strlen(json));
	assert_string_equal(strbuf_str(&out), expected);
}

static void keeps_what_is_alike(void **state)
{
	(void)state;
	assert_yaml("", "");
	assert_yaml("{\"a\": [1, -2.5, true, null], \"\": \"\"}",
	            "{\"a\": [1, -2.5, true, null], \"\": \"\"}");
	assert_yaml("\"\\\\ud83d \\\" \\n \\u0000 \\u00e4 \xc3\xa4\"",
	            "\"\\\\ud83d \\\" \\n \\u0000 \\u00e4 \xc3\xa4\"");
}

static void joins_surrogates(void **state)
{
	(void)state;
	assert_yaml("\"\\ud83d\\ude00 \\udb40\\udc67x\"", "\"\\U0001f600 \\U000e0067x\"");
	assert_yaml("\"\\ud83d\"", "\"\\ufffd\"");
	assert_yaml("\"\\ude00\\ud83d\\u0041\"", "\"\\ufffd\\ufffd\\u0041\"");
}

/* Those that YAML does not allow, and those that change what a terminal shows. */
static void escapes_characters(void **state)
{
	(void)state;
	assert_yaml("\"\x7f\xc2\x80\xe2\x80\xae\xf3\xa0\x80\x81\"",
	            "\"\\U0000007f\\U00000080\\U0000202e\\U000e0001\"");
	assert_yaml("\"\xff\"", "\"\\ufffd\"");
}

static void makes_numbers_of_exponents(void **state)
{
	(void)state;
	assert_yaml("[1e-07, 1E22, 2.5e9, -1e+3]", "[1.0e-07, 1.0e+22, 2.5e+9, -1.0e+3]");
	assert_yaml("\"1e-07\"", "\"1e-07\"");
}

/* Text that ends too early is not read behind its end. */
static void stops_at_the_end(void **state)
{
	static const char *const texts[] = {"\"",           "\"\\", "\"\\u", "\"\\ud83d",
	                                    "\"\\ud83d\\u", "1e",   "-"};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		yaml_add_json(&out, texts[i], strlen(texts[i]));
	assert_true(out.len > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keeps_what_is_alike), cmocka_unit_test(joins_surrogates),
	        cmocka_unit_test(escapes_characters),  cmocka_unit_test(makes_numbers_of_exponents),
	        cmocka_unit_test(stops_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
