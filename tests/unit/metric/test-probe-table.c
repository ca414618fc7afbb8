// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "ctprof/metric/probe.h"

static void test_tags(void **state)
{
	enum probe_tag tag;

	(void)state;
	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++) {
		const struct probe_tag_desc *desc = &probe_tag_table[i];

		assert_true(probe_tag_find(desc->name, strlen(desc->name), &tag));
		assert_int_equal(tag, i);
		assert_true(desc->description[0] != '\0');
		assert_int_equal(desc->kind == PROBE_READ, i == PROBE_TAG_ok);
		assert_int_equal(desc->outcome == OUTCOME_read, i == PROBE_TAG_ok);
		assert_int_equal(desc->outcome == OUTCOME_denied, desc->kind == PROBE_DENIED);
		if (desc->outcome == OUTCOME_malformed)
			assert_int_equal(desc->kind, PROBE_FAILED);
	}
	assert_false(probe_tag_find("o", 1, &tag));
	assert_false(probe_tag_find("okay", 4, &tag));
	assert_false(probe_tag_find("jemalloc-in-dso", 15, &tag));
	assert_true(probe_tag_find("stoppedX", 7, &tag));
	assert_int_equal(tag, PROBE_TAG_stopped);
	assert_true(probe_tag_is_failure(PROBE_TAG_not_permitted));
	assert_true(probe_tag_is_failure(PROBE_TAG_worker_panic));
	assert_false(probe_tag_is_failure(PROBE_TAG_traced));
	assert_false(probe_tag_is_failure(PROBE_TAG_ok));
}

static void test_counting(void **state)
{
	struct probe_summary summary = {0};

	(void)state;
	assert_int_equal(probe_summary_dominant(&summary), PROBE_TAG_ok);
	assert_false(probe_summary_is_about_rights(&summary));
	probe_summary_add_process(&summary, PROBE_TAG_jemalloc_not_found, false);
	probe_summary_add_process(&summary, PROBE_TAG_ok, true);
	probe_summary_add_process(&summary, PROBE_TAG_traced, true);
	assert_true(summary.seen);
	assert_int_equal(summary.tgids_walked, 3);
	assert_int_equal(summary.jemalloc_detected, 2);
	assert_int_equal(summary.probed_ok, 1);
	assert_int_equal(summary.failed, 0);
	assert_int_equal(summary.processes[PROBE_TAG_traced], 1);
	assert_int_equal(probe_summary_dominant(&summary), PROBE_TAG_ok);
	probe_summary_add_thread(&summary, PROBE_TAG_waitpid);
	assert_int_equal(summary.threads[PROBE_TAG_waitpid], 1);
	assert_int_equal(summary.failed, 0);
}

/* The most frequent failure; among equals the first by name, wherever it stands in the table. */
static void test_dominant(void **state)
{
	struct probe_summary summary = {0};

	(void)state;
	probe_summary_add_process(&summary, PROBE_TAG_waitpid, true);
	probe_summary_add_process(&summary, PROBE_TAG_not_permitted, false);
	assert_int_equal(probe_summary_dominant(&summary), PROBE_TAG_not_permitted);
	assert_true(probe_summary_is_about_rights(&summary));
	probe_summary_add_process(&summary, PROBE_TAG_elf_malformed, true);
	assert_int_equal(probe_summary_dominant(&summary), PROBE_TAG_elf_malformed);
	assert_false(probe_summary_is_about_rights(&summary));
	assert_int_equal(summary.failed, 3);
	probe_summary_add_process(&summary, PROBE_TAG_waitpid, true);
	assert_int_equal(probe_summary_dominant(&summary), PROBE_TAG_waitpid);
}

/* Numbers from a file, and what one says that does not count by tag. */
static void test_said(void **state)
{
	struct probe_summary summary = {.said_dominant = PROBE_TAG_ptrace_seize,
	                                .said_about_rights = true};

	(void)state;
	assert_int_equal(probe_summary_dominant(&summary), PROBE_TAG_ptrace_seize);
	assert_true(probe_summary_is_about_rights(&summary));
	summary.processes[PROBE_TAG_stopped] = 5;
	assert_int_equal(probe_summary_dominant(&summary), PROBE_TAG_ptrace_seize);
	summary.processes[PROBE_TAG_waitpid] = INT64_MAX;
	assert_int_equal(probe_summary_dominant(&summary), PROBE_TAG_waitpid);
	assert_false(probe_summary_is_about_rights(&summary));
	summary.processes[PROBE_TAG_not_permitted] = INT64_MAX;
	summary.processes[PROBE_TAG_ptrace_seize] = INT64_MAX;
	summary.processes[PROBE_TAG_process_vm_readv] = INT64_MAX;
	assert_true(probe_summary_is_about_rights(&summary));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_tags),
	        cmocka_unit_test(test_counting),
	        cmocka_unit_test(test_dominant),
	        cmocka_unit_test(test_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
