// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of a snapshot beside its threads, written and read back: cgroups, pressure, sched_ext, cost. */
#include "check.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#include "cgroups.h"
#include "memory-stream.h"
#include "snapshot/snapshot-value.h"
#include "snapshots.h"

static struct snapshot_copy copy;

static int teardown(void **state)
{
	(void)state;
	snapshot_copy_done(&copy);
	return 0;
}

static struct snapshot_info plain_info(void)
{
	struct snapshot_info info = {0};

	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info.rules[s] = OUTCOME_read;
	return info;
}

static void write_and_read(const struct cgroup_stats *cgroups, size_t count)
{
	struct snapshot_info info = plain_info();
	struct strbuf file = STRBUF_INIT;

	snapshot_copy_done(&copy);
	snapshot_pack_all(&info, NULL, 0, cgroups, count, &file);
	snapshot_copy_read(&copy, file.data, file.len, NULL);
	strbuf_done(&file);
	assert_text(&copy.error, "");
	assert_int_equal(copy.result, 0);
	assert_int_equal(copy.cgroup_count, count);
}

static json_t *load_written(const struct snapshot_info *info, const struct cgroup_stats *cgroups,
                            size_t count)
{
	struct strbuf file = STRBUF_INIT, json = STRBUF_INIT;
	json_t *root;

	snapshot_pack_all(info, NULL, 0, cgroups, count, &file);
	zstd_unpack(file.data, file.len, &json);
	root = json_loadb(json.data, json.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	strbuf_done(&file);
	strbuf_done(&json);
	return root;
}

static void done_all(struct cgroup_stats *cgroups, size_t count)
{
	for (size_t i = 0; i < count; i++)
		cgroup_stats_done(&cgroups[i]);
}

static void test_random_round_trips(void **state)
{
	enum { SEED = 30, ROUNDS = 300, CGROUPS = 8 };
	static struct cgroup_stats cgroups[CGROUPS];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		size_t count = random_below(&random, CGROUPS + 1);
		size_t v2 = random_below(&random, count + 1);

		for (size_t i = 0; i < count; i++) {
			random_cgroup(&random, i >= v2, &cgroups[i]);
			random_name(&random, &cgroups[i].path);
		}
		write_and_read(cgroups, count);
		for (size_t i = 0; i < count; i++)
			check_random(&random, same_cgroup(&cgroups[i], &copy.cgroups[i]));
	}
	done_all(cgroups, CGROUPS);
}

/* Paths that look the same once their wrong bytes are gone, one of which says U+FFFD itself, and one that has
 * the name that another one is given. Every JSON reader must find all of them. */
static void test_paths_that_collide(void **state)
{
	static const char *const paths[] = {"/a\xff", "/a\xfe",           "/a\xef\xbf\xbd",
	                                    "/a\xfd", "/a\xef\xbf\xbd#2", "/a\xc3",
	                                    "/b\xff"};
	static struct cgroup_stats cgroups[2 * ARRAY_SIZE(paths)];
	struct snapshot_info info = plain_info();
	json_t *root;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		cgroups[i].is_v1 = i >= ARRAY_SIZE(paths);
		strbuf_add_str(&cgroups[i].path, paths[i % ARRAY_SIZE(paths)]);
	}
	write_and_read(cgroups, ARRAY_SIZE(cgroups));
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++)
		assert_true(same_cgroup(&cgroups[i], &copy.cgroups[i]));
	root = load_written(&info, cgroups, ARRAY_SIZE(cgroups));
	assert_int_equal(json_object_size(json_object_get(root, "cgroup_stats")),
	                 ARRAY_SIZE(paths));
	assert_int_equal(json_object_size(json_object_get(root, "cgroup_v1_stats")),
	                 ARRAY_SIZE(paths));
	/* Each object has keys of its own. */
	assert_non_null(
	        json_object_get(json_object_get(root, "cgroup_v1_stats"), "/b\xef\xbf\xbd"));
	json_decref(root);
	done_all(cgroups, ARRAY_SIZE(cgroups));
}

static void set_key(struct cgroup_stats *stats, enum cgroup_list_id list, const char *key,
                    uint64_t value)
{
	stats->has_list[list] = true;
	keyed_values_set(&stats->lists[list], key, strlen(key), value);
}

