// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables below the first one, and the same rows in CSV and JSON. */
#include "facts.h"
#include "machine/report-machine.h"

#include "base/mem.h"
#include "reports.h"

struct both {
	struct report_fixture *report;
	struct fact_fixture *facts;
};

static int setup(void **state)
{
	struct both *both = mem_calloc(1, sizeof(*both));

	assert_int_equal(report_fixture_setup((void **)&both->report), 0);
	assert_int_equal(fact_fixture_setup((void **)&both->facts), 0);
	both->report->report.without_rows = true;
	*state = both;
	return 0;
}

static int teardown(void **state)
{
	struct both *both = *state;

	report_fixture_teardown((void **)&both->report);
	fact_fixture_teardown((void **)&both->facts);
	free(both);
	return 0;
}

/* Returns the text of one section; the caller frees it. */
static char *print(struct both *both, unsigned sides, enum metric_section section,
                   report_function *function)
{
	memset(both->facts->options.sections, 0, sizeof(both->facts->options.sections));
	both->facts->options.sections[section] = true;
	make_facts(both->facts, sides);
	both->report->report.facts = &both->facts->set;
	return report_print(both->report, sides, function);
}

/* The tables, without the lines about the snapshots. */
static void expect(struct both *both, unsigned sides, enum metric_section section,
                   const char *expected)
{
	char *text = print(both, sides, section, report_table);
	const char *tables = strstr(text, "\n\n## ");

	if (expected[0] == '\0')
		assert_null(tables);
	else
		assert_string_equal(tables ? tables + 2 : text, expected);
	free(text);
}

/* Adds a cgroup that the function fills. */
static void add_filled(struct both *both, unsigned side, const char *path,
                       void (*fill)(struct cgroup_stats *stats, unsigned side))
{
	struct cgroup_stats stats = {0};

	strbuf_add_str(&stats.path, path);
	fill(&stats, side);
	add_cgroup_stats(&both->facts->cgroups[side], &stats);
	cgroup_stats_done(&stats);
}

static void fill_limits(struct cgroup_stats *stats, unsigned side)
{
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_max_quota_us], side ? 50000 : 20000);
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_max_period_us], 100000);
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_weight], 100);
	fact_set_number(&stats->values[CGROUP_VALUE_memory_max], 1048576);
	if (side)
		fact_set_unlimited(&stats->values[CGROUP_VALUE_memory_max]);
	fact_set_number(&stats->values[CGROUP_VALUE_pids_current], side ? 5 : 7);
	fact_set_text(&stats->values[CGROUP_VALUE_cpuset_cpus_effective], "0-3\x1b", 4);
}

static void fill_unlimited(struct cgroup_stats *stats, unsigned side)
{
	fact_set_unlimited(&stats->values[CGROUP_VALUE_cpu_max_quota_us]);
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_max_period_us], 100000);
	fact_set_number(&stats->values[CGROUP_VALUE_pids_current], side ? 1 : 2);
}

static void test_limits(void **state)
{
	struct both *both = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_filled(both, side, "/a\n", fill_limits);
		add_filled(both, side, "/b", fill_unlimited);
	}
	add_filled(both, 0, "/gone", fill_unlimited);
	/* clang-format off */
	expect(both, 2, SECTION_cgroup_limits,
	       "## Cgroup limits / knobs\n"
	       "cgroup                                             cpu.max cpu.weight     memory.max pids.current cpuset.cpus.effective\n"
	       "/a\\x0a 20.000ms/100.000ms → 50.000ms/100.000ms (+30.000ms)        100 1.000MiB → max   7 → 5 (-2)               0-3\\x1b\n"
	       "/b                                           max/100.000ms          -              -   2 → 1 (-1)                     -\n"
	       "/gone                                    max/100.000ms → -          -              -        2 → -                     -\n");
	expect(both, 1, SECTION_cgroup_limits,
	       "## Cgroup limits / knobs\n"
	       "cgroup            cpu.max cpu.weight memory.max pids.current cpuset.cpus.effective\n"
	       "/a\\x0a 20.000ms/100.000ms        100   1.000MiB            7               0-3\\x1b\n"
	       "/b          max/100.000ms          -          -            2                     -\n"
	       "/gone       max/100.000ms          -          -            2                     -\n");
	/* clang-format on */
}

