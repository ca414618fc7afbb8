// SPDX-License-Identifier: GPL-2.0-or-later
/* The exited threads of processes whose threads are in several cgroups. */
#include "check.h"
#include "group/group-filter.h"

#include "groups.h"
#include "samples.h"

enum { EVERY_SOURCE = (1u << PROCESS_SOURCE_COUNT) - 1 };

struct totals {
	bool known;
	uint64_t user, run_ns, syscw;
};

static void set_total(struct thread_sample *sample, enum process_total total, uint64_t value)
{
	sample->has_process_totals = true;
	sample->process_totals_seen |= 1u << total;
	sample->process_totals[total] = value;
}

/* Adds a thread that has run for a tick, and has written once. */
static void add(struct group_table *table, uint32_t tgid, uint32_t tid, const char *cgroup,
                enum window_part part, struct totals totals)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tgid = tgid;
	sample.tid = tid;
	sample.start_time_clock_ticks = 7;
	sample.window_part = part;
	sample_name(&sample.pcomm, "p");
	sample_name(&sample.comm, tid % 2 == 0 ? "even" : "odd");
	sample_name(&sample.cgroup, cgroup);
	sample.has_cgroup = true;
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){1});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){0});
	sample_set(&sample, run_time_ns, (struct counter_ns){10000000});
	sample_set(&sample, syscw, (struct counter_count){1});
	if (totals.known) {
		set_total(&sample, PROCESS_TOTAL_utime_clock_ticks, totals.user);
		set_total(&sample, PROCESS_TOTAL_stime_clock_ticks, 0);
		set_total(&sample, PROCESS_TOTAL_run_time_ns, totals.run_ns);
		set_total(&sample, PROCESS_TOTAL_syscw, totals.syscw);
	}
	group_table_add(table, &sample);
	sample_done(&sample);
}

static void finish(struct group_table *table)
{
	group_table_finish(table);
	for (size_t i = 0; i < table->map.count; i++)
		group_include_exited(table, table->map.entries[i].value, EVERY_SOURCE, 0);
}

static void check_lacks(const struct group *group, bool user, bool run_time, bool syscw)
{
	const struct derive_frame frame = {.kind = KIND_lifetime};

	assert_non_null(group);
	assert_int_equal(group_lacks_exited(group, &frame, METRIC_utime_clock_ticks), user);
	assert_int_equal(group_lacks_exited(group, &frame, METRIC_run_time_ns), run_time);
	assert_int_equal(group_lacks_exited(group, &frame, METRIC_syscw), syscw);
}