static json_int_t number_at(const json_t *object, const char *first, const char *second,
                            const char *third)
{
	const json_t *value = json_object_get(json_object_get(object, first), second);

	if (third)
		value = json_object_get(value, third);
	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void test_cgroup_as_json(void **state)
{
	static struct cgroup_stats cgroups[2];
	struct cgroup_stats *stats = &cgroups[0];
	struct snapshot_info info = plain_info();
	json_t *root, *json;

	(void)state;
	strbuf_add_str(&stats->path, "/a \"b\" (deleted)");
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_usage_usec], 7);
	fact_set_unlimited(&stats->values[CGROUP_VALUE_memory_max]);
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_weight_nice], -20);
	fact_set_text(&stats->values[CGROUP_VALUE_cpuset_cpus_effective], "0-3", 3);
	fact_set_number(&stats->values[CGROUP_VALUE_pids_v1_max], 9); /* not of version 2 */
	set_key(stats, CGROUP_LIST_memory_stat, "anon", 5);
	set_key(stats, CGROUP_LIST_io_stat, "8:0 rbytes", 1);
	set_key(stats, CGROUP_LIST_io_stat, "8:16 rbytes", 2);
	set_key(stats, CGROUP_LIST_io_stat, "8:0 wbytes", 3);
	stats->has_list[CGROUP_LIST_memory_events] = true;
	stats->psi.lines[PSI_irq][PSI_ROW_full] =
	        (struct psi_line){.seen = true, .averages = {10000, 2, 3}, .total_usec = 4};
	cgroups[1].is_v1 = true;
	strbuf_add_str(&cgroups[1].path, "/one");
	fact_set_number(&cgroups[1].values[CGROUP_VALUE_cpu_v1_nr_periods], 8);

	root = load_written(&info, cgroups, 2);
	json = json_object_get(json_object_get(root, "cgroup_stats"), "/a \"b\" (deleted)");
	assert_int_equal(json_object_size(json), 5);
	assert_int_equal(number_at(json, "cpu", "usage_usec", NULL), 7);
	assert_int_equal(number_at(json, "cpu", "weight_nice", NULL), -20);
	assert_true(json_is_null(json_object_get(json_object_get(json, "memory"), "max")));
	assert_null(json_object_get(json_object_get(json, "memory"), "current"));
	assert_int_equal(number_at(json, "memory", "stat", "anon"), 5);
	assert_int_equal(
	        json_object_size(json_object_get(json_object_get(json, "memory"), "events")), 0);
	assert_non_null(json_object_get(json_object_get(json, "memory"), "events"));
	json = json_object_get(json_object_get(json, "io"), "stat");
	assert_int_equal(json_object_size(json), 2);
	assert_int_equal(number_at(json, "8:0", "rbytes", NULL), 1);
	assert_int_equal(number_at(json, "8:0", "wbytes", NULL), 3);
	assert_int_equal(number_at(json, "8:16", "rbytes", NULL), 2);
	json = json_object_get(json_object_get(root, "cgroup_stats"), "/a \"b\" (deleted)");
	assert_int_equal(number_at(json_object_get(json, "psi"), "irq", "full", "avg10"), 10000);
	assert_int_equal(number_at(json_object_get(json, "psi"), "irq", "full", "total_usec"), 4);
	json = json_object_get(json_object_get(root, "cgroup_v1_stats"), "/one");
	assert_int_equal(json_object_size(json), 1);
	assert_int_equal(number_at(json, "cpu", "nr_periods", NULL), 8);
	json_decref(root);
	done_all(cgroups, 2);
}

