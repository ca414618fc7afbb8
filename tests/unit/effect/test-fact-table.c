// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>

#include "effect/effect.h"
#include "facts.h"
#include "trials.h"

static struct fact_table table;

static int teardown(void **state)
{
	(void)state;
	fact_table_done(&table);
	return 0;
}

/* A cgroup that was observed for two seconds. */
static void add(const char *path, int64_t usage_usec, uint64_t stalled_usec)
{
	struct cgroup_stats stats = {.interval_ns = 2000000000};

	strbuf_add_str(&stats.path, path);
	fact_set_number(&stats.values[CGROUP_VALUE_cpu_usage_usec], usage_usec);
	fact_set_number(&stats.values[CGROUP_VALUE_memory_current], 4096);
	fact_set_number(&stats.values[CGROUP_VALUE_memory_peak], 5000);
	fact_set_number(&stats.values[CGROUP_VALUE_cpu_weight], 100);
	set_psi(&stats.psi, PSI_io, PSI_ROW_full, 150, stalled_usec);
	fact_table_add(&table, &stats);
	cgroup_stats_done(&stats);
}

static void end(uint64_t stalled_usec)
{
	struct snapshot_info info = {.kind = KIND_window};

	window_set(&info.window, WINDOW_length_ns, 2000000000);
	set_psi(&info.psi, PSI_cpu, PSI_ROW_some, 150, stalled_usec);
	fact_table_end(&table, &info);
}

static const struct fact_series *series(const char *name)
{
	return strmap_get(&table.map, name, strlen(name));
}

static void fill(void)
{
	fact_table_init(&table, false, PER_second, 2);
	fact_table_begin(&table, 1);
	add("/a.service", 500000, 100);
	add("/session-1.scope", 8, 8);
	end(30000);
	fact_table_begin(&table, 0);
	add("/late", 1, 1);
	add("/session-2.scope", 6, 4);
	add("/a.service", 1000000, 0);
	end(10000);
}

static void test_values(void **state)
{
	const struct fact_series *found;

	(void)state;
	fill();
	/* Each by the time between its own readings. */
	found = series("cpu_usage_usec@/a.service");
	assert_near(found->values[0], 500000, 1e-3);
	assert_near(found->values[1], 250000, 1e-3);
	assert_string_equal(found->label->text, "/a.service");
	assert_int_equal(found->unit, UNIT_us);
	assert_int_equal(found->per, PER_second);
	found = series("io_full_total@/a.service");
	assert_near(found->values[0], 0, 1e-9);
	assert_near(found->values[1], 50, 1e-3);
	found = series("memory_current@/a.service");
	assert_int_equal(found->per, PER_total);
	assert_near(found->values[0], 4096, 1e-9);
	/* The host's. */
	found = series("cpu_some_total");
	assert_null(found->label);
	assert_near(found->values[0], 5000, 1e-3);
	assert_near(found->values[1], 15000, 1e-3);
	/* Settings, values that only rise, and averages beyond the window. */
	assert_null(series("cpu_weight@/a.service"));
	assert_null(series("memory_peak@/a.service"));
	assert_null(series("io_full_avg10@/a.service"));
	assert_null(series("cpu_some_avg10"));
	/* Two names have one pattern, which is the label from then on; what the first unit lacked has no values. */
	found = series("cpu_usage_usec@/session-{N}.scope");
	assert_string_equal(found->label->text, "/session-{N}.scope");
	assert_near(found->values[1], 4, 1e-3);
	assert_null(series("cpu_usage_usec@/late"));
}

/* A cgroup that was made in the window is not in the sum of its group: the group is not tested by such a window. */
static void test_partial(void **state)
{
	struct cgroup_stats made = {.read_boottime_ns = 1};

	(void)state;
	strbuf_add_str(&made.path, "/session-2.scope");
	fact_set_number(&made.values[CGROUP_VALUE_memory_current], 4096);
	fact_table_init(&table, false, PER_second, 1);
	fact_table_begin(&table, 0);
	add("/session-1.scope", 6, 4);
	add("/a.service", 6, 4);
	fact_table_add(&table, &made);
	end(1);
	assert_non_null(series("cpu_usage_usec@/a.service"));
	assert_null(series("cpu_usage_usec@/session-{N}.scope"));
	assert_null(series("io_full_total@/session-{N}.scope"));
	assert_non_null(series("memory_current@/session-{N}.scope"));
	cgroup_stats_done(&made);
}

