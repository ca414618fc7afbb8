// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups by several keys at once, and what a group keeps beside the cells of its threads. */
#include "groups.h"
#include "random.h"
#include "samples.h"

#define KEYS(...)                                                                       \
	(struct group_by)                                                               \
	{                                                                               \
		.count = ARRAY_SIZE(((const enum group_key[]){__VA_ARGS__})), .keys = { \
			__VA_ARGS__                                                     \
		}                                                                       \
	}

/* A thread of process @tgid, which has @total ticks of user time where that is not 0. */
struct member {
	const char *cgroup, *pcomm, *comm;
	uint32_t tgid, tid;
	uint64_t birth, user, total;
};

static void add(struct group_table *table, struct member member)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tgid = member.tgid;
	sample.tid = member.tid;
	sample.start_time_clock_ticks = member.birth;
	sample_name(&sample.pcomm, member.pcomm);
	sample_name(&sample.comm, member.comm);
	if (member.cgroup)
		sample_name(&sample.cgroup, member.cgroup);
	sample.has_cgroup = member.cgroup != NULL;
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){member.user});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){0});
	if (member.total > 0) {
		sample.has_process_totals = true;
		sample.process_totals_seen = 1u << PROCESS_TOTAL_utime_clock_ticks |
		                             1u << PROCESS_TOTAL_stime_clock_ticks;
		sample.process_totals[PROCESS_TOTAL_utime_clock_ticks] = member.total;
	}
	group_table_add(table, &sample);
	sample_done(&sample);
}

/* The group of these patterns, "a|b|c". */
static struct group *find(const struct group_table *table, const char *patterns)
{
	struct span spans[GROUP_KEYS_MAX];
	unsigned count = 0;

	for (const char *end; patterns; patterns = end ? end + 1 : NULL) {
		assert_true(count < table->by.count);
		end = strchr(patterns, '|');
		spans[count++] =
		        (struct span){patterns, end ? (size_t)(end - patterns) : strlen(patterns)};
	}
	assert_int_equal(count, table->by.count);
	return open_table_group(table, spans);
}

static const struct member members[] = {
        {"/a-1", "app", "app", 10, 10, 100, 5, 50}, {"/a-1", "app", "w-1", 10, 11, 200, 7, 0},
        {"/a-1", "app", "w-2", 10, 12, 300, 9, 0},  {"/a-2", "app", "app", 20, 20, 400, 1, 0},
        {NULL, "kt", "kt", 30, 30, 0, 2, 2},
};

static void fill(struct group_table *table, struct group_by by)
{
	group_table_init(table, by);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		add(table, members[i]);
	group_table_finish(table);
}

static void test_several_keys(void **state)
{
	struct group_table table;

	(void)state;
	fill(&table, KEYS(GROUP_KEY_cgroup, GROUP_KEY_pcomm, GROUP_KEY_comm));
	assert_int_equal(find(&table, "/a-{N}|app|app")->threads, 2);
	assert_int_equal(find(&table, "/a-{N}|app|app")->cells[METRIC_utime_clock_ticks].number, 6);
	assert_int_equal(find(&table, "/a-{N}|app|w-{N}")->threads, 2);
	assert_int_equal(find(&table, "(no cgroup)|kt|kt")->leaders, 1);
	/* Names that are there, but not together, and one that is not. */
	assert_null(find(&table, "/a-{N}|kt|kt"));
	assert_null(find(&table, "(no cgroup)|app|app"));
	assert_null(find(&table, "/a-{N}|app|none"));
	/* Exited threads are in the same cgroup and process. */
	assert_int_equal(find(&table, "/a-{N}|app|app (exited threads)")
	                         ->exited[PROCESS_TOTAL_utime_clock_ticks],
	                 50 - 21);
	assert_int_equal(table.map.count, 4);
	assert_int_equal(table.names[0].map.count, 2);
	assert_int_equal(table.names[1].map.count, 2);
	/* Also of the process of which none has exited. */
	assert_int_equal(table.names[2].map.count, 5);
	group_table_done(&table);
}

