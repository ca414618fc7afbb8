// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "ctprof/metric/sample.h"
#include "procfs/wait.h"

static void check_wchan(const char *text, enum source_outcome outcome, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	assert_int_equal(wchan_parse(text, strlen(text), &out), outcome);
	assert_string_equal(strbuf_str(&out), expected);
}

/* These are texts of kernels, and some that no kernel writes. */
static void test_wchan(void **state)
{
	char text[SAMPLE_WAIT_BYTES + 2];

	(void)state;
	check_wchan("0", OUTCOME_read, "");
	check_wchan("do_sys_poll", OUTCOME_read, "do_sys_poll");
	check_wchan("__do_sys_pause\n", OUTCOME_read, "__do_sys_pause");
	check_wchan("io_schedule.isra.0", OUTCOME_read, "io_schedule.isra.0");
	check_wchan("", OUTCOME_malformed, "");
	check_wchan("\n", OUTCOME_malformed, "");
	check_wchan("two words", OUTCOME_malformed, "");
	check_wchan("tab\t", OUTCOME_malformed, "");
	check_wchan("\x1b[31m", OUTCOME_malformed, "");
	check_wchan("\xc3\xa4", OUTCOME_malformed, "");
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	check_wchan(text, OUTCOME_malformed, "");
	text[sizeof(text) - 2] = '\0';
	check_wchan(text, OUTCOME_read, text);
}

static enum source_outcome parse(const char *text, struct syscall_number *ret)
{
	return syscall_parse(text, strlen(text), ret);
}

static void test_syscall(void **state)
{
	struct syscall_number call;

	(void)state;
	assert_int_equal(
	        parse("230 0x0 0x0 0x7ffd5a0 0x7ffd5a0 0x0 0x0 0x7ffd598 0x7f1f6d4e8c63\n", &call),
	        OUTCOME_read);
	assert_true(call.has_number);
	assert_false(call.is_narrow);
	assert_int_equal(call.number, 230);
	/* A process of 32 bits. */
	assert_int_equal(parse("162 0xff 0x0 0x0 0x0 0x0 0x0 0xffd5a098 0xf7f1f559\n", &call),
	                 OUTCOME_read);
	assert_true(call.has_number);
	assert_true(call.is_narrow);
	/* A thread of the kernel has zeros. */
	assert_int_equal(parse("0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n", &call), OUTCOME_read);
	assert_false(call.has_number);
	assert_int_equal(parse("running\n", &call), OUTCOME_read);
	assert_false(call.has_number);
	/* It sleeps, in no call: by a fault or a signal. */
	assert_int_equal(parse("-1 0x7ffd598 0x7f1f6d4e8c63\n", &call), OUTCOME_read);
	assert_false(call.has_number);
}

static void test_broken_syscall(void **state)
{
	static const char *const texts[] = {
	        "",
	        "\n",
	        "-1",
	        "x",
	        "12",
	        "12 0x0",
	        "12 0x0 0x0 0x0 0x0 0x0 0x0 0x1\n",
	        "4294967296 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x1\n",
	        "12 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0xg\n",
	        "12 0x0 0x0 0x0 0x0 0x0 0x0 0x1 12\n",
	        "12 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x11111111111111111\n",
	};
	struct syscall_number call;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(texts[i], &call), OUTCOME_malformed);
		assert_false(call.has_number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_wchan),
	        cmocka_unit_test(test_syscall),
	        cmocka_unit_test(test_broken_syscall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
