// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "machine/report-machine.h"

#include "report/report-text.h"
#include "reports.h"
#include "snapshot/reference.h"

#define BIT(family_) (UINT32_C(1) << REFERENCE_FAMILY_##family_)

static void expect(struct report_fixture *fixture, uint32_t ambiguous, uint32_t forgotten,
                   const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	fixture->infos[0].origin = ORIGIN_ktstr;
	fixture->infos[0].ambiguous = ambiguous;
	fixture->infos[0].forgotten = forgotten;
	assert_true(report_add_origin(&fixture->report.sides[0], &text));
	assert_text(&text, expected);
}

static void test_own(void **state)
{
	struct report_fixture *fixture = *state;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char *printed;

	assert_false(report_add_origin(&fixture->report.sides[0], &text));
	assert_int_equal(text.len, 0);
	printed = report_print(fixture, 2, report_json);
	assert_null(strstr(printed, "origin"));
	free(printed);
}

static void test_sentence(void **state)
{
	const uint32_t taskstats = BIT(cpu_delay) | BIT(block_delay) | BIT(wpcopy_delay) |
	                           BIT(irq_delay) | BIT(delay_peaks) | BIT(hiwater);
	struct report_fixture *fixture = *state;

	fixture->report.sides[0].path = "a\x1b.zst";
	expect(fixture, 0, 0, "a\\x1b.zst is a ktstr ctprof snapshot");
	expect(fixture, BIT(io) | BIT(hiwater) | BIT(irq_delay), 0,
	       "a\\x1b.zst is a ktstr ctprof snapshot: zeros of io, taskstats may mean \"not "
	       "available\"");
	expect(fixture, 0, BIT(schedstats) | taskstats,
	       "a\\x1b.zst is a ktstr ctprof snapshot: shown as '-': schedstats, taskstats (zero "
	       "for every thread)");
	expect(fixture, BIT(io), BIT(irq_delay) | BIT(hiwater),
	       "a\\x1b.zst is a ktstr ctprof snapshot: zeros of io may mean \"not available\"; "
	       "shown as '-': irq delay, hiwater (zero for every thread)");
}

/* A line for each such side, and the metrics by name for programs. */
static void test_printed(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	fixture->infos[1].origin = ORIGIN_ktstr;
	fixture->infos[1].forgotten = BIT(schedstat);
	fixture->infos[1].ambiguous = BIT(hiwater);
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\nnote      ");
	assert_contains(text, "shown as '-': schedstat (zero for every thread)\n");
	free(text);
	text = report_print(fixture, 1, report_table);
	assert_null(strstr(text, "note "));
	free(text);
	text = report_print(fixture, 2, report_json);
	assert_contains(text, "\"origin\":\"ktstr\",\"ambiguous\":[\"hiwater_rss_bytes\","
	                      "\"hiwater_vm_bytes\"],\"forgotten\":[\"run_time_ns\","
	                      "\"wait_time_ns\",\"timeslices\"]");
	free(text);
	/* A value of both is missing. */
	fixture->infos[1].forgotten = BIT(delay_peaks);
	fixture->infos[1].ambiguous = BIT(irq_delay);
	text = report_print(fixture, 2, report_json);
	assert_contains(text, "\"ambiguous\":[\"irq_delay_count\",\"irq_delay_total_ns\"],"
	                      "\"forgotten\":[\"cpu_delay_max_ns\",\"cpu_delay_min_ns\",");
	free(text);
}

/* A side without a word on its sources is not one that has everything. */
static void test_missing(void **state)
{
	static const char *const first[] = {"missing   baseline: see the note\n",
	                                    "missing   baseline: denied: taskstats\n"};
	struct report_fixture *fixture = *state;

	fixture->infos[0].origin = ORIGIN_ktstr;
	fixture->infos[1].rules[SOURCE_io] = OUTCOME_off;
	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		cleanup_(strbuf_done) struct strbuf expected = STRBUF_INIT;

		if (i == 1)
			fixture->infos[0].rules[SOURCE_taskstats] = OUTCOME_denied;
		strbuf_addf(&expected, "%smissing   candidate: off: io\n", first[i]);
		report_add_missing(&fixture->report, &text);
		assert_text(&text, strbuf_str(&expected));
	}
	{
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		fixture->infos[0].origin = ORIGIN_ctprof;
		fixture->infos[0].rules[SOURCE_taskstats] = OUTCOME_read;
		report_add_missing(&fixture->report, &text);
		assert_text(&text, "missing   baseline: nothing\n"
		                   "missing   candidate: off: io\n");
	}
}

/* A source that one of two tools does not read is no difference; one that both read is. */
static void test_differences(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	host_set_text(&fixture->infos[0].host, HOST_kernel_version, "#1", 2);
	host_set_number(&fixture->infos[0].host, HOST_online_cpus, 2);
	host_set_number(&fixture->infos[1].host, HOST_online_cpus, 4);
	host_map_set(&fixture->infos[0].host, HOST_mitigations, "spectre", "none", 4);
	fixture->infos[1].origin = ORIGIN_ktstr;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "also differs: online_cpus 2 → 4\n");
	assert_null(strstr(text, "kernel_version"));
	assert_null(strstr(text, "mitigations"));
	free(text);
	fixture->infos[0].origin = ORIGIN_ktstr;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "also differs: kernel_version #1 → -\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_own, report_fixture_setup,
	                                        report_fixture_teardown),
	        cmocka_unit_test_setup_teardown(test_sentence, report_fixture_setup,
	                                        report_fixture_teardown),
	        cmocka_unit_test_setup_teardown(test_printed, report_fixture_setup,
	                                        report_fixture_teardown),
	        cmocka_unit_test_setup_teardown(test_missing, report_fixture_setup,
	                                        report_fixture_teardown),
	        cmocka_unit_test_setup_teardown(test_differences, report_fixture_setup,
	                                        report_fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
