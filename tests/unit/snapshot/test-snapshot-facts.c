// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader's requirements for the JSON of cgroups, pressure, sched_ext and cost, and for the values of a row's process. */
#include "check.h"

#include <errno.h>

#include "memory-stream.h"
#include "snapshot/snapshot-value.h"
#include "snapshots.h"

#define HEAD "\"format\":\"ctprof\",\"version\":1,\"kind\":\"lifetime\""
#define IDENTITY "\"tid\":8,\"tgid\":7,\"pcomm\":\"p\",\"comm\":\"c\",\"start_time_clock_ticks\":5"

static struct snapshot_copy copy;

static int teardown(void **state)
{
	(void)state;
	snapshot_copy_done(&copy);
	return 0;
}

static void read_pair(const char *pair)
{
	struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json, "{%s," HEAD ",\"threads\":[]}", pair);
	snapshot_copy_done(&copy);
	snapshot_copy_read_json(&copy, json.data, json.len, NULL);
	strbuf_done(&json);
}

static void check_refused(const char *pair, const char *sentence)
{
	read_pair(pair);
	if (copy.result != -EBADMSG)
		fail_msg("%s: %d %s", pair, copy.result, strbuf_str(&copy.error));
	assert_text(&copy.error, sentence);
}

static void check_accepted(const char *pair)
{
	read_pair(pair);
	if (copy.result != 0)
		fail_msg("%s: %s", pair, strbuf_str(&copy.error));
}

static void test_wrong_settings(void **state)
{
	(void)state;
	check_refused(
	        "\"settings\":{}",
	        "settings.values: an object, of so many names as a capture keeps, was expected");
	check_refused("\"settings\":{\"values\":{\"vm.a\":1}}",
	              "settings.values: a string for each name was expected");
	check_refused("\"settings\":{\"values\":{},\"before\":[]}",
	              "settings.before: an object was expected");
	check_refused("\"settings\":{\"values\":{},\"before\":{\"a\":null}}",
	              "settings.before: a string for each name was expected");
	check_refused(
	        "\"settings\":{\"values\":{},\"denied\":{}}",
	        "settings.denied: an array, of so many names as a capture keeps, was expected");
	check_refused("\"settings\":{\"values\":{},\"denied\":[1]}",
	              "settings.denied: an array of strings was expected");
	check_refused("\"settings\":{\"values\":{},\"left_out\":-1}",
	              "settings.left_out: a number from 0 on was expected");
	check_accepted("\"settings\":null");
	assert_false(copy.info.settings.seen);
	/* A key that is there twice is taken once, and an unknown key is ignored. */
	check_accepted(
	        "\"settings\":{\"values\":{\"b\":\"1\"}},\"settings\":{\"values\":"
	        "{\"b\":\"2\",\"a\":\"\"},\"before\":{\"b\":\"3\",\"c\":\"4\"},\"more\":[]}");
	assert_int_equal(copy.info.settings.count, 2);
	assert_string_equal(copy.info.settings.entries[0].name, "a");
	assert_string_equal(copy.info.settings.entries[1].text, "2");
	assert_string_equal(copy.info.settings.entries[1].before, "3");
}

