// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-fixture.h"

#include <math.h>
#include <string.h>

static struct snapshot_info info;
static struct rate_list rates;
static const uint64_t second = 1000000000;

/* A window of 100 s on two CPUs, read within 1 s, with a clock of 100 ticks a second. */
static int start_window(void **state)
{
	static const enum metric_id kept[] = {METRIC_minflt, METRIC_run_time_ns,
	                                      METRIC_utime_clock_ticks, METRIC_stime_clock_ticks,
	                                      METRIC_thread_count};

	start_by_comm(state);
	rates = (struct rate_list){0};
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		rate_list_add(&rates, kept[i]);
	info = (struct snapshot_info){.kind = KIND_window};
	info.window.exits = WINDOW_EXITS_recorded;
	window_set(&info.window, WINDOW_length_ns, 100 * second);
	window_set(&info.window, WINDOW_read_skew_ns, second);
	host_set_number(&info.host, HOST_clock_ticks_per_second, 100);
	host_set_number(&info.host, HOST_online_cpus, 2);
	tables[0].info = &info;
	tables[0].host = &info.host;
	tables[0].window_rates = tables[0].lifetime_rates = &rates;
	return 0;
}

static void add(enum window_part part, uint64_t seconds)
{
	add_thread(&tables[0],
	           (struct thread_spec){.name = "a",
	                                .window_part = part,
	                                .interval_ns = seconds * second,
	                                .values = {{METRIC_minflt, 1000},
	                                           {METRIC_run_time_ns, (int64_t)second},
	                                           {METRIC_utime_clock_ticks, 60},
	                                           {METRIC_stime_clock_ticks, 40},
	                                           {METRIC_wait_max, 5},
	                                           {METRIC_lived_ns, 1},
	                                           {METRIC_nice, 3}}});
}

static struct quantity error_of(unsigned measure, enum measure_per per)
{
	struct row_view view;

	options.per = per;
	build_rows(1);
	view = view_row(&rows, "a", measure);
	return row_error(&rows, &view, 0);
}

/* A tick for each thread, and 1 % for the time that is not known. */
static void test_ticks(void **state)
{
	(void)state;
	add(WINDOW_PART_continued, 100);
	add(WINDOW_PART_continued, 50);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 2 + 1.2);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_thread), 1 + 0.6);
	/* 0.6 + 1.2 a second, and 1 in 100 s and 1 in 50 s. */
	assert_true(fabs(quantity_double(error_of(METRIC_utime_clock_ticks, PER_second)) -
	                 (0.03 + 0.018)) < 1e-8);
	assert_true(fabs(quantity_double(error_of(METRIC_COUNT + DERIVED_cpu_percent, PER_second)) -
	                 (2 * 0.03 + 0.03)) < 1e-8);
	assert_true(fabs(quantity_double(
	                         error_of(METRIC_COUNT + DERIVED_cpu_percent_host, PER_second)) -
	                 (0.03 + 0.015)) < 1e-8);
}

/* Threads may be running on all CPUs. */
static void test_run_time(void **state)
{
	(void)state;
	add(WINDOW_PART_continued, 100);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 1e7 + 1e7);
	for (unsigned i = 0; i < 3; i++)
		add(WINDOW_PART_continued, 100);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 2e7 + 4e7);
	assert_none(error_of(METRIC_run_time_ns, PER_cpu_second));
	/* 4000 in 4 s, of which 40 may be others, as may 0.06 s of the CPU time. */
	assert_real(error_of(METRIC_minflt, PER_cpu_second), 40 / 4.0 + 1000 * 0.06 / 4);
}

/* A record of an exit may lack a step, or is known to have all. */
static void test_ended(void **state)
{
	(void)state;
	add(WINDOW_PART_exited, 100);
	for (unsigned i = 0; i < 3; i++)
		add(WINDOW_PART_passed, 100);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 4e7 + 4e7);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 4 + 2.4);
	info.window.exits = WINDOW_EXITS_completed;
	assert_real(error_of(METRIC_run_time_ns, PER_total), 1e7 + 4e7);
	/* Parts of ticks are carried on among those that passed. */
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 2 + 2.4);
}

static void add_edge(enum window_part part, uint64_t read_ms, uint64_t life_ms)
{
	add_thread(&tables[0],
	           (struct thread_spec){.name = "a",
	                                .window_part = part,
	                                .interval_ns = 100 * second,
	                                .life_ns = life_ms * second / 1000,
	                                .read_boottime_ns = read_ms * second / 1000,
	                                .values = {{METRIC_minflt, 1000},
	                                           {METRIC_run_time_ns, (int64_t)second},
	                                           {METRIC_utime_clock_ticks, 60},
	                                           {METRIC_stime_clock_ticks, 40}}});
}

