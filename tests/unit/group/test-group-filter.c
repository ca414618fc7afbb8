// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/rows.h"
#include "group/group-filter.h"
#include "groups.h"
#include "random.h"
#include "samples.h"

struct called {
	const char *cgroup, *pcomm, *comm;
};

static void fill(struct thread_sample *sample, struct called called)
{
	sample_reset(sample);
	sample->tid = sample->tgid = 7;
	sample->start_time_clock_ticks = 3;
	sample_name(&sample->pcomm, called.pcomm);
	sample_name(&sample->comm, called.comm);
	if (called.cgroup)
		sample_name(&sample->cgroup, called.cgroup);
	sample->has_cgroup = called.cgroup != NULL;
}

static bool wants(struct group_filter *filter, struct called called, bool exited)
{
	struct thread_sample sample = {0};
	bool result;

	fill(&sample, called);
	result = exited ? group_filter_wants_exited(filter, &sample, NULL)
	                : group_filter_wants(filter, &sample, NULL);
	sample_done(&sample);
	return result;
}

static bool is_in(struct group_by by, const char *label, struct called called)
{
	cleanup_(group_filter_done) struct group_filter filter = {.by = by, .label = label};
	bool result = wants(&filter, called, false);

	assert_int_equal(filter.found, result);
	return result;
}

static const struct group_by all = {.count = 3,
                                    .keys = {GROUP_KEY_cgroup, GROUP_KEY_pcomm, GROUP_KEY_comm}};

/* Groups are found by the pattern or by the name, and not by a prefix of one. */
static void test_one_key(void **state)
{
	struct group_by comm = group_by_key(GROUP_KEY_comm, false);
	struct group_by exact = group_by_key(GROUP_KEY_comm_exact, false);
	struct called worker = {NULL, "p", "w-1"}, empty = {NULL, "p", ""};

	(void)state;
	assert_true(is_in(comm, "w-{N}", worker));
	assert_true(is_in(comm, "w-1", worker));
	assert_false(is_in(comm, "w-2", worker));
	assert_false(is_in(comm, "w-", worker));
	assert_false(is_in(comm, "w-12", worker));
	assert_false(is_in(comm, "w-{N} / x", worker));
	assert_false(is_in(comm, "", worker));
	assert_false(is_in(comm, "p", worker));
	assert_true(is_in(comm, "", empty));
	assert_false(is_in(exact, "w-{N}", worker));
	assert_true(is_in(exact, "w-1", worker));
}

/* A name that was copied from a screen without UTF-8. */
static void test_ascii(void **state)
{
	struct group_by comm = group_by_key(GROUP_KEY_comm_exact, false);
	struct called name = {"/caf\xc3\xa9", "p", "na\xc3\xafve\xe2\x86\x92\x01"};

	(void)state;
	assert_true(is_in(comm, "na\xc3\xafve\xe2\x86\x92\\x01", name));
	assert_true(is_in(comm, "na\\xc3\\xafve>\\x01", name));
	assert_false(is_in(comm, "na\\xc3\\xafve>", name));
	assert_false(is_in(comm, "na?ve>\\x01", name));
	assert_true(is_in(all, "/caf\\xc3\\xa9 / p / na\\xc3\\xafve>\\x01", name));
}

static void test_several_keys(void **state)
{
	struct called worker = {"/a-1", "app", "w-1"}, lone = {NULL, "app", "w-1"};

	(void)state;
	assert_true(is_in(all, "/a-{N} / app / w-{N}", worker));
	assert_true(is_in(all, "/a-1 / app / w-{N}", worker));
	assert_true(is_in(all, "/a-{N} / app / w-1", worker));
	assert_true(is_in(all, "/a-1 / app / w-1", worker));
	assert_true(is_in(all, "(no cgroup) / app / w-1", lone));
	assert_false(is_in(all, "/a-1 / app / w-1", lone));
	assert_false(is_in(all, "/a-1 / app", worker));
	assert_false(is_in(all, "/a-1 / app / ", worker));
	assert_false(is_in(all, "/a-1 / app / w-1 / ", worker));
	assert_false(is_in(all, "/a-1/app/w-1", worker));
	assert_false(is_in(all, "/a-1 / app2 / w-1", worker));
	assert_false(is_in(all, "/a-1", worker));
}

