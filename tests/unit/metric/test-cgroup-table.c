// SPDX-License-Identifier: GPL-2.0-or-later
/* Merging cgroups, rule by rule. */
#include "check.h"

#include "ctprof/metric/cgroup-stats.h"

enum { UNSEEN = -1, UNLIMITED = -2 };

static void set(struct fact_value *value, int64_t number)
{
	if (number == UNLIMITED)
		fact_set_unlimited(value);
	else if (number == UNSEEN)
		fact_clear(value);
	else
		fact_set_number(value, number);
}

static int64_t get(const struct fact_value *value)
{
	return value->state == FACT_NUMBER      ? value->number
	       : value->state == FACT_UNLIMITED ? UNLIMITED
	                                        : UNSEEN;
}

/* Merges three cgroups with these values. */
static int64_t merged(enum cgroup_value_id id, int64_t a, int64_t b, int64_t c)
{
	const int64_t numbers[] = {a, b, c};
	struct cgroup_stats into = {0}, from = {0};
	int64_t result;

	for (uint32_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		set(&from.values[id], numbers[i]);
		cgroup_stats_merge(&into, i, &from);
	}
	result = get(&into.values[id]);
	cgroup_stats_done(&into);
	cgroup_stats_done(&from);
	return result;
}

/* The result must not depend on who comes first. */
static void check(enum cgroup_value_id id, int64_t a, int64_t b, int64_t c, int64_t expected)
{
	assert_int_equal(merged(id, a, b, c), expected);
	assert_int_equal(merged(id, a, c, b), expected);
	assert_int_equal(merged(id, b, a, c), expected);
	assert_int_equal(merged(id, b, c, a), expected);
	assert_int_equal(merged(id, c, a, b), expected);
	assert_int_equal(merged(id, c, b, a), expected);
}

static void test_sums(void **state)
{
	static const enum cgroup_value_id ids[] = {
	        CGROUP_VALUE_cpu_usage_usec,   CGROUP_VALUE_nr_throttled,
	        CGROUP_VALUE_throttled_usec,   CGROUP_VALUE_pids_current,
	        CGROUP_VALUE_cpuacct_usage_ns, CGROUP_VALUE_pids_v1_current,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		check(ids[i], 1, 20, 300, 321);
		check(ids[i], 1, UNSEEN, 300, 301);
		check(ids[i], UNSEEN, UNSEEN, UNSEEN, UNSEEN);
		check(ids[i], INT64_MAX, 1, 0, INT64_MAX);
	}
}

static void test_largest(void **state)
{
	static const enum cgroup_value_id ids[] = {
	        CGROUP_VALUE_memory_current,
	        CGROUP_VALUE_memory_peak,
	        CGROUP_VALUE_pids_peak,
	        CGROUP_VALUE_cpu_max_period_us,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		check(ids[i], 1, 20, 300, 300);
		check(ids[i], 1, UNSEEN, 20, 20);
	}
}

/* Unlimited where one is; and nothing is known where one is not known. */
static void test_limits(void **state)
{
	static const enum cgroup_value_id ids[] = {
	        CGROUP_VALUE_cpu_max_quota_us, CGROUP_VALUE_memory_max, CGROUP_VALUE_memory_high,
	        CGROUP_VALUE_pids_max,         CGROUP_VALUE_cpu_weight,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		check(ids[i], 1, 20, 300, 300);
		check(ids[i], 1, UNLIMITED, 300, UNLIMITED);
		check(ids[i], 1, UNSEEN, 300, UNSEEN);
		check(ids[i], UNLIMITED, UNSEEN, 300, UNSEEN);
	}
}

/* Protection is that of the one which has least. */
static void test_protections(void **state)
{
	static const enum cgroup_value_id ids[] = {CGROUP_VALUE_memory_low,
	                                           CGROUP_VALUE_memory_min};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		check(ids[i], 1, 20, 300, 1);
		check(ids[i], 0, UNLIMITED, 300, 0);
		check(ids[i], UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);
		check(ids[i], 1, UNSEEN, 300, UNSEEN);
	}
}