/* The same names in another order of keys, and to the letter. */
static void test_keys_by_place(void **state)
{
	struct group_by by = KEYS(GROUP_KEY_comm, GROUP_KEY_cgroup);
	struct group_table table;

	(void)state;
	fill(&table, by);
	assert_int_equal(find(&table, "w-{N}|/a-{N}")->threads, 2);
	assert_null(find(&table, "/a-{N}|w-{N}"));
	group_table_done(&table);
	by.literal_names = true;
	fill(&table, by);
	assert_int_equal(find(&table, "w-1|/a-{N}")->threads, 1);
	assert_int_equal(find(&table, "app|/a-{N}")->threads, 2);
	group_table_done(&table);
	by.literal_names = false;
	by.literal_cgroups = true;
	fill(&table, by);
	assert_int_equal(find(&table, "w-{N}|/a-1")->threads, 2);
	assert_int_equal(find(&table, "app|/a-2")->threads, 1);
	for (size_t i = 0; i < table.map.count; i++) {
		const struct strmap_entry *entry = &table.map.entries[i];
		const struct span patterns[] = {group_table_pattern(&table, entry, 0),
		                                group_table_pattern(&table, entry, 1)};

		assert_ptr_equal(group_table_find(&table, patterns), entry->value);
	}
	group_table_done(&table);
}

static uint64_t exited_of(const struct group_table *table, const char *patterns)
{
	const struct group *group = find(table, patterns);

	assert_non_null(group);
	assert_non_null(group->exited);
	return (uint64_t)group->exited[PROCESS_TOTAL_utime_clock_ticks];
}

/* Threads that have exited are in their process's group where threads have no name of their own, else in one that they
 * have to themselves. */
static void test_exited_by_keys(void **state)
{
	struct group_table table;

	(void)state;
	fill(&table, group_by_key(GROUP_KEY_pcomm, false));
	assert_int_equal(exited_of(&table, "app"), 29);
	assert_null(find(&table, "kt")->exited);
	group_table_done(&table);

	fill(&table, KEYS(GROUP_KEY_cgroup, GROUP_KEY_pcomm));
	assert_int_equal(exited_of(&table, "/a-{N}|app"), 29);
	assert_int_equal(table.map.count, 2);
	group_table_done(&table);

	fill(&table, KEYS(GROUP_KEY_user, GROUP_KEY_comm));
	assert_int_equal(exited_of(&table, "(uid not read)|app (exited threads)"), 29);
	assert_int_equal(find(&table, "(uid not read)|app (exited threads)")->threads, 0);
	assert_int_equal(table.map.count, 4);
	group_table_done(&table);

	/* A process is its tgid and its start, and has the work of its exited threads. */
	fill(&table, group_by_key(GROUP_KEY_pid, false));
	assert_true(table.names[0].identities);
	assert_int_equal(exited_of(&table, "10 10 100  "), 29);
	assert_int_equal(find(&table, "10 10 100  ")->leaders, 1);
	group_table_done(&table);

	fill(&table, group_by_key(GROUP_KEY_thread, false));
	assert_int_equal(exited_of(&table, "10 0 100  "), 29);
	assert_int_equal(table.map.count, ARRAY_SIZE(members) + 1);
	group_table_done(&table);
}

