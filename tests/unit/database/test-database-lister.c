// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "check.h"
#include "database/database-lister.h"

static void add(struct database_lister *lister, size_t id, const char *host, const char *digest)
{
	database_lister_add(lister, id,
	                    &(struct database_listed){.host = host,
	                                              .digest = {digest, strlen(digest)},
	                                              .is_window = true,
	                                              .end_unix_ns = id});
}

static void hosts_are_sorted(void **state)
{
	cleanup_(database_list_done) struct database_list list = {0};
	struct database_lister lister = {.list = &list, .hosts = STRMAP_INIT};

	(void)state;
	add(&lister, 1, "web", "fedcba98765432100123");
	add(&lister, 3, "db", "01");
	add(&lister, 4, "web", "x");
	add(&lister, 5, "", "");
	database_lister_finish(&lister);
	assert_int_equal(list.host_count, 3);
	assert_string_equal(list.hosts[0], "");
	assert_string_equal(list.hosts[1], "db");
	assert_string_equal(list.hosts[2], "web");
	assert_int_equal(list.snapshot_count, 6);
	assert_false(list.snapshots[0].is_there || list.snapshots[2].is_there);
	assert_int_equal(list.snapshots[1].host, 2);
	assert_int_equal(list.snapshots[3].host, 1);
	assert_int_equal(list.snapshots[4].host, 2);
	assert_int_equal(list.snapshots[5].host, 0);
	assert_true(list.snapshots[1].hash == UINT64_C(0xfedcba9876543210));
	assert_true(list.snapshots[3].hash == 1 && list.snapshots[4].hash == 0);
	assert_int_equal(list.snapshots[4].end_unix_ns, 4);
}

static void nothing_is_a_list(void **state)
{
	cleanup_(database_list_done) struct database_list list = {0};
	struct database_lister lister = {.list = &list, .hosts = STRMAP_INIT};

	(void)state;
	database_lister_finish(&lister);
	assert_int_equal(list.host_count, 0);
	assert_int_equal(list.snapshot_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(hosts_are_sorted),
	        cmocka_unit_test(nothing_is_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
