// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows that are listed, and their order. */
#include "check.h"

#include "row-fixture.h"

static int setup(void **state)
{
	(void)state;
	options = all_rows();
	start_tables(group_by_key(GROUP_KEY_comm_exact, false));
	return 0;
}

/* "group/metric group/metric ..." */
static void check_rows(const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < rows.row_count; i++)
		strbuf_addf(&text, "%s%s/%s", i > 0 ? " " : "",
		            rows.groups[rows.rows[i].group].label,
		            measure_name(rows.rows[i].measure));
	assert_text(&text, expected);
	strbuf_done(&text);
}

/* minflt: a +10, b -30, c +20 of 360 on the host; majflt: a +1 of 2, the rest unchanged or unseen. */
static void add_three_groups(void)
{
	add_numbers(0, "a", 100, 1);
	add_numbers(1, "a", 110, 2);
	add_numbers(0, "b", 200, 0);
	add_numbers(1, "b", 170, 0);
	add_numbers(0, "c", 40, -1);
	add_numbers(1, "c", 60, -1);
	LIST_ONLY(METRIC_minflt, METRIC_majflt);
}

static void test_rows_hidden_and_counted(void **state)
{
	(void)state;
	add_three_groups();
	options.order = ORDER_NAME;
	build_rows(2);
	check_rows("a/minflt a/majflt b/minflt c/minflt");
	assert_int_equal(rows.unchanged_count, 1);
	assert_int_equal(rows.unseen_count, 1);
	options.unchanged = true;
	build_rows(2);
	check_rows("a/minflt a/majflt b/minflt b/majflt c/minflt c/majflt");
	assert_int_equal(rows.unchanged_count, 0);
	assert_int_equal(rows.unseen_count, 0);
}

/* Seen on one side only is neither unchanged nor unseen. */
static void test_rows_seen_on_one_side(void **state)
{
	(void)state;
	add_numbers(0, "a", 5, -1);
	add_numbers(1, "a", -1, 5);
	LIST_ONLY(METRIC_minflt, METRIC_majflt, METRIC_wait_max);
	options.order = ORDER_NAME;
	build_rows(2);
	check_rows("a/minflt a/majflt");
	assert_int_equal(rows.unseen_count, 1);
	assert_none(view_row(&rows, "a", METRIC_minflt).delta);
}

/* A range with the same midpoint, a label with another share: these changed. */
static void test_rows_changed_without_delta(void **state)
{
	(void)state;
	add_thread(&tables[0],
	           (struct thread_spec){.name = "a", .state = 'S', .values = {{METRIC_nice, 0}}});
	add_thread(&tables[0],
	           (struct thread_spec){.name = "a", .state = 'S', .values = {{METRIC_nice, 0}}});
	add_thread(&tables[1],
	           (struct thread_spec){.name = "a", .state = 'S', .values = {{METRIC_nice, -5}}});
	add_thread(&tables[1],
	           (struct thread_spec){.name = "a", .state = 'R', .values = {{METRIC_nice, 5}}});
	LIST_ONLY(METRIC_state, METRIC_nice, METRIC_thread_count);
	options.order = ORDER_NAME;
	build_rows(2);
	check_rows("a/nice a/state");
	assert_int_equal(rows.unchanged_count, 1);
}

static void test_rows_derived_unchanged(void **state)
{
	unsigned slice = (unsigned)METRIC_COUNT + DERIVED_avg_slice_ns;
	unsigned ratio = (unsigned)METRIC_COUNT + DERIVED_cpu_efficiency;

	(void)state;
	for (unsigned side = 0; side < 2; side++)
		add_thread(&tables[side],
		           (struct thread_spec){.name = "a",
		                                .values = {{METRIC_run_time_ns, side ? 20 : 10},
		                                           {METRIC_timeslices, side ? 4 : 2}}});
	LIST_ONLY(slice, ratio);
	build_rows(2);
	check_rows("");
	assert_int_equal(rows.unchanged_count, 1);
	assert_int_equal(rows.unseen_count, 1);
}