/* Processes of one id and one clock tick are several, with names of their own. */
static void test_successors(void **state)
{
	static const enum group_key keys[] = {GROUP_KEY_pid, GROUP_KEY_thread};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct thread_sample sample = {0};
		struct group_table table;

		group_table_init(&table, group_by_key(keys[i], false));
		for (uint32_t successors = 2; successors <= 2; successors--) {
			sample_reset(&sample);
			sample.tgid = sample.tid = 10;
			sample.start_time_clock_ticks = 100;
			sample.window_part = WINDOW_PART_passed;
			sample.process_successors = successors;
			sample_name(&sample.pcomm, successors > 0 ? "short" : "long");
			sample_name(&sample.comm, "c");
			group_table_add(&table, &sample);
		}
		group_table_finish(&table);
		assert_int_equal(table.map.count, 3);
		assert_int_equal(find(&table, "10 10 100  ")->threads, 1);
		assert_int_equal(find(&table, "10 10 100   2")->threads, 1);
		group_table_done(&table);
		sample_done(&sample);
	}
}

/* In a sum over several boots, two processes have the ids and the start time of one another. */
static void test_boots(void **state)
{
	static const enum group_key keys[] = {GROUP_KEY_pid, GROUP_KEY_thread, GROUP_KEY_pcomm};
	static const char *const boots[] = {"then", ""}, *const names[] = {"rcu", "ksoftirqd"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct thread_sample sample = {0};
		struct snapshot_info info = {0};
		struct group_table table;
		uint64_t then;

		host_set_text(&info.host, HOST_boot_id, "now", 3);
		group_table_init(&table, group_by_key(keys[i], false));
		table.host = &info.host;
		for (unsigned boot = 0; boot < 2; boot++) {
			sample_reset(&sample);
			sample.tgid = sample.tid = 14;
			sample.start_time_clock_ticks = 32;
			sample_name(&sample.boot_id, boots[boot]);
			sample_name(&sample.pcomm, names[boot]);
			group_table_add(&table, &sample);
		}
		group_table_finish(&table);
		assert_int_equal(table.map.count, 2);
		if (keys[i] == GROUP_KEY_pcomm) {
			then = find(&table, "rcu")->members;
			assert_int_not_equal(find(&table, "ksoftirqd")->members, then);
		} else {
			assert_int_equal(find(&table, "14 14 32 then ")->threads, 1);
			assert_int_equal(find(&table, "14 14 32 now ")->threads, 1);
		}
		group_table_done(&table);
		sample_done(&sample);
		snapshot_info_done(&info);
	}
}

static void test_births(void **state)
{
	struct group_table table;
	const struct group *group;

	(void)state;
	fill(&table, group_by_key(GROUP_KEY_pcomm, false));
	group = find(&table, "app");
	assert_int_equal(group->births, 4);
	assert_int_equal(group->births_clock_ticks, 1000);
	assert_int_equal(table.last_birth_clock_ticks, 400);
	/* Not known is not zero. */
	assert_int_equal(find(&table, "kt")->births, 0);
	add(&table, (struct member){"/a", "app", "x", 40, 40, UINT64_MAX, 0, 0});
	assert_int_equal(group->births, 5);
	assert_int_equal(group->births_clock_ticks, UINT64_MAX);
	assert_int_equal(table.last_birth_clock_ticks, UINT64_MAX);
	group_table_done(&table);
}

/* A cgroup without threads has its part in what cgroups are called, and no group. */
static void test_cgroups_without_threads(void **state)
{
	struct group_table table;
	const struct key_names *names[] = {&table.names[0]};
	struct span pattern, shown;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_cgroup, false));
	add(&table, (struct member){"/b-1", "p", "c", 1, 1, 0, 0, 0});
	pattern = group_table_cgroup(&table, "/b-1", 4, false);
	assert_int_equal(pattern.len, strlen("/b-{N}"));
	shown = key_names_shown(names, 1, pattern);
	assert_int_equal(shown.len, 4);
	assert_memory_equal(shown.text, "/b-1", 4);
	pattern = group_table_cgroup(&table, "/b-2", 4, false);
	assert_memory_equal(pattern.text, "/b-{N}", 6);
	shown = key_names_shown(names, 1, pattern);
	assert_int_equal(shown.len, 6);
	assert_memory_equal(shown.text, "/b-{N}", 6);
	pattern = group_table_cgroup(&table, "/b-2", 4, true);
	assert_int_equal(pattern.len, strlen("v1:/b-{N}"));
	assert_memory_equal(pattern.text, "v1:/b-{N}", pattern.len);
	assert_int_equal(table.map.count, 1);
	assert_int_equal(table.names[0].map.count, 2);
	group_table_done(&table);
}

