// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <string.h>

#include "knob/knob.h"

static void assert_path(enum knob_kind kind, const char *name, const char *path)
{
	struct knob_list arm = {0};
	struct strbuf error = STRBUF_INIT;

	assert_int_equal(knob_add(&arm, kind, name, "1", NULL, &error), 0);
	assert_string_equal(arm.entries[0].path, path);
	assert_int_equal(error.len, 0);
	knob_list_done(&arm);
}

static void assert_refused(enum knob_kind kind, const char *name, const char *value,
                           const char *undo, const char *reason)
{
	struct knob_list arm = {0};
	struct strbuf error = STRBUF_INIT;

	assert_int_equal(knob_add(&arm, kind, name, value, undo, &error), -EINVAL);
	assert_non_null(strstr(strbuf_str(&error), reason));
	assert_int_equal(arm.count, 0);
	strbuf_done(&error);
	knob_list_done(&arm);
}

/* The names are those that sysctl(8) takes. */
static void test_sysctl_names(void **state)
{
	(void)state;
	assert_path(KNOB_SYSCTL, "kernel.sched_rt_runtime_us",
	            "/proc/sys/kernel/sched_rt_runtime_us");
	assert_path(KNOB_SYSCTL, "kernel/sched_rt_runtime_us",
	            "/proc/sys/kernel/sched_rt_runtime_us");
	assert_path(KNOB_SYSCTL, "net.ipv4.conf.eth0/100.rp_filter",
	            "/proc/sys/net/ipv4/conf/eth0.100/rp_filter");
	assert_path(KNOB_SYSCTL, "net/ipv4/conf/eth0.100/rp_filter",
	            "/proc/sys/net/ipv4/conf/eth0.100/rp_filter");
	assert_path(KNOB_WRITE, "/sys/kernel/mm/ksm/run", "/sys/kernel/mm/ksm/run");
	assert_refused(KNOB_SYSCTL, "", "1", NULL, "no name of a sysctl");
	assert_refused(KNOB_SYSCTL, "kernel..x", "1", NULL, "no name of a sysctl");
	assert_refused(KNOB_SYSCTL, "kernel/../../x", "1", NULL, "no name of a sysctl");
	assert_refused(KNOB_SYSCTL, "/proc/sys/vm/x", "1", NULL, "no name of a sysctl");
	assert_refused(KNOB_WRITE, "sys/x", "1", NULL, "no absolute path");
	assert_refused(KNOB_WRITE, "/sys/../x", "1", NULL, "'.' or '..'");
	assert_refused(KNOB_WRITE, "/sys/x/", "1", NULL, "no path");
}

static void test_values(void **state)
{
	(void)state;
	assert_refused(KNOB_SYSCTL, "vm.swappiness", "1\n2", NULL, "more than one line");
	assert_refused(KNOB_EXEC, NULL, "true", NULL, "undoes it is missing");
	assert_refused(KNOB_EXEC, NULL, "true", " ", "a command is missing");
	assert_refused(KNOB_DAEMON, NULL, "\t", NULL, "a command is missing");
	assert_refused(KNOB_ENV, "A=B", "1", NULL, "no name of a variable");
	assert_refused(KNOB_ENV, "", "1", NULL, "no name of a variable");
}

static void test_describe(void **state)
{
	struct knob_list arm = {0};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_int_equal(knob_add(&arm, KNOB_SYSCTL, "vm.swappiness", "10", NULL, &text), 0);
	assert_int_equal(knob_add(&arm, KNOB_WRITE, "/sys/a\033b", "x", NULL, &text), 0);
	assert_int_equal(knob_add(&arm, KNOB_EXEC, NULL, "a b", "c", &text), 0);
	assert_int_equal(knob_add(&arm, KNOB_ENV, "A", "", NULL, &text), 0);
	for (size_t i = 0; i < arm.count; i++) {
		knob_describe(&text, &arm.entries[i]);
		strbuf_add_char(&text, '\n');
	}
	assert_string_equal(
	        strbuf_str(&text),
	        "sysctl vm.swappiness = 10\nwrite /sys/a\\x1bb = x\nexec a b undo c\nenv A = \n");
	strbuf_done(&text);
	knob_list_done(&arm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sysctl_names),
	        cmocka_unit_test(test_values),
	        cmocka_unit_test(test_describe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
