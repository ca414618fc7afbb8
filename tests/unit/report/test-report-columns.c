// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns that a table can have, and tables by several keys. */
#include "check.h"

#include "report/report-cells.h"
#include "reports.h"

static void print_only(struct report_fixture *fixture, unsigned measure)
{
	memset(fixture->options.measures, 0, sizeof(fixture->options.measures));
	fixture->options.measures[measure] = true;
}

static void set_columns(struct report_fixture *fixture, size_t count, const uint8_t *columns)
{
	fixture->report.columns.count = 0;
	for (size_t i = 0; i < count; i++)
		column_list_add(&fixture->report.columns, (enum report_column)columns[i]);
}

#define COLUMNS(fixture_, ...)                                        \
	set_columns(fixture_, sizeof((const uint8_t[]){__VA_ARGS__}), \
	            (const uint8_t[]){__VA_ARGS__})

/* The text between the first two blank lines. */
static void check_table(struct report_fixture *fixture, unsigned sides, const char *expected)
{
	char *text = report_print(fixture, sides, report_table), *table = strstr(text, "\n\n"),
	     *end;

	assert_non_null(table);
	end = strstr(table + 2, "\n\n");
	assert_non_null(end);
	end[1] = '\0';
	assert_string_equal(table + 2, expected);
	free(text);
}

static void group_by(struct report_fixture *fixture, struct group_by by)
{
	fixture->tables[0].by = by;
	fixture->tables[1].by = by;
}

static void add(struct report_fixture *fixture, unsigned side, const char *name, const char *cgroup,
                int64_t minflt)
{
	add_thread(&fixture->tables[side],
	           (struct thread_spec){
	                   .name = name, .cgroup = cgroup, .values = {{METRIC_minflt, minflt}}});
}

static const struct group_tree_desc *const tree = &group_tree_table[0];

static struct group_by by_tree(void)
{
	struct group_by by = {.count = tree->count, .tree = tree};

	memcpy(by.keys, tree->keys, sizeof(by.keys));
	return by;
}

static void test_about_metrics(void **state)
{
	struct report_fixture *fixture = *state;

	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "a", .values = {{METRIC_wait_sum, 9}}});
	memset(fixture->options.measures, 0, sizeof(fixture->options.measures));
	fixture->options.measures[METRIC_wait_sum] = true;
	fixture->options.measures[METRIC_COUNT + DERIVED_avg_wait_ns] = true;
	fixture->options.order = ORDER_NAME;
	COLUMNS(fixture, COLUMN_metric, COLUMN_section, COLUMN_type, COLUMN_unit, COLUMN_tags,
	        COLUMN_group);
	check_table(fixture, 1,
	            "metric      section type       unit tags                   comm-pattern\n"
	            "wait_sum    primary counter_ns ns   [non-ext] [SCHEDSTATS] a\n"
	            "avg_wait_ns derived derived    ns   -                      a\n");
}

/* One text where both sides read alike, else an arrow between them. */
static void test_of_threads(void **state)
{
	struct report_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add(fixture, side, "a", NULL, side ? 30 : 10);
		add(fixture, side, "b", NULL, side ? 7 : 5);
	}
	add(fixture, 1, "a", NULL, 20);
	add_thread(&fixture->tables[1], (struct thread_spec){.name = "a"});
	print_only(fixture, METRIC_minflt);
	COLUMNS(fixture, COLUMN_group, COLUMN_threads, COLUMN_coverage, COLUMN_seen, COLUMN_mean,
	        COLUMN_impact);
	check_table(fixture, 2,
	            "comm-pattern threads coverage seen        mean impact\n"
	            "b                  1      1/1  yes   5.00→7.00   3.5%\n"
	            "a                1→3  1/1→2/3  yes 10.00→25.00      -\n");
}

static void test_arrow(void **state)
{
	struct report_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "a",
		                                .start_time_clock_ticks = side ? 100 : 10,
		                                .values = {{METRIC_wait_sum, side ? 2000 : 500}}});
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "b",
		                                .start_time_clock_ticks = side ? 200 : 10,
		                                .values = {{METRIC_wait_sum, 3}}});
	}
	add_thread(&fixture->tables[1],
	           (struct thread_spec){.name = "b", .start_time_clock_ticks = 400});
	fixture->options.unchanged = true;
	print_only(fixture, METRIC_wait_sum);
	column_list_default(&fixture->report.columns, 2, &display_table[3], false, false);
	check_table(
	        fixture, 2,
	        "comm-pattern threads metric             value    delta       % %uptime\n"
	        "a                  1 wait_sum 500ns → 2.000µs +1.500µs +300.0%    100%\n"
	        "b                1→2 wait_sum      3ns → 3ns*    +0ns¶   +0.0%     33%\n"
	        "* from some of the group's threads: the others, or those that have exited, did "
	        "not have the value, could not be read, or were counted anew\n"
	        "¶ measured differently: one side lacks more of the group's threads, of their "
	        "names, "
	        "or of the "
	        "work of those that ended (see exits); not ranked by impact\n");
}