static const uint16_t spread_measures[] = {METRIC_utime_clock_ticks, METRIC_nice, METRIC_state,
                                           METRIC_COUNT + DERIVED_avg_slice_ns};

static void add_spread(struct group_table *table, uint64_t user, int32_t nice, uint64_t run_time,
                       uint64_t timeslices)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tgid = sample.tid = 1;
	sample_name(&sample.comm, "a");
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){user});
	sample_set(&sample, nice, (struct ordinal_i32){nice});
	assert_true(sample_set_label(&sample, METRIC_state, "S", 1));
	sample_set(&sample, run_time_ns, (struct counter_ns){run_time});
	if (timeslices < UINT64_MAX)
		sample_set(&sample, timeslices, (struct counter_count){timeslices});
	group_table_add(table, &sample);
	sample_done(&sample);
}

/* Each measure that is asked for and is a number has one value for each thread that has it. */
static void test_spreads(void **state)
{
	struct group_table table;
	struct spread_summary summary;
	struct group *group;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
	table.spread_measures = spread_measures;
	table.spread_count = ARRAY_SIZE(spread_measures);
	add_spread(&table, 5, -5, 100, 10);
	add_spread(&table, 9, 0, 10, UINT64_MAX);
	add_spread(&table, 7, 5, 30, 1);
	add_spread(&table, 7, 5, 30, 0);
	group = find(&table, "a");
	spread_summarise(&group->spreads[0], &summary);
	assert_int_equal(summary.n, 4);
	assert_integer(summary.p50, 7);
	assert_integer(summary.max, 9);
	spread_summarise(&group->spreads[1], &summary);
	assert_int_equal(summary.n, 4);
	assert_integer(summary.p50, 0);
	assert_integer(summary.max, 5);
	spread_summarise(&group->spreads[2], &summary);
	assert_int_equal(summary.n, 0);
	spread_summarise(&group->spreads[3], &summary);
	assert_int_equal(summary.n, 2);
	assert_real(summary.max, 30);
	assert_real(summary.p50, 10);
	group_table_done(&table);

	fill(&table, group_by_key(GROUP_KEY_comm, false));
	assert_null(find(&table, "app")->spreads);
	group_table_done(&table);
}

static bool same_cell(enum metric_id metric, const struct fold_cell *a, const struct fold_cell *b)
{
	return a->seen == b->seen && (a->seen == 0 || fold_equal(metric, a, b));
}

static bool same_spread(struct spread *a, struct spread *b)
{
	struct spread_summary x, y;

	spread_summarise(a, &x);
	spread_summarise(b, &y);
	return x.n == y.n && x.p50.kind == y.p50.kind && x.p50.integer == y.p50.integer &&
	       x.max.integer == y.max.integer;
}

/* Two groups put together are the group of all their threads. */
static void check_merged(struct random *random, struct group_table *whole, struct group_table *one,
                         struct group_table *other)
{
	struct group *all = find(whole, "a"), *a = find(one, "a"), *b = find(other, "a");
	struct group *merged = calloc(1, sizeof(*merged));
	const size_t spreads = ARRAY_SIZE(spread_measures) - 2;

