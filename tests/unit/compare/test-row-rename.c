// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of cgroups that have another path in the candidate. */
#include "row-fixture.h"

#include <stdio.h>

#include "random.h"

static const struct group_by two_keys = {.count = 2, .keys = {GROUP_KEY_cgroup, GROUP_KEY_comm}};

static int setup(void **state)
{
	(void)state;
	options = all_rows();
	options.renamed = true;
	start_tables(two_keys);
	return 0;
}

/* A name of its own for each type, and no digit in it. */
static const char *type_name(unsigned type)
{
	static char name[4];

	name[0] = 't';
	name[1] = (char)('a' + type / 26);
	name[2] = (char)('a' + type % 26);
	return name;
}

/* Threads of the types from @first up to, and without, @end, each with so many faults. */
static void add_types(unsigned side, const char *cgroup, unsigned first, unsigned end,
                      int64_t minflt)
{
	for (unsigned type = first; type < end; type++)
		add_thread(&tables[side],
		           (struct thread_spec){.name = type_name(type),
		                                .cgroup = cgroup,
		                                .values = {{METRIC_minflt, minflt}}});
}

static void check_rename(size_t at, const char *baseline, const char *candidate, uint32_t overlap,
                         uint32_t cascaded)
{
	assert_true(at < rows.rename_count);
	assert_string_equal(rows.renames[at].labels[SIDE_BASELINE], baseline);
	assert_string_equal(rows.renames[at].labels[SIDE_CANDIDATE], candidate);
	assert_int_equal(rows.renames[at].overlap, overlap);
	assert_int_equal(rows.renames[at].cascaded, cascaded);
}

static void check_counts(size_t renames, size_t matched, size_t baseline, size_t candidate)
{
	assert_int_equal(rows.rename_count, renames);
	assert_int_equal(rows.group_count, matched);
	assert_int_equal(rows.unmatched_count[SIDE_BASELINE], baseline);
	assert_int_equal(rows.unmatched_count[SIDE_CANDIDATE], candidate);
}

static void test_renamed(void **state)
{
	struct row_view view;

	(void)state;
	add_types(0, "/same", 0, 3, 1);
	add_types(1, "/same", 0, 3, 1);
	add_types(0, "/run-abc.scope", 0, 10, 5);
	/* The other side numbers names in its own way. */
	add_types(1, "/run-xyz.scope", 5, 10, 7);
	add_types(1, "/run-xyz.scope", 0, 5, 7);
	build_rows(2);
	check_counts(1, 13, 0, 0);
	check_rename(0, "/run-abc.scope", "/run-xyz.scope", 10, 0);
	assert_int_equal(rows.renames[0].types[SIDE_BASELINE], 10);
	assert_int_equal(rows.renames[0].types[SIDE_CANDIDATE], 10);
	for (unsigned type = 0; type < 10; type++) {
		char label[64];

		snprintf(label, sizeof(label), "/run-abc.scope / %s", type_name(type));
		view = view_row(&rows, label, METRIC_minflt);
		assert_integer(view.delta, 2);
		assert_string_equal(view.group->renamed, "/run-xyz.scope");
		assert_string_equal(view.group->parts[0], "/run-abc.scope");
		assert_string_equal(view.group->parts[1], type_name(type));
	}
	assert_null(find_group(&rows, "/same / taa")->renamed);
}

static void test_switched_off(void **state)
{
	(void)state;
	add_types(0, "/a", 0, 12, 1);
	add_types(1, "/b", 0, 12, 1);
	options.renamed = false;
	build_rows(2);
	check_counts(0, 0, 12, 12);
	options.renamed = true;
	build_rows(2);
	check_counts(1, 12, 0, 0);
}

/* One type less than ten is chance. */
static void test_too_few_types(void **state)
{
	(void)state;
	add_types(0, "/a", 0, 9, 1);
	add_types(1, "/b", 0, 9, 1);
	build_rows(2);
	check_counts(0, 0, 9, 9);
}

/* Several threads of a type are one type. */
static void test_threads_are_no_types(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		add_types(0, "/a", 0, 9, 1);
		add_types(1, "/b", 0, 9, 1);
	}
	build_rows(2);
	check_counts(0, 0, 9, 9);
}

