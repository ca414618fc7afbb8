// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader of the JSON of probe_summary, and the names in parse_summary. test-snapshot-round-trip tests that they survive
 * being written. */
#include "check.h"

#include <errno.h>

#include "snapshots.h"

#define HEAD "\"format\":\"ctprof\",\"version\":1,\"kind\":\"lifetime\",\"threads\":[]"

static struct snapshot_copy copy;

static int teardown(void **state)
{
	(void)state;
	snapshot_copy_done(&copy);
	return 0;
}

static void read_summary(const char *value)
{
	struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json, "{" HEAD ",\"probe_summary\":%s}", value);
	snapshot_copy_done(&copy);
	snapshot_copy_read_json(&copy, json.data, json.len, NULL);
	strbuf_done(&json);
}

static const struct probe_summary *accept(const char *value)
{
	read_summary(value);
	if (copy.result != 0)
		fail_msg("%s: %s", value, strbuf_str(&copy.error));
	return &copy.info.probe;
}

static void refuse(const char *value, const char *sentence)
{
	read_summary(value);
	if (copy.result != -EBADMSG)
		fail_msg("%s: %d %s", value, copy.result, strbuf_str(&copy.error));
	assert_text(&copy.error, sentence);
}

static void test_read(void **state)
{
	const struct probe_summary *probe = accept("null");

	(void)state;
	assert_false(probe->seen);
	probe = accept("{}");
	assert_true(probe->seen);
	assert_int_equal(probe->tgids_walked, 0);
	probe = accept(
	        "{\"tgids_walked\":81,\"jemalloc_detected\":3,\"probed_ok\":2,\"failed\":1,"
	        "\"dominant_failure\":\"ptrace-seize\",\"privilege_dominant\":true,"
	        "\"processes\":{\"ok\":2,\"waitpid\":1},\"threads\":{\"ok\":40,\"traced\":9}}");
	assert_int_equal(probe->tgids_walked, 81);
	assert_int_equal(probe->jemalloc_detected, 3);
	assert_int_equal(probe->probed_ok, 2);
	assert_int_equal(probe->failed, 1);
	assert_int_equal(probe->processes[PROBE_TAG_ok], 2);
	assert_int_equal(probe->processes[PROBE_TAG_waitpid], 1);
	assert_int_equal(probe->threads[PROBE_TAG_traced], 9);
	/* The counts by tag decide, not the summary of them. */
	assert_int_equal(probe_summary_dominant(probe), PROBE_TAG_waitpid);
	assert_false(probe_summary_is_about_rights(probe));
}

/* Keys that a later version or another tool may have. */
static void test_unknown(void **state)
{
	const struct probe_summary *probe;

	(void)state;
	probe = accept("{\"later\":[{}],\"processes\":{\"tag-of-tomorrow\":\"x\",\"ok\":1},"
	               "\"dominant_failure\":\"jemalloc-in-dso\"}");
	assert_int_equal(probe->processes[PROBE_TAG_ok], 1);
	assert_int_equal(probe_summary_dominant(probe), PROBE_TAG_ok);
	/* No failure is most of all failures. */
	probe = accept("{\"dominant_failure\":\"traced\",\"privilege_dominant\":false}");
	assert_int_equal(probe_summary_dominant(probe), PROBE_TAG_ok);
	probe = accept("{\"failed\":9223372036854775807,\"dominant_failure\":\"worker-panic\"}");
	assert_int_equal(probe->failed, INT64_MAX);
	assert_int_equal(probe_summary_dominant(probe), PROBE_TAG_worker_panic);
}

static void test_wrong(void **state)
{
	(void)state;
	refuse("7", "probe_summary: an object was expected");
	refuse("[]", "probe_summary: an object was expected");
	refuse("{\"failed\":9223372036854775808}", "probe_summary: it holds a number above 2^63-1");
	refuse("{\"failed\":-1}", "probe_summary.failed: a number from 0 on was expected");
	refuse("{\"probed_ok\":null}", "probe_summary.probed_ok: a number from 0 on was expected");
	refuse("{\"dominant_failure\":1}", "probe_summary.dominant_failure: a string was expected");
	refuse("{\"privilege_dominant\":0}",
	       "probe_summary.privilege_dominant: true or false was expected");
	refuse("{\"processes\":[]}", "probe_summary.processes: an object was expected");
	refuse("{\"threads\":null}", "probe_summary.threads: an object was expected");
	refuse("{\"threads\":{\"ok\":1.5}}",
	       "probe_summary.threads.ok: a number from 0 on was expected");
}

/* The numbers are read under the names that they have now and under those of earlier files. */
static void test_summary_names(void **state)
{
	static const char *const texts[] = {
	        "{\"tgids_walked\":9,\"tgids_gone\":2,\"tgids_denied\":3,\"tids_gone\":4,"
	        "\"tids_unreadable\":5}",
	        "{\"processes_walked\":9,\"processes_gone\":2,\"processes_denied\":3,"
	        "\"threads_gone\":4,\"threads_unreadable\":5}",
	};
	const struct snapshot_tally *tally = &copy.info.tally;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct strbuf json = STRBUF_INIT;

		strbuf_addf(&json, "{" HEAD ",\"parse_summary\":%s}", texts[i]);
		snapshot_copy_done(&copy);
		snapshot_copy_read_json(&copy, json.data, json.len, NULL);
		assert_int_equal(copy.result, 0);
		strbuf_done(&json);
		assert_int_equal(tally->processes, 7);
		assert_int_equal(tally->processes_gone, 2);
		assert_int_equal(tally->processes_denied, 3);
		assert_int_equal(tally->threads_gone, 4);
		assert_int_equal(tally->threads_unreadable, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_read),
	        cmocka_unit_test(test_unknown),
	        cmocka_unit_test(test_wrong),
	        cmocka_unit_test(test_summary_names),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