/* The value by which the groups are ranked stands in every row of the group, under its own name. */
static void test_sorted(void **state)
{
	static const struct row_sort_key keys[] = {{METRIC_minflt, false}};
	struct report_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "a",
		                                .values = {{METRIC_minflt, side ? 3 : 2},
		                                           {METRIC_majflt, side}}});
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "b",
		                                .values = {{METRIC_minflt, side ? 9 : 0},
		                                           {METRIC_majflt, side}}});
	}
	fixture->options.sort_keys = keys;
	fixture->options.sort_key_count = 1;
	fixture->report.sorted_by = METRIC_minflt;
	print_only(fixture, METRIC_majflt);
	COLUMNS(fixture, COLUMN_group, COLUMN_metric, COLUMN_delta, COLUMN_SORTED);
	check_table(fixture, 2,
	            "comm-pattern metric delta       minflt\n"
	            "b            majflt    +1          0→9\n"
	            "a            majflt    +1 2→3 (+50.0%)\n");
	check_table(fixture, 1,
	            "comm-pattern metric delta minflt\n"
	            "a            majflt     -      2\n"
	            "b            majflt     -      0\n");
	/* It may be marked where the row is not. */
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "a", .values = {{METRIC_majflt, 0}}});
	COLUMNS(fixture, COLUMN_group, COLUMN_SORTED);
	check_table(
	        fixture, 1,
	        "comm-pattern minflt\n"
	        "a                2*\n"
	        "b                 0\n"
	        "* from some of the group's threads: the others, or those that have exited, did "
	        "not have the value, could not be read, or were counted anew\n");
}

static void test_spread(void **state)
{
	static const uint16_t measures[] = {METRIC_minflt};
	struct report_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		fixture->tables[side].spread_measures = measures;
		fixture->tables[side].spread_count = 1;
		for (unsigned i = 0; i < 4; i++)
			add(fixture, side, "a", NULL, i == 3 && side ? 50 : 10);
	}
	print_only(fixture, METRIC_minflt);
	COLUMNS(fixture, COLUMN_group, COLUMN_p50, COLUMN_max, COLUMN_busiest, COLUMN_variation);
	check_table(fixture, 2,
	            "comm-pattern p50   max     busiest variation\n"
	            "a             10 10→50 25.0%→62.5% 0.00→0.87\n");
	fixture->options.unchanged = true;
	print_only(fixture, METRIC_majflt);
	check_table(fixture, 2,
	            "comm-pattern p50 max busiest variation\n"
	            "a              -   -       -         -\n");
}

/* A column for each key; the exited have the first one to themselves. */
static void test_several_keys(void **state)
{
	static const struct group_by by = {.count = 2, .keys = {GROUP_KEY_comm, GROUP_KEY_cgroup}};
	struct report_fixture *fixture = *state;

	group_by(fixture, by);
	add(fixture, 0, "w-1", "/a", 3);
	add(fixture, 0, "w-2", "/b\n", 2);
	print_only(fixture, METRIC_minflt);
	check_table(fixture, 1,
	            "comm-pattern cgroup threads metric value\n"
	            "w-{N}        /a           1 minflt     3\n"
	            "w-{N}        /b\\x0a       1 minflt     2\n");
}

static void test_exited(void **state)
{
	static const struct group_by by = {.count = 2, .keys = {GROUP_KEY_comm, GROUP_KEY_user}};
	static const struct row_cpu_time cpu_time = {
	        .seen = true, .user_clock_ticks = 9, .system_clock_ticks = 9};
	struct report_fixture *fixture = *state;

	group_by(fixture, by);
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "a",
	                                .values = {{METRIC_utime_clock_ticks, 1},
	                                           {METRIC_stime_clock_ticks, 1}}});
	fixture->cpu_times = &cpu_time;
	print_only(fixture, METRIC_utime_clock_ticks);
	COLUMNS(fixture, COLUMN_group, COLUMN_threads, COLUMN_coverage, COLUMN_uptime,
	        COLUMN_value);
	check_table(fixture, 1,
	            "comm-pattern     user           threads coverage %uptime  value\n"
	            "a                (uid not read)       1      1/1       - 1ticks\n"
	            "(exited threads)                      -        -       - 8ticks\n");
}