/* A quota stays with its period, whoever comes first. */
static void test_bandwidths(void **state)
{
	static const struct {
		int64_t given[3][2], merged[2];
	} cases[] = {
	        {{{20000, 100000}, {50000, 50000}, {10000, 10000}}, {50000, 50000}},
	        {{{20000, 100000}, {50000, 100000}, {30000, 100000}}, {50000, 100000}},
	        {{{20000, 100000}, {UNLIMITED, 50000}, {30000, 200000}}, {UNLIMITED, 50000}},
	        {{{UNLIMITED, 100000}, {UNLIMITED, 50000}, {1, 1}}, {UNLIMITED, 100000}},
	        {{{20000, 100000}, {UNSEEN, UNSEEN}, {30000, 50000}}, {UNSEEN, UNSEEN}},
	        {{{INT64_MAX, 2}, {INT64_MAX, 1}, {1, INT64_MAX}}, {INT64_MAX, 1}},
	};
	static const enum cgroup_value_id ids[][2] = {
	        {CGROUP_VALUE_cpu_max_quota_us, CGROUP_VALUE_cpu_max_period_us},
	        {CGROUP_VALUE_cpu_v1_quota_us, CGROUP_VALUE_cpu_v1_period_us}};
	static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
	                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases) * ARRAY_SIZE(orders) * ARRAY_SIZE(ids); i++) {
		const unsigned *order = orders[i % ARRAY_SIZE(orders)];
		const enum cgroup_value_id *id = ids[i / ARRAY_SIZE(orders) % ARRAY_SIZE(ids)];
		size_t number = i / ARRAY_SIZE(orders) / ARRAY_SIZE(ids);
		struct cgroup_stats into = {0}, from = {0};

		for (uint32_t k = 0; k < ARRAY_SIZE(orders[0]); k++) {
			for (unsigned part = 0; part < 2; part++)
				set(&from.values[id[part]], cases[number].given[order[k]][part]);
			cgroup_stats_merge(&into, k, &from);
		}
		for (unsigned part = 0; part < 2; part++)
			assert_int_equal(get(&into.values[id[part]]), cases[number].merged[part]);
		cgroup_stats_done(&into);
		cgroup_stats_done(&from);
	}
}

static void test_same_text(void **state)
{
	struct cgroup_stats into = {0}, from = {0};
	struct fact_value *cpus = &into.values[CGROUP_VALUE_cpuset_cpus_effective];

	(void)state;
	fact_set_text(&from.values[CGROUP_VALUE_cpuset_cpus_effective], "0-3", 3);
	cgroup_stats_merge(&into, 0, &from);
	cgroup_stats_merge(&into, 1, &from);
	assert_string_equal(cpus->text, "0-3");
	fact_set_text(&from.values[CGROUP_VALUE_cpuset_cpus_effective], "0-1", 3);
	cgroup_stats_merge(&into, 2, &from);
	assert_int_equal(cpus->state, FACT_UNSEEN);
	cgroup_stats_merge(&into, 3, &from);
	assert_int_equal(cpus->state, FACT_UNSEEN);
	cgroup_stats_done(&into);
	cgroup_stats_done(&from);
}

static uint64_t list_value(const struct cgroup_stats *stats, enum cgroup_list_id list,
                           const char *key)
{
	const struct keyed_value *value =
	        keyed_values_find(&stats->lists[list], key, strlen(key), 0);

	assert_non_null(value);
	return value->value;
}

/* memory.stat: gauges by the larger one, everything else is added up, keys of a later kernel as well. */
static void test_lists(void **state)
{
	static const struct {
		enum cgroup_list_id list;
		const char *key;
		uint64_t expected;
	} cases[] = {
	        {CGROUP_LIST_memory_stat, "anon", 30},
	        {CGROUP_LIST_memory_stat, "slab_unreclaimable", 30},
	        {CGROUP_LIST_memory_stat, "pgfault", 42},
	        {CGROUP_LIST_memory_stat, "of_a_later_kernel", 42},
	        {CGROUP_LIST_memory_events, "oom_kill", 42},
	        {CGROUP_LIST_io_stat, "8:0 rbytes", 42},
	};
	struct cgroup_stats into = {0};

	(void)state;
	for (uint32_t member = 0; member < 2; member++) {
		struct cgroup_stats from = {0};

		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			from.has_list[cases[i].list] = true;
			keyed_values_set(&from.lists[cases[i].list], cases[i].key,
			                 strlen(cases[i].key), member ? 12 : 30);
		}
		if (member)
			keyed_values_set(&from.lists[CGROUP_LIST_memory_stat], "late", 4,
			                 UINT64_MAX);
		cgroup_stats_merge(&into, member, &from);
		cgroup_stats_done(&from);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(list_value(&into, cases[i].list, cases[i].key), cases[i].expected);
	assert_int_equal(list_value(&into, CGROUP_LIST_memory_stat, "late"), UINT64_MAX);
	assert_true(into.has_list[CGROUP_LIST_io_stat]);
	cgroup_stats_done(&into);
}

