// SPDX-License-Identifier: GPL-2.0-or-later
/* The time of a host's windows, and values over it. */
#include "database/host-time.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "check.h"

/* Four windows: two of the first host, one of the second, and one that is not asked for; a fifth one is in the answer alone. */
static struct database_snapshot files[] = {
        {.host = 0, .length_ns = 2 * NS_PER_SECOND},
        {.host = 0, .length_ns = 3 * NS_PER_SECOND},
        {.host = 1, .length_ns = NS_PER_SECOND},
        {.host = 1, .length_ns = NS_PER_SECOND},
};
static const unsigned char uses[] = {USE_FIRST, USE_FIRST, USE_FIRST, USE_NOTHING};
static const struct database_list list = {.snapshots = files, .snapshot_count = 4, .host_count = 2};

/* Only groups by pcomm are there. */
static int scan_labels(struct database_engine *self, const char *group_key,
                       void (*visit)(void *context, const struct database_labels *labels),
                       void *context)
{
	(void)self;
	if (strcmp(group_key, "bad") == 0)
		return -EIO;
	for (size_t i = 0; strcmp(group_key, "pcomm") == 0 && i < 5; i++)
		visit(context,
		      &(struct database_labels){.snapshot = i, .boot_id = "", .json = "{}"});
	return 0;
}

static void free_engine(struct database_engine *self)
{
	(void)self;
}

static struct database *new_database(void)
{
	static struct database_engine engine = {.scan_labels = scan_labels, .free = free_engine};

	return database_new(&engine);
}

static void test_read(void **state)
{
	cleanup_(database_freep) struct database *database = new_database();
	struct host_time *time = host_time_read(database, "pcomm", &list, uses);

	(void)state;
	assert_non_null(time);
	assert_int_equal(time[0].length_ns, 5 * NS_PER_SECOND);
	assert_int_equal(time[0].files, 2);
	assert_int_equal(time[1].length_ns, NS_PER_SECOND);
	assert_int_equal(time[1].files, 1);
	free(time);
	time = host_time_read(database, "exe", &list, uses);
	assert_int_equal(time[0].files, 0);
	free(time);
	assert_null(host_time_read(database, "bad", &list, uses));
}

static void test_value(void **state)
{
	const struct host_time time[] = {{5 * NS_PER_SECOND, 2}, {0, 0}};
	struct host_series series;

	(void)state;
	host_series_init(&series, &list, uses);
	/* The group was in one of two windows, and worked there for 2 s. */
	series.sums[USE_FIRST][0] = (struct host_series_sum){.work = 10, .seconds = 2, .files = 1};
	assert_true(host_time_value(time, &series, 0, 1) == 2);
	series.is_level = true;
	assert_true(host_time_value(time, &series, 0, 1) == 5);
	/* The other window has the group and lacks the metric. */
	assert_true(isnan(host_time_value(time, &series, 0, 2)));
	series.sums[USE_FIRST][0].is_unseen = true;
	assert_true(isnan(host_time_value(time, &series, 0, 1)));
	assert_true(isnan(host_time_value(time, &series, 1, 0)));
	host_series_done(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_read),
	        cmocka_unit_test(test_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
