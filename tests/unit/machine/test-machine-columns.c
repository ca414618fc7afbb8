// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns of the machine formats: what they are called, and that each has the values of its name. */
#include "check.h"

#include "machine/machine-value.h"
#include "random.h"

static void describe(const struct report *report, struct strbuf *out)
{
	struct machine_columns columns;

	machine_columns_of(report, &columns);
	for (unsigned i = 0; i < columns.count; i++)
		strbuf_addf(out, "%s%s", i > 0 ? " " : "", columns.names[i]);
}

static void check(struct group_by by, unsigned sides, struct column_list columns,
                  const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct row_set rows = {.sides = sides, .by = by};
	struct report report = {.rows = &rows, .columns = columns};

	describe(&report, &text);
	assert_text(&text, expected);
}

#define LIST(...)                                                                           \
	(struct column_list)                                                                \
	{                                                                                   \
		.count = sizeof((const uint8_t[]){__VA_ARGS__}), .columns = { __VA_ARGS__ } \
	}

static const struct group_by comm = {.count = 1, .keys = {GROUP_KEY_comm}};
static const struct group_by cgroup = {.count = 1, .keys = {GROUP_KEY_cgroup}};
static const struct group_by names = {.count = 2, .keys = {GROUP_KEY_comm_exact, GROUP_KEY_pcomm}};
static const struct group_by parts = {
        .count = 3, .keys = {GROUP_KEY_cgroup, GROUP_KEY_cgroup_service, GROUP_KEY_user}};

static void test_groups(void **state)
{
	(void)state;
	check(comm, 1, LIST(COLUMN_group, COLUMN_metric), "group metric");
	check(cgroup, 2, LIST(COLUMN_group), "group");
	/* Each key has a column of its own, in the order of the keys. */
	check(names, 1, LIST(COLUMN_metric, COLUMN_group), "metric group comm_exact pcomm");
	check(parts, 2, LIST(COLUMN_group, COLUMN_metric),
	      "group cgroup cgroup_service user renamed metric");
	check(parts, 2, LIST(COLUMN_metric), "metric");
}

static void test_sides(void **state)
{
	const struct column_list list =
	        LIST(COLUMN_threads, COLUMN_coverage, COLUMN_seen, COLUMN_mean, COLUMN_uptime,
	             COLUMN_p50, COLUMN_variation);

	(void)state;
	check(comm, 1, list, "threads coverage seen mean uptime p50 variation");
	check(comm, 2, list,
	      "threads_baseline threads_candidate coverage_baseline coverage_candidate "
	      "seen_baseline "
	      "seen_candidate mean_baseline mean_candidate uptime_baseline uptime_candidate "
	      "p50_baseline p50_candidate variation_baseline variation_candidate");
}

static void test_others(void **state)
{
	(void)state;
	check(comm, 1,
	      LIST(COLUMN_section, COLUMN_type, COLUMN_unit, COLUMN_value, COLUMN_tags,
	           COLUMN_impact),
	      "section type unit value tags impact");
	check(comm, 2, LIST(COLUMN_baseline, COLUMN_candidate, COLUMN_delta, COLUMN_percent),
	      "baseline candidate delta percent");
	check(comm, 2, LIST(COLUMN_arrow, COLUMN_percent), "baseline candidate percent");
	/* The value by which the groups are ranked stands in its own row. */
	check(comm, 2, LIST(COLUMN_delta, COLUMN_SORTED), "delta");
}

static void test_arrow(void **state)
{
	struct row_set rows = {.sides = 2, .by = comm};
	struct report report = {.rows = &rows, .columns = LIST(COLUMN_arrow)};
	struct machine_columns columns;

	(void)state;
	machine_columns_of(&report, &columns);
	assert_int_equal(columns.count, 2);
	assert_int_equal(columns.columns[0].column, COLUMN_baseline);
	assert_int_equal(columns.columns[1].column, COLUMN_candidate);
}