static void test_wrong_cgroups(void **state)
{
	(void)state;
	check_refused("\"cgroup_stats\":[]", "\"cgroup_stats\" is not an object");
	check_refused("\"cgroup_v1_stats\":1", "\"cgroup_v1_stats\" is not an object");
	check_refused("\"cgroup_stats\":{},\"cgroup_stats\":{}", "\"cgroup_stats\" is there twice");
	check_refused("\"cgroup_stats\":{\"/\":null}",
	              "cgroup_stats[\"/\"]: an object was expected");
	check_refused("\"cgroup_stats\":{\"/a\\u001b\":{\"memory\":{\"max\":\"9\"}}}",
	              "cgroup_stats[\"/a\\x1b\"].memory.max: an integer or null was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"memory\":{\"current\":null}}}",
	              "cgroup_stats[\"/a\"].memory.current: an integer was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"memory\":{\"current\":9223372036854775808}}}",
	              "cgroup_stats[\"/a\"].memory.current: an integer was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"cpu\":[]}}",
	              "cgroup_stats[\"/a\"].cpu: an object was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"cpuset\":{\"cpus_effective\":1}}}",
	              "cgroup_stats[\"/a\"].cpuset.cpus_effective: a string was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"memory\":{\"stat\":1}}}",
	              "cgroup_stats[\"/a\"].memory.stat: an object was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"memory\":{\"stat\":{\"anon\":-1}}}}",
	              "cgroup_stats[\"/a\"].memory.stat.anon: an integer from 0 on was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"memory\":{\"stat\":{\"\\n\":{}}}}}",
	              "cgroup_stats[\"/a\"].memory.stat.\\x0a: an integer from 0 on was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"io\":{\"stat\":{\"8:0\":[]}}}}",
	              "cgroup_stats[\"/a\"].io.stat.8:0: an object or an integer from 0 on was "
	              "expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"io\":{\"stat\":{\"8:0\":{\"rbytes\":0.5}}}}}",
	              "cgroup_stats[\"/a\"].io.stat.rbytes: an integer from 0 on was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"path_hex\":\"2\"}}",
	              "cgroup_stats[\"/a\"].path_hex: bytes in hexadecimal was expected");
	check_refused("\"cgroup_stats\":{\"/a\":{\"path_hex\":2}}",
	              "cgroup_stats[\"/a\"].path_hex: a string was expected");
	check_refused("\"cgroup_v1_stats\":{\"/a\":{\"pids\":{\"max\":true}}}",
	              "cgroup_v1_stats[\"/a\"].pids.max: an integer or null was expected");
	check_refused(
	        "\"cgroup_stats\":{\"/a\":{\"psi\":{\"cpu\":{\"some\":{\"avg10\":4294967296}}}}}",
	        "cgroup_stats[\"/a\"].psi.cpu.some.avg10: an integer from 0 to 4294967295 was "
	        "expected");
}

static void test_wrong_rest(void **state)
{
	(void)state;
	check_refused("\"psi\":[]", "\"psi\" is not an object");
	check_refused("\"psi\":{\"io\":1}", "psi.io: an object was expected");
	check_refused("\"psi\":{\"io\":{\"full\":[]}}", "psi.io.full: an object was expected");
	check_refused("\"psi\":{\"io\":{\"full\":{\"total_usec\":\"1\"}}}",
	              "psi.io.full.total_usec: an integer from 0 on was expected");
	check_refused("\"sched_ext\":[]", "sched_ext: an object was expected");
	check_refused("\"sched_ext\":{\"state\":1}", "sched_ext.state: a string was expected");
	check_refused("\"sched_ext\":{\"enable_seq\":\"1\"}",
	              "sched_ext.enable_seq: an integer was expected");
	check_refused("\"cost\":1", "cost: an object was expected");
	check_refused("\"cost\":{\"wall_ns\":-1}", "cost.wall_ns: a number from 0 on was expected");
	check_refused("\"parse_summary\":{\"cgroups_gone\":null}",
	              "parse_summary.cgroups_gone: a number from 0 on was expected");
}

