// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ctprof/base/macro.h"
#include "series/series-use.h"

enum { SECONDS = 1000000000 };

static void add_record(struct series *series, size_t at, double rss)
{
	struct series_record *record = array_add(series->records, series->count, series->capacity);

	*record = (struct series_record){.time_ns = (int64_t)at * SECONDS};
	for (size_t i = 0; i < SERIES_COUNT; i++)
		record->values[i] = NAN;
	record->values[SERIES_rss] = rss;
}

static void add_point(struct series *series, const char *pid, size_t at, double rss)
{
	struct strmap_entry *entry = strmap_add(&series->pids, pid, strlen(pid));
	size_t place = (size_t)(entry - series->pids.entries);
	struct series_process *process;

	if (place == series->process_count)
		*array_add(series->processes, series->process_count, series->process_capacity) =
		        (struct series_process){.pid = entry->key};
	process = &series->processes[place];
	*array_add(process->points, process->count, process->capacity) =
	        (struct series_point){(int64_t)at * SECONDS, rss / 2, rss, NAN, NULL};
}

/* The first record counts for nothing beside others; what is missing is nothing, and a process that used nothing is not listed. */
static void test_sort(void **state)
{
	cleanup_(series_done) struct series series = {0};
	struct series_use *uses;
	size_t count;

	(void)state;
	add_record(&series, 0, 900);
	add_record(&series, 1, 50);
	add_record(&series, 2, 70);
	add_point(&series, "1", 0, 900);
	add_point(&series, "1", 1, 10);
	add_point(&series, "2", 1, 40);
	add_point(&series, "2", 2, NAN);
	add_point(&series, "3", 2, 0);
	add_point(&series, "4", 1, 25);
	add_point(&series, "4", 2, 15);
	uses = series_use_sort(&series, SERIES_USE_RSS, &count);
	assert_int_equal(count, 3);
	/* Equal sums are in the order of the ids. */
	assert_string_equal(uses[0].pid, "2");
	assert_string_equal(uses[1].pid, "4");
	assert_string_equal(uses[2].pid, "1");
	assert_true(uses[1].sum == 40 && uses[1].most == 25 && uses[2].most == 10);
	assert_true(series_use_most(&series, SERIES_USE_RSS) == 70);
	free(uses);
	uses = series_use_sort(&series, SERIES_USE_TIME, &count);
	assert_int_equal(count, 0);
	free(uses);
}

/* The only record is not left out. */
static void test_only_record(void **state)
{
	cleanup_(series_done) struct series series = {0};
	struct series_use *uses;
	size_t count;

	(void)state;
	add_record(&series, 0, 900);
	add_point(&series, "1", 0, 900);
	uses = series_use_sort(&series, SERIES_USE_RSS, &count);
	assert_int_equal(count, 1);
	assert_true(uses[0].most == 900 && series_use_most(&series, SERIES_USE_RSS) == 900);
	free(uses);
}

static void test_kind_of_cpu(void **state)
{
	cleanup_(series_done) struct series series = {0};

	(void)state;
	add_record(&series, 0, 1);
	assert_int_equal(series_use_of_cpu(&series), SERIES_USE_CPU);
	assert_int_equal(series_use_total(SERIES_USE_CPU), SERIES_cpu);
	series.records[0].values[SERIES_cpu_mean] = 5;
	assert_int_equal(series_use_of_cpu(&series), SERIES_USE_TIME);
	assert_int_equal(series_use_total(SERIES_USE_TIME), SERIES_cpu_mean);
	assert_int_equal(series_use_total(SERIES_USE_RSS), SERIES_rss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sort),
	        cmocka_unit_test(test_only_record),
	        cmocka_unit_test(test_kind_of_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
