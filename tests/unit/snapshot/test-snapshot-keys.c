// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader's requirements for a snapshot's JSON, key by key. */
#include "check.h"

#include <errno.h>

#include "seen.h"
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

static void read_json(const char *json)
{
	snapshot_copy_done(&copy);
	snapshot_copy_read_json(&copy, json, strlen(json), NULL);
}

static void check_accepted(const char *json)
{
	read_json(json);
	if (copy.result != 0)
		fail_msg("%s: %s", json, strbuf_str(&copy.error));
	assert_text(&copy.error, "");
}

static void check_refused(const char *json, const char *part)
{
	read_json(json);
	if (copy.result != -EBADMSG)
		fail_msg("%s: %d", json, copy.result);
	assert_contains(strbuf_str(&copy.error), part);
}

/* One more pair at the top, and one more in the only row. */
static void check_top_refused(const char *pair, const char *part)
{
	struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json, "{" HEAD ",%s,\"threads\":[]}", pair);
	check_refused(json.data, part);
	strbuf_done(&json);
}

static void check_row(const char *pairs, bool accepted, const char *part)
{
	struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json, "{" HEAD ",\"threads\":[{" IDENTITY ",%s}]}", pairs);
	if (accepted)
		check_accepted(json.data);
	else
		check_refused(json.data, part);
	strbuf_done(&json);
}

static void check_pair(const char *key, const char *value, bool accepted)
{
	struct strbuf pair = STRBUF_INIT;

	strbuf_addf(&pair, "\"%s\":%s", key, value);
	check_row(pair.data, accepted, key);
	if (!accepted)
		assert_contains(strbuf_str(&copy.error), "threads[0]");
	strbuf_done(&pair);
}

static void test_smallest_snapshot(void **state)
{
	(void)state;
	check_accepted("{" HEAD ",\"threads\":[]}");
	assert_int_equal(copy.count, 0);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		assert_int_equal(copy.info.rules[s], OUTCOME_read);
	check_accepted("\n{" HEAD ",\"threads\":[{" IDENTITY "}]}\t\n");
	assert_int_equal(copy.count, 1);
	assert_int_equal(copy.info.tally.threads, 1);
	assert_int_equal(copy.samples[0].tid, 8);
	assert_int_equal(copy.samples[0].tgid, 7);
	assert_int_equal(copy.samples[0].start_time_clock_ticks, 5);
	assert_int_equal(copy.samples[0].read_boottime_ns, 0);
	assert_text(&copy.samples[0].pcomm, "p");
	assert_text(&copy.samples[0].comm, "c");
	assert_false(copy.samples[0].has_cgroup);
	assert_int_equal(count_metrics(&copy.samples[0].seen), 0);
}

static void test_not_an_object(void **state)
{
	static const char *const texts[] = {"",           " ", "[]", "1",    "null",
	                                    "\"ctprof\"", "{", "}",  "{}{}", "\xef\xbb\xbf{}",
	                                    "not JSON"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		check_refused(texts[i], "");
	check_refused("[1]", "not an object");
	check_refused("{" HEAD ",\"threads\":[]} x", "not JSON");
	check_refused("{" HEAD ",\"threads\":[]}{}", "not JSON");
}

static void test_missing_keys(void **state)
{
	(void)state;
	check_refused("{}", "format");
	check_refused("{\"version\":1,\"kind\":\"lifetime\",\"threads\":[]}", "format");
	check_refused("{\"format\":\"ctprof\",\"kind\":\"lifetime\",\"threads\":[]}", "version");
	check_refused("{\"format\":\"ctprof\",\"version\":1,\"threads\":[]}", "kind");
	check_refused("{" HEAD "}", "threads");
}

static void test_format(void **state)
{
	static const char *const values[] = {"\"ctprof2\"", "\"ctpro\"", "\"\"", "1",
	                                     "null",        "{}",        "[]"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct strbuf json = STRBUF_INIT;

		strbuf_addf(&json,
		            "{\"format\":%s,\"version\":1,\"kind\":\"lifetime\",\"threads\":[]}",
		            values[i]);
		check_refused(json.data, "format");
		strbuf_done(&json);
	}
}

static void check_version(const char *value, const char *part)
{
	struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json,
	            "{\"format\":\"ctprof\",\"version\":%s,\"kind\":\"lifetime\",\"threads\":[]}",
	            value);
	check_refused(json.data, part);
	strbuf_done(&json);
}