/* Keys that a later version may add, that are repeated, and that are left out. */
static void test_odd_cgroups(void **state)
{
	const struct cgroup_stats *stats;

	(void)state;
	check_accepted("\"cgroup_stats\":null,\"cgroup_v1_stats\":null,\"psi\":null,"
	               "\"sched_ext\":null,\"cost\":null,\"taskstats_summary\":7,"
	               "\"probe_summary\":null");
	assert_int_equal(copy.cgroup_count, 0);
	assert_false(psi_seen(&copy.info.psi));
	assert_false(copy.info.sched_ext.present);
	check_accepted("\"sched_ext\":{\"later\":[{}]}");
	assert_true(copy.info.sched_ext.present);
	check_accepted(
	        "\"cgroup_stats\":{\"/x\":{\"later\":[{}],\"cpuacct\":7,\"memory\":{\"max\":1,"
	        "\"max\":null,\"later\":{\"a\":[]},\"stat\":{\"a\":1,\"a\":2}},"
	        "\"memory\":{\"low\":5,\"stat\":{\"b\":18446744073709551615}},"
	        "\"path_hex\":\"2fff\"},\"/x\":{}}");
	assert_int_equal(copy.cgroup_count, 2);
	stats = &copy.cgroups[0];
	assert_text(&stats->path, "/\xff");
	assert_int_equal(stats->values[CGROUP_VALUE_memory_max].state, FACT_UNLIMITED);
	assert_int_equal(stats->values[CGROUP_VALUE_memory_low].number, 5);
	assert_int_equal(stats->values[CGROUP_VALUE_memory_high].state, FACT_UNSEEN);
	assert_int_equal(stats->lists[CGROUP_LIST_memory_stat].count, 1);
	assert_int_equal(stats->lists[CGROUP_LIST_memory_stat].entries[0].value, UINT64_MAX);
	stats = &copy.cgroups[1];
	assert_text(&stats->path, "/x");
	assert_int_equal(stats->values[CGROUP_VALUE_memory_low].state, FACT_UNSEEN);
	assert_false(stats->has_list[CGROUP_LIST_memory_stat]);
	/* A line that lacks a number is no line. */
	check_accepted(
	        "\"psi\":{\"later\":1,\"cpu\":{\"later\":[],\"some\":{\"avg10\":1,\"avg60\":2,"
	        "\"avg300\":3,\"total_usec\":4,\"later\":{}},\"full\":{\"avg10\":1}}}");
	assert_true(copy.info.psi.lines[PSI_cpu][PSI_ROW_some].seen);
	assert_int_equal(copy.info.psi.lines[PSI_cpu][PSI_ROW_some].averages[PSI_AVERAGE_avg300],
	                 3);
	assert_false(copy.info.psi.lines[PSI_cpu][PSI_ROW_full].seen);
}

static void read_row(const char *pairs)
{
	struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json, "{" HEAD ",\"threads\":[{%s," IDENTITY "}]}", pairs);
	snapshot_copy_done(&copy);
	snapshot_copy_read_json(&copy, json.data, json.len, NULL);
	strbuf_done(&json);
}

static void check_row_refused(const char *pairs, const char *sentence)
{
	read_row(pairs);
	assert_int_equal(copy.result, -EBADMSG);
	assert_text(&copy.error, sentence);
}

static void check_row_cgroup(const char *pairs, const char *path, bool is_v1)
{
	read_row(pairs);
	assert_int_equal(copy.result, 0);
	assert_true(copy.samples[0].has_cgroup);
	assert_int_equal(copy.samples[0].cgroup_is_v1, is_v1);
	assert_text(&copy.samples[0].cgroup, path);
}

static void test_rows(void **state)
{
	const struct thread_sample *sample;

	(void)state;
	check_row_cgroup("\"cgroup_v1\":\"/a\"", "/a", true);
	check_row_cgroup("\"cgroup_v1_hex\":\"ff\",\"cgroup_v1\":\"/a\"", "\xff", true);
	check_row_cgroup("\"cgroup_v1\":\"/a\",\"cgroup_v1_hex\":\"ff\"", "\xff", true);
	check_row_cgroup("\"cgroup\":\"/b\",\"cgroup_v1\":\"/a\"", "/b", false);
	check_row_cgroup("\"cgroup_v1\":\"/a\",\"cgroup\":\"/b\"", "/b", false);
	check_row_cgroup("\"cgroup_v1\":\"/a\",\"cgroup_hex\":\"fe\",\"cgroup_v1_hex\":\"ff\","
	                 "\"cgroup\":\"/b\"",
	                 "\xfe", false);
	check_row_refused("\"smaps_rollup_kib\":1",
	                  "threads[0]: smaps_rollup_kib: an object was expected");
	check_row_refused("\"smaps_rollup_kib\":{\"Rss\":null}",
	                  "threads[0]: smaps_rollup_kib.Rss: an integer from 0 on was expected");
	check_row_refused("\"exit\":[]", "threads[0]: exit: an object was expected");
	check_row_refused("\"exit\":{\"gid\":-1}",
	                  "threads[0]: exit.gid: an integer from 0 on was expected");
	check_row_refused("\"process_totals\":[]",
	                  "threads[0]: process_totals: an object was expected");
	check_row_refused("\"process_totals\":{\"minflt\":-1}",
	                  "threads[0]: process_totals.minflt: an integer from 0 on was expected");
	read_row("\"smaps_rollup_kib\":{\"Rss\":1},\"smaps_rollup_kib\":{},\"process_totals\":{"
	         "\"later\":[],\"wchar\":3,"
	         "\"nr_threads\":5,\"minflt\":18446744073709551615}");
	assert_int_equal(copy.result, 0);
	sample = &copy.samples[0];
	assert_true(sample->has_smaps && sample->has_process_totals);
	assert_int_equal(sample->smaps_rollup_kib.count, 0);
	assert_int_equal(sample->process_totals_seen,
	                 1u << PROCESS_TOTAL_wchar | 1u << PROCESS_TOTAL_minflt);
	assert_int_equal(sample->process_totals[PROCESS_TOTAL_minflt], UINT64_MAX);
	assert_int_equal(sample->process_totals[PROCESS_TOTAL_wchar], 3);
}