static void test_order_impact(void **state)
{
	(void)state;
	add_three_groups();
	options.order = ORDER_IMPACT;
	build_rows(2);
	check_rows("a/majflt b/minflt c/minflt a/minflt");
}

static void test_order_delta(void **state)
{
	(void)state;
	add_three_groups();
	options.order = ORDER_DELTA;
	build_rows(2);
	check_rows("b/minflt c/minflt a/minflt a/majflt");
}

static void test_order_percent(void **state)
{
	(void)state;
	add_three_groups();
	options.order = ORDER_PERCENT;
	build_rows(2);
	check_rows("a/majflt c/minflt b/minflt a/minflt");
}

/* Rows without a number come last, in the order of names and of the registry. */
static void test_order_unseen_last(void **state)
{
	(void)state;
	add_three_groups();
	add_numbers(0, "0", 7, -1);
	add_numbers(1, "0", -1, 7);
	options.unchanged = true;
	for (unsigned order = ORDER_IMPACT; order <= ORDER_PERCENT; order++) {
		options.order = (enum row_order)order;
		build_rows(2);
		assert_int_equal(rows.row_count, 8);
		assert_string_equal(rows.groups[rows.rows[7].group].label, "c");
		assert_int_equal(rows.rows[7].measure, METRIC_majflt);
	}
	/* b/majflt has no percentage either: its baseline is 0. */
	check_rows("a/majflt c/minflt b/minflt a/minflt 0/minflt 0/majflt b/majflt c/majflt");
}

static void test_order_of_one_side(void **state)
{
	(void)state;
	add_numbers(0, "a", 10, 5);
	add_numbers(0, "b", 30, -1);
	add_numbers(0, "c", 20, 15);
	LIST_ONLY(METRIC_minflt, METRIC_majflt);
	options.order = ORDER_NAME;
	build_rows(1);
	check_rows("a/minflt a/majflt b/minflt b/majflt c/minflt c/majflt");
	options.order = ORDER_DELTA;
	build_rows(1);
	check_rows("b/minflt c/minflt c/majflt a/minflt a/majflt b/majflt");
	options.order = ORDER_IMPACT;
	build_rows(1);
	/* 15/20, 30/60, 20/60, 5/20, 10/60, none. */
	check_rows("c/majflt b/minflt c/minflt a/majflt a/minflt b/majflt");
}

static void sort_by(const struct row_sort_key *keys, size_t count)
{
	options.sort_keys = keys;
	options.sort_key_count = count;
}

static void test_sort_keys_one(void **state)
{
	static const struct row_sort_key descending[] = {{METRIC_minflt, false}};
	static const struct row_sort_key ascending[] = {{METRIC_minflt, true}};

	(void)state;
	add_three_groups();
	options.unchanged = true;
	LIST_ONLY(METRIC_majflt);
	sort_by(descending, 1);
	build_rows(2);
	check_rows("c/majflt a/majflt b/majflt"); /* +20, +10, -30 */
	sort_by(ascending, 1);
	build_rows(2);
	check_rows("b/majflt a/majflt c/majflt");
}

/* Rows of a group stay together, in the order of the registry. */
static void test_sort_keys_keep_groups(void **state)
{
	static const struct row_sort_key keys[] = {{METRIC_minflt, false}};

	(void)state;
	add_three_groups();
	sort_by(keys, 1);
	build_rows(2);
	check_rows("c/minflt a/minflt a/majflt b/minflt");
}