/* Nine tenths of all types are enough, and no less. Cgroups of one side only stay without a partner. */
static void test_share(void **state)
{
	(void)state;
	add_types(0, "/a", 0, 19, 1);
	add_types(1, "/b", 1, 20, 1);
	build_rows(2);
	check_counts(1, 18, 1, 1);
	check_rename(0, "/a", "/b", 18, 0);
	assert_string_equal(rows.unmatched[0][0].label, "/a / taa");
	assert_string_equal(rows.unmatched[1][0].label, "/b / tat");
	assert_null(rows.unmatched[1][0].renamed);

	start_tables(two_keys);
	add_types(0, "/a", 0, 18, 1);
	add_types(1, "/b", 1, 19, 1);
	build_rows(2);
	check_counts(0, 0, 18, 18);
}

/* Names that the baseline does not have are no names of its own, whatever their numbers. */
static void test_other_types(void **state)
{
	(void)state;
	add_types(0, "/a", 0, 15, 1);
	add_types(1, "/b", 20, 35, 1);
	build_rows(2);
	check_counts(0, 0, 15, 15);
}

/* A cgroup that is on both sides was not renamed. */
static void test_still_there(void **state)
{
	(void)state;
	add_types(0, "/a", 0, 12, 1);
	add_types(1, "/b", 0, 12, 1);
	add_types(1, "/a", 0, 1, 1);
	build_rows(2);
	check_counts(0, 1, 11, 12);
}

/* Several candidates of one baseline are put together. */
static void test_merged(void **state)
{
	struct row_view view;

	(void)state;
	add_types(0, "/a", 0, 10, 100);
	add_types(1, "/b", 0, 10, 30);
	add_types(1, "/c", 0, 11, 40);
	build_rows(2);
	check_counts(2, 10, 0, 1);
	check_rename(0, "/a", "/b", 10, 0);
	check_rename(1, "/a", "/c", 10, 0);
	assert_int_equal(rows.renames[1].types[SIDE_CANDIDATE], 11);
	view = view_row(&rows, "/a / taa", METRIC_minflt);
	assert_integer(view.values[SIDE_CANDIDATE], 70);
	assert_integer(view.delta, -30);
	assert_int_equal(view.seen[SIDE_CANDIDATE], 2);
	assert_int_equal(view.group->sides[SIDE_CANDIDATE]->threads, 2);
	/* The first of several by the alphabet is taken. */
	assert_string_equal(view.group->renamed, "/b");
	/* The host has each thread once. */
	assert_int_equal(rows.totals[SIDE_CANDIDATE]->cells[METRIC_minflt].number,
	                 10 * 30 + 11 * 40);
	assert_int_equal(rows.totals[SIDE_CANDIDATE]->cells[METRIC_thread_count].number, 21);
}

/* A process of one thread. Its threads, exited ones included, used @total ticks in user mode, or, with 0, an unknown
 * number. */
static void add_process(unsigned side, const char *cgroup, unsigned type, uint32_t tgid,
                        uint64_t total)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tid = sample.tgid = tgid;
	sample_name(&sample.pcomm, type_name(type));
	sample_name(&sample.comm, type_name(type));
	sample_name(&sample.cgroup, cgroup);
	sample.has_cgroup = true;
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){1});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){1});
	if (total > 0) {
		sample.has_process_totals = true;
		sample.process_totals_seen = 1u << PROCESS_TOTAL_utime_clock_ticks |
		                             1u << PROCESS_TOTAL_stime_clock_ticks;
		sample.process_totals[PROCESS_TOTAL_utime_clock_ticks] = total;
		sample.process_totals[PROCESS_TOTAL_stime_clock_ticks] = 1;
	}
	group_table_add(&tables[side], &sample);
	sample_done(&sample);
}

/* Exited threads count where the same processes are known on both sides, also where these are in two cgroups now. */
static void test_merged_exited(void **state)
{
	static const struct group_by by = {.count = 2, .keys = {GROUP_KEY_cgroup, GROUP_KEY_pcomm}};
	struct row_view view;

	(void)state;
	for (unsigned known = 0; known < 2; known++) {
		start_tables(by);
		for (uint32_t type = 0; type < 10; type++) {
			add_process(0, "/a", type, 1 + type, 0);
			add_process(0, "/a", type, 101 + type, 0);
			add_process(0, "/a", type, 201 + type, 1000);
			add_process(1, "/b", type, 1 + type, known);
			add_process(1, "/b", type, 201 + type, 1500);
			add_process(1, "/c", type, 101 + type, 0);
		}
		group_table_finish(&tables[0]);
		group_table_finish(&tables[1]);
		build_rows(2);
		check_counts(2, 10, 0, 0);
		view = view_row(&rows, "/a / taa", METRIC_utime_clock_ticks);
		assert_int_equal(view.exited_left_out, known);
		assert_integer(view.delta, known ? 0 : 500);
	}
}