static void check_over(const struct strbuf *json, const struct snapshot_limits *limits,
                       const char *part)
{
	snapshot_copy_done(&copy);
	snapshot_copy_read_json(&copy, json->data, json->len, limits);
	assert_int_equal(copy.result, -E2BIG);
	assert_contains(strbuf_str(&copy.error), part);
}

static void test_limits(void **state)
{
	struct snapshot_limits limits = snapshot_default_limits;
	struct strbuf json = STRBUF_INIT;

	(void)state;
	limits.threads = 2;
	strbuf_add_str(&json, "{" HEAD ",\"cgroup_stats\":{\"/a\":{},\"/b\":{}},"
	                      "\"cgroup_v1_stats\":{\"/c\":{}},\"threads\":[]}");
	check_over(&json, &limits, "more than 2 cgroups");
	limits.threads = 3;
	snapshot_copy_done(&copy);
	snapshot_copy_read_json(&copy, json.data, json.len, &limits);
	assert_int_equal(copy.result, 0);

	strbuf_clear(&json);
	strbuf_add_str(&json, "{" HEAD ",\"cgroup_stats\":{\"/a\":{\"memory\":{\"stat\":{");
	for (unsigned i = 0; i <= SNAPSHOT_LIST_KEYS; i++)
		strbuf_addf(&json, "\"k%u\":1,", i);
	strbuf_add_str(&json, "\"end\":1}}}},\"threads\":[]}");
	check_over(&json, NULL, "cgroup_stats[\"/a\"].memory.stat: more than 65536 keys");

	strbuf_clear(&json);
	strbuf_add_str(&json, "{" HEAD ",\"cgroup_stats\":{\"/a\":{\"io\":{\"stat\":{\"");
	for (unsigned i = 0; i < SNAPSHOT_KEY_BYTES; i++)
		strbuf_add_char(&json, 'x');
	strbuf_add_str(&json, "\":{\"y\":1}}}}},\"threads\":[]}");
	check_over(&json, NULL, "cgroup_stats[\"/a\"].io.stat: a key of more than 256 bytes");

	limits.depth = 4;
	check_over(&json, &limits, "nested");
	strbuf_done(&json);
}

static int stop(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	(void)self;
	(void)stats;
	return 42;
}

/* The visitor of cgroups ends the reading, and may be left out; cgroups are checked all the same. */
static void test_visitors(void **state)
{
	static const char json[] =
	        "{" HEAD ",\"cgroup_stats\":{\"/a\":{\"cpu\":{}},\"/b\":1},\"threads\":[]}";
	struct strbuf packed = STRBUF_INIT;

	(void)state;
	zstd_pack(json, strlen(json), &packed);
	for (unsigned i = 0; i < 2; i++) {
		struct memory_source source = memory_source_make(packed.data, packed.len, SIZE_MAX);
		struct snapshot_visitor visitor = {.cgroup = i == 0 ? stop : NULL};
		struct strbuf error = STRBUF_INIT;
		struct snapshot_info info;

		assert_int_equal(snapshot_read(&source.base, &snapshot_default_limits, &visitor,
		                               &info, &error),
		                 i == 0 ? 42 : -EBADMSG);
		assert_int_equal(error.len > 0, i == 1);
		snapshot_info_done(&info);
		strbuf_done(&error);
	}
	strbuf_done(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_wrong_settings), cmocka_unit_test(test_wrong_rest),
	        cmocka_unit_test(test_wrong_cgroups),  cmocka_unit_test(test_wrong_rest),
	        cmocka_unit_test(test_odd_cgroups),    cmocka_unit_test(test_rows),
	        cmocka_unit_test(test_limits),         cmocka_unit_test(test_visitors),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
