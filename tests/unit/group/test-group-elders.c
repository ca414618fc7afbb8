// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group-elders.h"

#include "base/mem.h"
#include "groups.h"

static void add(struct group_table *table, uint32_t tid, uint64_t birth, int nice)
{
	add_thread(table, (struct thread_spec){.name = "group",
	                                       .tid = tid,
	                                       .start_time_clock_ticks = birth,
	                                       .policy = "SCHED_OTHER",
	                                       .cpus = "0-3",
	                                       .values = {{METRIC_nice, nice}}});
}

static void start(struct group_table *table)
{
	group_table_init(table, group_by_key(GROUP_KEY_comm, false));
	table->with_elders = true;
}

/* Those born first are kept, in whatever order they come and however the groups are put together. */
static void test_first_born(void **state)
{
	static const uint64_t orders[][2] = {{0, 1}, {63, UINT64_MAX}};
	struct group_table before;

	(void)state;
	start(&before);
	for (uint32_t i = 0; i < 8; i++)
		add(&before, 1 + i, 100 + i, 0);
	for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
		struct group_table after;
		struct group *merged = mem_calloc(1, sizeof(*merged));
		const struct group *group = table_group(&before, "group"), *other;
		struct fold_cell cells[2];
		uint32_t changed;

		memset(cells, 0, sizeof(cells));
		start(&after);
		for (uint64_t i = 0, n = orders[o][0]; i < 64; i++, n += orders[o][1])
			add(&after, (uint32_t)(1 + n), 100 + n, n % 2 ? 5 : 0);
		other = table_group(&after, "group");
		assert_int_equal(group_elders_birth(other), 100);
		assert_int_equal(group_elders_compare(group, other, METRIC_nice, cells, &changed),
		                 8);
		assert_int_equal(changed, 4);
		assert_int_equal(cells[1].seen, 4);
		assert_int_equal(fold_range_bound(METRIC_nice, cells[1].range.low), 5);
		assert_int_equal(group_elders_compare(group, other, METRIC_policy, cells, &changed),
		                 8);
		assert_int_equal(changed, 0);
		group_merge(merged, other, 0);
		group_merge(merged, group, 0);
		assert_int_equal(group_elders_birth(merged), 100);
		group_free(merged, 0);
		group_table_done(&after);
	}
	group_table_done(&before);
}

static void test_none(void **state)
{
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
	add(&table, 1, 100, 0);
	assert_int_equal(group_elders_birth(table_group(&table, "group")), UINT64_MAX);
	group_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_first_born),
	        cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
