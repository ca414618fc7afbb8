// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ctprof/base/macro.h"
#include "page/history.h"

enum { SECONDS = 1000000000 };

static size_t count_columns(const uint64_t *ends, size_t count)
{
	bool *begins = history_columns_of(ends, count);
	size_t columns = 0;

	for (size_t i = 0; i < count; i++)
		columns += begins[i];
	free(begins);
	return columns;
}

/* A day of windows has as many columns as are drawn, each with as many windows. */
static void test_columns_of_a_day(void **state)
{
	enum { COUNT = 8640 };
	static uint64_t ends[COUNT];
	bool *begins;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		ends[i] = (1000 + 10 * i) * (uint64_t)SECONDS;
	assert_int_equal(count_columns(ends, COUNT), HISTORY_COLUMNS);
	begins = history_columns_of(ends, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(begins[i], i % (COUNT / HISTORY_COLUMNS) == 0);
	free(begins);
	assert_int_equal(count_columns(ends, HISTORY_COLUMNS), HISTORY_COLUMNS);
	assert_int_equal(count_columns(ends, 1), 1);
	assert_int_equal(count_columns(ends, 0), 0);
}

/* No column has windows of both sides of a gap, or of a clock that was set back. */
static void test_columns_end_at_gaps(void **state)
{
	enum { COUNT = 1000, GAP = 333, BACK = 700 };
	static uint64_t ends[COUNT];
	bool *begins;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		ends[i] =
		        (5000 + i + (i >= GAP ? 2 : 0) - (i >= BACK ? 600 : 0)) * (uint64_t)SECONDS;
	begins = history_columns_of(ends, COUNT);
	assert_true(begins[GAP] && begins[BACK]);
	assert_false(begins[GAP + 1] || begins[BACK + 1]);
	free(begins);
	assert_true(count_columns(ends, COUNT) <= HISTORY_COLUMNS + 2);
	/* More gaps than columns are put together. */
	for (size_t i = 0; i < COUNT; i++)
		ends[i] = (5000 + i + 100 * (i / 3)) * (uint64_t)SECONDS;
	assert_true(count_columns(ends, COUNT) <= HISTORY_COLUMNS);
}

static void add_column(struct history *history, size_t at, double a, double b, double host)
{
	struct row_group groups[2] = {{.label = (char[]){"a"}}, {.label = (char[]){"b"}}};
	struct overview_row rows[2] = {{.group = &groups[0]}, {.group = &groups[1]}};
	struct overview overview = {.kind = OVERVIEW_WINDOW, .sides = 1, .rows = rows, .count = 2};
	struct history_column column = {.begin_ns = at * SECONDS,
	                                .end_ns = (at + 1) * SECONDS,
	                                .length_ns = SECONDS,
	                                .windows = 1};

	overview.seen[ASPECT_cpu] = true;
	overview.host.values[ASPECT_cpu][0] = (struct overview_value){.seen = true, .amount = host};
	rows[0].values[ASPECT_cpu][0] = (struct overview_value){.seen = !isnan(a), .amount = a};
	rows[1].values[ASPECT_cpu][0] = (struct overview_value){.seen = true, .amount = b};
	rows[0].threads.after = rows[1].threads.after = 1;
	rows[0].score = isnan(a) ? 0 : a / 100;
	rows[1].score = b / 100;
	history_add(history, &column, &overview);
}

/* A group has its amount in each column: 0 where it did nothing, and none where that is not known. */
static void test_amounts(void **state)
{
	cleanup_(history_done) struct history history = {0};
	double amounts[3], rest[3];

	(void)state;
	add_column(&history, 0, 5, 50, 60);
	add_column(&history, 1, NAN, 0, 10);
	add_column(&history, 2, 1, 80, 81);
	history_finish(&history);
	assert_int_equal(history.group_count, 2);
	assert_string_equal(history.groups[0].label, "b");
	history_amounts(&history, 0, ASPECT_cpu, amounts);
	assert_true(amounts[0] == 50 && amounts[1] == 0 && amounts[2] == 80);
	history_amounts(&history, 1, ASPECT_cpu, amounts);
	assert_true(amounts[0] == 5 && isnan(amounts[1]) && amounts[2] == 1);
	/* The others have what the host has more. */
	history_rest(&history, 1, ASPECT_cpu, rest);
	assert_true(rest[0] == 10 && rest[1] == 10 && rest[2] == 1);
	history_rest(&history, 2, ASPECT_cpu, rest);
	assert_true(rest[0] == 5 && rest[2] == 0);
	history_rest(&history, 1, ASPECT_wait, rest);
	assert_true(isnan(rest[0]));
}

/* A group that did nothing as far as is known has a cell if it lacks some threads. */
static void test_partial(void **state)
{
	cleanup_(history_done) struct history history = {0};
	struct row_group group = {.label = (char[]){"a"}};
	struct overview_row row = {.group = &group};
	struct overview overview = {
	        .kind = OVERVIEW_WINDOW, .sides = 1, .rows = &row, .count = 1, .host = row};
	struct history_column column = {.length_ns = SECONDS};

	(void)state;
	overview.seen[ASPECT_read] = true;
	row.values[ASPECT_read][0] = (struct overview_value){.seen = true};
	history_add(&history, &column, &overview);
	assert_int_equal(history.group_count, 0);
	row.values[ASPECT_read][0].partial = true;
	history_add(&history, &column, &overview);
	assert_int_equal(history.group_count, 1);
	assert_false(history_marks(&history, 0, ASPECT_read, 0));
	assert_true(history_marks(&history, 0, ASPECT_read, 1));
	assert_false(history_marks(&history, 0, ASPECT_write, 1));
	overview.host = row;
	history_set_means(&history, &overview);
	assert_true(history.groups[0].means_marks[ASPECT_read]);
	assert_true(history.means_marks[ASPECT_read] && !history.means_marks[ASPECT_cpu]);
}

/* Adds a column of one group, whose threads lack values of one aspect, and which has one thread at the end. */
static void add_lacking(struct history *history, bool has_idle, unsigned aspect, bool seen,
                        uint32_t lacking, uint32_t gone)
{
	struct row_group group = {.label = (char[]){"a"}};
	struct overview_row row = {.group = &group, .threads = {.after = 1, .gone = gone}};
	struct overview overview = {.kind = OVERVIEW_WINDOW, .sides = 1, .rows = &row, .count = 1};
	struct history_column column = {.length_ns = SECONDS, .has_idle = has_idle};

	overview.seen[ASPECT_cpu] = overview.seen[ASPECT_read] = true;
	row.values[ASPECT_cpu][0] = row.values[ASPECT_read][0] =
	        (struct overview_value){.seen = true, .amount = 2};
	row.values[aspect][0] = (struct overview_value){
	        .seen = seen, .amount = 1, .partial = lacking > 0, .lacking = lacking};
	overview.host = row;
	history_add(history, &column, &overview);
}

static void add_empty(struct history *history)
{
	history_add(history, &(struct history_column){.length_ns = SECONDS}, &(struct overview){0});
}

/* Threads that did nothing are in no column but those that have all: what nobody could read of them stays unknown up to the next one of
 * these, and what was read is 0. */
static void test_idle(void **state)
{
	cleanup_(history_done) struct history history = {0};
	double read[6], cpu[6];

	(void)state;
	add_lacking(&history, true, ASPECT_read, false, 1, 0);
	add_empty(&history);
	add_lacking(&history, false, ASPECT_read, true, 0, 0);
	add_lacking(&history, false, ASPECT_cpu, true, 2, 1);
	add_empty(&history);
	add_lacking(&history, true, ASPECT_cpu, true, 0, 0);
	history_amounts(&history, 0, ASPECT_read, read);
	history_amounts(&history, 0, ASPECT_cpu, cpu);
	assert_true(isnan(read[0]) && isnan(read[1]) && read[2] == 1);
	assert_true(cpu[0] == 2 && cpu[1] == 0 && cpu[3] == 1 && cpu[4] == 0);
	for (unsigned i = 0; i < 6; i++) {
		/* Beside the one thread of which nothing could be read there is another one. */
		assert_int_equal(history_marks(&history, 0, ASPECT_read, i),
		                 i == 2 || i == 3 ? HISTORY_PARTIAL : 0);
		assert_int_equal(history_marks(&history, 0, ASPECT_cpu, i),
		                 i == 3 || i == 4 ? HISTORY_PARTIAL : 0);
		assert_true(history.columns[i].host[ASPECT_cpu].seen);
		assert_int_equal(history_host_marks(&history, ASPECT_cpu, i),
		                 i == 3 || i == 4 ? HISTORY_PARTIAL : 0);
	}
	assert_int_equal(history_host_marks(&history, ASPECT_read, 4), HISTORY_PARTIAL);
	assert_false(history.columns[4].host[ASPECT_wait].seen);
}

/* A group without living threads lacks no value. */
static void test_group_ends(void **state)
{
	cleanup_(history_done) struct history history = {0};
	struct row_group group = {.label = (char[]){"a"}};
	struct overview_row row = {.group = &group, .threads = {.before = 1, .gone = 1}};
	struct overview overview = {.kind = OVERVIEW_WINDOW, .sides = 1, .rows = &row, .count = 1};
	double amounts[3];

	(void)state;
	add_lacking(&history, true, ASPECT_read, false, 1, 0);
	row.values[ASPECT_read][0].lacking = 1;
	history_add(&history, &(struct history_column){.length_ns = SECONDS}, &overview);
	add_empty(&history);
	history_amounts(&history, 0, ASPECT_read, amounts);
	assert_true(isnan(amounts[0]) && isnan(amounts[1]) && amounts[2] == 0);
}

/* Threads that ended and have no value lack it in their own column alone, where the amount is unknown if they are all. */
static void test_ended_without_value(void **state)
{
	cleanup_(history_done) struct history history = {0};
	double amounts[3];

	(void)state;
	add_lacking(&history, true, ASPECT_cpu, false, 1, 1);
	add_lacking(&history, false, ASPECT_cpu, true, 1, 1);
	add_empty(&history);
	history_amounts(&history, 0, ASPECT_cpu, amounts);
	assert_true(isnan(amounts[0]) && amounts[1] == 1 && amounts[2] == 0);
	assert_int_equal(history_marks(&history, 0, ASPECT_cpu, 1), HISTORY_PARTIAL);
	assert_int_equal(history_marks(&history, 0, ASPECT_cpu, 2), 0);
}

/* A pool is one group, whose label in a column is the name of its only member there. */
static void test_patterns(void **state)
{
	static const char *const labels[] = {"pool-1", "pool-{N}", "pool-2"};
	cleanup_(history_done) struct history history = {0};
	struct row_group group = {.pattern = "pool-{N}"};
	struct overview_row row = {.group = &group, .score = 1};
	struct overview overview = {.kind = OVERVIEW_WINDOW, .sides = 1, .rows = &row, .count = 1};
	struct history_column column = {.length_ns = SECONDS};
	double amounts[ARRAY_SIZE(labels)];

	(void)state;
	overview.seen[ASPECT_cpu] = true;
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		char label[16];

		snprintf(label, sizeof(label), "%s", labels[i]);
		group.label = label;
		row.values[ASPECT_cpu][0] =
		        (struct overview_value){.seen = true, .amount = (double)i + 1};
		history_add(&history, &column, &overview);
	}
	group.label = (char[]){"pool-{N}"};
	history_set_means(&history, &overview);
	assert_int_equal(history.group_count, 1);
	assert_string_equal(history.groups[0].label, "pool-{N}");
	assert_true(history.groups[0].has_means);
	history_amounts(&history, 0, ASPECT_cpu, amounts);
	assert_true(amounts[0] == 1 && amounts[1] == 2 && amounts[2] == 3);
}

/* One column with much weighs as much as a tenth of the time with it: 100 in one of 40, and 13 in all. */
static void test_rank(void **state)
{
	enum { COLUMNS = 40 };
	cleanup_(history_done) struct history history = {0};

	(void)state;
	for (size_t i = 0; i < COLUMNS; i++)
		add_column(&history, i, 13, i == 7 ? 100 : 0, 200);
	history_finish(&history);
	assert_string_equal(history.groups[0].label, "a");
	assert_true(fabs(history.groups[0].rank - (0.13 + 0.013)) < 1e-6);
	assert_true(fabs(history.groups[1].rank - (0.025 + 0.1)) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_columns_of_a_day),
	        cmocka_unit_test(test_columns_end_at_gaps),
	        cmocka_unit_test(test_amounts),
	        cmocka_unit_test(test_partial),
	        cmocka_unit_test(test_patterns),
	        cmocka_unit_test(test_rank),
	        cmocka_unit_test(test_idle),
	        cmocka_unit_test(test_group_ends),
	        cmocka_unit_test(test_ended_without_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