/* The separator of names can be in one. */
static void test_separator_in_name(void **state)
{
	struct group_by by = {.count = 2, .keys = {GROUP_KEY_pcomm, GROUP_KEY_comm}};
	struct called first = {NULL, "a / b", "c"}, second = {NULL, "a", "b / c"};
	struct called empty = {NULL, "", ""}, third = {NULL, "", " / "};
	static const char *const globs[] = {"/a/**"};
	struct group_by in_cgroup = {.count = 2, .keys = {GROUP_KEY_cgroup, GROUP_KEY_comm}};

	(void)state;
	assert_true(is_in(by, "a / b / c", first));
	assert_true(is_in(by, "a / b / c", second));
	assert_false(is_in(by, "a / b / d", first));
	/* A glob may be the beginning of a path that it matches. */
	in_cgroup.flatten = globs;
	in_cgroup.flatten_count = 1;
	assert_true(is_in(in_cgroup, "/a/** / c", (struct called){"/a/** / z", "p", "c"}));
	assert_true(is_in(in_cgroup, "/a/** / z / c", (struct called){"/a/** / z", "p", "c"}));
	assert_true(is_in(by, "(without a name) / ", empty));
	assert_true(is_in(by, "(without a name) /  / ", third));
}

/* Labels are as tables print them, or to the letter. */
static void test_escaped(void **state)
{
	struct group_by comm = group_by_key(GROUP_KEY_comm, false);

	(void)state;
	assert_true(is_in(comm, "a\\x1b[{N}", (struct called){NULL, "p", "a\x1b[3"}));
	assert_true(is_in(comm, "a\\x1b[3", (struct called){NULL, "p", "a\x1b[3"}));
	assert_true(is_in(comm, "\\xff", (struct called){NULL, "p", "\xff"}));
	assert_true(is_in(comm, "\xff", (struct called){NULL, "p", "\xff"}));
	assert_true(is_in(comm, "a\\b", (struct called){NULL, "p", "a\\b"}));
	assert_true(is_in(comm, "a\\\\b", (struct called){NULL, "p", "a\\b"}));
	assert_false(is_in(comm, "\\xfe", (struct called){NULL, "p", "\xff"}));
}

static void test_flattened(void **state)
{
	static const char *const globs[] = {"/a/*"};
	struct group_by by = group_by_key(GROUP_KEY_cgroup, false);

	(void)state;
	by.flatten = globs;
	by.flatten_count = 1;
	assert_true(is_in(by, "/a/*", (struct called){"/a/b", "p", "c"}));
	assert_false(is_in(by, "/a/*", (struct called){"/a/b/c", "p", "c"}));
	assert_true(is_in(by, "/a/b/c", (struct called){"/a/b/c", "p", "c"}));
}

/* Exited threads stand where the rows have them. */
static void test_exited(void **state)
{
	struct called worker = {"/a", "app-1", "w-1"};
	cleanup_(group_filter_done) struct group_filter comm = {
	        .by = group_by_key(GROUP_KEY_comm, false), .label = "app-{N} (exited threads)"};
	cleanup_(group_filter_done) struct group_filter pcomm = {
	        .by = group_by_key(GROUP_KEY_pcomm, false), .label = "app-1"};
	cleanup_(group_filter_done) struct group_filter tree = {
	        .by = all, .label = "/a / app-1 / app-1 (exited threads)"};
	cleanup_(group_filter_done) struct group_filter thread = {
	        .by = group_by_key(GROUP_KEY_thread, false), .label = "7 app-1 (exited threads)"};

	(void)state;
	assert_true(wants(&comm, worker, true));
	assert_false(wants(&comm, worker, false));
	/* No thread was found. */
	assert_false(comm.found);
	assert_true(wants(&pcomm, worker, true));
	assert_false(pcomm.found);
	assert_true(wants(&pcomm, worker, false));
	assert_true(pcomm.found);
	assert_true(wants(&tree, worker, true));
	assert_false(wants(&tree, worker, false));
	assert_true(wants(&thread, worker, true));
	comm.label = "w-1";
	assert_false(wants(&comm, worker, true));
	assert_true(wants(&comm, worker, false));
	assert_false(wants(&comm, (struct called){NULL, "x", "y"}, false));
	assert_true(comm.found);
}

