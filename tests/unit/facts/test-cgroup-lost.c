// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"
#include "facts/cgroup-lost.h"
#include "groups.h"

enum { NOT_READ = 0, NOT_THERE = 1000 };

/* Adds a cgroup that has used so much CPU time, of the group @pattern or of its own path, with its number in the
 * hierarchy. */
static void add_numbered(struct cgroup_table *table, const char *path, const char *pattern,
                         const char *hierarchy, uint64_t id, int64_t used)
{
	bool is_v1 = strcmp(hierarchy, CGROUP_ID_UNIFIED) != 0;
	struct cgroup_stats stats = {.is_v1 = is_v1};

	strbuf_add_str(&stats.path, path);
	if (id != NOT_READ)
		keyed_values_set(&stats.ids, hierarchy, strlen(hierarchy), id);
	fact_set_number(
	        &stats.values[is_v1 ? CGROUP_VALUE_cpuacct_usage_ns : CGROUP_VALUE_cpu_usage_usec],
	        used);
	fact_set_number(
	        &stats.values[is_v1 ? CGROUP_VALUE_memory_v1_usage : CGROUP_VALUE_memory_current],
	        used);
	fact_set_number(
	        &stats.values[is_v1 ? CGROUP_VALUE_memory_v1_max_usage : CGROUP_VALUE_memory_peak],
	        used);
	table->keeps_ids = true;
	cgroup_table_add(table, (struct span){pattern, strlen(pattern)}, &stats);
	cgroup_stats_done(&stats);
}

static void add_unified(struct cgroup_table *table, const char *path, uint64_t id, int64_t used)
{
	add_numbered(table, path, path, CGROUP_ID_UNIFIED, id, used);
}

/* Adds a cgroup with its numbers in two hierarchies, of the group "/LETTER-{N}". */
static void add_v1(struct cgroup_table *table, const char *path, uint64_t cpuacct, uint64_t memory)
{
	const char pattern[] = {'/', path[1], '-', '{', 'N', '}'};
	struct cgroup_stats stats = {.is_v1 = true};

	strbuf_add_str(&stats.path, path);
	if (cpuacct != NOT_READ && cpuacct != NOT_THERE)
		keyed_values_set(&stats.ids, "cpuacct", strlen("cpuacct"), cpuacct);
	if (cpuacct != NOT_THERE)
		fact_set_number(&stats.values[CGROUP_VALUE_cpuacct_usage_ns], 5);
	keyed_values_set(&stats.ids, "memory", strlen("memory"), memory);
	fact_set_number(&stats.values[CGROUP_VALUE_memory_v1_usage], 5);
	table->keeps_ids = true;
	cgroup_table_add(table, (struct span){pattern, sizeof(pattern)}, &stats);
	cgroup_stats_done(&stats);
}

static bool has_lost(const struct cgroup_table *table, const char *pattern, const char *hierarchy)
{
	const struct cgroup_group *group = strmap_get(&table->map, pattern, strlen(pattern));

	assert_non_null(group);
	return cgroup_groups_have_lost(&group, 1, hierarchy);
}

/* The number decides: it is another cgroup although it has used more, and the same one although it has used less. */
static void test_remade(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *tables = fixture->cgroups;

	add_unified(&tables[0], "/remade", 41, 9);
	add_unified(&tables[1], "/remade", 77, 12);
	add_unified(&tables[0], "/kept", 42, 9);
	add_unified(&tables[1], "/kept", 42, 5);
	add_unified(&tables[0], "/gone", 43, 9);
	add_unified(&tables[1], "/new", 44, 9);
	add_unified(&tables[0], "/unread", 45, 9);
	add_unified(&tables[1], "/unread", NOT_READ, 9);
	add_unified(&tables[0], "/read", NOT_READ, 9);
	add_unified(&tables[1], "/read", 46, 9);
	cgroup_table_find_lost(&tables[0], &tables[1]);
	assert_true(has_lost(&tables[0], "/remade", CGROUP_ID_UNIFIED));
	assert_false(has_lost(&tables[0], "/remade", "cpuacct"));
	assert_false(has_lost(&tables[0], "/kept", CGROUP_ID_UNIFIED));
	assert_false(has_lost(&tables[0], "/gone", CGROUP_ID_UNIFIED));
	assert_false(has_lost(&tables[0], "/unread", CGROUP_ID_UNIFIED));
	assert_false(has_lost(&tables[0], "/read", CGROUP_ID_UNIFIED));
	assert_false(has_lost(&tables[1], "/remade", CGROUP_ID_UNIFIED));
}