/* Sets the quota, or none where it is 0 and no limit below that, and the period. */
static void add_cpu_max(struct both *both, unsigned side, const char *path, int64_t quota,
                        int64_t period)
{
	struct cgroup_stats stats = {0};

	strbuf_add_str(&stats.path, path);
	if (quota < 0)
		fact_set_unlimited(&stats.values[CGROUP_VALUE_cpu_max_quota_us]);
	else if (quota > 0)
		fact_set_number(&stats.values[CGROUP_VALUE_cpu_max_quota_us], quota);
	if (period > 0)
		fact_set_number(&stats.values[CGROUP_VALUE_cpu_max_period_us], period);
	add_cgroup_stats(&both->facts->cgroups[side], &stats);
	cgroup_stats_done(&stats);
}

/* A change is there to see, however small, and whether it is the quota's or the period's. */
static void test_cpu_max(void **state)
{
	struct both *both = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_cpu_max(both, side, "/both", side ? 20000 : 10000, side ? 50000 : 100000);
		add_cpu_max(both, side, "/max", -1, side ? 50000 : 100000);
		add_cpu_max(both, side, "/none", 0, side ? 50000 : 100000);
		add_cpu_max(both, side, "/quota", 1234567 + side, 100000);
		add_cpu_max(both, side, "/raised", side ? -1 : 10000, 100000);
		add_cpu_max(both, side, "/same", 10000, 100000);
	}
	/* clang-format off */
	expect(both, 2, SECTION_cgroup_limits,
	       "## Cgroup limits / knobs\n"
	       "cgroup                                                       cpu.max\n"
	       "/raised                           10.000ms/100.000ms → max/100.000ms\n"
	       "/both   10.000ms/100.000ms → 20.000ms/50.000ms (+10.000ms/-50.000ms)\n"
	       "/max                      max/100.000ms → max/50.000ms (-/-50.000ms)\n"
	       "/none                         -/100.000ms → -/50.000ms (-/-50.000ms)\n"
	       "/quota                    1.235s/100.000ms → 1.235s/100.000ms (+1µs)\n");
	/* clang-format on */
}

static void fill_hidden(struct cgroup_stats *stats, unsigned side)
{
	fact_set_number(&stats->values[CGROUP_VALUE_nr_periods], side);
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_weight], 100);
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_weight_nice], side ? 39 : 0);
}

/* Values without a column list no group, and have no heading to themselves; the machine formats have them. */
static void test_hidden_values(void **state)
{
	struct both *both = *state;
	char *text;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_filled(both, side, "/a", fill_hidden);
	expect(both, 2, SECTION_cgroup_stats, "");
	expect(both, 1, SECTION_cgroup_stats, "");
	expect(both, 2, SECTION_cgroup_limits, "");
	expect(both, 1, SECTION_cgroup_limits,
	       "## Cgroup limits / knobs\n"
	       "cgroup cpu.weight\n"
	       "/a            100\n");
	text = print(both, 2, SECTION_cgroup_stats, report_csv);
	assert_contains(text, "/a,,,nr_periods,cgroup-stats,count,,0,1,1,,,,,true,true,false,false,"
	                      ",,,before-after\n");
	free(text);
	both->report->report.facts_limit = 1;
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_cgroup(&both->facts->cgroups[side], "/b", CGROUP_VALUE_memory_current,
		           100 + side);
	expect(both, 2, SECTION_cgroup_stats,
	       "## CgroupStats\n"
	       "cgroup    memory_current\n"
	       "/b     100B → 101B (+1B)\n");
	both->facts->options.unchanged = true;
	expect(both, 2, SECTION_cgroup_limits,
	       "## Cgroup limits / knobs\n"
	       "cgroup cpu.weight\n"
	       "/a            100\n");
}

/* The hierarchies have tables of their own, and columns that nothing is known for are left out. */
static void test_versions(void **state)
{
	struct both *both = *state;

	add_cgroup(&both->facts->cgroups[0], "/a", CGROUP_VALUE_memory_current, 2048);
	add_cgroup(&both->facts->cgroups[0], "/a", CGROUP_VALUE_memory_v1_usage, 512);
	expect(both, 1, SECTION_cgroup_stats,
	       "## CgroupStats\n"
	       "cgroup memory_current\n"
	       "/a           2.000KiB\n"
	       "\n"
	       "## CgroupStats / version 1\n"
	       "cgroup v1_memory_usage\n"
	       "v1:/a             512B\n");
}

