// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"
#include "facts/cgroup-gone.h"
#include "facts/cgroup-rates.h"
#include "groups.h"

static const char group[] = "/group";

static struct span pattern_of(const char *pattern)
{
	return (struct span){pattern, strlen(pattern)};
}

/* Adds a cgroup of a window with values, or one that is gone. */
static void add(struct cgroup_table *table, const char *path, const char *pattern, bool is_gone)
{
	struct cgroup_stats stats = {.is_gone = is_gone, .read_boottime_ns = 20, .interval_ns = 10};

	strbuf_add_str(&stats.path, path);
	if (!is_gone) {
		fact_set_number(&stats.values[CGROUP_VALUE_cpu_usage_usec], 7);
		fact_set_number(&stats.values[CGROUP_VALUE_nr_throttled], 2);
	}
	/* The root has none, and what is inside another one has less. */
	if (!is_gone && strcmp(path, "/") != 0) {
		stats.has_list[CGROUP_LIST_memory_events] = true;
		keyed_values_set(&stats.lists[CGROUP_LIST_memory_events], "max", 3, 5);
	}
	cgroup_table_add(table, pattern_of(pattern), &stats);
	cgroup_stats_done(&stats);
}

/* Adds the cgroup of a thread that ended. */
static void add_ended(struct cgroup_table *table, const char *path, const char *pattern, bool is_v1)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_add_str(&text, path);
	cgroup_gone_add(table, pattern_of(pattern), &text, is_v1);
}

static bool is_partial(struct fact_fixture *fixture, const char *metric)
{
	const struct fact_row *row;

	fixture->infos[0].kind = KIND_window;
	window_set(&fixture->infos[0].window, WINDOW_length_ns, 10);
	memset(fixture->options.sections, 1, sizeof(fixture->options.sections));
	make_facts(fixture, 1);
	row = find_fact(&fixture->set, group, metric);
	assert_non_null(row);
	return fact_row_is_partial(row, 0);
}

static uint32_t gone_of(const struct cgroup_table *table, const char *pattern)
{
	const struct cgroup_group *found = strmap_get(&table->map, pattern, strlen(pattern));

	return found ? found->gone : 0;
}

/* Each cgroup counts once, however many rows are of it. */
static void test_counts(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *table = &fixture->cgroups[0];

	add_ended(table, "/a", group, false);
	add(table, "/a", group, false);
	add(table, "/b", group, true);
	add_ended(table, "/b", group, false);
	add_ended(table, "/c", group, false);
	add_ended(table, "/c", group, false);
	assert_true(is_partial(fixture, "cpu_usage_usec"));
	assert_int_equal(gone_of(table, group), 2);
}

/* One that has values is not gone, in whatever order they come. */
static void test_with_values(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *table = &fixture->cgroups[0];

	add(table, "/a", group, true);
	add_ended(table, "/b", group, false);
	add(table, "/a", group, false);
	add(table, "/b", group, false);
	add_ended(table, "/b", group, false);
	assert_false(is_partial(fixture, "cpu_usage_usec"));
	assert_int_equal(gone_of(table, group), 0);
}

/* The same path of the other version is another cgroup. A group of none but cgroups that are gone has no row. */
static void test_others(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *table = &fixture->cgroups[0];

	add(table, "/a", group, false);
	add_ended(table, "/a", group, true);
	add(table, "/other", "/other", true);
	assert_true(is_partial(fixture, "cpu_usage_usec"));
	assert_int_equal(gone_of(table, group), 1);
	assert_null(strmap_get(&table->map, "/other", strlen("/other")));
	assert_null(find_fact(&fixture->set, "/other", "cpu_usage_usec"));
}

static uint64_t events_of(const struct cgroup_group *found)
{
	const struct keyed_value *events = keyed_values_find(
	        &found->stats.lists[CGROUP_LIST_memory_events], "max", strlen("max"), 0);

	assert_non_null(events);
	return events->value;
}

/* A cgroup that lies in another one of its group is counted there already, whether it is there or gone. That does not hold for throttling,
 * which the kernel counts of each cgroup alone, nor for values that the one above has not. */
static void test_inside(void **state)
{
	static const struct {
		const char *paths[4]; /* with values, in the order of a file */
		const char *gone;
		unsigned members;
		int64_t usage;
		unsigned is_gone;
		uint64_t events;
	} cases[] = {
	        {{"/a", "/a/b", "/a/b/c", "/a/d"}, "/a/e", 1, 7, 0, 5},
	        {{"/", "/a", "/a/b", "/c"}, "/a/e", 1, 7, 0, 10},
	        {{"/a", "/a-b", "/a-b/c", "/ab"}, "/c", 3, 21, 1, 15},
	        {{"/a/b", "/a/c", "/a/b/x/y", "/a/d"}, "/a/e", 3, 21, 1, 15},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cgroup_table table;
		const struct cgroup_group *found;

		cgroup_table_init(&table);
		for (size_t k = 0; k < ARRAY_SIZE(cases[i].paths); k++)
			add(&table, cases[i].paths[k], group, false);
		add(&table, cases[i].gone, group, true);
		/* It is in another group. */
		add(&table, "/a/b/z", "/other", false);
		cgroup_table_finish(&table);
		found = strmap_get(&table.map, group, strlen(group));
		assert_int_equal(found->members, cases[i].members);
		assert_int_equal(found->stats.values[CGROUP_VALUE_cpu_usage_usec].number,
		                 cases[i].usage);
		assert_int_equal(found->stats.values[CGROUP_VALUE_nr_throttled].number, 8);
		assert_int_equal(found->rates.values[CGROUP_VALUE_nr_throttled].number,
		                 4 * cgroup_rate(2, 10));
		assert_int_equal(events_of(found), cases[i].events);
		assert_int_equal(found->gone, cases[i].is_gone);
		assert_int_equal(found->nested, 4 - cases[i].members);
		assert_int_equal(found->nested_lacking, 1 - cases[i].is_gone);
		found = strmap_get(&table.map, "/other", strlen("/other"));
		assert_int_equal(found->members, 1);
		cgroup_table_done(&table);
	}
}

/* The values that the kernel counts of each cgroup alone lack one that is gone and lies in another one; the others do not. */
static void test_inside_is_partial(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *table = &fixture->cgroups[0];

	add(table, "/a", group, false);
	add(table, "/a/b", group, true);
	assert_false(is_partial(fixture, "cpu_usage_usec"));
	assert_true(is_partial(fixture, "nr_throttled"));
}

#define FACT_TEST(test_) \
	cmocka_unit_test_setup_teardown(test_, fact_fixture_setup, fact_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        FACT_TEST(test_counts),
	        FACT_TEST(test_with_values),
	        FACT_TEST(test_others),
	        cmocka_unit_test(test_inside),
	        FACT_TEST(test_inside_is_partial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
