// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "machine/report-machine.h"

#include "report/report-text.h"
#include "reports.h"

static void set_text(struct report_fixture *fixture, unsigned side, enum host_field field,
                     const char *text)
{
	host_set_text(&fixture->infos[side].host, field, text, strlen(text));
}

static void set_entry(struct report_fixture *fixture, unsigned side, const char *name,
                      const char *text)
{
	host_map_set(&fixture->infos[side].host, HOST_sched_tunables, name, text, strlen(text));
}

static void expect(struct report_fixture *fixture, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct row_set rows = {.sides = SIDE_MAX};

	fixture->report.rows = &rows;
	report_add_settings(&fixture->report, &text);
	report_add_differs(&fixture->report, &text);
	assert_text(&text, expected);
	fixture->report.rows = NULL;
}

static void test_nothing(void **state)
{
	struct report_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		set_text(fixture, side, HOST_kernel_release, "6.1.0");
		set_text(fixture, side, HOST_hostname, side ? "a" : "b");
		host_set_number(&fixture->infos[side].host, HOST_uptime_ns, side);
		set_entry(fixture, side, "x", "1");
	}
	expect(fixture, "");
}

static void test_fields(void **state)
{
	struct report_fixture *fixture = *state;

	fixture->report.limit = 15;
	set_text(fixture, 0, HOST_kernel_release, "6.1.0");
	set_text(fixture, 1, HOST_kernel_release, "6.12\x1b");
	host_set_number(&fixture->infos[1].host, HOST_online_cpus, 8);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		set_entry(fixture, side, "sched_rt_runtime_us", side ? "-1" : "950000");
	set_entry(fixture, 0, "sched_old", "1");
	set_entry(fixture, 1, "sched_zzz", "2");
	fixture->infos[0].rules[SOURCE_taskstats] = OUTCOME_read;
	fixture->infos[1].rules[SOURCE_taskstats] = OUTCOME_denied;
	/* The version that made the first one did not know it. */
	fixture->infos[1].rules[SOURCE_smaps_rollup] = OUTCOME_read;
	expect(fixture, "set: kernel_release 6.1.0 → 6.12\\x1b\n"
	                "set: sched_tunables.sched_rt_runtime_us 950000 → -1\n"
	                "also differs: online_cpus - → 8\n"
	                "also differs: sched_tunables.sched_old 1 → -\n"
	                "also differs: sched_tunables.sched_zzz - → 2\n"
	                "also differs: sources.taskstats read → denied\n");
	set_text(fixture, 1, HOST_arch, "arm64");
	set_text(fixture, 0, HOST_arch, "x86_64");
	set_text(fixture, 1, HOST_cpu_model, "b");
	set_text(fixture, 0, HOST_cpu_model, "a");
	set_text(fixture, 1, HOST_cpu_vendor, "d");
	set_text(fixture, 0, HOST_cpu_vendor, "c");
	expect(fixture, "set: kernel_release 6.1.0 → 6.12\\x1b\n"
	                "set: sched_tunables.sched_rt_runtime_us 950000 → -1\n"
	                "also differs: arch x86_64 → arm64\n"
	                "also differs: online_cpus - → 8\n"
	                "also differs: cpu_model a → b\n"
	                "also differs: cpu_vendor c → d\n"
	                "also differs: sched_tunables.sched_old 1 → -\n"
	                "also differs: sched_tunables.sched_zzz - → 2\n"
	                "and 1 more (--limit 0 lists all)\n");
}

/* A map that one side does not have at all is one line. */
static void test_whole_map(void **state)
{
	struct report_fixture *fixture = *state;

	fixture->report.limit = 15;
	set_entry(fixture, 1, "a", "1");
	set_entry(fixture, 1, "b", "2");
	expect(fixture, "also differs: sched_tunables - → (2 entries)\n");
	fixture->report.limit = 0;
	expect(fixture, "also differs: sched_tunables.a - → 1\n"
	                "also differs: sched_tunables.b - → 2\n");
}

/* Long texts are cut to the words that differ. */
static void test_words(void **state)
{
	static const char long_text[] =
	        "BOOT_IMAGE=/boot/vmlinuz-6.1.0 root=/dev/vda1 ro quiet nosmt quiet";
	struct report_fixture *fixture = *state;

	fixture->report.limit = 15;
	set_text(fixture, 0, HOST_kernel_cmdline, long_text);
	set_text(fixture, 1, HOST_kernel_cmdline,
	         "BOOT_IMAGE=/boot/vmlinuz-6.1.0 root=/dev/vda1  ro quiet mitigations=off\x07 ");
	expect(fixture, "set: kernel_cmdline -quiet -nosmt +mitigations=off\\x07\n");
	set_text(fixture, 1, HOST_kernel_cmdline,
	         "BOOT_IMAGE=/boot/vmlinuz-6.1.0 root=/dev/vda1 quiet ro quiet nosmt");
	expect(fixture, "set: kernel_cmdline the same words in another order\n");
	set_text(fixture, 1, HOST_kernel_cmdline,
	         " BOOT_IMAGE=/boot/vmlinuz-6.1.0  root=/dev/vda1\tro quiet nosmt quiet ");
	expect(fixture, "set: kernel_cmdline the same words, but other white space\n");
}

static void test_long_values(void **state)
{
	struct report_fixture *fixture = *state;
	char text[400];

	fixture->report.limit = 15;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	set_text(fixture, 0, HOST_cpu_model, text);
	memset(text + 96, 0, 1);
	{
		cleanup_(strbuf_done) struct strbuf expected = STRBUF_INIT;

		strbuf_addf(&expected, "also differs: cpu_model %s… → -\n", text);
		expect(fixture, strbuf_str(&expected));
	}
}

/* 94 columns are taken, two are left, and the escape takes four. */
static void test_long_values_with_escapes(void **state)
{
	struct report_fixture *fixture = *state;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, expected = STRBUF_INIT;

	fixture->report.limit = 15;
	while (text.len < 94)
		strbuf_add_char(&text, 'x');
	strbuf_addf(&expected, "also differs: cpu_model %s… → -\n", strbuf_str(&text));
	strbuf_add_str(&text, "\x1b[31m");
	set_text(fixture, 0, HOST_cpu_model, strbuf_str(&text));
	expect(fixture, strbuf_str(&expected));
}

static void test_json(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	set_text(fixture, 0, HOST_kernel_release, "6.1\xff");
	set_entry(fixture, 1, "a\n", "1");
	text = report_print(fixture, 2, report_json);
	assert_contains(text, "\"also_differs\":[{\"field\":\"kernel_release\",\"baseline\":"
	                      "\"6.1\xef\xbf\xbd\",\"candidate\":null},{\"field\":"
	                      "\"sched_tunables.a\\n\",\"baseline\":null,\"candidate\":\"1\"}]");
	free(text);
	text = report_print(fixture, 1, report_json);
	assert_null(strstr(text, "also_differs"));
	free(text);
}

#define on_report(test_) \
	cmocka_unit_test_setup_teardown(test_, report_fixture_setup, report_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_report(test_nothing),     on_report(test_fields),
	        on_report(test_whole_map),   on_report(test_words),
	        on_report(test_long_values), on_report(test_long_values_with_escapes),
	        on_report(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