static void test_limit(void **state)
{
	struct both *both = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_cgroup(&both->facts->cgroups[side], "/a", CGROUP_VALUE_memory_current,
		           side * 2);
		add_cgroup(&both->facts->cgroups[side], "/b", CGROUP_VALUE_memory_current, side);
		add_process(&both->facts->smaps[side], "p", 1, 8 + side, 8 + side);
	}
	both->report->report.facts_limit = 1;
	expect(both, 2, SECTION_cgroup_stats,
	       "## CgroupStats\n"
	       "cgroup memory_current\n"
	       "/a      0B → 2B (+2B)\n"
	       "1 more (--limit 0 shows all)\n");
	expect(both, 2, SECTION_smaps_rollup,
	       "## smaps_rollup\n"
	       "pcomm key baseline candidate     delta      %\n"
	       "p     Rss 8.000KiB  9.000KiB +1.000KiB +12.5%\n"
	       "1 more (--limit 0 shows all)\n");
}

static void fill_usage(struct cgroup_stats *stats, unsigned side)
{
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_usage_usec], 5 + side);
	fact_set_number(&stats->values[CGROUP_VALUE_nr_throttled], 3);
	fact_set_number(&stats->values[CGROUP_VALUE_throttled_usec], 70 + side);
	fact_set_number(&stats->values[CGROUP_VALUE_memory_current], 99 + side);
}

/* Columns go on below where the terminal ends; those in which nothing moved are not there. */
static void test_narrow(void **state)
{
	struct both *both = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_filled(both, side, "/a/path/that/is/longer/than/the/rest", fill_usage);
	both->report->report.style.width = 64;
	expect(both, 2, SECTION_cgroup_stats,
	       "## CgroupStats\n"
	       "cgroup                         cpu_usage_usec     throttled_usec\n"
	       "/a/path/that/is/longer/than… 5µs → 6µs (+1µs) 70µs → 71µs (+1µs)\n"
	       "cgroup                                 memory_current\n"
	       "/a/path/that/is/longer/than/the/rest 99B → 100B (+1B)\n");
	both->report->report.style.width = 1;
	expect(both, 1, SECTION_cgroup_stats,
	       "## CgroupStats\n"
	       "cgroup       cpu_usage_usec\n"
	       "/a/path/tha…            5µs\n"
	       "cgroup       nr_throttled\n"
	       "/a/path/tha…            3\n"
	       "cgroup       throttled_usec\n"
	       "/a/path/tha…           70µs\n"
	       "cgroup       memory_current\n"
	       "/a/path/tha…            99B\n");
}

static void set_line(struct both *both, unsigned side, enum psi_resource resource, enum psi_row row,
                     uint32_t hundredths, uint64_t total)
{
	both->facts->infos[side].psi.lines[resource][row] =
	        (struct psi_line){true, {hundredths, hundredths + 1, hundredths + 2}, total};
}

/* A resource that nobody ever waited for has no table. */
static void test_pressure(void **state)
{
	struct both *both = *state;

	both->facts->options.unchanged = true;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		both->facts->infos[side].psi.lines[PSI_cpu][PSI_ROW_some].seen = true;
		set_line(both, side, PSI_io, PSI_ROW_full, side ? 5 : 110, side ? 4000 : 3000);
	}
	expect(both, 2, SECTION_host_pressure,
	       "## Host pressure / io\n"
	       "row                   avg10                  avg60                 avg300         "
	       "               total\n"
	       "full 1.10% → 0.05% (-1.05%) 1.11% → 0.06% (-1.05%) 1.12% → 0.07% (-1.05%) 3.000ms "
	       "→ "
	       "4.000ms (+1.000ms)\n");
	expect(both, 1, SECTION_host_pressure,
	       "## Host pressure / io\n"
	       "row  avg10 avg60 avg300   total\n"
	       "full 1.10% 1.11%  1.12% 3.000ms\n");
}

static void fill_pressure(struct cgroup_stats *stats, unsigned side)
{
	stats->psi.lines[PSI_memory][PSI_ROW_some] = (struct psi_line){true, {1, 2, 3}, 5};
	stats->psi.lines[PSI_memory][PSI_ROW_full] = (struct psi_line){true, {0}, side};
}