	assert_non_null(merged);
	group_merge(merged, a, spreads);
	group_merge(merged, b, spreads);
	check_random(random, merged->threads == all->threads && merged->leaders == all->leaders);
	check_random(random, merged->members == all->members);
	check_random(random, merged->births == all->births);
	check_random(random, merged->births_clock_ticks == all->births_clock_ticks);
	check_random(random, (merged->exited != NULL) == (all->exited != NULL));
	for (unsigned i = 0; merged->exited && i < PROCESS_TOTAL_COUNT; i++)
		check_random(random, merged->exited[i] == all->exited[i]);
	for (unsigned i = 0; i < PROCESS_SOURCE_COUNT; i++)
		check_random(random, merged->unknown[i] == all->unknown[i]);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		check_random(random,
		             same_cell((enum metric_id)i, &merged->cells[i], &all->cells[i]));
	for (size_t i = 0; i < spreads; i++)
		check_random(random, same_spread(&merged->spreads[i], &all->spreads[i]));
	group_free(merged, spreads);
}

/* A process that was left out of one of them is left out of both. */
static void test_merge_left_out(void **state)
{
	struct group a = {.exited_left_out = 1}, b = {.exited_left_out = 4}, into = {0};

	(void)state;
	group_merge(&into, &a, 0);
	group_merge(&into, &b, 0);
	assert_int_equal(into.exited_left_out, 5);
	assert_null(into.exited);
	assert_null(into.spreads);
	free(into.cells);
}

/* A smallest value of 0 is none: nothing has happened yet. */
static void test_spread_of_smallest(void **state)
{
	static const uint16_t measures[] = {METRIC_cpu_delay_min_ns, METRIC_cpu_delay_max_ns};
	struct group_table table;
	struct spread_summary summary;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
	table.spread_measures = measures;
	table.spread_count = ARRAY_SIZE(measures);
	for (int64_t value = 0; value < 3; value++)
		add_thread(&table,
		           (struct thread_spec){.name = "a",
		                                .values = {{METRIC_cpu_delay_min_ns, value},
		                                           {METRIC_cpu_delay_max_ns, value}}});
	spread_summarise(&find(&table, "a")->spreads[0], &summary);
	assert_int_equal(summary.n, 2);
	spread_summarise(&find(&table, "a")->spreads[1], &summary);
	assert_int_equal(summary.n, 3);
	group_table_done(&table);
}

static void start(struct group_table *table)
{
	group_table_init(table, group_by_key(GROUP_KEY_comm_exact, false));
	table->by.keys[0] = GROUP_KEY_pcomm;
	table->spread_measures = spread_measures;
	table->spread_count = ARRAY_SIZE(spread_measures) - 2;
}

static void include(struct group_table *table)
{
	group_table_finish(table);
	for (size_t i = 0; i < table->map.count; i++)
		group_include_exited(table, table->map.entries[i].value,
		                     (1u << PROCESS_SOURCE_COUNT) - 1, 0);
}

/* A thread with random values, and now and then its process's totals. */
static void random_thread_of(struct random *random, struct thread_sample *sample, uint32_t tgid,
                             uint32_t tid)
{
	static const char *const names[] = {"a", "b-1", "b-2", "c"};

	random_member(random, sample, tid, names, ARRAY_SIZE(names));
	sample->tgid = tgid;
	sample_name(&sample->pcomm, "a");
	sample_name(&sample->cgroup, tgid % 2 ? "/x-1" : "/x-2");
	sample->has_cgroup = tgid % 3 > 0;
	sample->has_process_totals = random_chance(random, 60);
	sample->process_totals_seen = 0;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (sample->has_process_totals && random_chance(random, 80)) {
			sample->process_totals_seen |= 1u << i;
			sample->process_totals[i] = random_number(random);
		}
}

static void test_merge(void **state)
{
	enum { SEED = 42, ROUNDS = 60, PROCESSES = 8 };
	static struct thread_sample sample;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct group_table whole, parts[2];

		start(&whole);
		start(&parts[0]);
		start(&parts[1]);
		for (uint32_t tgid = 1; tgid <= PROCESSES; tgid++)
			for (uint32_t tid = 0; tid < 3; tid++) {
				random_thread_of(&random, &sample, tgid, tgid + 100 * tid);
				group_table_add(&whole, &sample);
				group_table_add(&parts[tgid % 3 == 0], &sample);
			}
		include(&whole);
		include(&parts[0]);
		include(&parts[1]);
		check_merged(&random, &whole, &parts[0], &parts[1]);
		group_table_done(&whole);
		group_table_done(&parts[0]);
		group_table_done(&parts[1]);
	}
	sample_done(&sample);
}