/* Keys that no kernel has: longer than a reader takes, more than it takes, not UTF-8. */
static void test_hostile_lists_are_written(void **state)
{
	enum { KEYS = SNAPSHOT_LIST_KEYS + 10 };
	static struct cgroup_stats stats;
	char key[SNAPSHOT_KEY_BYTES + 2];

	(void)state;
	memset(key, 'x', sizeof(key));
	key[sizeof(key) - 1] = '\0';
	set_key(&stats, CGROUP_LIST_memory_stat, key, 1);
	set_key(&stats, CGROUP_LIST_io_stat, key, 1);
	key[3] = ' ';
	set_key(&stats, CGROUP_LIST_io_stat, key, 1);
	set_key(&stats, CGROUP_LIST_io_stat, "d\xff r\xff", 2);
	set_key(&stats, CGROUP_LIST_memory_stat, "a\xff\"", 3);
	for (unsigned i = 0; i < KEYS; i++) {
		int len = snprintf(key, sizeof(key), "key%u", i);

		stats.has_list[CGROUP_LIST_memory_events] = true;
		keyed_values_set(&stats.lists[CGROUP_LIST_memory_events], key, (size_t)len, i);
	}
	write_and_read(&stats, 1);
	assert_int_equal(copy.cgroups[0].lists[CGROUP_LIST_memory_events].count,
	                 SNAPSHOT_LIST_KEYS);
	assert_int_equal(copy.cgroups[0].lists[CGROUP_LIST_memory_stat].count, 1);
	assert_string_equal(copy.cgroups[0].lists[CGROUP_LIST_memory_stat].entries[0].key,
	                    "a\xef\xbf\xbd\"");
	assert_int_equal(copy.cgroups[0].lists[CGROUP_LIST_io_stat].count, 1);
	assert_string_equal(copy.cgroups[0].lists[CGROUP_LIST_io_stat].entries[0].key,
	                    "d\xef\xbf\xbd r\xef\xbf\xbd");
	cgroup_stats_done(&stats);
}

/* Both hierarchies are there, empty, where there are no cgroups; version 2 comes first. */
static void test_order_of_cgroups(void **state)
{
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	struct snapshot_info info = plain_info();
	static struct thread_sample sample;
	static struct cgroup_stats stats;
	json_t *root = load_written(&info, NULL, 0);

	(void)state;
	assert_int_equal(json_object_size(json_object_get(root, "cgroup_stats")), 0);
	assert_non_null(json_object_get(root, "cgroup_v1_stats"));
	json_decref(root);

	assert_int_equal(snapshot_write_begin(writer, &info), 0);
	stats.is_v1 = true;
	assert_int_equal(snapshot_write_cgroup(writer, &stats), 0);
	stats.is_v1 = false;
	assert_int_equal(snapshot_write_cgroup(writer, &stats), -EINVAL);
	assert_int_equal(snapshot_write_end(writer, &info), -EINVAL);
	snapshot_writer_freep(&writer);

	writer = snapshot_writer_new(&sink.base, 1);
	assert_int_equal(snapshot_write_begin(writer, &info), 0);
	assert_int_equal(snapshot_write_cgroup(writer, &stats), 0);
	assert_int_equal(snapshot_write_thread(writer, &sample), -EINVAL);
	snapshot_writer_freep(&writer);
	strbuf_done(&sink.bytes);
	cgroup_stats_done(&stats);
}

/* A thread may enter a cgroup of version 1 that is read last, when those of version 2 have been read and are kept. */
static void test_order_of_kept_cgroups(void **state)
{
	static const char *const paths[] = {"/kept", "/late"};
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	struct snapshot_info info = plain_info();

	(void)state;
	/* Before the rest, in any order. */
	for (unsigned v1 = 2; v1-- > 0;) {
		struct cgroup_stats stats = {.is_v1 = v1 == 1};

		strbuf_add_str(&stats.path, paths[v1]);
		assert_int_equal(snapshot_write_cgroup(writer, &stats), 0);
		cgroup_stats_done(&stats);
	}
	assert_int_equal(snapshot_write_begin(writer, &info), 0);
	assert_int_equal(snapshot_write_end(writer, &info), 0);
	snapshot_copy_done(&copy);
	snapshot_copy_read(&copy, sink.bytes.data, sink.bytes.len, NULL);
	assert_int_equal(copy.result, 0);
	assert_int_equal(copy.cgroup_count, 2);
	for (unsigned v1 = 0; v1 < 2; v1++) {
		assert_text(&copy.cgroups[v1].path, paths[v1]);
		assert_int_equal(copy.cgroups[v1].is_v1, v1 == 1);
	}
	snapshot_writer_freep(&writer);
	strbuf_done(&sink.bytes);
}

