// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/series.h"

#include <errno.h>
#include <math.h>

#include "base/memory-stream.h"
#include "check.h"

/* Reads a text in which single quotes stand for double ones. */
static int read_text(struct series *series, const char *text, enum series_cpu cpu)
{
	cleanup_(memory_stream_done) struct memory_stream stream = memory_stream_make();

	strbuf_add_str(&stream.bytes, text);
	for (size_t i = 0; i < stream.bytes.len; i++)
		if (stream.bytes.data[i] == '\'')
			stream.bytes.data[i] = '"';
	return series_read(series, &stream.source, cpu);
}

static void assert_value(const struct series *series, size_t record, enum series_id id,
                         double value)
{
	double found = series->records[record].values[id];

	if (isnan(value))
		assert_true(isnan(found));
	else
		assert_true(found == value);
}

static void test_records(void **state)
{
	static const char text[] =
	        "{'timestamp': '2026-11-22T10:10:20.5+00:00', 'processes': {"
	        "'1': {'pcpu': 5, 'rss': 100}, '2': {'pcpu': 7.5, 'rss': 50}}, "
	        "'totals': {'pcpu': 12.5, 'rss': 150, 'vsz': 4000}}\n"
	        "\n \r\n"
	        "{'timestamp': '2026-11-22T10:10:22+00:00', 'totals': {'pcpu': '3.5', 'rss': null, "
	        "'vsz': 1e300}}"
	        "\r\n";
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(read_text(&series, text, SERIES_CPU_LIFETIME), 0);
	assert_int_equal(series.count, 2);
	assert_int_equal(series.records[0].time_ns, 0);
	assert_int_equal(series.records[1].time_ns, 1500000000);
	assert_value(&series, 0, SERIES_cpu, 12.5);
	assert_value(&series, 0, SERIES_cpu_max, 7.5);
	assert_value(&series, 0, SERIES_rss, 150);
	assert_value(&series, 0, SERIES_rss_max, 100);
	assert_value(&series, 0, SERIES_vsz, 4000);
	assert_value(&series, 0, SERIES_processes, 2);
	/* A text that is a number is one; what is missing stays so. */
	assert_value(&series, 1, SERIES_cpu, 3.5);
	assert_value(&series, 1, SERIES_rss, NAN);
	assert_value(&series, 1, SERIES_vsz, NAN);
	assert_value(&series, 1, SERIES_processes, NAN);
	assert_true(series_has(&series, SERIES_vsz));
	assert_false(series_has(&series, SERIES_pss));
	assert_int_equal(series.process_count, 2);
	assert_int_equal(series.processes[0].count, 1);
}

static void test_own_keys(void **state)
{
	static const char text[] =
	        "{'timestamp': '2026-11-22T10:10:20Z', 'ctprof_seconds': 4, 'ctprof_cpu_seconds': "
	        "3, 'ctprof_pss': 9, 'ctprof_memory_peak': 10, 'ctprof_processes': 5, "
	        "'ctprof_threads': 6, 'ctprof_read_bytes': 0, "
	        "'processes': {'1': {'ctprof_threads': 2}, '2': {'ctprof_threads': 3}, '3': 4}}\n"
	        "{'timestamp': '2026-11-22T10:10:21Z', 'ctprof_seconds': 0, "
	        "'ctprof_cpu_seconds': 0}\n";
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(read_text(&series, text, SERIES_CPU_LIFETIME), 0);
	assert_value(&series, 0, SERIES_cpu_mean, 75);
	assert_value(&series, 0, SERIES_pss, 9);
	assert_value(&series, 0, SERIES_memory, 10);
	assert_value(&series, 0, SERIES_processes, 5);
	assert_value(&series, 0, SERIES_threads, 6);
	assert_value(&series, 0, SERIES_read, 0);
	assert_value(&series, 0, SERIES_write, NAN);
	assert_value(&series, 1, SERIES_cpu_mean, NAN);
	assert_value(&series, 1, SERIES_threads, NAN);
}

/* The values are computed by hand, as pcpu is CPU time over age. */
static void test_interval_cpu(void **state)
{
	static const char text[] =
	        "{'timestamp': '2026-11-22T10:10:20Z', 'totals': {'pcpu': 90}, 'processes': {"
	        "'1': {'pcpu': 50, 'etime': '00:10'}, '2': {'pcpu': 10, 'etime': '00:10'}}}\n"
	        "{'timestamp': '2026-11-22T10:10:30Z', 'totals': {'pcpu': 80}, 'processes': {"
	        "'1': {'pcpu': 30, 'etime': '00:20'}, '2': {'pcpu': 10, 'etime': '00:12'}, "
	        "'3': {'pcpu': 10, 'etime': '00:05'}}}\n"
	        "{'timestamp': '2026-11-22T10:10:40Z', 'totals': {'pcpu': 80}, 'processes': {"
	        "'1': {'pcpu': 25, 'etime': '00:30'}, '3': {'pcpu': 25, 'etime': '00:15'}}}\n";
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(read_text(&series, text, SERIES_CPU_INTERVAL), 0);
	assert_value(&series, 0, SERIES_cpu, NAN);
	/* 6 s less 5 s in 10 s. Process 2 is another one by now, and of process 3 nothing came before. */
	assert_value(&series, 1, SERIES_cpu, 10);
	assert_value(&series, 1, SERIES_cpu_max, 10);
	/* 7.5 s less 6 s; 3.75 s less 0.5 s. */
	assert_value(&series, 2, SERIES_cpu, 15 + 32.5);
	assert_value(&series, 2, SERIES_cpu_max, 32.5);
	/* The result would be negative, or the age is unknown. */
	assert_true(isnan(series_interval_cpu(90, 10, 0, 10, 20, 10)));
	assert_true(isnan(series_interval_cpu(0, 0, 0, 10, 20, 10)));
	assert_true(isnan(series_interval_cpu(5, 10, 0, 10, 10, 10)));
}

