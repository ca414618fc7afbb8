// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "machine/report-machine.h"

#include "report/report-text.h"
#include "reports.h"

static void expect(const struct probe_summary *probe, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	report_add_probe(probe, &text);
	assert_text(&text, expected);
}

static void add(struct probe_summary *probe, enum probe_tag tag, bool has_jemalloc, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		probe_summary_add_process(probe, tag, has_jemalloc);
}

static void add_threads(struct probe_summary *probe, enum probe_tag tag, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		probe_summary_add_thread(probe, tag);
}

/* Nobody looked, there was nothing to see, or all of it was read. */
static void test_expected(void **state)
{
	struct probe_summary probe = {0};

	(void)state;
	expect(&probe, "");
	add(&probe, PROBE_TAG_jemalloc_not_found, false, 1);
	expect(&probe, "probe     1 process: none with jemalloc\n");
	add(&probe, PROBE_TAG_readlink_failure, false, 70);
	add(&probe, PROBE_TAG_own_process, false, 1);
	add(&probe, PROBE_TAG_pid_missing, false, 1);
	expect(&probe, "probe     73 processes: none with jemalloc\n");
	add(&probe, PROBE_TAG_ok, true, 2);
	add_threads(&probe, PROBE_TAG_ok, 40);
	expect(&probe, "probe     75 processes: 2 with jemalloc, 2 read\n");
}

/* Processes may have jemalloc even if ctprof is built without it. */
static void test_not_built_in(void **state)
{
	struct probe_summary probe = {0};

	(void)state;
	add(&probe, PROBE_TAG_not_built_in, false, 3);
	expect(&probe, "probe     3 processes: none seen with jemalloc; left alone: 3 not-built-in "
	               "(build it with -Djemalloc=enabled)\n");
}

/* Outcomes that are as they should be are no failures. */
static void test_left_alone(void **state)
{
	struct probe_summary probe = {0};

	(void)state;
	add(&probe, PROBE_TAG_ok, true, 2);
	add_threads(&probe, PROBE_TAG_ok, 40);
	add_threads(&probe, PROBE_TAG_uninterruptible, 1);
	expect(&probe, "probe     2 processes: 2 with jemalloc, 2 read, 40 of 41 threads; threads "
	               "left alone: 1 uninterruptible\n");
	add(&probe, PROBE_TAG_traced, true, 1);
	add_threads(&probe, PROBE_TAG_traced, 7);
	add(&probe, PROBE_TAG_stopped, true, 1);
	add_threads(&probe, PROBE_TAG_stopped, 1);
	add(&probe, PROBE_TAG_tls_model, true, 1);
	add_threads(&probe, PROBE_TAG_tls_model, 1);
	expect(&probe, "probe     5 processes: 5 with jemalloc, 2 read, 40 of 50 threads; left "
	               "alone: 1 stopped, 1 traced; threads left alone: 1 uninterruptible; out of "
	               "reach: 1 tls-model\n");
}

static void test_failed(void **state)
{
	struct probe_summary probe = {0};

	(void)state;
	add(&probe, PROBE_TAG_jemalloc_not_found, false, 78);
	add(&probe, PROBE_TAG_ok, true, 2);
	add_threads(&probe, PROBE_TAG_ok, 40);
	add(&probe, PROBE_TAG_dwarf_parse_failure, true, 1);
	add_threads(&probe, PROBE_TAG_dwarf_parse_failure, 1);
	expect(&probe, "probe     81 processes: 3 with jemalloc, 2 read, 40 of 41 threads; 1 "
	               "failed: dwarf-parse-failure (install the debugging symbols of the "
	               "program)\n");
	add(&probe, PROBE_TAG_not_permitted, false, 2);
	add(&probe, PROBE_TAG_worker_panic, true, 1);
	add_threads(&probe, PROBE_TAG_waitpid, 3);
	expect(&probe, "probe     84 processes: 4 with jemalloc, 2 read, 40 of 44 threads; 4 "
	               "failed: 2 not-permitted (run as root, or give ctprof CAP_SYS_PTRACE), 1 "
	               "dwarf-parse-failure, 1 worker-panic; threads failed: 3 waitpid\n");
}

/* A file that does not count by tag, and one that makes no sense. */
static void test_said(void **state)
{
	struct probe_summary probe = {.seen = true, .tgids_walked = 9, .failed = 4};

	(void)state;
	expect(&probe, "probe     9 processes: none seen with jemalloc; 4 failed\n");
	probe.said_dominant = PROBE_TAG_process_vm_readv;
	expect(&probe, "probe     9 processes: none seen with jemalloc; 4 failed, mostly "
	               "process-vm-readv (run as root, or give ctprof CAP_SYS_PTRACE)\n");
	probe = (struct probe_summary){
	        .seen = true, .jemalloc_detected = 1, .probed_ok = INT64_MAX};
	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		probe.threads[i] = INT64_MAX;
	probe.threads[PROBE_TAG_ok] = 1;
	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		if (probe_tag_is_failure(i) || probe_tag_table[i].outcome == OUTCOME_skipped)
			probe.threads[i] = 0;
	expect(&probe, "probe     0 processes: 1 with jemalloc, 9223372036854775807 read, 1 of "
	               "18446744073709551615 threads\n");
}

static void test_json(void **state)
{
	struct report_fixture *fixture = *state;
	struct probe_summary *probe = &fixture->infos[0].probe;
	char *text;

	add(probe, PROBE_TAG_ok, true, 1);
	add(probe, PROBE_TAG_ptrace_seize, true, 1);
	add_threads(probe, PROBE_TAG_ok, 2);
	add_threads(probe, PROBE_TAG_ptrace_seize, 3);
	text = report_print(fixture, 1, report_json);
	assert_contains(text,
	                "\"probe\":{\"tgids_walked\":2,\"jemalloc_detected\":2,\"probed_ok\":1,"
	                "\"failed\":1,\"dominant_failure\":\"ptrace-seize\","
	                "\"privilege_dominant\":true,\"processes\":{\"ok\":1,"
	                "\"ptrace-seize\":1},\"threads\":{\"ok\":2,\"ptrace-seize\":3}}");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_expected),
	        cmocka_unit_test(test_not_built_in),
	        cmocka_unit_test(test_left_alone),
	        cmocka_unit_test(test_failed),
	        cmocka_unit_test(test_said),
	        cmocka_unit_test_setup_teardown(test_json, report_fixture_setup,
	                                        report_fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
