// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "page/heat.h"

static void add_column(struct history *history, uint64_t length_ns, double host)
{
	struct history_column *column =
	        array_add(history->columns, history->column_count, history->column_capacity);

	*column = (struct history_column){.length_ns = length_ns};
	column->host[ASPECT_cpu] = (struct overview_value){.seen = true, .amount = host};
}

static void add_cell(struct history *history, size_t group, uint32_t column, double amount)
{
	struct history_group *of = &history->groups[group];
	struct history_cell *cell = array_add(of->cells, of->count, of->capacity);

	*cell = (struct history_cell){.column = column};
	cell->amounts[ASPECT_cpu] = amount;
}

/* Means are by the length of columns, without those that are not known. */
static void test_extent(void **state)
{
	cleanup_(history_done) struct history history = {0};
	const double values[] = {10, NAN, 40}, none[] = {NAN, NAN, NAN};
	struct extent extent;

	(void)state;
	add_column(&history, 3, 0);
	add_column(&history, 5, 0);
	add_column(&history, 1, 0);
	extent = extent_of(&history, values);
	assert_true(extent.mean == 17.5 && extent.most == 40 && extent.at == 2);
	extent = extent_of(&history, none);
	assert_true(isnan(extent.mean) && isnan(extent.most));
}

/* The last row is what the host has beside the groups; a mean that was set is the row's. */
static void test_rows(void **state)
{
	cleanup_(history_done) struct history history = {0};
	struct heat heat;

	(void)state;
	add_column(&history, 1, 100);
	add_column(&history, 1, 50);
	*array_add(history.groups, history.group_count, history.group_capacity) =
	        (struct history_group){.label = mem_copy("a", 1)};
	add_cell(&history, 0, 0, 60);
	add_cell(&history, 0, 1, 50);
	heat_init(&history, ASPECT_cpu, &heat);
	assert_int_equal(heat.groups, 1);
	assert_true(heat.largest == 60 && heat.values[1][0] == 40 && heat.values[1][1] == 0);
	assert_string_equal(heat_name(&heat, 0), "a");
	assert_string_equal(heat_name(&heat, 1), heat_others);
	assert_true(heat_extent(&heat, 0).mean == 55);
	history.groups[0].has_means = true;
	history.groups[0].means[ASPECT_cpu] = 54;
	assert_true(heat_extent(&heat, 0).mean == 54 && heat_extent(&heat, 0).most == 60);
	heat_done(&heat);
}

/* A value that lacks some threads is known by its column, the mean by itself, and the others have the host's marks. */
static void test_partial(void **state)
{
	cleanup_(history_done) struct history history = {0};
	struct heat heat;

	(void)state;
	add_column(&history, 1, 100);
	add_column(&history, 1, 50);
	history.columns[1].host[ASPECT_cpu].partial = true;
	*array_add(history.groups, history.group_count, history.group_capacity) =
	        (struct history_group){.label = mem_copy("a", 1), .has_means = true};
	history.groups[0].means_marks[ASPECT_cpu] = HISTORY_PARTIAL;
	add_cell(&history, 0, 0, 60);
	add_cell(&history, 0, 1, 50);
	history.groups[0].cells[1].marks[ASPECT_cpu] = HISTORY_PARTIAL;
	heat_init(&history, ASPECT_cpu, &heat);
	assert_false(heat_marks(&heat, 0, 0) || heat_marks(&heat, 1, 0));
	assert_true(heat_marks(&heat, 0, 1) && heat_marks(&heat, 1, 1));
	assert_true(heat_extent(&heat, 0).mean_marks && !heat_extent(&heat, 0).most_marks);
	history.groups[0].cells[0].marks[ASPECT_cpu] = HISTORY_PARTIAL;
	history.groups[0].means_marks[ASPECT_cpu] = 0;
	assert_true(!heat_extent(&heat, 0).mean_marks && heat_extent(&heat, 0).most_marks);
	heat_done(&heat);
}

/* A wait that began before a column is marked in it and in the mean, and no zero is. */
static void test_began_before(void **state)
{
	cleanup_(history_done) struct history history = {0};
	struct heat heat;

	(void)state;
	add_column(&history, 1, 0);
	add_column(&history, 1, 50);
	history.columns[1].host[ASPECT_wait].began_before = true;
	assert_int_equal(history_host_marks(&history, ASPECT_wait, 1), 0);
	history.columns[1].host[ASPECT_cpu].began_before = true;
	assert_int_equal(history_host_marks(&history, ASPECT_cpu, 1), HISTORY_BEGAN_BEFORE);
	*array_add(history.groups, history.group_count, history.group_capacity) =
	        (struct history_group){.label = mem_copy("a", 1)};
	add_cell(&history, 0, 0, 0);
	add_cell(&history, 0, 1, 50);
	history.groups[0].cells[1].marks[ASPECT_cpu] = HISTORY_BEGAN_BEFORE | HISTORY_PARTIAL;
	heat_init(&history, ASPECT_cpu, &heat);
	assert_int_equal(heat_marks(&heat, 0, 0), 0);
	assert_int_equal(heat_marks(&heat, 1, 1), HISTORY_BEGAN_BEFORE);
	assert_int_equal(heat_extent(&heat, 0).most_marks, HISTORY_BEGAN_BEFORE | HISTORY_PARTIAL);
	assert_int_equal(heat_extent(&heat, 0).mean_marks, HISTORY_BEGAN_BEFORE | HISTORY_PARTIAL);
	heat_done(&heat);
}

/* The most of a group of which only zeros were seen has a mark if threads are missing in any of them. */
static void test_partial_zeros(void **state)
{
	cleanup_(history_done) struct history history = {0};
	struct heat heat;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		add_column(&history, 1, 100);
	*array_add(history.groups, history.group_count, history.group_capacity) =
	        (struct history_group){.label = mem_copy("a", 1)};
	for (unsigned i = 0; i < 3; i++)
		add_cell(&history, 0, i, 0);
	heat_init(&history, ASPECT_cpu, &heat);
	assert_true(heat_extent(&heat, 0).most == 0 && !heat_extent(&heat, 0).most_marks);
	history.groups[0].cells[1].marks[ASPECT_cpu] = HISTORY_PARTIAL;
	history.groups[0].cells[2].marks[ASPECT_cpu] = HISTORY_PARTIAL;
	assert_true(heat_extent(&heat, 0).most_marks && heat_extent(&heat, 0).at == 1);
	assert_true(heat_extent(&heat, 0).mean_marks);
	heat.values[0][2] = 1;
	history.groups[0].cells[2].marks[ASPECT_cpu] = 0;
	assert_true(!heat_extent(&heat, 0).most_marks && heat_extent(&heat, 0).at == 2);
	heat_done(&heat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_extent),       cmocka_unit_test(test_rows),
	        cmocka_unit_test(test_partial),      cmocka_unit_test(test_partial_zeros),
	        cmocka_unit_test(test_began_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