/* The last segment, where there is one and it says something. */
static void test_renamed_leaf(void **state)
{
	static const char *const leaves[][2] = {
	        {"/a/b", " [renamed: b]"}, {"/a", " [renamed: a]"},
	        {"/", " [renamed: /]"},    {"/a/", " [renamed: /a/]"},
	        {"a", " [renamed: a]"},    {"/new/leaf", " [renamed: new]"}};
	struct row_set set = {.by = {.count = 2, .keys = {GROUP_KEY_comm, GROUP_KEY_cgroup}}};
	struct row_group group = {.parts = {"thread", "/old/leaf"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		group.renamed = leaves[i][0];
		report_add_renamed(&set, &group, &text);
		assert_text(&text, leaves[i][1]);
	}
}

static void test_tree(void **state)
{
	struct report_fixture *fixture = *state;

	group_by(fixture, by_tree());
	add(fixture, 0, "app", "/a/b", 3);
	add(fixture, 0, "db", "/a", 2);
	print_only(fixture, METRIC_minflt);
	check_table(fixture, 1,
	            "cgroup / pcomm / comm threads metric value\n"
	            "/a\n"
	            "  /b\n"
	            "    app\n"
	            "      app                   1 minflt     3\n"
	            "  db\n"
	            "    db                      1 minflt     2\n");
	fixture->report.style.markdown = true;
	check_table(fixture, 1,
	            "| cgroup / pcomm / comm | threads | metric | value |\n"
	            "| --- | ---: | --- | ---: |\n"
	            "| /a |  |  |  |\n"
	            "| &nbsp;&nbsp;/b |  |  |  |\n"
	            "| &nbsp;&nbsp;&nbsp;&nbsp;app |  |  |  |\n"
	            "| &nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;app | 1 | minflt | 3 |\n"
	            "| &nbsp;&nbsp;db |  |  |  |\n"
	            "| &nbsp;&nbsp;&nbsp;&nbsp;db | 1 | minflt | 2 |\n");
}

static void add_renamed(struct report_fixture *fixture)
{
	for (char letter = 'a'; letter < 'a' + 10; letter++)
		for (unsigned side = 0; side < SIDE_MAX; side++)
			add(fixture, side, (const char[]){'x', letter, 0},
			    side ? "/run/new.scope" : "/run/old.scope", letter == 'c' ? side : 1);
	fixture->options.renamed = true;
}

/* The cgroup that a renamed one is in the candidate. */
static void test_renamed(void **state)
{
	static const struct group_by by = {.count = 2, .keys = {GROUP_KEY_cgroup, GROUP_KEY_comm}};
	struct report_fixture *fixture = *state;
	char *text;

	group_by(fixture, by);
	add_renamed(fixture);
	print_only(fixture, METRIC_minflt);
	COLUMNS(fixture, COLUMN_group, COLUMN_delta);
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\ncgroup                              comm-pattern delta\n"
	                      "/run/old.scope [renamed: new.scope] xc              +1\n");
	free(text);
	group_by(fixture, by_tree());
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		group_table_done(&fixture->tables[side]);
		group_table_init(&fixture->tables[side], by_tree());
	}
	add_renamed(fixture);
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\n/run\n  /old.scope\n    xc\n      xc [renamed: new.scope] ");
	free(text);
}

/* Lines around the rows are no Markdown and stay as they are. */
static void test_markdown_around(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add(fixture, side, "a*b", NULL, side);
		add(fixture, side, "same", NULL, 1);
	}
	add(fixture, 0, "*gone*", NULL, 1);
	print_only(fixture, METRIC_minflt);
	fixture->report.style.markdown = true;
	text = report_print(fixture, 2, report_table);
	assert_ptr_equal(strstr(text, "```\na.zst → b.zst: "), text);
	assert_contains(text, "of one moment\n```\n\n| comm-pattern | threads |");
	assert_contains(text, "baseline: *gone* (1 thread)\n```\n");
	assert_contains(text, "\n| a\\*b | 1 | minflt | 0 | 1 | +1 | - |\n\n```\n1 unchanged ");
	assert_contains(text, "them)\n\nbaseline  a.zst: ");
	free(text);
}

#define on_report(test_) \
	cmocka_unit_test_setup_teardown(test_, report_fixture_setup, report_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_report(test_about_metrics),
	        on_report(test_of_threads),
	        on_report(test_arrow),
	        on_report(test_sorted),
	        on_report(test_spread),
	        on_report(test_several_keys),
	        on_report(test_tree),
	        on_report(test_renamed),
	        on_report(test_markdown_around),
	        on_report(test_exited),
	        cmocka_unit_test(test_renamed_leaf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