static void test_cgroup_pressure(void **state)
{
	struct both *both = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_filled(both, side, "/a", fill_pressure);
	expect(both, 2, SECTION_pressure,
	       "## Pressure / memory\n"
	       "cgroup row  avg10 avg60 avg300            total\n"
	       "/a     some 0.01% 0.02%  0.03%              5µs\n"
	       "/a     full 0.00% 0.00%  0.00% 0µs → 1µs (+1µs)\n");
}

static void add_waits(struct both *both, const char *path, enum psi_resource resource,
                      uint32_t hundredths)
{
	struct cgroup_stats stats = {0};

	strbuf_add_str(&stats.path, path);
	for (unsigned r = 0; r < PSI_RESOURCE_COUNT; r++)
		stats.psi.lines[r][PSI_ROW_some].seen = true;
	stats.psi.lines[resource][PSI_ROW_some].averages[0] = hundredths;
	add_cgroup_stats(&both->facts->cgroups[0], &stats);
	cgroup_stats_done(&stats);
}

/* The group that waits most for the resource is first in its table, and those behind the limit count for it too. */
static void test_pressure_limit(void **state)
{
	struct both *both = *state;

	add_waits(both, "/cpu-1", PSI_cpu, 5000);
	add_waits(both, "/cpu-2", PSI_cpu, 5000);
	add_waits(both, "/io-less", PSI_io, 1000);
	add_waits(both, "/io-more", PSI_io, 9000);
	both->report->report.facts_limit = 1;
	expect(both, 1, SECTION_pressure,
	       "## Pressure / cpu\n"
	       "cgroup row   avg10 avg60 avg300 total\n"
	       "/cpu-1 some 50.00% 0.00%  0.00%   0µs\n"
	       "3 more (--limit 0 shows all)\n"
	       "\n"
	       "## Pressure / io\n"
	       "cgroup   row   avg10 avg60 avg300 total\n"
	       "/io-more some 90.00% 0.00%  0.00%   0µs\n"
	       "3 more (--limit 0 shows all)\n");
}

static void fill_memory(struct cgroup_stats *stats, unsigned side)
{
	keyed_values_set(&stats->lists[CGROUP_LIST_memory_stat], "anon", 4, side ? 4096 : 2048);
	keyed_values_set(&stats->lists[CGROUP_LIST_memory_stat], "odd\x9b", 4, 2000 + side);
	keyed_values_set(&stats->lists[CGROUP_LIST_memory_events], "oom", 3, side);
}

static void test_long_tables(void **state)
{
	struct both *both = *state;
	char *text;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_filled(both, side, "/a", fill_memory);
	expect(both, 2, SECTION_memory_stat,
	       "## memory.stat\n"
	       "cgroup key     baseline candidate     delta       %\n"
	       "/a     anon    2.000KiB  4.000KiB +2.000KiB +100.0%\n"
	       "/a     odd\\x9b     2000      2001        +1   +0.1%\n");
	both->report->report.style.color = true;
	text = print(both, 2, SECTION_memory_stat, report_table);
	assert_contains(text, "\033[33m+2.000KiB\033[0m \033[1;33m+100.0%\033[0m\n");
	assert_contains(text, "\033[33m+1\033[0m   \033[33m+0.1%\033[0m\n");
	free(text);
	both->report->report.style.color = false;
	expect(both, 2, SECTION_memory_events,
	       "## memory.events\n"
	       "cgroup event baseline candidate delta %\n"
	       "/a     oom          0         1    +1 -\n");
	expect(both, 1, SECTION_memory_events, "");
	both->facts->options.unchanged = true;
	expect(both, 1, SECTION_memory_events,
	       "## memory.events\n"
	       "cgroup event count\n"
	       "/a     oom       0\n");
}

static void test_sched_ext(void **state)
{
	struct both *both = *state;

	expect(both, 2, SECTION_sched_ext, "");
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		struct sched_ext *sched_ext = &both->facts->infos[side].sched_ext;

		fact_set_text(&sched_ext->values[SCHED_EXT_state], side ? "en\nabled" : "",
		              side * 8);
		fact_set_number(&sched_ext->values[SCHED_EXT_enable_seq], 4 + side);
	}
	expect(both, 2, SECTION_sched_ext,
	       "## sched_ext\n"
	       "attr       baseline   candidate   delta      %\n"
	       "state             - en\\x0aabled differs      -\n"
	       "enable_seq        4           5      +1 +25.0%\n");
	expect(both, 1, SECTION_sched_ext,
	       "## sched_ext\n"
	       "attr       value\n"
	       "state          -\n"
	       "enable_seq     4\n");
}

