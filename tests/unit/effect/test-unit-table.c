// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>

#include "effect/unit-table.h"
#include "samples.h"
#include "trials.h"

static struct unit_table table;

static int teardown(void **state)
{
	(void)state;
	unit_table_done(&table);
	return 0;
}

static void add(const char *name, uint32_t tid, uint64_t run_time_ns)
{
	struct thread_sample sample = {.tid = tid,
	                               .tgid = tid,
	                               .start_time_clock_ticks = tid,
	                               .window_part = WINDOW_PART_continued,
	                               .interval_ns = 2000000000};

	sample_name(&sample.pcomm, name);
	sample_name(&sample.comm, name);
	sample_set(&sample, run_time_ns, (struct counter_ns){run_time_ns});
	group_table_add(&table.groups, &sample);
	sample_done(&sample);
}

static void begin(size_t unit)
{
	static const struct snapshot_info info = {.kind = KIND_window};

	unit_table_begin(&table, unit, &info);
}

static const struct unit_group *group(const char *pattern)
{
	return strmap_get(&table.map, pattern, strlen(pattern));
}

static void test_values(void **state)
{
	const double *values;

	(void)state;
	unit_table_init(&table, group_by_key(GROUP_KEY_pcomm, false), PER_second, 3);
	begin(0);
	add("both", 1, 4000000000);
	add("worker-1", 2, 1000);
	add("first", 3, 5);
	unit_table_end(&table);
	begin(2);
	add("late", 4, 5);
	add("worker-2", 2, 3000);
	add("both", 1, 6000000000);
	unit_table_end(&table);
	begin(1);
	add("worker-1", 2, 3000);
	add("both", 1, 0);
	unit_table_end(&table);
	/* Per second: each thread was observed for two. */
	values = unit_group_values(&table, group("both"), METRIC_run_time_ns);
	assert_near(values[0], 2e9, 1);
	assert_near(values[1], 0, 1e-9);
	assert_near(values[2], 3e9, 1);
	values = unit_group_values(&table, group("both"), METRIC_wait_time_ns);
	assert_true(isnan(values[0]) && isnan(values[1]) && isnan(values[2]));
	/* The host's: the sum of its groups. */
	assert_near(table.totals[METRIC_run_time_ns * 3], 2e9 + 500 + 2.5, 1);
	assert_null(unit_group_values(&table, group("first"), METRIC_run_time_ns));
	assert_null(unit_group_values(&table, group("late"), METRIC_run_time_ns));
	assert_int_equal(group("late")->present, 1);
	assert_true(group("late")->in[2] && !group("late")->in[0]);
	/* The label of a group is its name, until two units have different ones. */
	assert_string_equal(group("both")->label, "both");
	assert_string_equal(group("worker-{N}")->label, "worker-{N}");
	assert_int_equal(group("worker-{N}")->present, 3);
}

/* The same second of user time on hosts whose clocks tick 250 and 100 times in it: the unit that is read first has the ticks. */
static void test_other_ticks(void **state)
{
	static const uint64_t frequencies[] = {100, 250};
	const double *values;

	(void)state;
	unit_table_init(&table, group_by_key(GROUP_KEY_pcomm, false), PER_total, 2);
	for (unsigned unit = 2; unit-- > 0;) {
		struct snapshot_info info = {.kind = KIND_window};
		struct thread_sample sample = {.tid = 1, .tgid = 1};

		host_set_number(&info.host, HOST_clock_ticks_per_second, frequencies[unit]);
		unit_table_begin(&table, unit, &info);
		sample_name(&sample.pcomm, "a");
		sample_set(&sample, utime_clock_ticks, (struct counter_ticks){frequencies[unit]});
		group_table_add(&table.groups, &sample);
		sample_done(&sample);
		unit_table_end(&table);
	}
	values = unit_group_values(&table, group("a"), METRIC_utime_clock_ticks);
	assert_near(values[0], 250, 1e-9);
	assert_near(values[1], 250, 1e-9);
	assert_near(table.totals[(size_t)METRIC_utime_clock_ticks * 2], 250, 1e-9);
}

/* Adds a thread, without a run time if that is 0. */
static void add_faults(const char *name, uint32_t tid, uint64_t minflt, uint64_t run_time_ns)
{
	struct thread_sample sample = {.tid = tid,
	                               .tgid = tid,
	                               .window_part = WINDOW_PART_continued,
	                               .interval_ns = 2000000000};

	sample_name(&sample.pcomm, name);
	sample_set(&sample, minflt, (struct counter_count){minflt});
	if (run_time_ns > 0)
		sample_set(&sample, run_time_ns, (struct counter_ns){run_time_ns});
	group_table_add(&table.groups, &sample);
	sample_done(&sample);
}

/* The shares of the threads that have a value, of groups where some unit lacks one. */
static void test_shares(void **state)
{
	const float *shares;

	(void)state;
	unit_table_init(&table, group_by_key(GROUP_KEY_pcomm, false), PER_second, 2);
	for (size_t unit = 0; unit < 2; unit++) {
		begin(unit);
		add_faults("all", 1, 5, 7);
		add_faults("some", 2, 5, 7);
		add_faults("some", 3, 5, unit == 0 ? 7 : 0);
		unit_table_end(&table);
	}
	assert_null(unit_group_shares(&table, group("all"), METRIC_run_time_ns));
	shares = unit_group_shares(&table, group("some"), METRIC_run_time_ns);
	assert_near(shares[0], 1, 0);
	assert_near(shares[1], .5, 1e-6);
	shares = unit_group_shares(&table, group("some"), METRIC_minflt);
	assert_near(shares[0] + shares[1], 2, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(test_values, teardown),
	        cmocka_unit_test_teardown(test_other_ticks, teardown),
	        cmocka_unit_test_teardown(test_shares, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