/* CPU time of processes is since their begin: 1 has 1 s in 2 s, then 0.5 s in 1 s; then the id is another process's, that has
 * 0.25 s. 2 is new in the second record, and all its time is of that. A record of next to no time has no use. */
static void test_used_cpu(void **state)
{
	static const char text[] =
	        "{'timestamp': '2026-11-22T10:10:20Z', 'ctprof_seconds': 2, 'processes': {"
	        "'1': {'ctprof_cpu_seconds': 1}}}\n"
	        "{'timestamp': '2026-11-22T10:10:21Z', 'ctprof_seconds': 1, 'processes': {"
	        "'1': {'ctprof_cpu_seconds': 1.5}, '2': {'ctprof_cpu_seconds': 0.75}}}\n"
	        "{'timestamp': '2026-11-22T10:10:22Z', 'ctprof_seconds': 1, 'processes': {"
	        "'1': {'ctprof_cpu_seconds': 0.25}, '2': {'pcpu': 5}}}\n"
	        "{'timestamp': '2026-11-22T10:10:23Z', 'processes': {"
	        "'1': {'ctprof_cpu_seconds': 0.5}}}\n"
	        "{'timestamp': '2026-11-22T10:10:24Z', 'ctprof_seconds': 1e-320, 'processes': {"
	        "'1': {'ctprof_cpu_seconds': 1}}}\n";
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(read_text(&series, text, SERIES_CPU_LIFETIME), 0);
	assert_int_equal(series.process_count, 2);
	assert_int_equal(series.processes[0].count, 5);
	assert_true(isnan(series.processes[0].points[4].used));
	assert_true(series.processes[0].points[0].used == 50);
	assert_true(series.processes[0].points[1].used == 50);
	assert_true(series.processes[0].points[2].used == 25);
	assert_true(isnan(series.processes[0].points[3].used));
	assert_true(series.processes[1].points[0].used == 75);
	assert_true(isnan(series.processes[1].points[1].used));
}

/* A process that was born after another one with its id has ended is not that one: its CPU time is its own. An age is cut off to whole seconds. */
static void test_pid_again(void **state)
{
	static const char text[] =
	        "{'timestamp': '2026-01-01T00:00:10+00:00', 'ctprof_seconds': 3, 'processes': {"
	        "'7': {'cmd': 'first', 'etime': '00:05', 'ctprof_cpu_seconds': 2}}}\n"
	        "{'timestamp': '2026-01-01T00:00:13+00:00', 'ctprof_seconds': 3, 'processes': {"
	        "'7': {'cmd': 'title', 'etime': '00:07', 'ctprof_cpu_seconds': 2.5}}}\n"
	        "{'timestamp': '2026-01-01T00:00:16+00:00', 'ctprof_seconds': 3, 'processes': {"
	        "'7': {'cmd': 'second', 'etime': '00:02', 'ctprof_cpu_seconds': 2.7}}}\n";
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(read_text(&series, text, SERIES_CPU_LIFETIME), 0);
	assert_int_equal(series.process_count, 2);
	assert_int_equal(series.processes[0].count, 2);
	assert_int_equal(series.processes[1].count, 1);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(series.processes[i].pid, "7");
	assert_string_equal(series.processes[0].command, "title");
	assert_string_equal(series.processes[1].command, "second");
	assert_true(fabs(series.processes[0].points[1].used - 100 * 0.5 / 3) < 1e-9);
	assert_true(fabs(series.processes[1].points[0].used - 100 * 2.7 / 3) < 1e-9);
}