/* Machine formats: raw, empty where there is nothing, and without the rows that a table has for their neighbours. */
static void test_machine(void **state)
{
	struct both *both = *state;
	char *text;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_filled(both, side, "/a,b", fill_limits);
	add_filled(both, 1, "/new", fill_unlimited);
	text = print(both, 2, SECTION_cgroup_limits, report_csv);
	assert_string_equal(
	        text,
	        "group,threads_baseline,threads_candidate,metric,section,unit,type,baseline,"
	        "candidate,delta,percent,impact,coverage_baseline,coverage_candidate,"
	        "seen_baseline,seen_candidate,partial_baseline,partial_candidate,"
	        "missing_inputs_baseline,missing_inputs_candidate,marks,comparison\n"
	        "\"/a,b\",,,cpu_max_quota_us,cgroup-limits,us,,20000,50000,30000,150.0,,,,"
	        "true,true,false,false,,,,before-after\n"
	        "\"/"
	        "a,b\",,,memory_max,cgroup-limits,bytes,,1048576,max,,,,,,true,true,false,false,,,,"
	        "before-after\n"
	        "\"/a,b\",,,pids_current,cgroup-limits,count,,7,5,-2,-28.571428571428573,,"
	        ",,true,true,false,false,,,,before-after\n"
	        "\"/a,b\",,,cpu_limit_percent,cgroup-limits,percent,,20,50,30,150.0,,,,true,true,"
	        "false,false,,,,before-after\n"
	        "\"/a,b\",,,memory_limit,cgroup-limits,bytes,,1048576,max,,,,,,true,true,false,"
	        "false,,,,before-after\n"
	        "\"/a,b\",,,memory_limit_by,cgroup-limits,,,\"/"
	        "a,b\",,,,,,,true,false,false,false,,,,before-after\n"
	        "/new,,,cpu_max_quota_us,cgroup-limits,us,,,max,,,,,,false,true,false,false,,,,"
	        "before-after\n"
	        "/new,,,cpu_max_period_us,cgroup-limits,us,,,100000,,,,,,false,true,false,false,,,,"
	        "before-after\n"
	        "/new,,,pids_current,cgroup-limits,count,,,1,,,,,,false,true,false,false,,,,before-"
	        "after\n"
	        "/new,,,cpu_limit_percent,cgroup-limits,percent,,,max,,,,,,false,true,false,"
	        "false,,,,before-after\n");
	free(text);
	both->report->report.facts_limit = 2;
	text = print(both, 2, SECTION_cgroup_limits, report_json);
	assert_contains(
	        text,
	        "\"metric\":\"memory_max\",\"section\":\"cgroup-limits\",\"unit\":"
	        "\"bytes\",\"type\":null,\"baseline\":1048576,\"candidate\":\"max\",\"delta\":null,"
	        "\"percent\":null,\"impact\":null,\"coverage_baseline\":null");
	assert_null(strstr(text, "pids_current"));
	assert_contains(text, "\"left_out\":{\"limit\":8,");
	free(text);
	text = print(both, 1, SECTION_cgroup_limits, report_csv);
	assert_contains(text,
	                "\"/a,b\",,cpu_max_quota_us,cgroup-limits,us,,20000,,,true,false,,\n");
	free(text);
}

/* Rows, then tables; nothing at all where no row is left. */
static void test_places(void **state)
{
	struct both *both = *state;
	char *text;

	text = print(both, 2, SECTION_smaps_rollup, report_table);
	assert_null(strstr(text, "no row changed"));
	free(text);
	both->report->report.without_rows = false;
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_process(&both->facts->smaps[side], "p", 1, 8 + side, 8);
	text = print(both, 2, SECTION_smaps_rollup, report_table);
	assert_contains(text, "\nno row changed\n\nbaseline ");
	assert_contains(text, "processes\n\n## smaps_rollup\n");
	free(text);
}

#define on_both(test_) cmocka_unit_test_setup_teardown(test_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_both(test_limits),         on_both(test_versions), on_both(test_limit),
	        on_both(test_narrow),         on_both(test_pressure), on_both(test_cgroup_pressure),
	        on_both(test_long_tables),    on_both(test_machine),  on_both(test_sched_ext),
	        on_both(test_places),         on_both(test_cpu_max),  on_both(test_hidden_values),
	        on_both(test_pressure_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
