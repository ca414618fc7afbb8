// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of a group in the other of two tables. */
#include "compare/row-other-name.h"
#include "row-fixture.h"

static struct group_table interval;

static int start(void **state)
{
	start_by_comm(state);
	group_table_init(&interval, group_by_key(GROUP_KEY_comm, false));
	return 0;
}

static int end(void **state)
{
	end_rows(state);
	group_table_done(&interval);
	return 0;
}

static void add(struct group_table *table, uint32_t tid, const char *name)
{
	add_thread(table,
	           (struct thread_spec){.name = name,
	                                .tid = tid,
	                                .tgid = tid,
	                                .start_time_clock_ticks = 100,
	                                .window_part = table == &interval ? WINDOW_PART_continued
	                                                                  : WINDOW_PART_NONE,
	                                .values = {{METRIC_minflt, 5}}});
}

static void assert_other_name(const struct group_table *between, unsigned side, const char *name,
                              const char *other)
{
	const struct group_table *const both[SIDE_MAX] = {&tables[0], &tables[1]};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	row_add_other_name(both, between, side, name, &text);
	assert_string_equal(strbuf_str(&text), other);
}

/* A group whose threads have another name in the second table, by the window between the two. */
static void test_carried(void **state)
{
	(void)state;
	add(&tables[0], 7, "old");
	add(&tables[1], 7, "new");
	add(&interval, 7, "new");
	assert_other_name(&interval, SIDE_CANDIDATE, "old", "new");
	assert_other_name(&interval, SIDE_BASELINE, "new", "old");
	assert_other_name(&interval, SIDE_BASELINE, "old", "");
	assert_other_name(&interval, SIDE_CANDIDATE, "other", "");
}

/* Threads that stay, and threads that end, have no other name. */
static void test_not_carried(void **state)
{
	(void)state;
	add(&tables[0], 7, "same");
	add(&tables[1], 7, "same");
	add(&interval, 7, "same");
	add(&tables[0], 8, "ended");
	add(&tables[1], 9, "born");
	assert_other_name(&interval, SIDE_CANDIDATE, "same", "");
	assert_other_name(&interval, SIDE_CANDIDATE, "ended", "");
	assert_other_name(&interval, SIDE_BASELINE, "born", "");
}

/* A process is one group under its id, and has two names. */
static void test_pid(void **state)
{
	(void)state;
	start_tables(group_by_key(GROUP_KEY_pid, false));
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add(&tables[side], 7, side ? "new" : "old");
	assert_other_name(NULL, SIDE_CANDIDATE, "7 old", "7 new");
	assert_other_name(NULL, SIDE_BASELINE, "7 new", "7 old");
	assert_other_name(NULL, SIDE_BASELINE, "7 old", "");
}

#define NAME_TEST(test_) cmocka_unit_test_setup_teardown(test_, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        NAME_TEST(test_carried),
	        NAME_TEST(test_not_carried),
	        NAME_TEST(test_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