/* Every group of @a is in @b, called the same and with the same cells. */
static void check_same_table(struct random *random, const struct group_table *a,
                             const struct group_table *b)
{
	check_random(random, a->map.count == b->map.count);
	for (size_t i = 0; i < a->map.count; i++) {
		const struct strmap_entry *entry = &a->map.entries[i];
		const struct group *here = entry->value, *there;
		struct group_reader reader = {0};
		struct span patterns[GROUP_KEYS_MAX];

		for (unsigned key = 0; key < a->by.count; key++) {
			const struct key_names *in_a[] = {&a->names[key]};
			const struct key_names *in_b[] = {&b->names[key]};
			struct span x, y;

			patterns[key] = group_table_pattern(a, entry, key);
			x = key_names_shown(in_a, 1, patterns[key]);
			y = key_names_shown(in_b, 1, patterns[key]);
			check_random(random, x.len == y.len && memcmp(x.text, y.text, x.len) == 0);
		}
		there = open_table_group(b, patterns);
		check_random(random, there != NULL);
		check_random(random, here->threads == there->threads);
		check_random(random, here->members == there->members);
		check_random(random, here->births_clock_ticks == there->births_clock_ticks);
		here = group_read(&reader, here);
		for (unsigned m = 0; m < METRIC_COUNT; m++)
			check_random(random, same_cell((enum metric_id)m, &here->cells[m],
			                               &there->cells[m]));
		group_reader_done(&reader);
	}
}

/* The order of processes, whose threads stay together, makes no difference. */
static void test_order_of_processes(void **state)
{
	enum { SEED = 43, ROUNDS = 60, PROCESSES = 10, THREADS = 3 };
	static struct thread_sample samples[PROCESSES][THREADS];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct group_by by = {.count = 1 + (unsigned)random_below(&random, 3)};
		size_t order[PROCESSES];
		struct group_table once, again;

		for (unsigned key = 0; key < by.count; key++)
			by.keys[key] = (enum group_key)random_below(&random, GROUP_KEY_COUNT);
		for (uint32_t p = 0; p < PROCESSES; p++)
			for (uint32_t t = 0; t < THREADS; t++)
				random_thread_of(&random, &samples[p][t], p + 1, p + 1 + 100 * t);
		random_shuffle(&random, order, PROCESSES);
		group_table_init(&once, by);
		group_table_init(&again, by);
		for (size_t p = 0; p < PROCESSES; p++)
			for (size_t t = 0; t < THREADS; t++) {
				group_table_add(&once, &samples[p][t]);
				group_table_add(&again, &samples[order[p]][t]);
			}
		include(&once);
		include(&again);
		check_same_table(&random, &once, &again);
		group_table_done(&once);
		group_table_done(&again);
	}
	for (size_t p = 0; p < PROCESSES; p++)
		for (size_t t = 0; t < THREADS; t++)
			sample_done(&samples[p][t]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_several_keys),
	        cmocka_unit_test(test_keys_by_place),
	        cmocka_unit_test(test_exited_by_keys),
	        cmocka_unit_test(test_successors),
	        cmocka_unit_test(test_boots),
	        cmocka_unit_test(test_births),
	        cmocka_unit_test(test_cgroups_without_threads),
	        cmocka_unit_test(test_spreads),
	        cmocka_unit_test(test_merge),
	        cmocka_unit_test(test_merge_left_out),
	        cmocka_unit_test(test_spread_of_smallest),
	        cmocka_unit_test(test_order_of_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