/* Nine types of living threads are too few, and the exited ones of one of them make no tenth. */
static void test_exited_are_no_type(void **state)
{
	(void)state;
	for (uint32_t type = 0; type < 9; type++) {
		add_process(0, "/a", type, 1 + type, type == 0 ? 1000 : 1);
		add_process(1, "/b", type, 101 + type, type == 0 ? 1000 : 1);
	}
	group_table_finish(&tables[0]);
	group_table_finish(&tables[1]);
	build_rows(2);
	check_counts(0, 0, 10, 10);
	assert_string_equal(rows.unmatched[0][1].label, "/a / taa (exited threads)");
}

/* Cgroups below renamed parents are renamed as well. */
static void test_cascade(void **state)
{
	(void)state;
	add_types(0, "/old/main", 0, 10, 1);
	add_types(0, "/old/side", 30, 32, 1);
	add_types(0, "/other", 40, 42, 1);
	add_types(1, "/new/main", 0, 10, 2);
	add_types(1, "/new/side", 30, 33, 2);
	add_types(1, "/newer/side", 30, 33, 2);
	build_rows(2);
	check_counts(1, 12, 2, 1 + 3);
	check_rename(0, "/old/main", "/new/main", 10, 1);
	assert_string_equal(find_group(&rows, "/old/side / tbe")->renamed, "/new/side");
	assert_null(find_group(&rows, "/other / tbo"));
}

/* Patterns are paired; the label is that over both snapshots. */
static void test_labels(void **state)
{
	(void)state;
	add_types(0, "/run-1.scope/x-3", 0, 10, 1);
	add_types(1, "/job-1.scope/x-3", 0, 5, 1);
	add_types(1, "/job-2.scope/x-3", 5, 10, 1);
	build_rows(2);
	check_counts(1, 10, 0, 0);
	check_rename(0, "/run-1.scope/x-3", "/job-{N}.scope/x-{N}", 10, 0);
	assert_string_equal(rows.groups[0].renamed, "/job-{N}.scope/x-{N}");
	assert_string_equal(rows.groups[0].label, "/run-1.scope/x-3 / taa");
}

/* Bytes of a path that are not safe to print. */
static void test_hostile_labels(void **state)
{
	(void)state;
	add_types(0, "/a\x1b[1m", 0, 10, 1);
	add_types(1, "/b\n\xff", 0, 10, 1);
	build_rows(2);
	check_counts(1, 10, 0, 0);
	check_rename(0, "/a\\x1b[1m", "/b\\x0a\\xff", 10, 0);
	assert_string_equal(rows.groups[0].renamed, "/b\\x0a\\xff");
}

/* The lack of a path is no name of one. */
static void test_no_path(void **state)
{
	(void)state;
	add_types(0, NULL, 0, 12, 1);
	add_types(1, "/b", 0, 12, 1);
	build_rows(2);
	check_counts(0, 0, 12, 12);
	start_tables(two_keys);
	add_types(0, "/a", 0, 12, 1);
	add_types(1, "", 0, 12, 1);
	build_rows(2);
	check_counts(0, 0, 12, 12);
}

/* It takes a cgroup and something else, in any order. */
static void test_keys(void **state)
{
	static const struct group_by reversed = {.count = 2,
	                                         .keys = {GROUP_KEY_comm, GROUP_KEY_cgroup}};
	static const struct group_by three = {
	        .count = 3, .keys = {GROUP_KEY_cgroup, GROUP_KEY_pcomm, GROUP_KEY_comm}};
	static const struct group_by without = {.count = 2,
	                                        .keys = {GROUP_KEY_pcomm, GROUP_KEY_comm}};
	const struct group_by all[] = {reversed, three, without,
	                               group_by_key(GROUP_KEY_cgroup, false)};
	const size_t pairs[] = {1, 1, 0, 0}, matched[] = {10, 10, 10, 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		start_tables(all[i]);
		add_types(0, "/a", 0, 10, 1);
		add_types(1, "/b", 0, 10, 1);
		build_rows(2);
		assert_int_equal(rows.rename_count, pairs[i]);
		assert_int_equal(rows.group_count, matched[i]);
		if (pairs[i] > 0)
			assert_string_equal(rows.groups[0].renamed, "/b");
		else if (matched[i] > 0)
			assert_null(rows.groups[0].renamed);
	}
}

