// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads that go on under another name. */
#include "row-fixture.h"

static struct group_table interval;

static int start(void **state)
{
	start_by_comm(state);
	group_table_init(&interval, group_by_key(GROUP_KEY_comm, false));
	options.one_sided[0] = options.one_sided[1] = true;
	options.interval = &interval;
	return 0;
}

static int end(void **state)
{
	end_rows(state);
	group_table_done(&interval);
	return 0;
}

static void add(struct group_table *table, uint32_t tid, const char *name, enum window_part part)
{
	add_thread(table, (struct thread_spec){.name = name,
	                                       .tid = tid,
	                                       .tgid = 7,
	                                       .start_time_clock_ticks = 100,
	                                       .window_part = part,
	                                       .values = {{METRIC_minflt, 5}}});
}

/* Between two snapshots: the threads of before have the new name, and one was born beside them. */
static void test_all_carried(void **state)
{
	const struct row_group *group;

	(void)state;
	for (uint32_t tid = 7; tid < 9; tid++) {
		add(&tables[0], tid, "old", WINDOW_PART_NONE);
		add(&tables[1], tid, "now", WINDOW_PART_NONE);
		add(&interval, tid, "now", WINDOW_PART_continued);
	}
	add(&tables[1], 9, "now", WINDOW_PART_NONE);
	add(&interval, 9, "now", WINDOW_PART_born);
	build_rows(2);
	assert_null(find_group(&rows, "old"));
	group = find_group(&rows, "now");
	assert_non_null(group);
	assert_string_equal(group->was, "old");
	assert_int_equal(group->sides[SIDE_BASELINE]->threads, 2);
	assert_int_equal(group->sides[SIDE_CANDIDATE]->threads, 3);
	assert_int_equal(group->interval->born, 1);
}

/* If one of two goes on under another name, both names stay; so does a group whose threads were all born inside. */
static void test_some_carried(void **state)
{
	struct row_view view;

	(void)state;
	add(&tables[0], 7, "old", WINDOW_PART_NONE);
	add(&tables[0], 8, "old", WINDOW_PART_NONE);
	add(&tables[1], 8, "now", WINDOW_PART_NONE);
	add(&interval, 8, "now", WINDOW_PART_continued);
	add(&tables[1], 7, "other", WINDOW_PART_NONE);
	add(&interval, 7, "other", WINDOW_PART_born);
	build_rows(2);
	assert_non_null(find_group(&rows, "old"));
	assert_null(find_group(&rows, "now")->was);
	assert_null(find_group(&rows, "now")->sides[SIDE_BASELINE]);
	assert_null(find_group(&rows, "other")->was);
	/* Its thread is not new, and nobody knows under this name what it had done before. */
	view = view_row(&rows, "now", METRIC_minflt);
	assert_false(view.is_new);
	assert_true(view.members_differ);
	assert_int_equal(view.values[SIDE_BASELINE].kind, QUANTITY_NONE);
	assert_int_equal(view.values[SIDE_CANDIDATE].integer, 5);
	assert_int_equal(view.delta.integer, 5);
	view = view_row(&rows, "other", METRIC_minflt);
	assert_true(view.is_new);
	assert_int_equal(view.values[SIDE_BASELINE].integer, 0);
}

/* A name that is in both is no other name, though threads change it for that. */
static void test_same_name(void **state)
{
	(void)state;
	add(&tables[0], 7, "old", WINDOW_PART_NONE);
	add(&tables[0], 8, "now", WINDOW_PART_NONE);
	add(&tables[1], 7, "now", WINDOW_PART_NONE);
	add(&interval, 7, "now", WINDOW_PART_continued);
	build_rows(2);
	assert_null(find_group(&rows, "now")->was);
	assert_non_null(find_group(&rows, "old"));
}

/* Between two windows of one boot, those that the second one has from before count. */
static void test_windows(void **state)
{
	(void)state;
	options.interval = NULL;
	for (unsigned one_boot = 0; one_boot < 2; one_boot++) {
		start_tables(group_by_key(GROUP_KEY_comm, false));
		options.one_boot = one_boot;
		add(&tables[0], 7, "old", WINDOW_PART_born);
		add(&tables[1], 7, "now", WINDOW_PART_continued);
		add(&tables[0], 8, "gone", WINDOW_PART_continued);
		add(&tables[1], 8, "new", WINDOW_PART_born);
		build_rows(2);
		assert_int_equal(find_group(&rows, "old") == NULL, one_boot);
		assert_int_equal(find_group(&rows, "now")->was != NULL, one_boot);
		assert_null(find_group(&rows, "new")->was);
	}
}

#define CARRIED_TEST(test_) cmocka_unit_test_setup_teardown(test_, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CARRIED_TEST(test_all_carried),
	        CARRIED_TEST(test_some_carried),
	        CARRIED_TEST(test_same_name),
	        CARRIED_TEST(test_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