/* The first key that differs decides; unseen comes last whichever way; then names. */
static void test_sort_keys_several(void **state)
{
	static const struct row_sort_key down_up[] = {{METRIC_minflt, false},
	                                              {METRIC_majflt, true}};
	static const struct row_sort_key up_down[] = {{METRIC_minflt, true},
	                                              {METRIC_majflt, false}};

	(void)state;
	add_numbers(0, "a", 1, 5);
	add_numbers(0, "b", 2, 9);
	add_numbers(0, "c", 2, 3);
	add_numbers(0, "d", -1, 7);
	add_numbers(0, "e", 2, -1);
	add_numbers(0, "f", -1, -1);
	add_numbers(0, "g", 1, 5);
	LIST_ONLY(METRIC_minflt);
	sort_by(down_up, 2);
	build_rows(1);
	check_rows("c/minflt b/minflt e/minflt a/minflt g/minflt d/minflt f/minflt");
	sort_by(up_down, 2);
	build_rows(1);
	check_rows("a/minflt g/minflt b/minflt c/minflt e/minflt d/minflt f/minflt");
}

static void test_sort_keys_derived(void **state)
{
	static const struct row_sort_key keys[] = {
	        {(unsigned)METRIC_COUNT + DERIVED_cpu_efficiency, true}};

	(void)state;
	add_thread(&tables[0], (struct thread_spec){.name = "a",
	                                            .values = {{METRIC_run_time_ns, 9},
	                                                       {METRIC_wait_time_ns, 1}}});
	add_thread(&tables[0], (struct thread_spec){.name = "b",
	                                            .values = {{METRIC_run_time_ns, 1},
	                                                       {METRIC_wait_time_ns, 9}}});
	add_thread(&tables[0], (struct thread_spec){.name = "0"});
	LIST_ONLY(METRIC_run_time_ns);
	sort_by(keys, 1);
	build_rows(1);
	check_rows("b/run_time_ns a/run_time_ns 0/run_time_ns");
}

static bool same_quantity(struct quantity a, struct quantity b, int sign)
{
	if (a.kind != b.kind)
		return false;
	if (a.kind == QUANTITY_INTEGER)
		return a.integer == sign * b.integer;
	return a.kind == QUANTITY_NONE || !(a.real < sign * b.real || a.real > sign * b.real);
}

enum { THREADS = 20 };
static struct thread_sample samples[SIDE_MAX][THREADS];

static void make_tables(struct random *random, struct group_table made[SIDE_MAX])
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		size_t order[THREADS];

		random_shuffle(random, order, THREADS);
		group_table_init(&made[side], group_by_key(GROUP_KEY_comm, false));
		for (size_t i = 0; i < THREADS; i++)
			group_table_add(&made[side], &samples[side][order[i]]);
	}
}

static void random_samples(struct random *random)
{
	static const char *const names[] = {"a", "b", "worker-1", "worker-2", "worker-3"};

	for (uint32_t side = 0; side < SIDE_MAX; side++)
		for (uint32_t i = 0; i < THREADS; i++)
			random_member(random, &samples[side][i], 1 + i, names, ARRAY_SIZE(names));
}

static void forget_samples(void)
{
	for (unsigned side = 0; side < SIDE_MAX; side++)
		for (size_t i = 0; i < THREADS; i++)
			sample_done(&samples[side][i]);
}

