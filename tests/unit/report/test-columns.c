// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "report/columns.h"

static const struct display_desc *find_display(const char *name)
{
	for (size_t i = 0; i < display_count; i++)
		if (strcmp(display_table[i].name, name) == 0)
			return &display_table[i];
	fail_msg("no display \"%s\"", name);
	return NULL;
}

static void check_list(const struct column_list *list, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (unsigned i = 0; i < list->count; i++)
		strbuf_addf(&text, "%s%s", i > 0 ? " " : "", column_table[list->columns[i]].name);
	assert_text(&text, expected);
}

static void test_tables(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COLUMN_COUNT; i++) {
		assert_true(column_table[i].name[0] != '\0');
		assert_true(column_table[i].heading[0] != '\0' || i == COLUMN_group);
		assert_true(strlen(column_table[i].description) > 3);
		assert_true(column_table[i].in_show || column_table[i].in_compare);
		for (unsigned other = 0; other < i; other++)
			assert_string_not_equal(column_table[i].name, column_table[other].name);
	}
	assert_true(column_table[COLUMN_value].in_show);
	assert_false(column_table[COLUMN_value].in_compare);
	assert_false(column_table[COLUMN_delta].in_show);
	assert_true(column_table[COLUMN_delta].in_compare);
	assert_true(column_table[COLUMN_group].in_show && column_table[COLUMN_group].in_compare);
	for (size_t i = 0; i < display_count; i++) {
		assert_true(display_table[i].count > 0);
		for (unsigned c = 0; c < display_table[i].count; c++)
			assert_true(column_table[display_table[i].columns[c]].in_compare);
	}
}

static void check_display(const char *name, const char *expected)
{
	struct column_list list;

	column_list_default(&list, 2, find_display(name), false, false);
	check_list(&list, expected);
}

static void test_displays(void **state)
{
	(void)state;
	assert_string_equal(display_table[0].name, "full");
	check_display("full", "group threads metric baseline candidate delta %");
	check_display("delta-only", "group threads metric delta %");
	check_display("no-pct", "group threads metric baseline candidate delta");
	check_display("arrow", "group threads metric arrow delta % uptime");
	check_display("pct-only", "group threads metric %");
	assert_int_equal(display_count, 5);
}

static void test_defaults(void **state)
{
	struct column_list list;

	(void)state;
	column_list_default(&list, 1, NULL, false, false);
	check_list(&list, "group threads metric value");
	column_list_default(&list, 1, NULL, true, false);
	check_list(&list, "group threads metric value p50 p90 p99 max busiest variation");
	column_list_default(&list, 2, &display_table[0], true, false);
	check_list(&list, "group threads metric baseline candidate delta % p50 p90 p99 max busiest "
	                  "variation");
}

static void test_machine(void **state)
{
	struct column_list list;

	(void)state;
	column_list_machine(&list, 1, false, false);
	check_list(&list, "group threads metric section unit type value impact coverage seen "
	                  "partial missing_inputs marks");
	column_list_machine(&list, 2, true, false);
	check_list(&list,
	           "group threads metric section unit type baseline candidate delta % impact "
	           "coverage seen partial missing_inputs marks p50 p90 p99 max busiest variation "
	           "comparison");
}

static void test_list(void **state)
{
	struct column_list list = {0};

	(void)state;
	assert_false(column_list_has(&list, COLUMN_group));
	column_list_add(&list, COLUMN_delta);
	assert_true(column_list_has(&list, COLUMN_delta));
	assert_false(column_list_has(&list, COLUMN_group));
	for (unsigned i = 0; i < 3 * COLUMNS_MAX; i++)
		column_list_add(&list, COLUMN_SORTED);
	assert_int_equal(list.count, COLUMNS_MAX);
	assert_true(column_list_has(&list, COLUMN_SORTED));
	/* All of them fit. */
	list.count = 0;
	for (unsigned i = 0; i <= COLUMN_SORTED; i++)
		column_list_add(&list, (enum report_column)i);
	assert_int_equal(list.count, COLUMN_SORTED + 1);
}

static void test_spread(void **state)
{
	unsigned count = 0;

	(void)state;
	for (unsigned i = 0; i <= COLUMN_SORTED; i++)
		count += column_is_spread((enum report_column)i);
	assert_int_equal(count, 6);
	assert_true(column_is_spread(COLUMN_p50));
	assert_true(column_is_spread(COLUMN_variation));
	assert_false(column_is_spread(COLUMN_uptime));
	assert_false(column_is_spread(COLUMN_SORTED));
}

/* Groups of single processes have columns about these. */
static void test_of_processes(void **state)
{
	struct column_list list;

	(void)state;
	for (unsigned sides = 1; sides <= 2; sides++) {
		column_list_machine(&list, sides, false, true);
		for (unsigned i = COLUMN_ppid; i <= COLUMN_start; i++)
			assert_true(column_list_has(&list, (enum report_column)i));
		column_list_default(&list, sides, &display_table[0], false, true);
		for (unsigned i = COLUMN_ppid; i <= COLUMN_start; i++)
			assert_true(column_list_has(&list, (enum report_column)i));
		column_list_default(&list, sides, &display_table[0], false, false);
		assert_false(column_list_has(&list, COLUMN_ppid));
	}
	for (unsigned i = 0; i < COLUMN_COUNT; i++)
		assert_int_equal(column_is_of_process((enum report_column)i),
		                 i == COLUMN_ppid || i == COLUMN_pgrp || i == COLUMN_session ||
		                         i == COLUMN_start);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_tables),       cmocka_unit_test(test_displays),
	        cmocka_unit_test(test_defaults),     cmocka_unit_test(test_machine),
	        cmocka_unit_test(test_of_processes), cmocka_unit_test(test_list),
	        cmocka_unit_test(test_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