static void test_pressure(void **state)
{
	struct cgroup_stats into = {0}, from = {0};
	struct psi_line *line = &from.psi.lines[PSI_io][PSI_ROW_some];
	const struct psi_line *result = &into.psi.lines[PSI_io][PSI_ROW_some];

	(void)state;
	*line = (struct psi_line){true, {100, 2, 0}, 1000};
	cgroup_stats_merge(&into, 0, &from);
	*line = (struct psi_line){true, {1, 200, 0}, 50};
	cgroup_stats_merge(&into, 1, &from);
	*line = (struct psi_line){0};
	cgroup_stats_merge(&into, 2, &from);
	assert_true(result->seen);
	assert_int_equal(result->averages[PSI_AVERAGE_avg10], 100);
	assert_int_equal(result->averages[PSI_AVERAGE_avg60], 200);
	assert_int_equal(result->total_usec, 1050);
	assert_false(into.psi.lines[PSI_io][PSI_ROW_full].seen);
}

static void test_key_units(void **state)
{
	(void)state;
	assert_int_equal(cgroup_key_find(CGROUP_LIST_memory_stat, "anon")->unit, UNIT_bytes);
	assert_int_equal(cgroup_key_find(CGROUP_LIST_memory_stat, "pgmajfault")->unit, UNIT_count);
	assert_int_equal(cgroup_key_find(CGROUP_LIST_memory_stat, "new")->unit, UNIT_none);
	assert_int_equal(cgroup_key_find(CGROUP_LIST_memory_events, "anon")->unit, UNIT_none);
	assert_int_equal(cgroup_key_find(CGROUP_LIST_io_stat, "8:0 wbytes")->unit, UNIT_bytes);
	assert_int_equal(cgroup_key_find(CGROUP_LIST_io_stat, "8:0 cost.usage")->rule,
	                 FACT_RULE_SUM);
}

static void test_place(void **state)
{
	cleanup_(cgroup_stats_done) struct cgroup_stats unified = {0}, v1 = {.is_v1 = true};

	(void)state;
	assert_int_equal(cgroup_stats_place(&unified, "cpu"), CGROUP_PLACE_ROOT);
	fact_set_unlimited(&unified.values[CGROUP_VALUE_pids_max]);
	assert_int_equal(cgroup_stats_place(&unified, "cpu"), CGROUP_PLACE_BELOW);
	keyed_values_add(&unified.ids, CGROUP_ID_UNIFIED, strlen(CGROUP_ID_UNIFIED), 1);
	assert_int_equal(cgroup_stats_place(&unified, "cpu"), CGROUP_PLACE_ROOT);
	fact_set_unlimited(&v1.values[CGROUP_VALUE_cpu_v1_quota_us]);
	keyed_values_add(&v1.ids, "pids", strlen("pids"), 1);
	keyed_values_add(&v1.ids, "memory", strlen("memory"), 31);
	assert_int_equal(cgroup_stats_place(&v1, "cpu"), CGROUP_PLACE_UNKNOWN);
	assert_int_equal(cgroup_stats_place(&v1, "pids"), CGROUP_PLACE_ROOT);
	assert_int_equal(cgroup_stats_place(&v1, "memory"), CGROUP_PLACE_BELOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sums),       cmocka_unit_test(test_largest),
	        cmocka_unit_test(test_limits),     cmocka_unit_test(test_protections),
	        cmocka_unit_test(test_same_text),  cmocka_unit_test(test_lists),
	        cmocka_unit_test(test_bandwidths), cmocka_unit_test(test_pressure),
	        cmocka_unit_test(test_key_units),  cmocka_unit_test(test_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
