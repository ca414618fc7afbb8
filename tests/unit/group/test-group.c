// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "groups.h"
#include "samples.h"

static const struct group *get(const struct group_table *table, const char *key)
{
	return table_group(table, key);
}

static const struct key_name *name_of(const struct group_table *table, const char *pattern)
{
	const struct key_name *name = strmap_get(&table->names[0].map, pattern, strlen(pattern));

	assert_non_null(name);
	return name;
}

static void add_named(struct group_table *table, const char *pcomm, const char *comm,
                      const char *cgroup)
{
	static struct thread_sample sample;
	static uint32_t tid;

	sample_reset(&sample);
	sample.tid = sample.tgid = ++tid;
	sample_name(&sample.pcomm, pcomm);
	sample_name(&sample.comm, comm);
	if (cgroup)
		sample_name(&sample.cgroup, cgroup);
	sample.has_cgroup = cgroup != NULL;
	group_table_add(table, &sample);
	sample_done(&sample);
}

static void check_keys(enum group_key key, bool literal, const char *const *keys, size_t count)
{
	struct group_table table;

	group_table_init(&table, group_by_key(key, literal));
	add_named(&table, "app", "worker-1", "/a/b-1");
	add_named(&table, "app", "worker-2", "/a/b-1");
	add_named(&table, "app2", "main", "/a/b-2");
	add_named(&table, "app3", "main", NULL);
	assert_int_equal(table.map.count, count);
	for (size_t i = 0; i < count; i++)
		if (!get(&table, keys[i]))
			fail_msg("no group \"%s\"", keys[i]);
	group_table_done(&table);
}

static void test_group_keys(void **state)
{
	(void)state;
	check_keys(GROUP_KEY_pcomm, false, (const char *const[]){"app", "app{N}"}, 2);
	check_keys(GROUP_KEY_pcomm, true, (const char *const[]){"app", "app2", "app3"}, 3);
	check_keys(GROUP_KEY_comm, false, (const char *const[]){"worker-{N}", "main"}, 2);
	check_keys(GROUP_KEY_comm, true, (const char *const[]){"worker-1", "worker-2", "main"}, 3);
	check_keys(GROUP_KEY_comm_exact, false,
	           (const char *const[]){"worker-1", "worker-2", "main"}, 3);
	check_keys(GROUP_KEY_comm_exact, true,
	           (const char *const[]){"worker-1", "worker-2", "main"}, 3);
	check_keys(GROUP_KEY_cgroup, false, (const char *const[]){"/a/b-{N}", "(no cgroup)"}, 2);
	check_keys(GROUP_KEY_cgroup, true, (const char *const[]){"/a/b-1", "/a/b-2", "(no cgroup)"},
	           3);
}

/* A cgroup that is not known is not the one with the empty path. */
static void test_group_without_cgroup(void **state)
{
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_cgroup, false));
	add_named(&table, "a", "a", NULL);
	add_named(&table, "a", "a", "");
	add_named(&table, "a", "a", NULL);
	assert_int_equal(get(&table, "(no cgroup)")->threads, 2);
	assert_int_equal(get(&table, "")->threads, 1);
	group_table_done(&table);
}

static void test_group_names(void **state)
{
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
	add_named(&table, "p", "worker-7", NULL);
	assert_string_equal(name_of(&table, "worker-{N}")->first, "worker-7");
	assert_false(name_of(&table, "worker-{N}")->several);
	add_named(&table, "p", "worker-7", NULL);
	assert_false(name_of(&table, "worker-{N}")->several);
	add_named(&table, "p", "worker-70", NULL);
	assert_true(name_of(&table, "worker-{N}")->several);
	add_named(&table, "p", "worker-7", NULL);
	assert_true(name_of(&table, "worker-{N}")->several);
	assert_string_equal(name_of(&table, "worker-{N}")->first, "worker-7");
	assert_int_equal(name_of(&table, "worker-{N}")->first_len, 8);
	assert_null(get(&table, "worker-7"));
	group_table_done(&table);
}