/* No cgroup has their work, each of the process says that it lacks some, and others do not. */
static void test_lifetime(void **state)
{
	static const struct {
		struct totals totals;
		bool user, run_time, syscw;
	} cases[] = {
	        {{true, 3, 30000000, 3}, false, false, false},
	        {{true, 103, 1030000000, 3}, true, true, false},
	        {{true, 3, 30000000, 4}, false, false, true},
	        /* The kernel's run time lacks short threads, see group_process_unseen_run_ns(). */
	        {{true, 103, 30000000, 3}, true, true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group_table table;

		group_table_init(&table, group_by_key(GROUP_KEY_cgroup, false));
		add(&table, 1, 1, "/a", WINDOW_PART_NONE, cases[i].totals);
		add(&table, 1, 2, "/a/x", WINDOW_PART_NONE, (struct totals){0});
		add(&table, 1, 3, "/a/x", WINDOW_PART_NONE, (struct totals){0});
		add(&table, 4, 4, "/c", WINDOW_PART_NONE, (struct totals){true, 51, 510000000, 9});
		finish(&table);
		check_lacks(table_group(&table, "/a"), cases[i].user, cases[i].run_time,
		            cases[i].syscw);
		check_lacks(table_group(&table, "/a/x"), cases[i].user, cases[i].run_time,
		            cases[i].syscw);
		check_lacks(table_group(&table, "/c"), false, false, false);
		assert_int_equal(table_group(&table, "/a")->cells[METRIC_syscw].number, 1);
		assert_int_equal(table_group(&table, "/a")->exited_run_ns, 0);
		assert_int_equal(table_group(&table, "/a/x")->cells[METRIC_run_time_ns].number,
		                 20000000);
		assert_int_equal(table_group(&table, "/c")->cells[METRIC_syscw].number, 9);
		group_table_done(&table);
	}
}

/* In a window a total may be ahead of the threads by what they did between two readings. */
static void test_window(void **state)
{
	static const struct {
		struct totals totals;
		bool lacks;
	} cases[] = {
	        {{true, 2, 29000000, 2}, false},
	        {{true, 2, 30000001, 2}, true},
	        {{true, 100, 20000000, 2}, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group_table table;

		group_table_init(&table, group_by_key(GROUP_KEY_cgroup, false));
		add(&table, 1, 1, "/a", WINDOW_PART_continued, cases[i].totals);
		add(&table, 1, 2, "/b", WINDOW_PART_continued, (struct totals){0});
		finish(&table);
		assert_int_equal(table_group(&table, "/a")->exited_left_out != 0, cases[i].lacks);
		assert_int_equal(table_group(&table, "/b")->exited_left_out != 0, cases[i].lacks);
		assert_int_equal(table_group(&table, "/a")->cells[METRIC_run_time_ns].number,
		                 10000000);
		group_table_done(&table);
	}
}

/* A side that knows the group of exited threads is not compared with one that does not. */
static void test_comparable(void **state)
{
	struct group_table divided, whole;
	unsigned stat = 1u << PROCESS_SOURCE_stat;

	(void)state;
	group_table_init(&divided, group_by_key(GROUP_KEY_cgroup, false));
	group_table_init(&whole, group_by_key(GROUP_KEY_cgroup, false));
	whole.seed = divided.seed;
	add(&divided, 1, 1, "/a", WINDOW_PART_NONE, (struct totals){true, 100, 1000000000, 2});
	add(&divided, 1, 2, "/b", WINDOW_PART_NONE, (struct totals){0});
	add(&whole, 1, 1, "/a", WINDOW_PART_NONE, (struct totals){true, 100, 1000000000, 2});
	add(&whole, 1, 2, "/a", WINDOW_PART_NONE, (struct totals){0});
	group_table_finish(&divided);
	group_table_finish(&whole);
	assert_int_equal(
	        group_comparable_sources(table_group(&divided, "/a"), table_group(&whole, "/a")) &
	                stat,
	        0);
	/* It knows that nothing was left out of this one. */
	assert_int_not_equal(
	        group_comparable_sources(table_group(&divided, "/a"), table_group(&whole, "/a")) &
	                1u << PROCESS_SOURCE_io,
	        0);
	assert_int_equal(
	        group_comparable_sources(table_group(&divided, "/a"), table_group(&divided, "/a")),
	        EVERY_SOURCE);
	group_table_done(&divided);
	group_table_done(&whole);
}

/* They are in no cgroup either if a key of threads stands beside it. */
static void test_tree(void **state)
{
	const struct group_by by = {.count = 2, .keys = {GROUP_KEY_cgroup, GROUP_KEY_comm_exact}};
	struct group_table table;

	(void)state;
	for (unsigned divided = 0; divided < 2; divided++) {
		group_table_init(&table, by);
		add(&table, 1, 1, "/a", WINDOW_PART_NONE,
		    (struct totals){true, 100, 1000000000, 2});
		add(&table, 1, 2, divided ? "/b" : "/a", WINDOW_PART_NONE, (struct totals){0});
		finish(&table);
		assert_int_equal(table.map.count, divided ? 2 : 3);
		for (size_t i = 0; divided && i < table.map.count; i++)
			check_lacks(table.map.entries[i].value, true, true, false);
		group_table_done(&table);
	}
}

/* Stores the sources of the row of exited threads in /a that can be compared. */
static void compare_exited(struct group_by by, struct group_filter *filter, bool divided[2],
                           uint64_t run_ns[2], unsigned *ret_sources)
{
	static const struct span names[] = {{"/a", 2}, {"p (exited threads)", 18}};
	struct group_table tables[2];
	struct group *rows[2];

	for (unsigned side = 0; side < 2; side++) {
		bool is_divided = divided[side];

		group_table_init(&tables[side], by);
		tables[side].seed = tables[0].seed;
		tables[side].filter = filter;
		add(&tables[side], 1, 1, is_divided ? "/b" : "/a", WINDOW_PART_NONE,
		    (struct totals){true, run_ns[side] / 10000000, run_ns[side], 3});
		for (uint32_t tid = 2; tid < 4; tid++)
			add(&tables[side], 1, tid, "/a", WINDOW_PART_NONE, (struct totals){0});
		group_table_finish(&tables[side]);
	}
	for (unsigned side = 0; side < 2; side++)
		group_table_complete(&tables[side], &tables[!side]);
	for (unsigned side = 0; side < 2; side++)
		rows[side] = group_table_find(&tables[side], &names[by.count > 1 ? 0 : 1]);
	assert_non_null(rows[0]);
	assert_non_null(rows[1]);
	*ret_sources = group_comparable_sources(rows[0], rows[1]);
	for (unsigned side = 0; side < 2; side++)
		group_table_done(&tables[side]);
}

/* Their row is not compared with a side that does not know where they were: it is not new there, nor gone. */
static void test_row_of_exited(void **state)
{
	const struct group_by tree = {.count = 2, .keys = {GROUP_KEY_cgroup, GROUP_KEY_comm_exact}};
	unsigned stat = 1u << PROCESS_SOURCE_stat, sources;

	(void)state;
	for (unsigned side = 0; side < 2; side++)
		for (unsigned filtered = 0; filtered < 2; filtered++) {
			cleanup_(group_filter_done) struct group_filter filter = {
			        .by = group_by_key(GROUP_KEY_cgroup, false), .label = "/a"};
			struct group_by by =
			        filtered ? group_by_key(GROUP_KEY_comm_exact, false) : tree;

			compare_exited(by, filtered ? &filter : NULL,
			               (bool[2]){side == 0, side == 1},
			               (uint64_t[2]){1000000000, 1000000000}, &sources);
			assert_int_equal(sources & stat, 0);
			/* Without work that was left out, all of it is known. */
			compare_exited(by, filtered ? &filter : NULL,
			               (bool[2]){side == 0, side == 1},
			               (uint64_t[2]){side == 0 ? 30000000 : 1000000000,
			                             side == 0 ? 1000000000 : 30000000},
			               &sources);
			assert_int_equal(sources, EVERY_SOURCE);
		}
}

/* The rows that a cgroup consists of lack them as the cgroup does; with the whole process, they do not. */
static void test_filter(void **state)
{
	static const struct {
		const char *first, *second;
		bool lacks;
	} cases[] = {{"/a", "/b", true}, {"/b", "/a", true}, {"/a", "/a", false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(group_filter_done) struct group_filter filter = {
		        .by = group_by_key(GROUP_KEY_cgroup, false), .label = "/a"};
		struct group_table table;
		bool lacks = cases[i].lacks;

		group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
		table.filter = &filter;
		add(&table, 1, 1, cases[i].first, WINDOW_PART_NONE,
		    (struct totals){true, 100, 1000000000, 2});
		add(&table, 1, 2, cases[i].second, WINDOW_PART_NONE, (struct totals){0});
		finish(&table);
		check_lacks(table_group(&table, "p"), lacks, lacks, false);
		assert_int_equal(table_group(&table, "p")->cells[METRIC_run_time_ns].number,
		                 lacks ? 10000000 : 1000000000);
		group_table_done(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_lifetime),   cmocka_unit_test(test_window),
	        cmocka_unit_test(test_comparable), cmocka_unit_test(test_tree),
	        cmocka_unit_test(test_filter),     cmocka_unit_test(test_row_of_exited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