/* A later version is refused by its number. */
static void test_version(void **state)
{
	static const char *const values[] = {"0",    "-1",   "1.0", "1e0", "\"1\"",
	                                     "null", "true", "[]",  "{}",  "18446744073709551616"};

	(void)state;
	check_version("3", "it is of many hosts, and no window");
	check_version("18446744073709551615", "version 18446744073709551615 ");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		check_version(values[i], "version");
}

static void test_kind(void **state)
{
	(void)state;
	check_refused("{\"format\":\"ctprof\",\"version\":1,\"kind\":\"window\",\"threads\":[]}",
	              "kind");
	check_refused("{\"format\":\"ctprof\",\"version\":1,\"kind\":\"\",\"threads\":[]}", "kind");
	check_refused("{\"format\":\"ctprof\",\"version\":1,\"kind\":1,\"threads\":[]}", "kind");
	check_refused("{\"format\":\"ctprof\",\"version\":1,\"kind\":null,\"threads\":[]}", "kind");
}

static void test_threads(void **state)
{
	(void)state;
	check_refused("{" HEAD ",\"threads\":{}}", "threads");
	check_refused("{" HEAD ",\"threads\":null}", "threads");
	check_refused("{" HEAD ",\"threads\":[1]}", "threads");
	check_refused("{" HEAD ",\"threads\":[[]]}", "threads");
	check_refused("{" HEAD ",\"threads\":[null]}", "threads");
	check_refused("{" HEAD ",\"threads\":[],\"threads\":[]}", "twice");
	check_refused("{" HEAD ",\"threads\":[{" IDENTITY "},{}]}", "threads[1]");
}

static void test_times(void **state)
{
	static const char *const wrong[] = {
	        "\"1\"", "-1", "1.5", "1e3", "null", "[]", "{}", "true", "18446744073709551616"};
	static const char *const keys[] = {"captured_at_unix_ns", "captured_boottime_ns"};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
		for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
			struct strbuf pair = STRBUF_INIT;

			strbuf_addf(&pair, "\"%s\":%s", keys[k], wrong[i]);
			check_top_refused(pair.data, keys[k]);
			strbuf_done(&pair);
		}
	check_accepted("{" HEAD ",\"captured_at_unix_ns\":18446744073709551615,\"threads\":[]}");
	assert_int_equal(copy.info.captured_at_unix_ns, UINT64_MAX);
}

static void test_host_values(void **state)
{
	static const char *const wrong_texts[] = {"1", "null", "[]", "{}", "true"};
	static const char *const wrong_numbers[] = {"\"1\"", "null", "[]", "{}",
	                                            "true",  "-1",   "1.5"};
	static const char *const wrong_maps[] = {"\"1\"", "null",      "[]",
	                                         "1",     "{\"a\":1}", "{\"a\":null}"};
	static const struct {
		const char *const *values;
		size_t count;
	} wrong[] = {
	        [HOST_KIND_TEXT] = {wrong_texts, ARRAY_SIZE(wrong_texts)},
	        [HOST_KIND_NUMBER] = {wrong_numbers, ARRAY_SIZE(wrong_numbers)},
	        [HOST_KIND_MAP] = {wrong_maps, ARRAY_SIZE(wrong_maps)},
	};

	(void)state;
	for (unsigned f = 0; f < HOST_FIELD_COUNT; f++) {
		enum host_kind kind = host_field_table[f].kind;

		for (size_t i = 0; i < wrong[kind].count; i++) {
			struct strbuf pair = STRBUF_INIT;

			strbuf_addf(&pair, "\"host\":{\"%s\":%s}", host_field_table[f].name,
			            wrong[kind].values[i]);
			check_top_refused(pair.data, host_field_table[f].name);
			strbuf_done(&pair);
		}
	}
	check_top_refused("\"host\":[]", "host");
	check_top_refused("\"host\":\"vm\"", "host");
	check_accepted("{" HEAD ",\"host\":{\"later\":[1,{}],\"hostname\":\"a\"},"
	               "\"host\":{\"hostname\":\"b\"},\"threads\":[]}");
	assert_string_equal(host_text(&copy.info.host, HOST_hostname), "b");
}