static void test_group_counts_and_folds(void **state)
{
	struct group_table table;
	const struct group *group;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
	add_thread(&table, (struct thread_spec){.name = "app",
	                                        .state = 'S',
	                                        .values = {{METRIC_run_time_ns, 5},
	                                                   {METRIC_nr_threads, 3},
	                                                   {METRIC_nice, -5}}});
	add_thread(&table,
	           (struct thread_spec){.name = "app",
	                                .tgid = 1,
	                                .state = 'S',
	                                .values = {{METRIC_run_time_ns, 7}, {METRIC_nice, 5}}});
	add_thread(&table, (struct thread_spec){.name = "app", .tgid = 1, .state = 'R'});
	group = get(&table, "app");
	assert_int_equal(group->threads, 3);
	assert_int_equal(group->leaders, 1);
	assert_integer(fold_quantity(METRIC_thread_count, &group->cells[METRIC_thread_count]), 3);
	assert_int_equal(group->cells[METRIC_thread_count].seen, 3);
	assert_int_equal(group->cells[METRIC_run_time_ns].number, 12);
	assert_int_equal(group->cells[METRIC_run_time_ns].seen, 2);
	assert_int_equal(group->cells[METRIC_nr_threads].number, 3);
	assert_int_equal(group->cells[METRIC_state].seen, 3);
	assert_int_equal(group->cells[METRIC_wait_max].seen, 0);
	assert_int_equal(group_threads_for(group, METRIC_run_time_ns), 3);
	assert_int_equal(group_threads_for(group, METRIC_nr_threads), 1);
	group_table_done(&table);
}

/* A thread that executes a program takes the place of the leader, which has a row as well: that is one process. */
static void test_group_leaders(void **state)
{
	const struct thread_spec leader = {
	        .name = "app", .tid = 7, .tgid = 7, .start_time_clock_ticks = 5};
	struct thread_spec other = leader, again = leader;
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
	add_thread(&table, leader);
	add_thread(&table, (struct thread_spec){.name = "app", .tid = 8, .tgid = 7});
	add_thread(&table, leader);
	assert_int_equal(get(&table, "app")->leaders, 1);
	again.start_time_clock_ticks = 6;
	add_thread(&table, again);
	assert_int_equal(get(&table, "app")->leaders, 2);
	/* Under its next name it is a process of that group. */
	other.name = "other";
	other.start_time_clock_ticks = 6;
	add_thread(&table, other);
	assert_int_equal(get(&table, "other")->leaders, 1);
	assert_int_equal(get(&table, "app")->leaders, 2);
	group_table_done(&table);
}

static void test_group_total(void **state)
{
	struct group_table table;
	struct group *total;
	const struct fold_cell *cells;
	uint32_t threads;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
	total = group_table_total(&table);
	assert_int_equal(total->cells[METRIC_thread_count].seen, 0);
	group_free(total, 0);
	for (unsigned i = 0; i < 10; i++)
		add_thread(&table, (struct thread_spec){.name = i % 3 ? "a" : "b",
		                                        .state = i % 3 ? 'S' : 'R',
		                                        .cpus = "0-3",
		                                        .values = {{METRIC_run_time_ns, i},
		                                                   {METRIC_wait_max, 10 * i}}});
	total = group_table_total(&table);
	cells = total->cells;
	assert_int_equal(cells[METRIC_thread_count].number, 10);
	assert_int_equal(cells[METRIC_run_time_ns].number, 45);
	assert_int_equal(cells[METRIC_wait_max].number, 90);
	assert_string_equal(fold_winner(&cells[METRIC_state], &threads), "S");
	assert_int_equal(threads, 6);
	assert_true(cells[METRIC_cpu_affinity].affinity->uniform);
	assert_int_equal(cells[METRIC_cpu_affinity].seen, 10);
	/* The groups are as they were. */
	assert_int_equal(get(&table, "b")->cells[METRIC_state].seen, 4);
	group_free(total, 0);
	group_table_done(&table);
}

