// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ctprof/base/macro.h"
#include "page/bands.h"

enum { SECONDS = 1000000000 };

static void add_record(struct series *series, size_t at, double cpu)
{
	struct series_record *record = array_add(series->records, series->count, series->capacity);

	*record = (struct series_record){.time_ns = (int64_t)at * SECONDS};
	for (size_t i = 0; i < SERIES_COUNT; i++)
		record->values[i] = NAN;
	record->values[SERIES_cpu] = cpu;
}

static void add_point(struct series *series, const char *pid, size_t at, double cpu)
{
	struct strmap_entry *entry = strmap_add(&series->pids, pid, strlen(pid));
	size_t place = (size_t)(entry - series->pids.entries);
	struct series_process *process;

	if (place == series->process_count)
		*array_add(series->processes, series->process_count, series->process_capacity) =
		        (struct series_process){.pid = entry->key};
	process = &series->processes[place];
	process->command = "<i>\n";
	*array_add(process->points, process->count, process->capacity) =
	        (struct series_point){(int64_t)at * SECONDS, cpu, NAN, cpu / 2, NULL};
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

/* The bands of a column are the processes' values, or parts of the total where these are more. */
static void test_heights(void **state)
{
	cleanup_(series_done) struct series series = {0};
	cleanup_(history_done) struct history columns = {0};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct bands bands;

	(void)state;
	add_record(&series, 0, 500);
	add_record(&series, 1, 100);
	add_record(&series, 2, 100);
	add_point(&series, "7", 0, 500);
	add_point(&series, "1", 1, 60);
	add_point(&series, "2", 1, 30);
	add_point(&series, "1", 2, 90);
	add_point(&series, "2", 2, NAN);
	add_point(&series, "3", 2, 60);
	bands_make_columns(&series, &columns);
	assert_int_equal(columns.column_count, 2);
	bands_init(&bands, &series, &columns, SERIES_USE_CPU);
	assert_int_equal(bands.count, 3);
	assert_int_equal(bands.others, 0);
	assert_string_equal(bands.entries[0].label, "1 <i>\\x0a");
	assert_true(is_near(bands.entries[0].values[0], 60) && is_near(bands.entries[0].most, 90));
	assert_true(is_near(bands.entries[0].values[1], 60) &&
	            is_near(bands.entries[1].values[1], 40));
	assert_true(is_near(bands.top, 100));
	bands_add(&bands, &columns, SERIES_UNIT_percent, &out);
	assert_null(strstr(strbuf_str(&out), "<i>"));
	assert_non_null(strstr(strbuf_str(&out), "&lt;i"));
	bands_done(&bands);
	bands_init(&bands, &series, &columns, SERIES_USE_RSS);
	assert_int_equal(bands.count, 0);
	bands_done(&bands);
}

/* Bands of CPU time are what each used, below the mean of all: what no process has of it is a band, and more than it is divided. */
static void test_used(void **state)
{
	cleanup_(series_done) struct series series = {0};
	cleanup_(history_done) struct history columns = {0};
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct bands bands;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		add_record(&series, i, 400);
		series.records[i].values[SERIES_cpu_mean] = 100;
	}
	add_point(&series, "1", 1, 60);
	add_point(&series, "2", 1, 40);
	add_point(&series, "1", 2, 300);
	add_point(&series, "2", 2, 100);
	bands_make_columns(&series, &columns);
	bands_init(&bands, &series, &columns, SERIES_USE_TIME);
	assert_int_equal(bands.count, 3);
	assert_true(bands.has_rest);
	assert_true(is_near(bands.entries[0].values[0], 30) &&
	            is_near(bands.entries[1].values[0], 20) &&
	            is_near(bands.entries[2].values[0], 50));
	assert_true(is_near(bands.entries[0].values[1], 75) &&
	            is_near(bands.entries[1].values[1], 25) &&
	            is_near(bands.entries[2].values[1], 0));
	assert_true(is_near(bands.top, 100));
	bands_add_name(&bands, 2, &name);
	assert_non_null(strstr(strbuf_str(&name), "no sample"));
	assert_int_equal(bands_colour(&bands, 1), 1);
	assert_int_equal(bands_colour(&bands, 2), BANDS_OWN + 1);
	bands_done(&bands);
}

/* Those that used most have a band, all others one together. */
static void test_others(void **state)
{
	cleanup_(series_done) struct series series = {0};
	cleanup_(history_done) struct history columns = {0};
	struct bands bands;

	(void)state;
	add_record(&series, 0, NAN);
	add_record(&series, 1, NAN);
	for (size_t i = 1; i <= BANDS_OWN + 1; i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%zu", i);
		add_point(&series, pid, 1, (double)i);
	}
	bands_make_columns(&series, &columns);
	bands_init(&bands, &series, &columns, SERIES_USE_CPU);
	assert_int_equal(bands.count, BANDS_OWN + 1);
	assert_int_equal(bands.others, 0);
	bands_done(&bands);
	add_point(&series, "100", 1, 100);
	bands_init(&bands, &series, &columns, SERIES_USE_CPU);
	assert_int_equal(bands.count, BANDS_OWN + 1);
	assert_int_equal(bands.others, 2);
	assert_null(bands.entries[BANDS_OWN].label);
	assert_true(is_near(bands.entries[BANDS_OWN].values[0], 1 + 2));
	assert_true(is_near(bands.top, 36 + 100));
	bands_done(&bands);
}

/* Many records are merged by their maxima, and the last one is in a column. */
static void test_many_records(void **state)
{
	enum { COUNT = 3 * BAND_COLUMNS + 2 };
	cleanup_(series_done) struct series series = {0};
	cleanup_(history_done) struct history columns = {0};
	double values[COUNT];

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		add_record(&series, i, i == COUNT - 1 ? 77 : (double)(i % 3));
	bands_make_columns(&series, &columns);
	assert_true(columns.column_count <= BAND_COLUMNS);
	assert_true(columns.columns[columns.column_count - 1].end_ns ==
	            (uint64_t)(COUNT - 1) * SECONDS);
	bands_series_values(&series, &columns, SERIES_cpu, values);
	assert_true(values[0] == 2 && values[columns.column_count - 1] == 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_heights),
	        cmocka_unit_test(test_used),
	        cmocka_unit_test(test_others),
	        cmocka_unit_test(test_many_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