static void test_source_values(void **state)
{
	(void)state;
	check_top_refused("\"sources\":[]", "sources");
	check_top_refused("\"sources\":1", "sources");
	check_top_refused("\"sources\":{\"stat\":{\"read\":\"1\"}}", "stat");
	check_top_refused("\"sources\":{\"stat\":{\"denied\":-1}}", "denied");
	check_top_refused("\"sources\":{\"stat\":5}", "stat");
	check_top_refused("\"sources\":{\"stat\":null}", "stat");
	check_top_refused("\"sources\":{\"stat\":{\"rule\":5}}", "rule");
	check_top_refused("\"sources\":{\"stat\":{\"rule\":null}}", "rule");
	check_accepted("{" HEAD ",\"sources\":{\"io\":{\"rule\":\"off\",\"denied\":3,\"later\":[]},"
	               "\"sched\":{\"rule\":\"invented later\"},\"later\":7},\"threads\":[]}");
	assert_int_equal(copy.info.rules[SOURCE_io], OUTCOME_off);
	assert_int_equal(copy.info.rules[SOURCE_sched], OUTCOME_skipped);
	assert_int_equal(copy.info.rules[SOURCE_stat], OUTCOME_read);
	assert_int_equal(copy.info.tally.sources[SOURCE_io][OUTCOME_denied], 3);
}

static void test_summary_values(void **state)
{
	static const char *const keys[] = {
	        "tgids_walked",    "tgids_gone",         "tgids_denied",    "tids_gone",
	        "tids_unreadable", "processes_walked",   "processes_gone",  "processes_denied",
	        "threads_gone",    "threads_unreadable", "malformed_values"};
	static const char *const wrong[] = {"\"1\"", "null", "[]", "-1", "1.5"};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
		for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
			struct strbuf pair = STRBUF_INIT;

			strbuf_addf(&pair, "\"parse_summary\":{\"%s\":%s}", keys[k], wrong[i]);
			check_top_refused(pair.data, keys[k]);
			strbuf_done(&pair);
		}
	check_top_refused("\"parse_summary\":[]", "parse_summary");
	check_accepted("{" HEAD
	               ",\"parse_summary\":{\"tgids_walked\":5,\"tgids_gone\":2,\"later\":{}},"
	               "\"threads\":[]}");
	assert_int_equal(copy.info.tally.processes, 3);
	assert_int_equal(copy.info.tally.processes_gone, 2);
	check_accepted("{" HEAD
	               ",\"parse_summary\":{\"tgids_walked\":1,\"tgids_gone\":2},\"threads\":[]}");
	assert_int_equal(copy.info.tally.processes, 0);
}

static void test_row_missing_identity(void **state)
{
	static const char *const pairs[] = {"\"tid\":8", "\"tgid\":7", "\"pcomm\":\"p\"",
	                                    "\"comm\":\"c\"", "\"start_time_clock_ticks\":5"};
	static const char *const keys[] = {"tid", "tgid", "pcomm", "comm",
	                                   "start_time_clock_ticks"};

	(void)state;
	for (size_t left_out = 0; left_out < ARRAY_SIZE(pairs); left_out++) {
		struct strbuf json = STRBUF_INIT;
		const char *separator = "";

		strbuf_add_str(&json, "{" HEAD ",\"threads\":[{");
		for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
			if (i != left_out) {
				strbuf_addf(&json, "%s%s", separator, pairs[i]);
				separator = ",";
			}
		strbuf_add_str(&json, "}]}");
		check_refused(json.data, keys[left_out]);
		assert_contains(strbuf_str(&copy.error), "threads[0]");
		strbuf_done(&json);
	}
}

