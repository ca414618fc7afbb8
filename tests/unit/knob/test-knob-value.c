// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <string.h>

#include "knob/knob-value.h"

static bool holds(const char *text, const char *value)
{
	enum value_form form = value_form_of(text, strlen(text), value);

	return value_holds(form, text, strlen(text), value);
}

static void assert_old(const char *text, const char *value, enum value_form form, const char *old)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(value_form_of(text, strlen(text), value), form);
	value_add_old(form, text, strlen(text), value, &out);
	assert_string_equal(strbuf_str(&out), old);
	strbuf_done(&out);
}

static void test_plain(void **state)
{
	(void)state;
	assert_true(holds("1\n", "1"));
	assert_true(holds("1", "1"));
	assert_false(holds("10\n", "1"));
	assert_false(holds("1\n", "10"));
	assert_false(holds("\n", "1"));
	assert_true(holds("\n", ""));
	assert_true(holds("", ""));
	assert_false(holds("1\n", ""));
	assert_true(holds("core |x\n", "core |x"));
	assert_false(holds("performance\n", "powersave"));
	assert_old("60\n", "10", VALUE_PLAIN, "60\n");
}

static void test_numbers(void **state)
{
	(void)state;
	assert_true(holds("-1\n", "-1"));
	assert_true(holds("18446744073709551615\n", "-1"));
	assert_true(holds("16\n", "0x10"));
	assert_true(holds("0x10\n", "16"));
	assert_true(holds("+5\n", "5"));
	assert_true(holds("1073741824\n", "1G"));
	assert_true(holds("524288\n", "512k"));
	assert_false(holds("1073741824\n", "1M"));
	/* The kernel rounds; the value that it has is to be named. */
	assert_false(holds("999424\n", "1000000"));
	assert_false(holds("1\n", "1x"));
	assert_false(holds("10\n", "-"));
	assert_true(holds("Y\n", "1"));
	assert_true(holds("N\n", "0"));
	assert_false(holds("N\n", "1"));
	assert_false(holds("Y\n", "2"));
}

/* net.ipv4.tcp_rmem, and the files of cgroups. */
static void test_words(void **state)
{
	(void)state;
	assert_true(holds("4096\t131072\t6291456\n", "4096 131072 6291456"));
	assert_true(holds("4096\t131072\t6291456\n", "4096"));
	assert_false(holds("4096\t131072\t6291456\n", "131072"));
	assert_false(holds("4096\t131072\n", "4096 131072 6291456"));
	assert_true(holds("50000 100000\n", "50000"));
	assert_true(holds("max 100000\n", "max"));
	assert_true(holds("253:0 rbps=max\n8:0 rbps=1000 wbps=max\n", "8:0 rbps=1000"));
	assert_false(holds("8:16 rbps=1000 wbps=max\n", "8:0 rbps=1000"));
}

static void test_cpus(void **state)
{
	(void)state;
	assert_true(holds("0-1\n", "0,1"));
	assert_true(holds("0-1,3\n", "3,0,1"));
	assert_false(holds("0-2\n", "0,2"));
	assert_false(holds("0-2\n", "0,"));
	assert_true(holds("00000000,000000ff\n", "ff"));
	assert_true(holds("0f\n", "F"));
	assert_true(holds("003\n", "0x3"));
	assert_false(holds("00ff\n", "f"));
	assert_false(holds("00\n", "1"));
	/* Longer than any list. */
	assert_false(holds("0-1\n", "0-99999999999999999999"));
	assert_false(holds("0-8191\n", "0-8192"));
}

static void test_choices(void **state)
{
	(void)state;
	assert_true(holds("always [madvise] never\n", "madvise"));
	assert_false(holds("always [madvise] never\n", "always"));
	assert_false(holds("always [madvise] never\n", "[madvise]"));
	assert_true(holds("none (voluntary) full\n", "voluntary"));
	assert_true(holds("[none]\n", "none"));
	assert_old("always [madvise] never\n", "always", VALUE_CHOICE, "madvise");
	/* Two choices, or more than a line, are something else. */
	assert_old("[a] [b]\n", "a", VALUE_PLAIN, "[a] [b]\n");
	assert_old("[a] b\nc\n", "a", VALUE_PLAIN, "[a] b\nc\n");
	assert_old("[]\n", "a", VALUE_PLAIN, "[]\n");
}

static void test_flags(void **state)
{
	static const char features[] = "GENTLE_FAIR_SLEEPERS NO_HRTICK TTWU_QUEUE NO_TTWU\n";

	(void)state;
	assert_true(holds(features, "NO_HRTICK"));
	assert_false(holds(features, "HRTICK"));
	assert_true(holds(features, "TTWU_QUEUE"));
	assert_false(holds(features, "NO_TTWU_QUEUE"));
	assert_true(holds(features, "NO_TTWU"));
	assert_old(features, "HRTICK", VALUE_FLAG, "NO_HRTICK");
	assert_old(features, "NO_TTWU_QUEUE", VALUE_FLAG, "TTWU_QUEUE");
	assert_old(features, "NO_SUCH_THING", VALUE_PLAIN, features);
	/* Two words that are no flags. */
	assert_old("on off\n", "on", VALUE_PLAIN, "on off\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_plain),   cmocka_unit_test(test_numbers),
	        cmocka_unit_test(test_words),   cmocka_unit_test(test_cpus),
	        cmocka_unit_test(test_choices), cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
