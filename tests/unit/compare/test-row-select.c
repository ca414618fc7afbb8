// SPDX-License-Identifier: GPL-2.0-or-later
/* The number of rows that are kept, their groups, and the ways to find them. */
#include "base/mem.h"
#include "random.h"
#include "row-fixture.h"
#include "where/where.h"

/* "group/metric group/metric ...", as the cursor gives them. */
static void check_rows(const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct row_cursor cursor = {0};
	struct row_view view;

	while (row_next(&rows, &cursor, &view))
		strbuf_addf(&text, "%s%s/%s", text.len > 0 ? " " : "", view.group->label,
		            measure_name(view.measure));
	assert_text(&text, expected);
}

/* Deltas of minflt and majflt: a 30 and 1, b 20 and 4, c 0 and 2, d 10 and 0. */
static void add_four(void)
{
	add_numbers(0, "a", 10, 10);
	add_numbers(1, "a", 40, 11);
	add_numbers(0, "b", 10, 10);
	add_numbers(1, "b", 30, 14);
	add_numbers(0, "c", 10, 10);
	add_numbers(1, "c", 10, 12);
	add_numbers(0, "d", 10, 10);
	add_numbers(1, "d", 20, 10);
	LIST_ONLY(METRIC_minflt, METRIC_majflt);
	options.order = ORDER_DELTA;
}

static void check_condition(unsigned sides, const char *text, const char *expected, size_t filtered)
{
	struct where_error error = {0};
	struct where *where = where_parse(text, sides, &error);
	const struct where *conditions[] = {where};

	if (!where)
		fail_msg("%s: %s", text, strbuf_str(&error.sentence));
	options.conditions = conditions;
	options.condition_count = 1;
	build_rows(sides);
	check_rows(expected);
	assert_int_equal(rows.filtered_count, filtered);
	options.condition_count = 0;
	where_free(where);
	where_error_done(&error);
}

static void test_conditions(void **state)
{
	(void)state;
	add_four();
	check_condition(2, "delta > 5", "a/minflt b/minflt d/minflt", 3);
	check_condition(2, "group = b", "b/minflt b/majflt", 4);
	check_condition(2, "metric ~ 'maj*'", "b/majflt c/majflt a/majflt", 3);
	check_condition(2, "percent >= 200", "a/minflt b/minflt", 4);
	check_condition(2, "baseline = 10 and candidate = 12", "c/majflt", 5);
	check_condition(2, "impact > 0.15", "a/minflt b/minflt", 4);
	check_condition(2, "section = primary",
	                "a/minflt b/minflt d/minflt b/majflt c/majflt a/majflt", 0);
	check_condition(2, "threads > 1", "", 6);
	check_condition(2, "seen = 100%", "a/minflt b/minflt d/minflt b/majflt c/majflt a/majflt",
	                0);
	check_condition(1, "value >= 10 and metric = majflt", "a/majflt b/majflt c/majflt d/majflt",
	                4);
	assert_int_equal(rows.unchanged_count, 0);
	/* Unchanged rows are hidden before they are tested. */
	check_condition(2, "delta > 100", "", 6);
	assert_int_equal(rows.unchanged_count, 2);
	options.unchanged = true;
	check_condition(2, "delta = 0", "c/minflt d/majflt", 6);
	assert_int_equal(rows.unchanged_count, 0);
}

static void test_several_conditions(void **state)
{
	struct where_error error = {0};
	struct where *first = where_parse("delta > 1", 2, &error);
	struct where *second = where_parse("group != a", 2, &error);
	const struct where *conditions[] = {first, second};

	(void)state;
	add_four();
	options.conditions = conditions;
	options.condition_count = 2;
	build_rows(2);
	check_rows("b/minflt d/minflt b/majflt c/majflt");
	assert_int_equal(rows.filtered_count, 2);
	where_free(first);
	where_free(second);
	where_error_done(&error);
}

/* The larger side's threads; the worse side's coverage. */
static void test_conditions_on_threads(void **state)
{
	(void)state;
	add_four();
	add_thread(&tables[1], (struct thread_spec){.name = "b"});
	check_condition(2, "threads = 2", "b/minflt b/majflt", 4);
	add_thread(&tables[0], (struct thread_spec){.name = "b"});
	add_thread(&tables[0], (struct thread_spec){.name = "b"});
	check_condition(2, "threads = 3", "b/minflt b/majflt", 4);
	check_condition(2, "seen < 100%", "b/minflt b/majflt", 4);
	check_condition(2, "seen = 1", "a/minflt b/minflt d/minflt b/majflt c/majflt a/majflt", 0);
}