/* Each identity with values that it cannot have; the row has the good one already. */
static void test_row_identity_values(void **state)
{
	static const char *const numbers[] = {"-1",   "1.5", "\"1\"", "null",
	                                      "true", "[]",  "{}",    "18446744073709551616"};
	static const char *const others[] = {"1", "null", "true", "[]", "{}"};

	(void)state;
	for (size_t k = 0; k < identity_count; k++) {
		bool number = strcmp(identity_table[k].json_type, "integer") == 0;
		bool object = strcmp(identity_table[k].json_type, "object") == 0;
		size_t count = number ? ARRAY_SIZE(numbers) : ARRAY_SIZE(others);

		for (size_t i = 0; i < count; i++)
			if (!object || strcmp(others[i], "{}") != 0)
				check_pair(identity_table[k].name, number ? numbers[i] : others[i],
				           false);
	}
	check_pair("tid", "4294967296", false);
	check_pair("tid", "4294967295", true);
	check_pair("tgid", "4294967296", false);
	check_pair("uid", "4294967296", false);
	check_pair("uid", "4294967295", true);
	assert_true(copy.samples[0].has_uid);
	assert_int_equal(copy.samples[0].uid, UINT32_MAX);
	check_pair("read_boottime_ns", "18446744073709551615", true);
	assert_int_equal(copy.samples[0].read_boottime_ns, UINT64_MAX);
}

static void check_values(enum metric_id metric, const char *const *values, size_t count,
                         bool accepted)
{
	for (size_t i = 0; i < count; i++) {
		check_pair(metric_table[metric].name, values[i], accepted);
		if (accepted)
			assert_true(metric_set_has(&copy.samples[0].seen, metric));
	}
}

#define VALUES(...) \
	(const char *const[]){__VA_ARGS__}, ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))

static void check_metric_values(enum metric_id metric)
{
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		check_values(metric, VALUES("0", "18446744073709551615", "-0"), true);
		check_values(metric,
		             VALUES("-1", "18446744073709551616", "1.0", "1e2", "\"1\"", "true",
		                    "null", "[]", "{}"),
		             false);
		break;
	case REPRESENTATION_I32:
		check_values(metric, VALUES("0", "2147483647", "-2147483648"), true);
		check_values(metric,
		             VALUES("2147483648", "-2147483649", "18446744073709551615", "1.0",
		                    "\"1\"", "true", "null", "[]", "{}"),
		             false);
		break;
	case REPRESENTATION_U32:
		check_values(metric, VALUES("0", "4294967295"), true);
		check_values(metric, VALUES("4294967296", "-1", "1.0", "\"1\"", "null", "[]", "{}"),
		             false);
		break;
	case REPRESENTATION_TEXT:
		check_values(metric, VALUES("\"x\"", "\"1234567890123456789012345678901\""), true);
		check_values(metric,
		             VALUES("\"\"", "\"12345678901234567890123456789012\"", "1", "true",
		                    "null", "[]", "{}"),
		             false);
		break;
	case REPRESENTATION_LETTER:
		check_values(metric, VALUES("\"S\"", "\"~\""), true);
		check_values(metric,
		             VALUES("\"\"", "\"SS\"", "\" \"", "\"\\n\"", "\"\xc3\xa9\"", "1",
		                    "null", "[]", "{}"),
		             false);
		break;
	case REPRESENTATION_FLAG:
		check_values(metric, VALUES("true", "false"), true);
		check_values(metric, VALUES("0", "1", "\"true\"", "null", "[]", "{}"), false);
		break;
	case REPRESENTATION_CPUS:
		check_values(metric, VALUES("[0]", "[8191]", "[3,1,2,1]"), true);
		check_values(metric,
		             VALUES("[8192]", "[-1]", "[1.5]", "[\"1\"]", "[[1]]", "[null]", "1",
		                    "\"0-3\"", "null", "{}"),
		             false);
		break;
	}
}

static void test_row_metric_values(void **state)
{
	bool checked[METRIC_TYPE_COUNT] = {false};

	(void)state;
	/* The metrics of a type are read alike. */
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		if (metric_table[i].source == SOURCE_synthetic || checked[metric_table[i].type])
			continue;
		checked[metric_table[i].type] = true;
		check_metric_values((enum metric_id)i);
	}
	check_pair("cpu_affinity", "[]", true);
	assert_unseen(&copy.samples[0], cpu_affinity);
	/* A value that is not stored is not read either. */
	check_pair("thread_count", "\"anything\"", true);
	assert_unseen(&copy.samples[0], thread_count);
}