/* The window ends at 1100 s. Threads that were born or ended in it were observed until later, or from later on. */
static void test_edges(void **state)
{
	(void)state;
	window_set(&info.window, WINDOW_begin_boottime_ns, 1000 * second);
	info.captured_boottime_ns = 1100 * second;
	info.window.exits = WINDOW_EXITS_completed;
	window_set(&info.window, WINDOW_read_skew_ns, 0);
	add_edge(WINDOW_PART_continued, 1103000, 99000);
	add_edge(WINDOW_PART_passed, 1100000, 1000);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 1e7);
	/* A quarter of a second of it, and a quarter of its life. */
	add_edge(WINDOW_PART_passed, 1100250, 1000);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 1e7 + 25e7);
	assert_real(error_of(METRIC_run_time_ns, PER_second), 1e5 + 25e5);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 2 + 25);
	assert_true(fabs(quantity_double(error_of(METRIC_COUNT + DERIVED_cpu_percent, PER_second)) -
	                 (0.02 * 2 + 0.25)) < 1e-8);
	assert_real(error_of(METRIC_minflt, PER_total), 3000 * 0.25 / 3);
	add_edge(WINDOW_PART_born, 1100400, 100);
	add_edge(WINDOW_PART_born, 1100050, 100);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 2e7 + 70e7);
	assert_real(error_of(METRIC_minflt, PER_total), 1000 * (0.25 + 1 + 0.5));
	/* It is read half a second after the begin. */
	add_edge(WINDOW_PART_exited, 1050000, 49500);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 2e7 + 70e7);
	add_edge(WINDOW_PART_exited, 1050000, 49400);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 2e7 + 120e7);
	/* Nobody knows the begins of two segments, whose ends are off by a step each. */
	window_set(&info.window, WINDOW_gaps, 1);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 2 * 2e7 + 70e7);
	/* Two CPUs run no more than two of them at once. */
	add_edge(WINDOW_PART_born, 1100400, 500);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 2 * 2e7 + 80e7);
}

/* Those that passed several windows are whole if their ticks are those of their run time. */
static void test_sum(void **state)
{
	(void)state;
	info.window.exits = WINDOW_EXITS_completed;
	window_set(&info.window, WINDOW_windows, 3);
	for (unsigned i = 0; i < 50; i++)
		add(WINDOW_PART_passed, 100);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 2 + 30);
	add_thread(&tables[0], (struct thread_spec){.name = "a",
	                                            .window_part = WINDOW_PART_passed,
	                                            .interval_ns = 100 * second,
	                                            .values = {{METRIC_run_time_ns, 370000000},
	                                                       {METRIC_utime_clock_ticks, 0},
	                                                       {METRIC_stime_clock_ticks, 0}}});
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 37 + 30);
	/* Without the run time of one, nobody knows. */
	add_thread(&tables[0], (struct thread_spec){.name = "a",
	                                            .window_part = WINDOW_PART_passed,
	                                            .interval_ns = 100 * second,
	                                            .values = {{METRIC_utime_clock_ticks, 0},
	                                                       {METRIC_stime_clock_ticks, 0}}});
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 52 + 30);
	window_set(&info.window, WINDOW_windows, 1);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 1 + 30);
}

/* Each segment between gaps is off at both ends, in ticks, in running threads and in the time of reading. */
static void test_gaps(void **state)
{
	(void)state;
	info.window.exits = WINDOW_EXITS_completed;
	window_set(&info.window, WINDOW_windows, 8);
	window_set(&info.window, WINDOW_gaps, 4);
	for (unsigned i = 0; i < 3; i++)
		add(WINDOW_PART_continued, 100);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 5 * (3 + 1.8));
	assert_real(error_of(METRIC_run_time_ns, PER_total), 5 * (2e7 + 3e7));
	assert_real(error_of(METRIC_minflt, PER_total), 5 * 30);
	assert_true(fabs(quantity_double(error_of(METRIC_COUNT + DERIVED_cpu_percent, PER_second)) -
	                 5 * (2 * 0.03 + 0.03)) < 1e-8);
	/* A life of which all is known may be in all segments as well. */
	add(WINDOW_PART_passed, 100);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 5 * (5 + 2.4));
	window_set(&info.window, WINDOW_gaps, 0);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 5 + 2.4);
}

static void test_others(void **state)
{
	(void)state;
	add(WINDOW_PART_continued, 100);
	assert_real(error_of(METRIC_minflt, PER_total), 10);
	assert_none(error_of(METRIC_wait_max, PER_total));
	assert_none(error_of(METRIC_nice, PER_total));
	assert_none(error_of(METRIC_lived_ns, PER_total));
	assert_none(error_of(METRIC_thread_count, PER_total));
	assert_none(error_of(METRIC_majflt, PER_total));
	assert_none(error_of(METRIC_COUNT + DERIVED_avg_slice_ns, PER_total));
	assert_none(error_of(METRIC_COUNT + DERIVED_cpu_lifetime_percent, PER_total));
}