/* The same second of user time on hosts whose clocks tick 250 and 100 times in it. A clock of an unknown frequency is no part of that. */
static void test_other_ticks(void **state)
{
	static const uint64_t frequencies[] = {0, 100, 250};
	const struct fact_series *found;

	(void)state;
	fact_table_init(&table, false, PER_total, 3);
	for (unsigned unit = 3; unit-- > 0;) {
		struct snapshot_info info = {.kind = KIND_window};
		struct cgroup_stats stats = {.is_v1 = true};

		if (frequencies[unit] > 0)
			host_set_number(&info.host, HOST_clock_ticks_per_second, frequencies[unit]);
		strbuf_add_str(&stats.path, "/a");
		fact_set_number(&stats.values[CGROUP_VALUE_cpuacct_user_clock_ticks],
		                (int64_t)frequencies[unit]);
		fact_table_begin(&table, unit);
		fact_table_add(&table, &stats);
		fact_table_end(&table, &info);
		cgroup_stats_done(&stats);
	}
	found = series("cpuacct_user_clock_ticks@v1:/a");
	assert_true(isnan(found->values[0]));
	assert_near(found->values[1], 250, 1e-9);
	assert_near(found->values[2], 250, 1e-9);
}

static struct row_pick pick_of(const char *text)
{
	struct row_pick pick = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_int_equal(row_pick_parse(&pick, text, &error), 0);
	return pick;
}

static bool has_row(const struct comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->count; i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		effect_add_name(&comparison->effects[i], &text);
		if (strcmp(strbuf_str(&text), name) == 0)
			return true;
	}
	return false;
}

/* The rows of the host are always tested, those of cgroups if somebody names them or the report is about cgroups. */
static void test_rows(void **state)
{
	static const char *const coins[1] = {"AB"};
	struct trial trial = {0};
	struct unit_table groups;
	struct row_pick pick = pick_of("cpu_usage_usec@cgroup:/a.*");
	struct effect_options options = {.trial = &trial, .tables = &groups, .facts = &table};
	struct comparison comparison;

	(void)state;
	fill();
	trial_make(&trial, coins, 1);
	unit_table_init(&groups, group_by_key(GROUP_KEY_pcomm, false), PER_second, 2);
	comparison_init(&comparison, &options, 1);
	assert_true(has_row(&comparison, "cpu_some_total@host"));
	assert_int_equal(comparison.count, 1);
	comparison_done(&comparison);
	options.wanted = &pick;
	options.wanted_count = 1;
	comparison_init(&comparison, &options, 1);
	assert_true(has_row(&comparison, "cpu_usage_usec@cgroup:/a.service"));
	assert_int_equal(comparison.count, 2);
	comparison_done(&comparison);
	groups.by = group_by_key(GROUP_KEY_cgroup, false);
	comparison_init(&comparison, &options, 1);
	assert_true(has_row(&comparison, "cpu_usage_usec@cgroup:/session-{N}.scope"));
	comparison_done(&comparison);
	row_pick_done(&pick);
	unit_table_done(&groups);
	trial_done(&trial);
}

static void test_names(void **state)
{
	(void)state;
	assert_true(fact_metric_fits("cpu_some_total", true));
	assert_true(fact_metric_fits("io_*_total", false));
	assert_true(fact_metric_fits("idle_percent", true));
	assert_false(fact_metric_fits("idle_percent", false));
	assert_true(fact_metric_fits("throttled_usec", false));
	assert_false(fact_metric_fits("throttled_usec", true));
	assert_true(fact_metric_fits("io_wbytes", false));
	assert_false(fact_metric_fits("memory_peak", false));
	assert_false(fact_metric_fits("cpu_some_avg10", true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(test_values, teardown),
	        cmocka_unit_test_teardown(test_partial, teardown),
	        cmocka_unit_test_teardown(test_other_ticks, teardown),
	        cmocka_unit_test_teardown(test_rows, teardown),
	        cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