enum { THREADS = 24 };

static void random_threads(struct random *random, struct thread_sample samples[THREADS])
{
	static const char *const names[] = {"a", "w-1", "w-2", "x3", "x / y", "z\n"};
	static const char *const cgroups[] = {"/", "/s-1", "/s-2", "/u@a.service", "/v / w"};

	for (uint32_t i = 0; i < THREADS; i++) {
		uint32_t tgid = 1 + i / 3;

		random_member(random, &samples[i], 1 + i, names, ARRAY_SIZE(names));
		samples[i].tgid = tgid;
		sample_name(&samples[i].pcomm, names[tgid % ARRAY_SIZE(names)]);
		sample_name(&samples[i].cgroup, cgroups[tgid % ARRAY_SIZE(cgroups)]);
		samples[i].has_cgroup = tgid % 7 > 0;
		samples[i].has_process_totals = i % 3 == 0;
		samples[i].process_totals_seen = UINT32_MAX;
		for (unsigned t = 0; t < PROCESS_TOTAL_COUNT; t++)
			samples[i].process_totals[t] = UINT32_MAX;
	}
}

static void group_samples(struct group_table *table, struct group_by by,
                          struct group_filter *filter, struct thread_sample samples[THREADS])
{
	group_table_init(table, by);
	table->filter = filter;
	for (size_t i = 0; i < THREADS; i++)
		group_table_add(table, &samples[i]);
	group_table_finish(table);
}

/* The threads of the group that a row names, and of no other: one that is called the same is the same. */
static void test_filter_is_group(void **state)
{
	enum { SEED = 44, ROUNDS = 30 };
	static struct thread_sample samples[THREADS];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct group_by by = {.count = 1 + (unsigned)random_below(&random, 3)};
		struct row_options options = all_rows();
		struct group_table table;
		const struct group_table *tables[] = {&table};
		struct row_set rows;

		for (unsigned key = 0; key < by.count; key++)
			by.keys[key] = (enum group_key)random_below(&random, GROUP_KEY_thread);
		/* Processes of one id may be called the same, and are not. */
		for (unsigned key = 0; key < by.count; key++)
			if (by.keys[key] == GROUP_KEY_pid)
				by.keys[key] = GROUP_KEY_pcomm;
		random_threads(&random, samples);
		group_samples(&table, by, NULL, samples);
		row_set_init(&rows, tables, 1, NULL, &options);
		for (size_t g = 0; g < rows.group_count; g++) {
			const struct group *group = rows.groups[g].sides[0];
			cleanup_(group_filter_done) struct group_filter filter = {
			        .by = by, .label = rows.groups[g].label};
			struct group_table only;
			const struct group_table *one[] = {&only};
			const struct row_group *found;
			struct group_reader readers[2] = {{0}};
			const struct group *wanted, *read;
			struct row_set few;

			group_samples(&only, by, &filter, samples);
			row_set_init(&few, one, 1, NULL, &options);
			check_random(&random, filter.found);
			check_random(&random, few.group_count == 1);
			found = &few.groups[0];
			check_random(&random, found->sides[0]->members == group->members);
			check_random(&random, found->sides[0]->threads == group->threads);
			wanted = group_read(&readers[0], group);
			read = group_read(&readers[1], found->sides[0]);
			for (unsigned m = 0; m < METRIC_COUNT; m++)
				check_random(&random,
				             fold_equal((enum metric_id)m, &wanted->cells[m],
				                        &read->cells[m]));
			group_reader_done(&readers[0]);
			group_reader_done(&readers[1]);
			row_set_done(&few);
			group_table_done(&only);
		}
		row_set_done(&rows);
		group_table_done(&table);
	}
	for (size_t i = 0; i < THREADS; i++)
		sample_done(&samples[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_one_key), cmocka_unit_test(test_several_keys),
	        cmocka_unit_test(test_ascii),   cmocka_unit_test(test_separator_in_name),
	        cmocka_unit_test(test_escaped), cmocka_unit_test(test_flattened),
	        cmocka_unit_test(test_exited),  cmocka_unit_test(test_filter_is_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