/* The inputs of the error are not known. */
static void test_unknown(void **state)
{
	(void)state;
	add(WINDOW_PART_continued, 100);
	info.window.seen[WINDOW_read_skew_ns] = false;
	assert_none(error_of(METRIC_minflt, PER_total));
	assert_none(error_of(METRIC_utime_clock_ticks, PER_total));
	info.window.seen[WINDOW_read_skew_ns] = true;
	info.host.seen[HOST_online_cpus] = false;
	assert_none(error_of(METRIC_run_time_ns, PER_total));
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 1.6);
	rates.places[METRIC_thread_count] = 0;
	assert_none(error_of(METRIC_utime_clock_ticks, PER_second));
}

/* In lifetimes only CPU time is off, by the ticks that have not been counted yet. */
static void test_lifetime(void **state)
{
	(void)state;
	info.kind = KIND_lifetime;
	add(WINDOW_PART_NONE, 0);
	assert_real(error_of(METRIC_run_time_ns, PER_total), 1e7);
	assert_real(error_of(METRIC_utime_clock_ticks, PER_total), 1);
	assert_none(error_of(METRIC_minflt, PER_total));
}

/* A window of several hosts has the error of the shortest one. If passes over /proc are hidden in it, nothing is known of threads that came
 * or went. */
static void test_merged(void **state)
{
	static const unsigned percent = METRIC_COUNT + DERIVED_cpu_percent;

	(void)state;
	host_set_number(&info.host, HOST_hosts, 2);
	window_set(&info.window, WINDOW_shortest_length_ns, 10 * second);
	add(WINDOW_PART_continued, 100);
	assert_real(error_of(METRIC_minflt, PER_total), 100);
	add(WINDOW_PART_passed, 100);
	assert_none(error_of(METRIC_minflt, PER_total));
	assert_none(error_of(percent, PER_second));
	host_set_text(&info.host, HOST_source, HOST_SOURCE_BPF, strlen(HOST_SOURCE_BPF));
	assert_real(error_of(METRIC_minflt, PER_total), 200);
	assert_true(error_of(percent, PER_second).kind == QUANTITY_REAL);
	host_set_number(&info.host, HOST_hosts, 1);
	host_set_text(&info.host, HOST_source, HOST_SOURCE_PROCFS, strlen(HOST_SOURCE_PROCFS));
	assert_real(error_of(METRIC_minflt, PER_total), 200);
	host_done(&info.host);
}

/* Sums of jemalloc's counters are of the time between its own readings: one of 2 s, each 0.25 s behind the others. */
static void test_jemalloc(void **state)
{
	struct thread_sample sample = {.tid = 9,
	                               .tgid = 9,
	                               .window_part = WINDOW_PART_continued,
	                               .interval_ns = 100 * second,
	                               .read_boottime_ns = 500 * second,
	                               .jemalloc_boottime_ns = 500 * second + second / 4,
	                               .jemalloc_interval_ns = 2 * second};

	(void)state;
	strbuf_add_str(&sample.comm, "a");
	strbuf_add_str(&sample.pcomm, "a");
	sample_set(&sample, allocated_bytes, (struct counter_bytes){1000});
	group_table_add(&tables[0], &sample);
	sample_done(&sample);
	assert_real(error_of(METRIC_allocated_bytes, PER_total), 1000 * (0.01 + (0.5 + 98) / 2));
}

static void test_notable(void **state)
{
	(void)state;
	assert_true(row_error_is_notable(quantity_real(1.01), quantity_real(-100)));
	assert_false(row_error_is_notable(quantity_real(1), quantity_real(100)));
	assert_true(row_error_is_notable(quantity_real(1), quantity_integer(0)));
	assert_false(row_error_is_notable(quantity_real(0), quantity_integer(0)));
	assert_false(row_error_is_notable((struct quantity){0}, quantity_integer(0)));
	assert_false(row_error_is_notable(quantity_real(1), (struct quantity){0}));
}

#define ERROR_TEST(test_) cmocka_unit_test_setup_teardown(test_, start_window, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        ERROR_TEST(test_ticks),    ERROR_TEST(test_run_time),
	        ERROR_TEST(test_ended),    ERROR_TEST(test_sum),
	        ERROR_TEST(test_gaps),     ERROR_TEST(test_edges),
	        ERROR_TEST(test_others),   ERROR_TEST(test_unknown),
	        ERROR_TEST(test_lifetime), cmocka_unit_test(test_notable),
	        ERROR_TEST(test_merged),   ERROR_TEST(test_jemalloc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