static void test_row_hexadecimal(void **state)
{
	static const char *const keys[] = {"comm_hex", "pcomm_hex", "cgroup_hex", "cwd_hex"};
	static const char *const wrong[] = {"\"0\"",   "\"zz\"", "\"FF\"",
	                                    "\"ff0\"", "\"f \"", "\"0x\""};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
		for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
			check_pair(keys[k], wrong[i], false);
	check_pair("comm_hex", "\"\"", true);
	assert_text(&copy.samples[0].comm, "");
	check_pair("comm_hex", "\"00ff0a\"", true);
	assert_int_equal(copy.samples[0].comm.len, 3);
	assert_memory_equal(copy.samples[0].comm.data, "\0\xff\n", 3);
	/* The exact bytes count, whichever key comes first. */
	check_row("\"pcomm_hex\":\"ff\",\"pcomm\":\"\xef\xbf\xbd\"", true, "");
	assert_text(&copy.samples[0].pcomm, "\xff");
	check_row("\"cgroup\":\"/\xef\xbf\xbd\",\"cgroup_hex\":\"2fff\"", true, "");
	assert_text(&copy.samples[0].cgroup, "/\xff");
	assert_true(copy.samples[0].has_cgroup);
	check_row("\"cgroup_hex\":\"2fff\",\"cgroup\":\"/\xef\xbf\xbd\"", true, "");
	assert_text(&copy.samples[0].cgroup, "/\xff");
	assert_true(copy.samples[0].has_cgroup);
	check_row("\"exe_hex\":\"2f000aff\",\"exe\":\"/\xef\xbf\xbd\"", true, "");
	assert_true(copy.samples[0].has_exe);
	assert_int_equal(copy.samples[0].exe.len, 4);
	assert_memory_equal(copy.samples[0].exe.data, "/\0\n\xff", 4);
}

static void test_row_missing_reasons(void **state)
{
	(void)state;
	check_pair("missing", "{\"stat\":1}", false);
	check_pair("missing", "{\"stat\":null}", false);
	check_pair("missing", "{\"stat\":{}}", false);
	check_pair("missing",
	           "{\"io\":\"denied\",\"wait_max\":\"malformed\",\"later\":\"denied\","
	           "\"sched\":\"later\",\"nice\":\"denied\"}",
	           true);
	assert_int_equal(copy.samples[0].outcomes[SOURCE_io], OUTCOME_denied);
	assert_int_equal(copy.samples[0].outcomes[SOURCE_sched], OUTCOME_unneeded);
	assert_malformed(&copy.samples[0], wait_max);
	assert_unseen(&copy.samples[0], nice);
	assert_int_equal(sample_reason(&copy.samples[0], METRIC_rchar), OUTCOME_denied);
	check_pair("missing", "{}", true);
}

/* A later version of the same format may say more. */
static void test_unknown_keys_are_ignored(void **state)
{
	(void)state;
	check_accepted("{\"later\":{\"threads\":[{}],\"format\":1},\"\":null," HEAD
	               ",\"Format\":\"x\",\"threads\":[{\"later\":[[{\"tid\":\"x\"}]]," IDENTITY
	               ",\"\":1.5e300,\"Tid\":\"x\"}],\"more\":[1,2,[3]]}");
	assert_int_equal(copy.count, 1);
	assert_int_equal(copy.samples[0].tid, 8);
}

/* A tool that sorts keys leaves the version behind the threads. */
static void test_sorted_keys(void **state)
{
	(void)state;
	check_accepted(
	        "{\"captured_at_unix_ns\":1,\"captured_boottime_ns\":2,\"format\":\"ctprof\","
	        "\"host\":{},\"kind\":\"lifetime\",\"parse_summary\":{},\"sources\":{},"
	        "\"threads\":[{\"comm\":\"c\",\"comm_hex\":\"ff\",\"missing\":{},\"nice\":3,"
	        "\"pcomm\":\"p\",\"start_time_clock_ticks\":5,\"tgid\":7,\"tid\":8}],\"version\":"
	        "1}");
	assert_int_equal(copy.count, 1);
	assert_text(&copy.samples[0].comm, "\xff");
	assert_seen(&copy.samples[0], nice, 3);
	check_refused("{\"format\":\"ctprof\",\"kind\":\"lifetime\",\"threads\":[],\"version\":4}",
	              "version 4 ");
}