/* The use of the host's exited threads has neither threads nor coverage. */
static void test_conditions_on_exited(void **state)
{
	static const struct row_cpu_time cpu_time = {
	        .seen = true, .user_clock_ticks = 9, .system_clock_ticks = 9};
	const struct group_table *const one[] = {&tables[0]};
	struct where_error error = {0};
	struct where *where = where_parse("threads >= 0", 1, &error);
	const struct where *conditions[] = {where};

	(void)state;
	assert_non_null(where);
	add_thread(&tables[0], (struct thread_spec){.name = "a",
	                                            .values = {{METRIC_utime_clock_ticks, 1},
	                                                       {METRIC_stime_clock_ticks, 1}}});
	LIST_ONLY(METRIC_utime_clock_ticks);
	row_set_init(&rows, one, 1, &cpu_time, &options);
	check_rows("a/utime_clock_ticks (exited threads)/utime_clock_ticks");
	row_set_done(&rows);
	options.conditions = conditions;
	options.condition_count = 1;
	row_set_init(&rows, one, 1, &cpu_time, &options);
	check_rows("a/utime_clock_ticks");
	where_free(where);
	where_error_done(&error);
}

static void test_limit(void **state)
{
	(void)state;
	add_four();
	options.limit = 3;
	build_rows(2);
	check_rows("a/minflt b/minflt d/minflt");
	assert_int_equal(rows.row_count, 3);
	assert_int_equal(rows.row_total, 6);
	assert_int_equal(rows.unchanged_count, 2);
	options.limit = 6;
	build_rows(2);
	assert_int_equal(rows.row_count, 6);
	options.limit = 100;
	build_rows(2);
	assert_int_equal(rows.row_count, 6);
	assert_int_equal(rows.row_total, 6);
}

/* Groups by their first row, and then the rows of each. */
static void test_top_groups(void **state)
{
	(void)state;
	add_four();
	options.top_groups = 2;
	build_rows(2);
	check_rows("a/minflt a/majflt b/minflt b/majflt");
	assert_int_equal(rows.groups_left_out, 2);
	assert_int_equal(rows.row_total, 4);
	assert_int_equal(rows.unchanged_count, 2);
	options.limit = 1;
	build_rows(2);
	check_rows("a/minflt b/minflt");
	assert_int_equal(rows.row_total, 4);
	options.top_groups = 9;
	build_rows(2);
	check_rows("a/minflt b/minflt d/minflt c/majflt");
	assert_int_equal(rows.groups_left_out, 0);
}

static void test_one_sided(void **state)
{
	struct row_view view;

	(void)state;
	add_numbers(0, "both", 1, 1);
	add_numbers(1, "both", 2, 2);
	add_numbers(0, "gone", 5, 5);
	add_numbers(1, "new", 7, 7);
	LIST_ONLY(METRIC_minflt);
	build_rows(2);
	check_rows("both/minflt");
	assert_int_equal(rows.unmatched_count[0], 1);
	assert_int_equal(rows.unmatched_count[1], 1);
	options.one_sided[0] = options.one_sided[1] = true;
	build_rows(2);
	check_rows("both/minflt gone/minflt new/minflt");
	assert_int_equal(rows.unmatched_count[0], 0);
	assert_int_equal(rows.unmatched_count[1], 0);
	assert_int_equal(rows.unseen_count, 0);
	view = view_row(&rows, "gone", METRIC_minflt);
	assert_integer(view.values[0], 5);
	assert_none(view.values[1]);
	assert_none(view.delta);
	assert_none(view.impact);
	assert_null(view.cells[1]);
	view = view_row(&rows, "new", METRIC_minflt);
	assert_none(view.values[0]);
	assert_integer(view.values[1], 7);
	assert_int_equal(view.seen[0], 0);
	assert_int_equal(view.expected[0], 0);
}

enum { THREADS = 40 };

static void random_tables(struct random *random)
{
	static const char *const names[] = {"a", "b", "worker-1", "worker-2", "only-1", "c", "d"};
	static struct thread_sample sample;

	start_tables(group_by_key(GROUP_KEY_comm, false));
	for (unsigned side = 0; side < SIDE_MAX; side++)
		for (uint32_t i = 0; i < THREADS; i++) {
			random_member(random, &sample, 1 + i, names, ARRAY_SIZE(names) - side);
			sample.tgid = sample.tid;
			group_table_add(&tables[side], &sample);
		}
	sample_done(&sample);
}

static const struct row_sort_key sort_keys[] = {{METRIC_minflt, false},
                                                {METRIC_COUNT + DERIVED_avg_wait_ns, true}};

static void random_options(struct random *random)
{
	options = all_rows();
	options.order = (enum row_order)random_below(random, ORDER_NAME + 1);
	options.unchanged = random_chance(random, 50);
	options.one_sided[0] = options.one_sided[1] = random_chance(random, 50);
	options.continues = random_chance(random, 50);
	options.sort_keys = sort_keys;
	options.sort_key_count = random_chance(random, 40) ? 1 + random_below(random, 2) : 0;
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		options.measures[i] = random_chance(random, 70);
}

static void check_same_counts(struct random *random, const struct row_set *a,
                              const struct row_set *b)
{
	check_random(random, a->unchanged_count == b->unchanged_count);
	check_random(random, a->unseen_count == b->unseen_count);
	check_random(random, a->filtered_count == b->filtered_count);
}

