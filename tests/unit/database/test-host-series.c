// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "check.h"
#include "database/host-series.h"

/* Two hosts; the first one has two windows of 10 and of 30 seconds. */
static struct database_snapshot files[] = {
        {.is_there = true, .host = 0, .is_window = true, .length_ns = UINT64_C(10000000000)},
        {.is_there = true, .host = 0, .is_window = true, .length_ns = UINT64_C(30000000000)},
        {.is_there = true, .host = 1, .is_window = true, .length_ns = UINT64_C(10000000000)},
};
static const struct database_list list = {.snapshots = files, .snapshot_count = 3, .host_count = 2};
static const unsigned char uses[] = {USE_FIRST, USE_FIRST, USE_LAST};

static struct database_fact fact(size_t snapshot, double sum)
{
	return (struct database_fact){
	        .snapshot = snapshot, .threads = 2, .seen = 2, .has_sum = true, .sum = sum};
}

static void adds_work_and_time(void **state)
{
	cleanup_(host_series_done) struct host_series series;
	struct database_fact less = fact(0, 10), more = fact(1, 60);

	(void)state;
	host_series_init(&series, &list, uses);
	more.has_exited = true;
	more.exited = 10;
	host_series_add(&series, &(struct database_fact){.snapshot = 99});
	assert_false(series.has_facts);
	assert_true(isnan(host_series_value(&series, USE_FIRST, 0)));
	host_series_add(&series, &less);
	host_series_add(&series, &more);
	assert_true(host_series_value(&series, USE_FIRST, 0) == 2);
	assert_true(isnan(host_series_value(&series, USE_LAST, 0)));
	assert_true(isnan(host_series_value(&series, USE_LAST, 1)));
	series.is_level = true;
	assert_true(host_series_value(&series, USE_FIRST, 0) == 40);
	host_series_clear(&series);
	assert_true(isnan(host_series_value(&series, USE_FIRST, 0)));
}

/* A value that was not seen in one of the files leaves the host without one. */
static void unseen_is_no_zero(void **state)
{
	cleanup_(host_series_done) struct host_series series;
	struct database_fact unseen = {.snapshot = 1, .threads = 2}, exited = {.snapshot = 2};
	struct database_fact seen = fact(0, 10);

	(void)state;
	host_series_init(&series, &list, uses);
	host_series_add(&series, &seen);
	host_series_add(&series, &unseen);
	assert_true(isnan(host_series_value(&series, USE_FIRST, 0)));
	assert_true(host_series_is_unseen(&series, USE_FIRST, 0));
	assert_int_equal(series.sums[USE_FIRST][0].partial_files, 1);
	/* Exited threads alone did work, and no thread is left. */
	exited.has_exited = true;
	exited.exited = 50;
	host_series_add(&series, &exited);
	assert_true(host_series_value(&series, USE_LAST, 1) == 5);
	assert_false(host_series_is_unseen(&series, USE_LAST, 1));
}

/* Files that are read first may be those of the second host. */
static void hosts_are_sorted(void **state)
{
	cleanup_(host_series_done) struct host_series series;
	struct database_fact second = fact(2, 1), first = fact(0, 1);

	(void)state;
	host_series_init(&series, &list, uses);
	host_series_add(&series, &second);
	host_series_add(&series, &first);
	host_series_sort(&series);
	assert_int_equal(series.host_count, 2);
	assert_int_equal(series.hosts[0], 0);
	assert_int_equal(series.hosts[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(adds_work_and_time),
	        cmocka_unit_test(unseen_is_no_zero),
	        cmocka_unit_test(hosts_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
