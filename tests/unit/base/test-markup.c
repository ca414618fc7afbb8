// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/markup.h"
#include "check.h"

static void test_markup(void **state)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	markup_add_str(&out, "<script>a&b</script>\"'");
	assert_string_equal(strbuf_str(&out), "&lt;script&gt;a&amp;b&lt;/script&gt;&quot;&#39;");
	strbuf_clear(&out);
	markup_add_str(&out, "&lt;");
	assert_string_equal(strbuf_str(&out), "&amp;lt;");
}

/* Every other byte is as it was. */
static void test_bytes(void **state)
{
	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
		const char text[] = {(char)byte, '\0'};

		markup_add(&out, text, 1);
		if (strchr("<>&\"'", byte))
			assert_true(out.len > 1 && out.data[0] == '&');
		else
			assert_string_equal(strbuf_str(&out), text);
	}
}

/* Nothing in the JSON ends a script element or begins a comment, and a reader gets the same value. */
static void test_json(void **state)
{
	static const char json[] = "[\"</script><!--\",\"\\\"<\"]";
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	markup_add_json(&out, json, strlen(json));
	assert_string_equal(strbuf_str(&out), "[\"\\u003c/script>\\u003c!--\",\"\\\"\\u003c\"]");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_markup),
	        cmocka_unit_test(test_bytes),
	        cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
