// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ctprof/base/macro.h"
#include "plot/plot.h"

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
	static const char command[] = "=<i>\n,\"";
	struct strmap_entry *entry = strmap_add(&series->pids, pid, strlen(pid));
	size_t place = (size_t)(entry - series->pids.entries);
	struct series_process *process;

	if (place == series->process_count)
		*array_add(series->processes, series->process_count, series->process_capacity) =
		        (struct series_process){.pid = entry->key, .command = command};
	process = &series->processes[place];
	*array_add(process->points, process->count, process->capacity) =
	        (struct series_point){(int64_t)at * SECONDS, cpu, NAN, NAN, command};
	series->points++;
}

static void test_text(void **state)
{
	cleanup_(series_done) struct series series = {0};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct job_info info = {0};
	struct plot plot = {.series = &series, .info = &info, .name = "x"};

	(void)state;
	add_record(&series, 0, 500);
	add_record(&series, 1, 100);
	/* The total has the use of processes that no sample saw. */
	plot_processes_text(&plot, &out);
	assert_non_null(strstr(strbuf_str(&out), "the sum in the series, at most 100.0 %, "));
	assert_null(strstr(strbuf_str(&out), "memory"));
	strbuf_clear(&out);
	for (int i = 1; i <= PLOT_PROCESSES + 1; i++)
		add_point(&series, (char[]){(char)('0' + i), '\0'}, 1, i);
	plot_processes_text(&plot, &out);
	assert_non_null(strstr(strbuf_str(&out),
	                       "CPU use of processes: the sum in the series, at most 100.0 %, "
	                       "without the 500.0 % of the first record, which has no length\n"
	                       "  8 =<i>\\x0a,\": most 8.0 %\n  7 "));
	assert_non_null(strstr(strbuf_str(&out), "\n  1 =<i>\\x0a,\": most 1.0 %\n"));
	assert_null(strstr(strbuf_str(&out), "other process"));
	assert_null(strstr(strbuf_str(&out), "memory"));
	add_point(&series, "9", 1, 9);
	strbuf_clear(&out);
	plot_processes_text(&plot, &out);
	assert_non_null(strstr(strbuf_str(&out), "most 3.0 %\n  2 other processes\n"));
}

/* Lines are in the order of time, a command is no formula, and a value that is missing is empty. */
static void test_csv(void **state)
{
	cleanup_(series_done) struct series series = {0};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct plot plot = {.series = &series};

	(void)state;
	add_record(&series, 0, 1);
	add_record(&series, 1, 1);
	add_point(&series, "10", 0, 1.5);
	add_point(&series, "10", 1, NAN);
	add_point(&series, "2", 0, 2);
	plot_processes_csv(&plot, &out);
	assert_string_equal(strbuf_str(&out), "elapsed_s,pid,command,cpu\n"
	                                      "0.0,10,\"'=<i>\\x0a,\"\"\",1.5\n"
	                                      "0.0,2,\"'=<i>\\x0a,\"\"\",2.0\n"
	                                      "1.0,10,\"'=<i>\\x0a,\"\"\",\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_text),
	        cmocka_unit_test(test_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