static void test_json_bytes(void **state)
{
	enum { THREADS = 2000 };
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	struct snapshot_info info = plain_info();
	struct strbuf json = STRBUF_INIT;
	static struct thread_sample sample;
	static struct cgroup_stats stats;

	(void)state;
	assert_int_equal(snapshot_writer_json_bytes(writer), 0);
	assert_int_equal(snapshot_write_begin(writer, &info), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		uint64_t before = snapshot_writer_json_bytes(writer);

		assert_int_equal(snapshot_write_thread(writer, &sample), 0);
		assert_true(snapshot_writer_json_bytes(writer) > before);
	}
	assert_int_equal(snapshot_write_cgroup(writer, &stats), 0);
	assert_int_equal(snapshot_write_end(writer, &info), 0);
	zstd_unpack(sink.bytes.data, sink.bytes.len, &json);
	assert_int_equal(snapshot_writer_json_bytes(writer), json.len);
	snapshot_writer_freep(&writer);
	strbuf_done(&sink.bytes);
	strbuf_done(&json);
	cgroup_stats_done(&stats);
}

static json_t *taskstats_summary(struct snapshot_info *info, json_t **ret_root)
{
	*ret_root = load_written(info, NULL, 0);
	return json_object_get(*ret_root, "taskstats_summary");
}

static void test_taskstats_summary(void **state)
{
	struct snapshot_info info = plain_info();
	uint64_t *tally = info.tally.sources[SOURCE_taskstats];
	json_t *root, *summary = taskstats_summary(&info, &root);

	(void)state;
	assert_true(json_is_null(summary));
	json_decref(root);
	tally[OUTCOME_off] = 7;
	tally[OUTCOME_skipped] = 7;
	summary = taskstats_summary(&info, &root);
	assert_true(json_is_null(summary));
	json_decref(root);
	tally[OUTCOME_skipped] = 0;
	tally[OUTCOME_read] = 1;
	tally[OUTCOME_denied] = 2;
	tally[OUTCOME_gone] = 3;
	tally[OUTCOME_malformed] = 4;
	summary = taskstats_summary(&info, &root);
	assert_int_equal(json_integer_value(json_object_get(summary, "ok_count")), 1);
	assert_int_equal(json_integer_value(json_object_get(summary, "eperm_count")), 2);
	assert_int_equal(json_integer_value(json_object_get(summary, "esrch_count")), 3);
	assert_int_equal(json_integer_value(json_object_get(summary, "other_err_count")), 11);
	json_decref(root);
}

/* Numbers that jansson cannot hold are written as the largest that it can. */
static void test_cost_saturates(void **state)
{
	struct snapshot_info info = plain_info();
	struct strbuf file = STRBUF_INIT;

	(void)state;
	info.cost_seen[COST_wall_ns] = true;
	info.cost[COST_wall_ns] = UINT64_MAX;
	info.psi.lines[PSI_io][PSI_ROW_some] =
	        (struct psi_line){.seen = true, .total_usec = UINT64_MAX};
	snapshot_pack(&info, NULL, 0, &file);
	snapshot_copy_done(&copy);
	snapshot_copy_read(&copy, file.data, file.len, NULL);
	assert_int_equal(copy.result, 0);
	assert_int_equal(copy.info.cost[COST_wall_ns], INT64_MAX);
	assert_false(copy.info.cost_seen[COST_user_cpu_ns]);
	assert_int_equal(copy.info.psi.lines[PSI_io][PSI_ROW_some].total_usec, UINT64_MAX);
	strbuf_done(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_random_round_trips),
	        cmocka_unit_test(test_paths_that_collide),
	        cmocka_unit_test(test_cgroup_as_json),
	        cmocka_unit_test(test_hostile_lists_are_written),
	        cmocka_unit_test(test_order_of_cgroups),
	        cmocka_unit_test(test_order_of_kept_cgroups),
	        cmocka_unit_test(test_json_bytes),
	        cmocka_unit_test(test_taskstats_summary),
	        cmocka_unit_test(test_cost_saturates),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