/* The columns that the options choose: each one once, and no arrow beside the columns that it stands for. */
static void random_columns(struct random *random, unsigned sides, struct column_list *ret)
{
	size_t order[COLUMN_COUNT];

	*ret = (struct column_list){0};
	random_shuffle(random, order, COLUMN_COUNT);
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		enum report_column column = (enum report_column)order[i];
		bool sided = column == COLUMN_baseline || column == COLUMN_candidate;

		if (sides == 1 ? !column_table[column].in_show : !column_table[column].in_compare)
			continue;
		if ((sided && column_list_has(ret, COLUMN_arrow)) ||
		    (column == COLUMN_arrow && (column_list_has(ret, COLUMN_baseline) ||
		                                column_list_has(ret, COLUMN_candidate))))
			continue;
		if (random_chance(random, 80))
			column_list_add(ret, column);
	}
	if (random_chance(random, 50))
		column_list_add(ret, COLUMN_SORTED);
}

/* No two columns have one name, whatever the options; all of them fit, their names too. */
static void test_names_differ(void **state)
{
	enum { SEED = 50, ROUNDS = 2000 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		size_t keys[GROUP_KEY_COUNT];
		struct row_set rows = {.sides = 1 + (unsigned)random_below(&random, 2)};
		struct report report = {.rows = &rows};
		struct machine_columns columns;

		random_shuffle(&random, keys, GROUP_KEY_COUNT);
		rows.by.count = 1 + (unsigned)random_below(&random, GROUP_KEYS_MAX);
		for (unsigned i = 0; i < rows.by.count; i++)
			rows.by.keys[i] = (enum group_key)keys[i];
		random_columns(&random, rows.sides, &report.columns);
		machine_columns_of(&report, &columns);
		check_random(&random, columns.count <= MACHINE_COLUMNS_MAX);
		for (unsigned i = 0; i < columns.count; i++) {
			const char *name = columns.names[i];

			check_random(&random,
			             strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
			                     strlen(name));
			check_random(&random, strlen(name) < sizeof(columns.names[0]) - 1);
			for (unsigned other = 0; other < i; other++)
				check_random(&random, strcmp(name, columns.names[other]) != 0);
		}
	}
}

/* The values that stand below the names. */
static void test_values(void **state)
{
	struct group groups[SIDE_MAX] = {{.threads = 3}, {.threads = 5}};
	struct row_group group = {.label = (char[]){"/a / 0"},
	                          .parts = {"/a", "", "root (0)"},
	                          .sides = {&groups[0], &groups[1]},
	                          .renamed = "/b"};
	struct row_set rows = {.sides = 2, .by = parts};
	struct report report = {.rows = &rows, .columns = LIST(COLUMN_group, COLUMN_threads)};
	static const char *const texts[] = {"/a / 0", "/a", "", "root (0)", "/b"};
	struct row_view view = {.group = &group, .measure = METRIC_minflt};
	struct machine_columns columns;
	struct machine_value value = {0};

	(void)state;
	machine_columns_of(&report, &columns);
	assert_int_equal(columns.count, ARRAY_SIZE(texts) + 2);
	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		machine_value(&rows, &view, columns.columns[i], &value);
		assert_int_equal(value.kind, MACHINE_TEXT);
		assert_text(&value.text, texts[i]);
	}
	machine_value(&rows, &view, columns.columns[5], &value);
	assert_true(value.kind == MACHINE_NUMBER && value.number.integer == 3);
	machine_value(&rows, &view, columns.columns[6], &value);
	assert_true(value.kind == MACHINE_NUMBER && value.number.integer == 5);
	/* A group that was not renamed has none. */
	group.renamed = NULL;
	machine_value(&rows, &view, columns.columns[4], &value);
	assert_int_equal(value.kind, MACHINE_NONE);
	/* Nor have exited threads keys. */
	memset(group.parts, 0, sizeof(group.parts));
	group.exited = true;
	for (unsigned i = 1; i < columns.count; i++) {
		machine_value(&rows, &view, columns.columns[i], &value);
		assert_int_equal(value.kind, MACHINE_NONE);
	}
	machine_value_done(&value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_groups), cmocka_unit_test(test_sides),
	        cmocka_unit_test(test_others), cmocka_unit_test(test_names_differ),
	        cmocka_unit_test(test_values), cmocka_unit_test(test_arrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
