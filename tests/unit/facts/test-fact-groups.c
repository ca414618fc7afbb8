// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"

#include "samples.h"

static const struct smaps_group *smaps_group(const struct smaps_table *table, const char *key)
{
	return strmap_get(&table->map, key, strlen(key));
}

static void test_cgroup_keys(void **state)
{
	struct cgroup_table table;
	const struct cgroup_group *group;

	(void)state;
	cgroup_table_init(&table);
	add_cgroup(&table, "/a", CGROUP_VALUE_cpu_usage_usec, 1);
	add_cgroup(&table, "/a", CGROUP_VALUE_cpu_usage_usec, 2);
	add_cgroup(&table, "/a", CGROUP_VALUE_memory_v1_usage, 3);
	add_cgroup(&table, "", CGROUP_VALUE_cpu_usage_usec, 4);
	assert_int_equal(table.map.count, 3);
	group = strmap_get(&table.map, "/a", 2);
	assert_int_equal(group->members, 2);
	assert_int_equal(group->stats.values[CGROUP_VALUE_cpu_usage_usec].number, 3);
	group = strmap_get(&table.map, "v1:/a", 5);
	assert_true(group->stats.is_v1);
	assert_int_equal(group->stats.values[CGROUP_VALUE_memory_v1_usage].number, 3);
	cgroup_table_done(&table);
}

/* Members whose counters of an object have no difference, but for those that lack all of them. */
static void test_unjoined(void **state)
{
	static const uint64_t intervals_ns[] = {10, 10, 0};
	struct span pattern = {"/a", 2};
	struct cgroup_table table;
	const struct cgroup_group *group;

	(void)state;
	cgroup_table_init(&table);
	for (size_t i = 0; i < ARRAY_SIZE(intervals_ns); i++) {
		cleanup_(cgroup_stats_done) struct cgroup_stats stats = {
		        .read_boottime_ns = 20, .interval_ns = intervals_ns[i]};

		strbuf_add_str(&stats.path, "/a");
		if (i > 0)
			keyed_values_set(&stats.unjoined, "memory", strlen("memory"), 3);
		cgroup_table_add(&table, pattern, &stats);
	}
	group = strmap_get(&table.map, "/a", 2);
	assert_int_equal(group->members, 3);
	assert_int_equal(group->without_begin, 1);
	assert_int_equal(keyed_values_find(&group->unjoined, "memory", strlen("memory"), 0)->value,
	                 1);
	cgroup_table_done(&table);
}

static void test_smaps_sums(void **state)
{
	struct smaps_table table;
	const struct smaps_group *group;

	(void)state;
	smaps_table_init(&table, false, NULL);
	add_process(&table, "worker-1", 1, 10, 1);
	add_process(&table, "worker-2", 2, 20, 2);
	add_process(&table, "other", 3, 40, 4);
	assert_int_equal(table.map.count, 2);
	group = smaps_group(&table, "worker-{N}");
	assert_int_equal(group->processes, 2);
	assert_true(group->several_names);
	assert_int_equal(keyed_values_find(&group->kib, "Rss", 3, 0)->value, 30);
	assert_int_equal(keyed_values_find(&group->kib, "Pss", 3, 0)->value, 3);
	assert_false(smaps_group(&table, "other")->several_names);
	smaps_table_done(&table);
}

static void add_life(struct smaps_table *table, uint32_t tgid, uint64_t start, const char *host)
{
	static struct thread_sample sample;

	sample_reset(&sample);
	sample.tgid = sample.tid = tgid;
	sample.start_time_clock_ticks = start;
	sample_name(&sample.pcomm, "worker-1");
	sample_name(&sample.host, host);
	sample.has_smaps = true;
	keyed_values_set(&sample.smaps_rollup_kib, "Rss", 3, start);
	smaps_table_add(table, &sample);
	sample_done(&sample);
}

/* A process is its id and its birth, on its host. */
static void test_smaps_literal(void **state)
{
	static const char *const names[] = {"worker-1[22] on a", "worker-1[23] on a",
	                                    "worker-1[22] on a", "worker-1[22] on b"};
	struct host host = {.numbers[HOST_hosts] = 2};
	struct smaps_table table;

	(void)state;
	smaps_table_init(&table, true, &host);
	add_life(&table, 22, 1, "a");
	add_life(&table, 23, 1, "a");
	add_life(&table, 22, 2, "a");
	add_life(&table, 22, 1, "b");
	assert_int_equal(table.map.count, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct smaps_group *group = table.map.entries[i].value;

		assert_string_equal(group->first_name, names[i]);
		assert_int_equal(group->processes, 1);
	}
	smaps_table_done(&table);
}

/* Only leaders have it. */
static void test_smaps_without(void **state)
{
	static struct thread_sample sample;
	struct smaps_table table;

	(void)state;
	smaps_table_init(&table, false, NULL);
	sample_reset(&sample);
	sample_name(&sample.pcomm, "a");
	smaps_table_add(&table, &sample);
	assert_int_equal(table.map.count, 0);
	sample.has_smaps = true;
	smaps_table_add(&table, &sample);
	assert_int_equal(smaps_group(&table, "a")->kib.count, 0);
	sample_done(&sample);
	smaps_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cgroup_keys),   cmocka_unit_test(test_unjoined),
	        cmocka_unit_test(test_smaps_sums),    cmocka_unit_test(test_smaps_literal),
	        cmocka_unit_test(test_smaps_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