/* A cgroup in which nothing runs has a name, and no types. */
static void test_empty_cgroups(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		char path[16];

		snprintf(path, sizeof(path), "/e%cx%cx", 'a' + i / 26, 'a' + i % 26);
		group_table_cgroup(&tables[i % 2], path, strlen(path), false);
		group_table_cgroup(&tables[1], path, strlen(path), i % 3 == 0);
	}
	add_types(0, "/a", 0, 10, 1);
	add_types(1, "/b", 0, 10, 1);
	build_rows(2);
	check_counts(1, 10, 0, 0);
	check_rename(0, "/a", "/b", 10, 0);
}

struct placed {
	unsigned side, first, end;
	const char *cgroup;
};

static void check_order(struct random *random, const struct row_set *expected)
{
	check_random(random, rows.group_count == expected->group_count);
	for (size_t i = 0; i < rows.group_count; i++) {
		struct row_view a, b;

		row_view(&rows, &rows.groups[i], METRIC_minflt, &a);
		row_view(expected, &expected->groups[i], METRIC_minflt, &b);
		check_random(random, strcmp(a.group->label, b.group->label) == 0);
		check_random(random, (a.group->renamed != NULL) == (b.group->renamed != NULL));
		check_random(random,
		             !a.group->renamed || strcmp(a.group->renamed, b.group->renamed) == 0);
		check_random(random,
		             a.delta.kind == b.delta.kind && a.delta.integer == b.delta.integer);
	}
	check_random(random, rows.rename_count == expected->rename_count);
	for (size_t i = 0; i < rows.rename_count; i++)
		for (unsigned side = 0; side < SIDE_MAX; side++)
			check_random(random, strcmp(rows.renames[i].labels[side],
			                            expected->renames[i].labels[side]) == 0);
}

/* The pairs do not depend on the order of threads. */
static void test_order(void **state)
{
	static const struct placed placed[] = {
	        {0, 0, 12, "/old/main"},   {0, 20, 23, "/old/side"}, {0, 30, 42, "/lone"},
	        {0, 50, 61, "/x"},         {1, 0, 12, "/new/main"},  {1, 1, 13, "/new/main"},
	        {1, 20, 24, "/new/side"},  {1, 50, 60, "/y"},        {1, 50, 61, "/z"},
	        {1, 30, 42, "/l\xc3\xa9"},
	};
	enum { SEED = 45, ROUNDS = 40 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct group_table kept[SIDE_MAX];
		struct row_set first;
		size_t order[ARRAY_SIZE(placed)];

		start_tables(two_keys);
		for (size_t i = 0; i < ARRAY_SIZE(placed); i++)
			add_types(placed[i].side, placed[i].cgroup, placed[i].first, placed[i].end,
			          (int64_t)i);
		build_rows(2);
		assert_int_equal(rows.rename_count, 4);
		first = rows;
		rows = (struct row_set){0};
		memcpy(kept, tables, sizeof(kept));
		memset(tables, 0, sizeof(tables));
		random_shuffle(&random, order, ARRAY_SIZE(placed));
		start_tables(two_keys);
		for (size_t i = 0; i < ARRAY_SIZE(placed); i++) {
			const struct placed *here = &placed[order[i]];

			add_types(here->side, here->cgroup, here->first, here->end,
			          (int64_t)order[i]);
		}
		build_rows(2);
		check_order(&random, &first);
		row_set_done(&first);
		group_table_done(&kept[0]);
		group_table_done(&kept[1]);
	}
}

#define on_tables(test_) cmocka_unit_test_setup_teardown(test_, setup, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_tables(test_renamed),        on_tables(test_switched_off),
	        on_tables(test_too_few_types),  on_tables(test_threads_are_no_types),
	        on_tables(test_share),          on_tables(test_other_types),
	        on_tables(test_still_there),    on_tables(test_merged),
	        on_tables(test_merged_exited),  on_tables(test_exited_are_no_type),
	        on_tables(test_cascade),        on_tables(test_labels),
	        on_tables(test_hostile_labels), on_tables(test_no_path),
	        on_tables(test_keys),           on_tables(test_empty_cgroups),
	        on_tables(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
