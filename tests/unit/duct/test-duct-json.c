// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-json.h"

#include "check.h"

static void test_all(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct duct_json json = {.out = &text};

	(void)state;
	duct_json_open(&json, '{');
	duct_json_key(&json, "a");
	duct_json_open(&json, '[');
	duct_json_int(&json, -1);
	duct_json_real(&json, 100);
	duct_json_real(&json, 0.1);
	duct_json_real(&json, 1e300);
	duct_json_close(&json, ']');
	duct_json_key(&json, "b\"");
	duct_json_text(&json, "\"\\\n\t\033\177\303\244\360\237\230\200\377");
	duct_json_key(&json, "c");
	duct_json_null(&json);
	duct_json_key(&json, "d");
	duct_json_open(&json, '{');
	duct_json_close(&json, '}');
	duct_json_key(&json, "e");
	duct_json_raw(&json, "[]");
	duct_json_close(&json, '}');
	assert_text(&text,
	            "{\"a\": [-1, 100.0, 0.1, 1e+300], \"b\\\"\": "
	            "\"\\\"\\\\\\n\\t\\u001b\\u007f\\u00e4\\ud83d\\ude00\\ufffd\", \"c\": null, "
	            "\"d\": {}, \"e\": []}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
