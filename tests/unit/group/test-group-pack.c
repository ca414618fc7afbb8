// SPDX-License-Identifier: GPL-2.0-or-later
/* A packed group is the group. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "group/group-pack.h"
#include "groups.h"
#include "samples.h"

static const uint64_t seed = 2016;

enum { ROUNDS = 100, MEMBERS_MAX = 3 };

static bool same_cell(enum metric_id metric, const struct fold_cell *a, const struct fold_cell *b)
{
	return a->seen == b->seen && (a->seen == 0 || fold_equal(metric, a, b));
}

static void check_same(struct random *random, const struct group *a, const struct group *b)
{
	check_random(random, a->threads == b->threads && a->members == b->members);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		check_random(random, same_cell((enum metric_id)i, &a->cells[i], &b->cells[i]));
	check_random(random, a->rate_count == b->rate_count && !a->rates == !b->rates);
	for (unsigned i = 0; a->rates && i < a->rate_count; i++)
		check_random(random, a->rates[i].fixed == b->rates[i].fixed);
	check_random(random, !a->before == !b->before);
	for (unsigned i = 0; a->before && i < METRIC_COUNT; i++)
		check_random(random, a->before[i].beyond_ns == b->before[i].beyond_ns &&
		                             a->before[i].threads == b->before[i].threads);
}

static void check_numbers(struct random *random, const struct group *packed,
                          const struct group *group)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		struct fold_cell cell = group_number(packed, metric);

		check_random(random, cell.seen == group->cells[i].seen);
		if (metric_table[i].rule != RULE_MODE && metric_table[i].rule != RULE_AFFINITY)
			check_random(random, cell.number == group->cells[i].number);
	}
}

static void add_rates(struct random *random, struct group *group)
{
	group->rate_count = (unsigned)random_below(random, METRIC_COUNT) + 1;
	group->rates = calloc(group->rate_count, sizeof(group->rates[0]));
	group->before = calloc(METRIC_COUNT, sizeof(group->before[0]));
	assert_non_null(group->rates);
	assert_non_null(group->before);
	for (unsigned i = 0; i < group->rate_count; i++) {
		uint64_t low = random_number(random);

		group->rates[i].fixed = (unsigned __int128)random_number(random) << 64 | low;
	}
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		group->before[i].beyond_ns = (fold_number)random_number(random) << 32;
		group->before[i].threads = (uint32_t)random_number(random);
	}
}

/* Any values, of any number of threads, come back from a reader and from opening. */
static void test_round_trip(void **state)
{
	static struct thread_sample sample;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(seed, round);
		uint32_t members = (uint32_t)random_below(&random, MEMBERS_MAX) + 1;
		struct group copy = {0}, *group;
		struct group_reader reader = {0};
		struct group_table table;

		group_table_init(&table, group_by_key(GROUP_KEY_comm_exact, false));
		for (uint32_t tid = 1; tid <= members; tid++) {
			random_member(&random, &sample, tid, (const char *const[]){"a"}, 1);
			group_table_add(&table, &sample);
		}
		group_table_finish(&table);
		group = table_group(&table, "a");
		assert_non_null(group);
		if (random_chance(&random, 50))
			add_rates(&random, group);
		group_merge(&copy, group, 0);
		check_same(&random, group, &copy);
		group_pack(group);
		assert_null(group->cells);
		check_numbers(&random, group, &copy);
		check_same(&random, group_read(&reader, group), &copy);
		group_open(group);
		check_same(&random, group, &copy);
		group_reader_done(&reader);
		group_table_done(&table);
		for (unsigned i = 0; i < METRIC_COUNT; i++)
			fold_cell_done((enum metric_id)i, &copy.cells[i]);
		free(copy.cells);
		free(copy.rates);
		free(copy.before);
		free(copy.marks);
		sample_done(&sample);
	}
}

/* A group without cells reads as empty, and NULL as NULL. A reader is good for one group after the other. */
static void test_reader(void **state)
{
	struct group_reader reader = {0};
	struct group empty = {.threads = 0};
	struct group_table table;
	struct group *groups[2];

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm_exact, false));
	add_thread(&table, (struct thread_spec){.name = "a", .values = {{METRIC_minflt, 70000}}});
	add_thread(&table, (struct thread_spec){.name = "b", .policy = "SCHED_BATCH"});
	add_thread(&table, (struct thread_spec){.name = "c"});
	for (unsigned i = 0; i < 2; i++) {
		groups[i] = table.map.entries[i].value;
		assert_non_null(groups[i]->packed);
	}
	assert_null(group_read(&reader, NULL));
	assert_int_equal(group_read(&reader, groups[0])->cells[METRIC_minflt].number, 70000);
	assert_int_equal(group_read(&reader, groups[0])->cells[METRIC_minflt].number, 70000);
	assert_int_equal(group_read(&reader, groups[1])->cells[METRIC_minflt].seen, 0);
	assert_int_equal(group_read(&reader, groups[1])->cells[METRIC_policy].seen, 1);
	assert_int_equal(group_read(&reader, &empty)->cells[METRIC_policy].seen, 0);
	assert_int_equal(group_number(&empty, METRIC_minflt).seen, 0);
	group_reader_done(&reader);
	group_table_done(&table);
}

/* A second thread is added to what was packed. */
static void test_second_thread(void **state)
{
	struct group_table table;
	const struct group *group;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm_exact, false));
	for (unsigned i = 0; i < 3; i++) {
		add_thread(&table, (struct thread_spec){.name = "a",
		                                        .state = 'S',
		                                        .values = {{METRIC_minflt, 300}}});
		add_thread(&table, (struct thread_spec){.name = "b"});
	}
	group = strmap_get(&table.map, table.map.entries[0].key, table.map.entries[0].key_len);
	assert_null(group->packed);
	assert_int_equal(group->threads, 3);
	assert_int_equal(group->cells[METRIC_minflt].number, 900);
	assert_int_equal(group->cells[METRIC_state].seen, 3);
	group_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_round_trip),
	        cmocka_unit_test(test_reader),
	        cmocka_unit_test(test_second_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