/* A further cgroup is no loss: all its work was in between. One that is gone, or in another group, is a loss. */
static void test_members(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *tables = fixture->cgroups;

	add_numbered(&tables[0], "/a-1", "/a-{N}", CGROUP_ID_UNIFIED, 1, 5);
	add_numbered(&tables[1], "/a-1", "/a-{N}", CGROUP_ID_UNIFIED, 1, 5);
	add_numbered(&tables[1], "/a-2", "/a-{N}", CGROUP_ID_UNIFIED, 2, 5);
	add_numbered(&tables[0], "/b-1", "/b-{N}", CGROUP_ID_UNIFIED, 3, 5);
	add_numbered(&tables[0], "/b-2", "/b-{N}", CGROUP_ID_UNIFIED, 4, 5);
	add_numbered(&tables[1], "/b-1", "/b-{N}", CGROUP_ID_UNIFIED, 3, 50);
	add_numbered(&tables[0], "/c-1", "/c-{N}", CGROUP_ID_UNIFIED, 5, 5);
	add_numbered(&tables[0], "/c-2", "/c-{N}", CGROUP_ID_UNIFIED, 6, 5);
	add_numbered(&tables[1], "/c-1", "/c-{N}", CGROUP_ID_UNIFIED, 5, 5);
	add_numbered(&tables[1], "/d-2", "/d-{N}", CGROUP_ID_UNIFIED, 6, 5);
	cgroup_table_find_lost(&tables[0], &tables[1]);
	assert_false(has_lost(&tables[0], "/a-{N}", CGROUP_ID_UNIFIED));
	assert_true(has_lost(&tables[0], "/b-{N}", CGROUP_ID_UNIFIED));
	assert_true(has_lost(&tables[0], "/c-{N}", CGROUP_ID_UNIFIED));
	cgroup_table_find_lost(&tables[1], &tables[0]);
	assert_true(has_lost(&tables[1], "/a-{N}", CGROUP_ID_UNIFIED));
}

/* A path of version 1 may be left in one hierarchy and stay in another one. Its number there is missing then, and not unread. */
static void test_left_hierarchy(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *tables = fixture->cgroups;

	add_v1(&tables[0], "/a-1", 1, 11);
	add_v1(&tables[0], "/a-2", 2, 12);
	add_v1(&tables[1], "/a-1", 1, 11);
	add_v1(&tables[1], "/a-2", NOT_THERE, 12);
	add_v1(&tables[0], "/b-1", 3, 13);
	add_v1(&tables[0], "/b-2", 4, 14);
	add_v1(&tables[1], "/b-1", 3, 13);
	add_v1(&tables[1], "/b-2", NOT_READ, 14);
	cgroup_table_find_lost(&tables[0], &tables[1]);
	assert_true(has_lost(&tables[0], "/a-{N}", "cpuacct"));
	assert_false(has_lost(&tables[0], "/a-{N}", "memory"));
	assert_false(has_lost(&tables[0], "/b-{N}", "cpuacct"));
	assert_false(has_lost(&tables[0], "/b-{N}", "memory"));
}

/* The CPU time of two cgroups since they were made has no difference; their memory in use has one. */
static void test_rows(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *tables = fixture->cgroups;
	const struct fact_row *row;

	add_unified(&tables[0], "/a", 41, 9);
	add_unified(&tables[1], "/a", 77, 12);
	add_numbered(&tables[0], "/a", "v1:/a", "cpuacct", 41, 9);
	add_numbered(&tables[1], "/a", "v1:/a", "cpuacct", 77, 12);
	fixture->options.sections[SECTION_cgroup_stats] = true;
	fixture->options.continues = true;
	make_facts(fixture, 2);
	assert_integer(find_fact(&fixture->set, "/a", "cpu_usage_usec")->delta, 3);
	cgroup_table_find_lost(&tables[0], &tables[1]);
	make_facts(fixture, 2);
	row = find_fact(&fixture->set, "/a", "cpu_usage_usec");
	assert_true(row->remade);
	assert_false(row->went_back);
	assert_true(row->changed);
	assert_integer(row->sides[SIDE_BASELINE].number, 9);
	assert_integer(row->sides[SIDE_CANDIDATE].number, 12);
	assert_none(row->delta);
	assert_none(row->percent);
	assert_real(quantity_real(row->weight), 0);
	assert_true(find_fact(&fixture->set, "/a", "memory_peak")->remade);
	row = find_fact(&fixture->set, "/a", "memory_current");
	assert_false(row->remade);
	assert_integer(row->delta, 3);
	/* Each hierarchy of version 1 has its own numbers. */
	assert_true(find_fact(&fixture->set, "v1:/a", "cpuacct_usage_ns")->remade);
	assert_false(find_fact(&fixture->set, "v1:/a", "memory_v1_max_usage")->remade);
}

#define on_facts(test_) \
	cmocka_unit_test_setup_teardown(test_, fact_fixture_setup, fact_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_facts(test_remade),
	        on_facts(test_members),
	        on_facts(test_left_hierarchy),
	        on_facts(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