/* A record has the command of its time, and the process the last one: not that of a shell that became another program. */
static void test_commands(void **state)
{
	static const char text[] =
	        "{'timestamp': '2026-01-01T00:00:10Z', 'processes': {'7': {'cmd': 'sh'}, "
	        "'8': {}}}\n"
	        "{'timestamp': '2026-01-01T00:00:13Z', 'processes': {'7': {'cmd': 'x'}, "
	        "'8': {'cmd': 'x'}}}\n"
	        "{'timestamp': '2026-01-01T00:00:16Z', 'processes': {'7': {'cmd': ''}, "
	        "'8': {'cmd': 7}}}\n";
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(read_text(&series, text, SERIES_CPU_LIFETIME), 0);
	assert_int_equal(series.process_count, 2);
	assert_string_equal(series.processes[0].points[0].command, "sh");
	assert_string_equal(series.processes[0].points[1].command, "x");
	assert_string_equal(series.processes[0].points[2].command, "x");
	assert_string_equal(series.processes[0].command, "x");
	assert_null(series.processes[1].points[0].command);
	assert_string_equal(series.processes[1].points[2].command, "x");
	assert_string_equal(series.processes[1].command, "x");
}

/* A process is the same one before and after the clock was set. */
static void test_clock_is_set(void **state)
{
	static const char text[] =
	        "{'timestamp': '2026-01-01T00:00:10Z', 'ctprof_seconds': 3, 'processes': {"
	        "'7': {'etime': '00:05', 'ctprof_cpu_seconds': 2}}}\n"
	        "{'timestamp': '2026-01-01T01:00:13Z', 'ctprof_seconds': 3, 'processes': {"
	        "'7': {'etime': '00:08', 'ctprof_cpu_seconds': 2.5}}}\n"
	        "{'timestamp': '2026-01-01T01:00:16Z', 'ctprof_seconds': 3, 'processes': {"
	        "'7': {'etime': '00:11', 'ctprof_cpu_seconds': 3}}}\n";
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(read_text(&series, text, SERIES_CPU_LIFETIME), 0);
	assert_int_equal(series.process_count, 1);
}

static void test_bad_lines(void **state)
{
	static const char text[] =
	        "\xef\xbb\xbf{'timestamp': '2026-11-22T10:10:30Z', 'totals': {}}\n"
	        "{'timestamp': 5}\nnonsense\n[1]\n"
	        "{'timestamp': '2026-11-22T10:10:31'}\n"
	        "{'timestamp': '2026-11-22T10:10:29Z', 'totals': 4, 'processes': [1]}\n"
	        "{'timestamp': '2026-11-2";
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(read_text(&series, text, SERIES_CPU_LIFETIME), 0);
	/* Sorted by time. */
	assert_int_equal(series.count, 2);
	assert_int_equal(series.records[1].time_ns, 1000000000);
	assert_int_equal(series.bad_lines, 4);
	assert_int_equal(series.first_bad_line, 2);
	assert_text(&series.first_bad, "a timestamp is missing");
	assert_true(series.is_torn);
}

static void test_last_line_without_end(void **state)
{
	cleanup_(series_done) struct series series = {0};

	(void)state;
	assert_int_equal(
	        read_text(&series, "{'timestamp': '2026-11-22T10:10:31'}", SERIES_CPU_LIFETIME), 0);
	assert_int_equal(series.count, 1);
	assert_false(series.is_torn);
	assert_int_equal(series.bad_lines, 0);
}

struct endless {
	struct byte_source source;
	size_t bytes;
};

static int give_blank(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct endless *endless = (struct endless *)self;

	memset(buffer, 'x', size);
	endless->bytes += size;
	*ret_len = size;
	return 0;
}

static void test_line_without_end(void **state)
{
	cleanup_(series_done) struct series series = {0};
	struct endless endless = {{give_blank}, 0};

	(void)state;
	assert_int_equal(series_read(&series, &endless.source, SERIES_CPU_LIFETIME), -EFBIG);
	assert_true(endless.bytes < 64 * 1024 * 1024);
}

static void test_too_many_points(void **state)
{
	cleanup_(series_done) struct series series = {0};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	for (unsigned record = 0; record < 3; record++) {
		strbuf_addf(&text, "{\"timestamp\": \"2026-11-22T10:10:%02uZ\", \"processes\": {",
		            record);
		for (unsigned pid = 0; pid < 70000; pid++)
			strbuf_addf(&text, "%s\"%u\": {\"rss\": 1}", pid > 0 ? "," : "", pid);
		strbuf_add_str(&text, "}}\n");
	}
	assert_int_equal(read_text(&series, strbuf_str(&text), SERIES_CPU_LIFETIME), 0);
	assert_true(series.too_many_points);
	assert_value(&series, 2, SERIES_processes, 70000);
	for (size_t i = 0; i < series.process_count; i++)
		assert_int_equal(series.processes[i].count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_records),
	        cmocka_unit_test(test_own_keys),
	        cmocka_unit_test(test_interval_cpu),
	        cmocka_unit_test(test_used_cpu),
	        cmocka_unit_test(test_pid_again),
	        cmocka_unit_test(test_commands),
	        cmocka_unit_test(test_clock_is_set),
	        cmocka_unit_test(test_bad_lines),
	        cmocka_unit_test(test_last_line_without_end),
	        cmocka_unit_test(test_line_without_end),
	        cmocka_unit_test(test_too_many_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