/* The members of a group make a fingerprint, whatever the order. */
static void test_group_members(void **state)
{
	static const struct thread_spec threads[] = {
	        {.name = "a", .tid = 5, .start_time_clock_ticks = 10},
	        {.name = "a", .tid = 6, .start_time_clock_ticks = 20},
	        {.name = "a", .tid = 7, .tgid = 6, .start_time_clock_ticks = 30},
	};
	static const struct thread_spec others[] = {
	        {.name = "a", .tid = 8, .start_time_clock_ticks = 30},
	        {.name = "a", .tid = 7, .tgid = 5, .start_time_clock_ticks = 30},
	        {.name = "a", .tid = 7, .tgid = 6, .start_time_clock_ticks = 31},
	};
	struct group_table a, b;

	(void)state;
	group_table_init(&a, group_by_key(GROUP_KEY_comm, false));
	group_table_init(&b, group_by_key(GROUP_KEY_comm, false));
	for (size_t i = 0; i < 3; i++) {
		add_thread(&a, threads[i]);
		add_thread(&b, threads[2 - i]);
	}
	assert_int_equal(get(&a, "a")->members, get(&b, "a")->members);
	group_table_done(&b);

	for (size_t other = 0; other < ARRAY_SIZE(others); other++) {
		group_table_init(&b, group_by_key(GROUP_KEY_comm, false));
		add_thread(&b, threads[0]);
		add_thread(&b, threads[1]);
		add_thread(&b, others[other]);
		assert_int_not_equal(get(&a, "a")->members, get(&b, "a")->members);
		group_table_done(&b);
	}
	group_table_done(&a);
}

/* Names are bytes: what looks alike is not. */
static void test_group_raw_bytes(void **state)
{
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm_exact, false));
	add_named(&table, "p", "\xff", NULL);
	add_named(&table, "p", "\xfe", NULL);
	add_named(&table, "p", "\xef\xbf\xbd", NULL);
	add_named(&table, "p", "", NULL);
	assert_int_equal(table.map.count, 4);
	assert_int_equal(get(&table, "\xff")->threads, 1);
	group_table_done(&table);
}

/* In every group, and what a cell owns as well. */
static void test_group_forget(void **state)
{
	struct metric_set metrics = {{0}};
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm_exact, false));
	for (unsigned i = 0; i < 4; i++)
		add_thread(&table,
		           (struct thread_spec){.name = i % 2 ? "a" : "b",
		                                .state = 'S',
		                                .policy = "SCHED_FIFO",
		                                .values = {{METRIC_rchar, 5}, {METRIC_wchar, 6}}});
	metric_set_add(&metrics, METRIC_rchar);
	metric_set_add(&metrics, METRIC_state);
	metric_set_add(&metrics, METRIC_hiwater_vm_bytes);
	group_table_forget(&table, &metrics);
	for (unsigned i = 0; i < 2; i++) {
		const struct group *group = get(&table, i ? "a" : "b");

		assert_int_equal(group->cells[METRIC_rchar].seen, 0);
		assert_int_equal(group->cells[METRIC_rchar].number, 0);
		assert_int_equal(group->cells[METRIC_state].seen, 0);
		assert_int_equal(group->cells[METRIC_wchar].number, 12);
		assert_int_equal(group->cells[METRIC_policy].seen, 2);
		assert_int_equal(group->threads, 2);
	}
	group_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_group_keys),    cmocka_unit_test(test_group_without_cgroup),
	        cmocka_unit_test(test_group_names),   cmocka_unit_test(test_group_counts_and_folds),
	        cmocka_unit_test(test_group_leaders), cmocka_unit_test(test_group_total),
	        cmocka_unit_test(test_group_members), cmocka_unit_test(test_group_raw_bytes),
	        cmocka_unit_test(test_group_forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
