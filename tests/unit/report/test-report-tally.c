// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "machine/report-machine.h"

#include "report/report-text.h"
#include "reports.h"

static void expect(struct report_fixture *fixture, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	report_add_tally(&fixture->report, SIDE_BASELINE, &text);
	assert_text(&text, expected);
}

/* A snapshot that says nothing has no lines. */
static void test_nothing(void **state)
{
	expect(*state, "");
}

static void test_sources(void **state)
{
	struct report_fixture *fixture = *state;
	struct snapshot_info *info = &fixture->infos[0];

	info->rules[SOURCE_stat] = info->rules[SOURCE_io] = OUTCOME_read;
	info->tally.sources[SOURCE_stat][OUTCOME_read] = 7;
	expect(fixture, "");
	info->tally.sources[SOURCE_io][OUTCOME_read] = 5;
	info->tally.sources[SOURCE_io][OUTCOME_denied] = 2;
	info->rules[SOURCE_sched] = OUTCOME_off;
	info->tally.sources[SOURCE_sched][OUTCOME_off] = 7;
	info->tally.sources[SOURCE_sched][OUTCOME_unneeded] = 1;
	info->rules[SOURCE_affinity] = OUTCOME_off;
	info->rules[SOURCE_jemalloc] = OUTCOME_skipped;
	expect(fixture, "sources   off: sched, affinity; denied: io (2 of 7); skipped: jemalloc\n");
}

static void test_taskstats(void **state)
{
	struct report_fixture *fixture = *state;
	struct snapshot_info *info = &fixture->infos[0];

	info->rules[SOURCE_taskstats] = OUTCOME_read;
	info->tally.sources[SOURCE_taskstats][OUTCOME_read] = 100;
	info->tally.sources[SOURCE_taskstats][OUTCOME_gone] = 3;
	info->tally.sources[SOURCE_taskstats][OUTCOME_malformed] = 1;
	expect(fixture, "sources   gone: taskstats (3 of 104); malformed: taskstats (1 of 104)\n"
	                "taskstats 100 ok, 0 EPERM, 3 ESRCH, 1 other\n");
}

static void test_parse(void **state)
{
	struct report_fixture *fixture = *state;
	struct snapshot_tally *tally = &fixture->infos[0].tally;

	tally->threads_gone = 1;
	tally->malformed_values = 2;
	tally->cgroups = 30;
	tally->cgroups_gone = 1;
	tally->cgroups_denied = 2;
	tally->cgroups_outside = 3;
	expect(fixture,
	       "parse     1 thread gone, 2 malformed values, 30 cgroups read, 1 cgroup gone, 2 "
	       "cgroups denied, 3 cgroups outside of what is mounted\n");
}

/* A cost of zero is a cost, one that was not seen is none. */
static void test_cost(void **state)
{
	struct report_fixture *fixture = *state;
	struct snapshot_info *info = &fixture->infos[0];
	char *text;

	fixture->report.sides[0].file_bytes = 2048;
	expect(fixture, "");
	info->cost_seen[COST_wall_ns] = info->cost_seen[COST_write_calls] =
	        info->cost_seen[COST_json_bytes] = info->cost_seen[COST_peak_rss_bytes] = true;
	info->cost[COST_wall_ns] = 1500000;
	info->cost[COST_json_bytes] = 4096;
	info->cost[COST_peak_rss_bytes] = 1048576;
	expect(fixture, "cost      1.500ms wall, 0 writes, 4.000KiB of JSON, 2.000KiB of file, "
	                "1.000MiB peak RSS\n");
	info->cost_seen[COST_thread_stops] = info->cost_seen[COST_longest_stop_ns] =
	        info->cost_seen[COST_total_stop_ns] = true;
	expect(fixture, "cost      1.500ms wall, 0 writes, 4.000KiB of JSON, 2.000KiB of file, "
	                "1.000MiB peak RSS\n");
	info->cost[COST_thread_stops] = 12;
	info->cost[COST_longest_stop_ns] = 143000;
	info->cost[COST_total_stop_ns] = 901000;
	expect(fixture, "cost      1.500ms wall, 0 writes, 12 threads stopped, 143.000µs at most, "
	                "901.000µs together, 4.000KiB of JSON, 2.000KiB of file, 1.000MiB peak "
	                "RSS\n");
	info->tally.sources[SOURCE_io][OUTCOME_denied] = 2;
	info->rules[SOURCE_io] = OUTCOME_read;
	text = report_print(fixture, 1, report_json);
	assert_contains(text,
	                "\"cost\":{\"wall_ns\":1500000,\"write_calls\":0,\"thread_stops\":12,"
	                "\"longest_stop_ns\":143000,\"total_stop_ns\":901000,"
	                "\"json_bytes\":4096,\"peak_rss_bytes\":1048576,\"file_bytes\":2048}");
	assert_contains(text, "\"sources\":{\"io\":{\"rule\":\"read\",\"denied\":2}}");
	assert_contains(text, "\"probe\":null,\"tally\":{\"processes_gone\":0,");
	free(text);
}

#define on_report(test_) \
	cmocka_unit_test_setup_teardown(test_, report_fixture_setup, report_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_report(test_nothing), on_report(test_sources), on_report(test_taskstats),
	        on_report(test_parse),   on_report(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