static bool same_row(const struct row_set *a, size_t at, const struct row_set *b, size_t where)
{
	return a->rows[at].measure == b->rows[where].measure &&
	       strcmp(a->groups[a->rows[at].group].label, b->groups[b->rows[where].group].label) ==
	               0;
}

/* The limited rows are the first ones of all, whatever the order. */
static void test_limit_is_prefix(void **state)
{
	enum { SEED = 46, ROUNDS = 80 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		unsigned sides = 1 + (unsigned)random_below(&random, 2);
		struct row_options limited;
		struct row_set few;

		random_tables(&random);
		random_options(&random);
		build_rows(sides);
		check_random(&random, rows.row_count == rows.row_total);
		limited = options;
		limited.limit = 1 + random_below(&random, rows.row_total + 3);
		make_rows(&few, sides, &limited);
		check_random(&random, few.row_total == rows.row_total);
		check_random(&random,
		             few.row_count == (limited.limit < rows.row_total ? limited.limit
		                                                              : rows.row_total));
		check_same_counts(&random, &few, &rows);
		for (size_t i = 0; i < few.row_count; i++)
			check_random(&random, same_row(&few, i, &rows, i));
		row_set_done(&few);
	}
}

/* Computes the top groups in another way, with a pass over all rows for each place. Sort keys rank the groups, and @within
 * the rows in them. */
static void check_top(struct random *random, const struct row_set *top,
                      const struct row_set *within, size_t top_groups, size_t limit)
{
	cleanup_(mem_freep) bool *listed = calloc(rows.group_count + 1, sizeof(*listed));
	size_t at = 0, groups = 0, total = 0;

	for (size_t first = 0; first < rows.row_total; first++) {
		uint32_t group = rows.rows[first].group;
		size_t here = 0;

		if (listed[group])
			continue;
		listed[group] = true;
		groups++;
		for (size_t i = 0; i < within->row_total && groups <= top_groups; i++) {
			if (strcmp(within->groups[within->rows[i].group].label,
			           rows.groups[group].label) != 0)
				continue;
			total++;
			if (limit > 0 && here++ == limit)
				here = limit;
			else
				check_random(random,
				             at < top->row_count && same_row(top, at++, within, i));
		}
	}
	check_random(random, at == top->row_count);
	check_random(random, total == top->row_total);
	check_random(random,
	             top->groups_left_out == (groups > top_groups ? groups - top_groups : 0));
}

static void test_top_groups_of_all(void **state)
{
	enum { SEED = 47, ROUNDS = 80 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		unsigned sides = 1 + (unsigned)random_below(&random, 2);
		struct row_options few, unsorted;
		struct row_set top, within;

		random_tables(&random);
		random_options(&random);
		build_rows(sides);
		unsorted = options;
		unsorted.sort_key_count = 0;
		make_rows(&within, sides, &unsorted);
		few = options;
		few.top_groups = 1 + random_below(&random, 7);
		few.limit = random_below(&random, 5);
		few.late = random_chance(&random, 50);
		make_rows(&top, sides, &few);
		check_same_counts(&random, &top, &rows);
		check_top(&random, &top, &within, few.top_groups, few.limit);
		row_set_done(&within);
		row_set_done(&top);
	}
}

/* Rows that are found when they are asked for are those that were found before. */
static void test_late(void **state)
{
	enum { SEED = 48, ROUNDS = 80 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		unsigned sides = 1 + (unsigned)random_below(&random, 2);
		struct row_cursor cursor = {0}, other = {0};
		struct row_options later;
		struct row_view view, expected;
		struct row_set late;
		size_t count = 0;

		random_tables(&random);
		random_options(&random);
		options.limit = random_chance(&random, 50) ? random_below(&random, 100) : 0;
		build_rows(sides);
		later = options;
		later.late = true;
		make_rows(&late, sides, &later);
		/* Only the order by name can do without all rows. */
		check_random(&random, (late.late != NULL) == (options.order == ORDER_NAME ||
		                                              options.sort_key_count > 0));
		while (row_next(&late, &cursor, &view)) {
			check_random(&random, row_next(&rows, &other, &expected));
			check_random(&random, view.measure == expected.measure);
			check_random(&random,
			             strcmp(view.group->label, expected.group->label) == 0);
			count++;
		}
		check_random(&random, !row_next(&rows, &other, &expected));
		check_random(&random, !row_next(&late, &cursor, &view));
		check_random(&random, count == rows.row_count && late.row_count == rows.row_count);
		check_random(&random, late.row_total == rows.row_total);
		check_same_counts(&random, &late, &rows);
		row_set_done(&late);
	}
}

#define on_tables(test_) cmocka_unit_test_setup_teardown(test_, start_by_comm, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_tables(test_conditions),
	        on_tables(test_several_conditions),
	        on_tables(test_conditions_on_threads),
	        on_tables(test_conditions_on_exited),
	        on_tables(test_limit),
	        on_tables(test_top_groups),
	        on_tables(test_one_sided),
	        on_tables(test_limit_is_prefix),
	        on_tables(test_top_groups_of_all),
	        on_tables(test_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
