// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>

#include "trigger/trigger.h"

static struct trigger trigger = {.fd = -1};

static int teardown(void **state)
{
	(void)state;
	trigger_done(&trigger);
	return 0;
}

static void parse(const char *text)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	trigger_done(&trigger);
	assert_int_equal(trigger_parse(text, &trigger, &error), 0);
	assert_text(&error, "");
	assert_string_equal(trigger.text, text);
	assert_int_equal(trigger.fd, -1);
}

static void refuse(const char *text, const char *part)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	struct trigger bad;

	assert_int_equal(trigger_parse(text, &bad, &error), -EINVAL);
	if (!strstr(strbuf_str(&error), part))
		fail_msg("%s: '%s' is not in '%s'", text, part, strbuf_str(&error));
	trigger_done(&bad);
}

static void test_pressure(void **state)
{
	(void)state;
	parse("psi cpu some 150ms/1s");
	assert_int_equal(trigger.kind, TRIGGER_PSI);
	assert_int_equal(trigger.resource, PSI_cpu);
	assert_int_equal(trigger.row, PSI_ROW_some);
	assert_int_equal(trigger.stall_usec, 150000);
	assert_int_equal(trigger.window_usec, 1000000);
	assert_null(trigger.cgroup);
	parse("psi  io\tfull 1ms/500ms ");
	assert_int_equal(trigger.resource, PSI_io);
	assert_int_equal(trigger.row, PSI_ROW_full);
	assert_int_equal(trigger.stall_usec, 1000);
	assert_int_equal(trigger.window_usec, 500000);
	parse("psi irq full 10s/10s");
	assert_int_equal(trigger.window_usec, 10000000);
}

static void test_cgroup(void **state)
{
	(void)state;
	parse("psi cgroup:/a.slice/b c.service memory full 100ms/2s");
	assert_string_equal(trigger.cgroup, "/a.slice/b c.service");
	assert_int_equal(trigger.resource, PSI_memory);
	parse("psi cgroup:/ cpu full 100ms/2s");
	assert_string_equal(trigger.cgroup, "/");
}

static void test_load(void **state)
{
	(void)state;
	parse("load > 4");
	assert_int_equal(trigger.kind, TRIGGER_LOAD);
	assert_true(trigger.load == 4);
	parse("load>0.5");
	assert_true(trigger.load == 0.5);
}

static void test_refused(void **state)
{
	(void)state;
	refuse("", "is neither");
	refuse("psi", "is neither");
	refuse("psi cpu", "is no pressure");
	refuse("psi cpu most 150ms/1s", "is no pressure");
	refuse("psi net some 150ms/1s", "is no pressure");
	refuse("psi cpu some 150ms", "ends with no time");
	refuse("psi cpu some 150ms/", "ends with no time");
	refuse("psi cpu some -1ms/1s", "ends with no time");
	refuse("psi cpu some 1ms/499ms", "from 500ms to 10s");
	refuse("psi cpu some 1ms/11s", "from 500ms to 10s");
	refuse("psi cpu some 0s/1s", "can never be");
	refuse("psi cpu some 1001ms/1s", "can never be");
	refuse("psi cpu full 150ms/1s", "can never be");
	refuse("psi irq some 150ms/1s", "can never be");
	refuse("psi a.slice cpu some 150ms/1s", "cgroup:/PATH");
	refuse("psi cgroup:a.slice cpu some 150ms/1s", "cgroup:/PATH");
	refuse("psi cgroup: cpu some 150ms/1s", "cgroup:/PATH");
	refuse("load 4", "is no load");
	refuse("load >", "has no number");
	refuse("load > x", "has no number");
	refuse("load > -1", "has no number");
	refuse("load > nan", "has no number");
	refuse("load > 4x", "has no number");
}

static void reason_of(const char *text, struct trigger_refusal refusal, const char *part)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	parse(text);
	trigger_add_reason(&trigger, &refusal, &out);
	if (!strstr(strbuf_str(&out), part))
		fail_msg("%s, %d: '%s' is not in '%s'", text, refusal.error, part,
		         strbuf_str(&out));
}

static void reason(const char *text, int error, bool written, const char *part)
{
	reason_of(text, (struct trigger_refusal){.error = error, .written = written}, part);
}

/* A file of a cgroup is of whoever has the cgroup. */
static void test_file_of_others(void **state)
{
	static const char even[] = "psi cgroup:/ cpu some 1ms/2s", host[] = "psi cpu some 1ms/2s";
	const struct trigger_refusal denied = {.error = -EACCES,
	                                       .has_pressure = true,
	                                       .has_file = true,
	                                       .owner = 33,
	                                       .mode = 0100644};

	(void)state;
	reason_of(even, denied, "cpu.pressure of the cgroup cannot be opened for writing");
	reason_of(even, denied, "belongs to user 33, with mode 0644");
	reason_of(host, denied, "CAP_SYS_RESOURCE");
	reason(even, -EPERM, false, "CAP_SYS_RESOURCE");
}

static void test_no_interrupts(void **state)
{
	static const char host[] = "psi irq full 150ms/2s",
	                  group[] = "psi cgroup:/a irq full 1ms/2s";
	const struct trigger_refusal none = {.error = -ENOENT, .has_pressure = true};

	(void)state;
	reason_of(host, none, "CONFIG_IRQ_TIME_ACCOUNTING");
	reason_of(group, none, "CONFIG_IRQ_TIME_ACCOUNTING");
	reason(host, -ENOENT, false, "psi=1");
	reason(group, -ENOENT, false, "no such cgroup");
}

static void test_reasons(void **state)
{
	static const char host[] = "psi cpu some 150ms/1s", even[] = "psi cpu some 150ms/2s",
	                  group[] = "psi cgroup:/a cpu some 150ms/2s";

	(void)state;
	reason(host, -EBUSY, true, "EBUSY");
	reason(host, -EPERM, false, "CAP_SYS_RESOURCE");
	reason(host, -EACCES, false, "2s, 4s");
	reason(host, -EINVAL, true, "CAP_SYS_RESOURCE");
	reason(even, -EINVAL, true, "Invalid argument");
	reason(host, -ENOENT, false, "psi=1");
	reason(host, -EOPNOTSUPP, true, "psi=1");
	reason(group, -EOPNOTSUPP, true, "cgroup.pressure");
	reason(group, -ENOENT, false, "no such cgroup");
	reason(group, -ENODEV, true, "removal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(test_pressure, teardown),
	        cmocka_unit_test_teardown(test_cgroup, teardown),
	        cmocka_unit_test_teardown(test_load, teardown),
	        cmocka_unit_test(test_refused),
	        cmocka_unit_test_teardown(test_file_of_others, teardown),
	        cmocka_unit_test_teardown(test_no_interrupts, teardown),
	        cmocka_unit_test_teardown(test_reasons, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
