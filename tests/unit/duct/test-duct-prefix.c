// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-prefix.h"

#include "check.h"

static const time_t moment = 1795341039; /* 2026-11-22 09:50:39 UTC */

static void assert_prefix(const char *template, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, reason = STRBUF_INIT;

	assert_int_equal(duct_prefix_expand(template, "/home/x", moment, 77, &text, &reason), 0);
	assert_text(&text, expected);
}

static void test_fields(void **state)
{
	(void)state;
	assert_prefix("", "");
	assert_prefix("o/a.", "o/a.");
	assert_prefix(".duct/logs/{datetime}-{pid}_", ".duct/logs/2026.11.22T09.50.39-77_");
	assert_prefix("{datetime_filesafe}{{pid}}", "2026.11.22T09.50.39{pid}");
	assert_prefix("~/{pid}", "/home/x/77");
	assert_prefix("~x/", "~x/");
}

static void assert_refused(const char *template, const char *part)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, reason = STRBUF_INIT;

	assert_true(duct_prefix_expand(template, NULL, moment, 77, &text, &reason) < 0);
	assert_contains(strbuf_str(&reason), part);
}

static void test_refused(void **state)
{
	(void)state;
	assert_refused("{host}", "no field 'host'");
	assert_refused("{}", "no field ''");
	assert_refused("{pid", "'{' stands alone");
	assert_refused("a}b", "'}' stands alone");
	assert_refused("{\033[31m}", "\\x1b[31m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_fields),
	        cmocka_unit_test(test_refused),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