/* Nothing of a row is left for the next one. */
static void test_rows_are_independent(void **state)
{
	(void)state;
	check_accepted("{" HEAD ",\"threads\":[{" IDENTITY
	               ",\"nice\":3,\"cgroup\":\"/x\",\"comm_hex\":\"ff\","
	               "\"exe\":\"/x\",\"uid\":3,"
	               "\"missing\":{\"io\":\"denied\",\"wait_max\":\"malformed\"}},{" IDENTITY
	               "}]}");
	assert_int_equal(copy.count, 2);
	assert_seen(&copy.samples[0], nice, 3);
	assert_int_equal(count_metrics(&copy.samples[1].seen), 0);
	assert_int_equal(count_metrics(&copy.samples[1].malformed), 0);
	assert_int_equal(copy.samples[1].outcomes[SOURCE_io], OUTCOME_unneeded);
	assert_false(copy.samples[1].has_cgroup);
	assert_true(copy.samples[0].has_exe && copy.samples[0].has_uid);
	assert_false(copy.samples[1].has_exe || copy.samples[1].has_uid);
	assert_text(&copy.samples[1].comm, "c");
}

static void test_escapes_in_names(void **state)
{
	(void)state;
	check_pair("comm", "\"\\u00e9\\n\\\"\\ud83d\\ude00\"", true);
	assert_text(&copy.samples[0].comm, "\xc3\xa9\n\"\xf0\x9f\x98\x80");
	check_row("\"comm\":\"\\u0000\"", false, "");
	check_row("\"comm\":\"\xff\"", false, "");
}

static bool reads_with(const char *json, struct snapshot_limits limits, const char *part)
{
	snapshot_copy_done(&copy);
	snapshot_copy_read_json(&copy, json, strlen(json), &limits);
	assert_true(copy.result == 0 || copy.result == -E2BIG);
	if (copy.result < 0)
		assert_contains(strbuf_str(&copy.error), part);
	return copy.result == 0;
}

static void test_limits(void **state)
{
	static const char json[] = "{" HEAD ",\"threads\":[{" IDENTITY "},{" IDENTITY "}],"
	                           "\"later\":[[[[\"12345678901234567890123456789\"]]]]}";
	struct snapshot_limits limits = snapshot_default_limits;

	(void)state;
	assert_true(reads_with(json, limits, ""));
	limits.threads = 2;
	assert_true(reads_with(json, limits, ""));
	limits.threads = 1;
	assert_false(reads_with(json, limits, "more than 1 threads"));
	limits.threads = 0;
	assert_false(reads_with(json, limits, "more than 0 threads"));

	limits = snapshot_default_limits;
	limits.bytes = strlen(json);
	assert_true(reads_with(json, limits, ""));
	limits.bytes--;
	assert_false(reads_with(json, limits, "limit"));
	limits.bytes = 0;
	assert_false(reads_with(json, limits, "limit"));

	limits = snapshot_default_limits;
	limits.depth = 5;
	assert_true(reads_with(json, limits, ""));
	limits.depth = 4;
	assert_false(reads_with(json, limits, "limit"));

	limits = snapshot_default_limits;
	limits.string_bytes = 29;
	assert_true(reads_with(json, limits, ""));
	limits.string_bytes = 28;
	assert_false(reads_with(json, limits, "limit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_smallest_snapshot),
	        cmocka_unit_test(test_not_an_object),
	        cmocka_unit_test(test_missing_keys),
	        cmocka_unit_test(test_format),
	        cmocka_unit_test(test_version),
	        cmocka_unit_test(test_kind),
	        cmocka_unit_test(test_threads),
	        cmocka_unit_test(test_times),
	        cmocka_unit_test(test_host_values),
	        cmocka_unit_test(test_source_values),
	        cmocka_unit_test(test_summary_values),
	        cmocka_unit_test(test_row_missing_identity),
	        cmocka_unit_test(test_row_identity_values),
	        cmocka_unit_test(test_row_metric_values),
	        cmocka_unit_test(test_row_hexadecimal),
	        cmocka_unit_test(test_row_missing_reasons),
	        cmocka_unit_test(test_unknown_keys_are_ignored),
	        cmocka_unit_test(test_sorted_keys),
	        cmocka_unit_test(test_rows_are_independent),
	        cmocka_unit_test(test_escapes_in_names),
	        cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
