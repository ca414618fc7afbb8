// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "shards/scan-plan.h"

enum { FILES = 400 };
static struct database_snapshot files[FILES];
static const struct database_list list = {.snapshots = files, .snapshot_count = FILES};
static unsigned char uses[FILES];

static void assert_plan(const struct database_filter *filter, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	scan_plan_add(&out, filter, &list, uses);
	assert_string_equal(strbuf_str(&out), expected);
}

/* The files end at 1, 2, ..., in another order; the last one is not there. */
static void use_files(bool (*is_used)(unsigned end))
{
	for (unsigned i = 0; i < FILES; i++) {
		unsigned place = i * 7 % FILES;

		files[place] =
		        (struct database_snapshot){.is_there = i + 1 < FILES, .end_unix_ns = i + 1};
		uses[place] = is_used(i + 1);
	}
}

static bool all(unsigned end)
{
	return end > 0;
}

static bool none(unsigned end)
{
	return end == 0;
}

static bool two_runs(unsigned end)
{
	return end == 1 || (end >= 10 && end <= 20);
}

static bool every_other(unsigned end)
{
	return end % 2 == 0;
}

static void names_times_of_files(void **state)
{
	static const struct database_filter filter = {0};

	(void)state;
	use_files(all);
	assert_plan(&filter, "rule = 'sum'");
	use_files(none);
	assert_plan(&filter, "rule = 'sum' AND load GLOBAL IN (SELECT load FROM file WHERE 0)");
	use_files(two_runs);
	assert_plan(&filter, "rule = 'sum' AND load GLOBAL IN (SELECT load FROM file WHERE "
	                     "end_unix_ns BETWEEN 1 AND 1 OR end_unix_ns BETWEEN 10 AND 20)");
	use_files(every_other);
	assert_plan(&filter, "rule = 'sum' AND load GLOBAL IN (SELECT load FROM file WHERE "
	                     "end_unix_ns BETWEEN 2 AND 398)");
}

/* Names of groups are of other users. */
static void quotes_texts(void **state)
{
	static const struct database_filter filter = {
	        .group_key = "pcomm", .group_name = "a' OR \\'1", .metric = "nvcsw"};

	(void)state;
	use_files(all);
	assert_plan(&filter,
	            "rule = 'sum' AND group_key = 'pcomm' AND group_name = 'a\\' OR \\\\\\'1' "
	            "AND metric = 'nvcsw'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names_times_of_files),
	        cmocka_unit_test(quotes_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