/* compare(a, b) and compare(b, a): the same rows in the same order, deltas with the other sign. */
static void test_rows_antisymmetric(void **state)
{
	enum { SEED = 17, ROUNDS = 60 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct group_table made[SIDE_MAX];
		const struct group_table *forth[] = {&made[0], &made[1]},
		                         *back[] = {&made[1], &made[0]};
		struct row_set a, b;

		random_samples(&random);
		make_tables(&random, made);
		options.order = random_chance(&random, 50) ? ORDER_IMPACT : ORDER_DELTA;
		options.unchanged = random_chance(&random, 50);
		row_set_init(&a, forth, 2, NULL, &options);
		row_set_init(&b, back, 2, NULL, &options);
		check_random(&random, a.row_count == b.row_count);
		check_random(&random, a.unchanged_count == b.unchanged_count);
		check_random(&random, a.unseen_count == b.unseen_count);
		check_random(&random, a.unmatched_count[0] == b.unmatched_count[1]);
		check_random(&random, a.unmatched_count[1] == b.unmatched_count[0]);
		for (size_t i = 0; i < a.row_count; i++) {
			struct row_view there, here;

			row_view(&a, &a.groups[a.rows[i].group], a.rows[i].measure, &there);
			row_view(&b, &b.groups[b.rows[i].group], b.rows[i].measure, &here);
			check_random(&random, strcmp(there.group->label, here.group->label) == 0);
			check_random(&random, there.measure == here.measure);
			check_random(&random, same_quantity(there.delta, here.delta, -1));
			check_random(&random, same_quantity(there.impact, here.impact, 1));
			check_random(&random, same_quantity(there.values[0], here.values[1], 1));
			check_random(&random, there.seen[0] == here.seen[1]);
		}
		row_set_done(&a);
		row_set_done(&b);
		group_table_done(&made[0]);
		group_table_done(&made[1]);
	}
	forget_samples();
}

/* The same threads in another order make the same rows. */
static void test_rows_order_of_threads(void **state)
{
	enum { SEED = 18, ROUNDS = 60 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		unsigned sides = 1 + (unsigned)random_below(&random, 2);
		struct group_table first[SIDE_MAX], second[SIDE_MAX];
		const struct group_table *once[] = {&first[0], &first[1]};
		const struct group_table *again[] = {&second[0], &second[1]};
		struct row_set a, b;

		random_samples(&random);
		make_tables(&random, first);
		make_tables(&random, second);
		options.order = (enum row_order)random_below(&random, ORDER_NAME + 1);
		options.continues = random_chance(&random, 50);
		row_set_init(&a, once, sides, NULL, &options);
		row_set_init(&b, again, sides, NULL, &options);
		check_random(&random, a.row_count == b.row_count && a.group_count == b.group_count);
		for (size_t i = 0; i < a.row_count; i++) {
			struct row_view there, here;

			row_view(&a, &a.groups[a.rows[i].group], a.rows[i].measure, &there);
			row_view(&b, &b.groups[b.rows[i].group], b.rows[i].measure, &here);
			check_random(&random, strcmp(there.group->label, here.group->label) == 0);
			check_random(&random, there.measure == here.measure);
			check_random(&random, same_quantity(there.values[0], here.values[0], 1));
			check_random(&random, same_quantity(there.delta, here.delta, 1));
			check_random(&random, same_quantity(there.impact, here.impact, 1));
			check_random(&random, there.members_differ == here.members_differ);
			check_random(&random, there.no_movement == here.no_movement);
		}
		for (unsigned side = 0; side < SIDE_MAX; side++)
			for (size_t i = 0; i < a.unmatched_count[side]; i++)
				check_random(&random, strcmp(a.unmatched[side][i].label,
				                             b.unmatched[side][i].label) == 0);
		row_set_done(&a);
		row_set_done(&b);
		for (unsigned side = 0; side < SIDE_MAX; side++) {
			group_table_done(&first[side]);
			group_table_done(&second[side]);
		}
	}
	forget_samples();
}

#define on_tables(test_) cmocka_unit_test_setup_teardown(test_, setup, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_tables(test_rows_hidden_and_counted),
	        on_tables(test_rows_seen_on_one_side),
	        on_tables(test_rows_changed_without_delta),
	        on_tables(test_rows_derived_unchanged),
	        on_tables(test_order_impact),
	        on_tables(test_order_delta),
	        on_tables(test_order_percent),
	        on_tables(test_order_unseen_last),
	        on_tables(test_order_of_one_side),
	        on_tables(test_sort_keys_one),
	        on_tables(test_sort_keys_keep_groups),
	        on_tables(test_sort_keys_several),
	        on_tables(test_sort_keys_derived),
	        on_tables(test_rows_antisymmetric),
	        on_tables(test_rows_order_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
