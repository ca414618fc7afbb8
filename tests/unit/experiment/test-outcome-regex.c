// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "check.h"
#include "ctprof/base/strbuf.h"
#include "experiment/outcome-regex.h"

#define TEN(text_) text_ text_ text_ text_ text_ text_ text_ text_ text_ text_

static void assert_good(const char *regex)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_int_equal(outcome_regex_check(regex, &error), 0);
	assert_int_equal(error.len, 0);
}

static void assert_refused(const char *regex, const char *why)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT, expected = STRBUF_INIT;

	strbuf_addf(&expected, "'%s' is not a regular expression%s", regex, why);
	assert_int_equal(outcome_regex_check(regex, &error), -EINVAL);
	assert_string_equal(strbuf_str(&error), strbuf_str(&expected));
}

/* The C library needs memory or time without end for most of these. */
static void test_too_large(void **state)
{
	static const char *const regexes[] = {
	        "a" TEN("++++"), "(a?){2000}", "((a?){44}x[](+])*{44}",
	        TEN("(((((("),   "a{501}",     "(((a{9}){9}){9}){9}",
	        "a{500,}",       "[+{]{,501}", "(a|b|c){100}",
	        "[[.].]]{501}",  "\\({501}",   "a{99999999999999999999999}",
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(regexes); i++)
		assert_refused(regexes[i],
		               " of at most 500 parts, each as often as it is repeated");
}

static void test_good(void **state)
{
	(void)state;
	assert_good("^rate: ([0-9.]+)");
	assert_good("p99=([0-9]+)us");
	assert_good("(a+)+|(b{1,9}){9}?c*");
	assert_good("[]+{9}" TEN("++++") "]+");
	assert_good("[^]" TEN("++++") "]+" TEN("\\+*"));
	assert_good("[[:digit:]" TEN("++++") "[=]=]]+");
	assert_good("");
}

static void test_bad(void **state)
{
	(void)state;
	assert_refused("(", ": Unmatched ( or \\(");
	assert_refused("[", ": Invalid regular expression");
	assert_refused("[^", ": Invalid regular expression");
	assert_refused("[[:", ": Unmatched [, [^, [:, [., or [=");
	assert_refused("\\", ": Trailing backslash");
	assert_refused("\\\\(a*)\\1", ": it refers back to a group");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_too_large),
	        cmocka_unit_test(test_good),
	        cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
