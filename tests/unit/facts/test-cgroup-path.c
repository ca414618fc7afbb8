// SPDX-License-Identifier: GPL-2.0-or-later
/* The limits and throttling of a cgroup by those above, against hierarchies that are written down here. */
#include "check.h"

#include "facts/cgroup-path.h"
#include "facts/cgroup-rates.h"
#include "group/cgroup-key.h"

/* A cgroup of version 1 or 2, in the group of its own path or of another one. */
struct given {
	const char *path;
	const char *group; /* NULL: its path */
	bool is_v1;
	int64_t quota, period; /* 0: not there; -1: no limit */
	int64_t memory, pids;
	bool is_flat;          /* the memory of cgroups below is not its own */
	int64_t periods, usec; /* throttled; -1: not there */
	uint64_t interval_s;
	uint64_t
	        id; /* the kernel's number, of version 1 in the hierarchy of the CPU; 0: not known */
	uint64_t pids_id; /* the same of version 1 in that of pids */
};

enum { GROUPS = 8 };
static struct cgroup_tree tree;
static struct cgroup_above groups[GROUPS];
static const char *names[GROUPS];

static struct cgroup_above *group_of(const char *name)
{
	unsigned i = 0;

	while (names[i] && strcmp(names[i], name) != 0)
		i++;
	assert_true(i < GROUPS);
	names[i] = name;
	return &groups[i];
}

static void set(struct cgroup_stats *stats, enum cgroup_value_id id, int64_t value)
{
	if (value < 0)
		fact_set_unlimited(&stats->values[id]);
	else if (value > 0)
		fact_set_number(&stats->values[id], value);
}

static void add(const struct given *given)
{
	cleanup_(cgroup_stats_done) struct cgroup_stats stats = {.is_v1 = given->is_v1};
	const char *group = given->group ? given->group : given->path;
	bool v1 = given->is_v1;

	strbuf_add_str(&stats.path, given->path);
	if (given->id > 0) {
		const char *key = v1 ? "cpu" : CGROUP_ID_UNIFIED;

		keyed_values_add(&stats.ids, key, strlen(key), given->id);
	}
	stats.interval_ns = given->interval_s * 1000000000;
	if (given->pids_id > 0)
		keyed_values_add(&stats.ids, "pids", strlen("pids"), given->pids_id);
	set(&stats, v1 ? CGROUP_VALUE_cpu_v1_quota_us : CGROUP_VALUE_cpu_max_quota_us,
	    given->quota);
	set(&stats, v1 ? CGROUP_VALUE_cpu_v1_period_us : CGROUP_VALUE_cpu_max_period_us,
	    given->period);
	set(&stats, v1 ? CGROUP_VALUE_memory_v1_limit : CGROUP_VALUE_memory_max, given->memory);
	if (v1)
		fact_set_number(&stats.values[CGROUP_VALUE_memory_v1_use_hierarchy],
		                !given->is_flat);
	set(&stats, v1 ? CGROUP_VALUE_pids_v1_max : CGROUP_VALUE_pids_max, given->pids);
	if (given->periods >= 0) {
		fact_set_number(&stats.values[v1 ? CGROUP_VALUE_cpu_v1_nr_throttled
		                                 : CGROUP_VALUE_nr_throttled],
		                given->periods);
		fact_set_number(&stats.values[v1 ? CGROUP_VALUE_cpu_v1_throttled_ns
		                                 : CGROUP_VALUE_throttled_usec],
		                given->usec * (v1 ? 1000 : 1));
	}
	cgroup_tree_add(&tree, &stats, (struct span){group, strlen(group)}, group_of(group));
}

static int teardown(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GROUPS; i++)
		cgroup_above_done(&groups[i]);
	cgroup_tree_done(&tree);
	memset(groups, 0, sizeof(groups));
	memset(names, 0, sizeof(names));
	return 0;
}

static void make(const struct given *given, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(&given[i]);
	cgroup_tree_finish(&tree);
}

static void assert_bound(const char *group, enum cgroup_limit limit, uint64_t number,
                         const char *by)
{
	const struct cgroup_bound *bound = &group_of(group)->bounds[limit];

	assert_int_equal(bound->state, FACT_NUMBER);
	assert_int_equal(bound->number, number);
	assert_string_equal(bound->by.text, by);
}

static void assert_throttled(const char *group, uint64_t periods, uint64_t usec, const char *by)
{
	const struct cgroup_above *above = group_of(group);

	assert_true(above->throttling_seen);
	assert_int_equal(above->periods, periods);
	assert_int_equal(above->usec, usec);
	if (by)
		assert_string_equal(above->by.text, by);
	else
		assert_null(above->by.text);
}

/* All above that were throttled, not itself; the smallest of each limit. */
static void test_way_up(void **state)
{
	static const struct given given[] = {
	        {.path = "/a/b/c",
	         .quota = -1,
	         .period = 100000,
	         .memory = 50,
	         .periods = 9,
	         .usec = 9},
	        {.path = "/a",
	         .quota = 50000,
	         .period = 100000,
	         .memory = 30,
	         .pids = 7,
	         .periods = 4,
	         .usec = 40},
	        {.path = "/a/b", .quota = 80000, .period = 40000, .memory = 40, .periods = 0},
	        {.path = "/", .periods = -1},
	        {.path = "/ab", .periods = 5, .quota = -1, .period = 1, .pids = -1},
	        {.path = "/n", .periods = 500, .usec = 9000},
	        {.path = "/n/near", .periods = 7, .usec = 70},
	        {.path = "/n/near/x", .periods = 0},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_throttled("/a/b/c", 4, 40, "/a");
	assert_throttled("/a/b", 4, 40, "/a");
	assert_throttled("/n/near/x", 507, 9070, "/n");
	assert_throttled("/n/near", 500, 9000, "/n");
	assert_false(cgroup_above_knows_throttling(group_of("/a")));
	assert_false(cgroup_above_knows_throttling(group_of("/ab")));
	assert_bound("/a/b/c", CGROUP_LIMIT_cpu, 500000, "/a");
	assert_bound("/a/b/c", CGROUP_LIMIT_memory, 30, "/a");
	assert_bound("/a/b/c", CGROUP_LIMIT_pids, 7, "/a");
	assert_bound("/a", CGROUP_LIMIT_memory, 30, "/a");
	assert_int_equal(group_of("/ab")->bounds[CGROUP_LIMIT_cpu].state, FACT_UNLIMITED);
	assert_int_equal(group_of("/ab")->bounds[CGROUP_LIMIT_pids].state, FACT_UNLIMITED);
	assert_int_equal(group_of("/ab")->bounds[CGROUP_LIMIT_memory].state, FACT_UNSEEN);
}

/* A limit that is removed ends the throttling before the end of its period: there is time, and no period. */
static void test_time_without_periods(void **state)
{
	static const struct given given[] = {
	        {.path = "/a", .periods = 0, .usec = 70},
	        {.path = "/a/b", .periods = 0},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_throttled("/a/b", 0, 70, "/a");
}

/* In version 1, a cgroup above a path in another hierarchy is not above this one. */
static void test_hierarchies(void **state)
{
	static const struct given given[] = {
	        {.path = "/a",
	         .is_v1 = true,
	         .quota = 1000,
	         .period = 100000,
	         .memory = 5,
	         .pids = 6,
	         .periods = 3,
	         .usec = 30},
	        {.path = "/a/cpu", .is_v1 = true, .quota = -1, .period = 100000, .periods = 0},
	        {.path = "/a/pids", .is_v1 = true, .pids = -1, .periods = -1},
	        {.path = "/a/v2", .periods = -1},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_throttled("/a/cpu", 3, 30, "/a");
	assert_bound("/a/cpu", CGROUP_LIMIT_cpu, 10000, "/a");
	assert_int_equal(group_of("/a/cpu")->bounds[CGROUP_LIMIT_pids].state, FACT_UNSEEN);
	assert_false(cgroup_above_knows_throttling(group_of("/a/pids")));
	assert_bound("/a/pids", CGROUP_LIMIT_pids, 6, "/a");
	assert_int_equal(group_of("/a/pids")->bounds[CGROUP_LIMIT_cpu].state, FACT_UNSEEN);
	assert_false(cgroup_above_knows_throttling(group_of("/a/v2")));
}

/* Before Linux 5.11, a limit of memory of version 1 holds below only with memory.use_hierarchy. Other limits do in any case. */
static void test_flat(void **state)
{
	static const struct given given[] = {
	        {.path = "/a", .is_v1 = true, .memory = 5, .pids = 6, .periods = -1},
	        {.path = "/a/flat", .is_v1 = true, .memory = 9, .is_flat = true, .periods = -1},
	        {.path = "/a/flat/x",
	         .is_v1 = true,
	         .memory = -1,
	         .pids = -1,
	         .is_flat = true,
	         .periods = -1},
	        {.path = "/a/flat/y", .is_v1 = true, .memory = 20, .periods = -1},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_bound("/a/flat", CGROUP_LIMIT_memory, 5, "/a");
	assert_int_equal(group_of("/a/flat/x")->bounds[CGROUP_LIMIT_memory].state, FACT_UNLIMITED);
	assert_bound("/a/flat/y", CGROUP_LIMIT_memory, 20, "/a/flat/y");
	assert_bound("/a/flat/x", CGROUP_LIMIT_pids, 6, "/a");
}

/* In a group, each cgroup above counts once, and the largest limit is that of the group. */
static void test_groups(void **state)
{
	static const struct given given[] = {
	        {.path = "/p1",
	         .group = "/p{N}",
	         .memory = 10,
	         .periods = 2,
	         .usec = 20,
	         .interval_s = 2},
	        {.path = "/p2",
	         .group = "/p{N}",
	         .memory = 30,
	         .periods = 4,
	         .usec = 60,
	         .interval_s = 4},
	        {.path = "/p1/x", .group = "/p{N}/x", .memory = -1, .periods = 0},
	        {.path = "/p2/x", .group = "/p{N}/x", .memory = -1, .periods = 0},
	        {.path = "/p1/y", .group = "/p{N}/y", .periods = 0},
	        {.path = "/p1/y/z", .group = "/p{N}/y", .periods = 0},
	        {.path = "/free", .memory = -1, .periods = 0},
	        {.path = "/free/x", .group = "/free/x", .memory = -1, .periods = 0},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_throttled("/p{N}/x", 6, 80, "/p{N}");
	assert_true(group_of("/p{N}/x")->has_rates);
	assert_int_equal(group_of("/p{N}/x")->periods_rate, 2 << CGROUP_RATE_BITS);
	assert_int_equal(group_of("/p{N}/x")->usec_rate, 25 << CGROUP_RATE_BITS);
	assert_bound("/p{N}/x", CGROUP_LIMIT_memory, 30, "/p{N}");
	assert_throttled("/p{N}/y", 2, 20, "/p{N}");
	assert_int_equal(group_of("/free/x")->bounds[CGROUP_LIMIT_memory].state, FACT_UNLIMITED);
}

/* Cgroups above the root of a namespace count if they can be seen. */
static void test_namespace(void **state)
{
	static const struct given given[] = {
	        {.path = "/", .memory = -1, .periods = -1},
	        {.path = "/x", .memory = -1, .periods = -1},
	        {.path = "/..", .memory = 10, .periods = 1, .usec = 1},
	        {.path = "/../y", .memory = 20, .periods = 0},
	        {.path = "/../..", .periods = -1},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_bound("/x", CGROUP_LIMIT_memory, 10, "/..");
	assert_bound("/../y", CGROUP_LIMIT_memory, 10, "/..");
	assert_throttled("/../y", 1, 1, "/..");
}

/* The root of a namespace has a number of its own, or limits, and what limits or throttles it cannot be read. A limit below is known. */
static void test_root_of_namespace(void **state)
{
	enum { ID_OF_ROOT = 1, OTHER = 31 };
	static const struct {
		struct given root;
		bool is_known;
	} cases[] = {
	        {{.is_v1 = true, .id = OTHER}, false},
	        {{.is_v1 = true, .id = ID_OF_ROOT}, true},
	        {{.is_v1 = true}, true},
	        {{.id = OTHER}, false},
	        {{.id = OTHER, .quota = -1, .period = 9}, false},
	        {{.quota = -1, .period = 9}, false},
	        {{.id = ID_OF_ROOT, .periods = -1}, true},
	        {{.periods = -1}, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct given given[] = {cases[i].root,
		                        {.path = "/a", .quota = -1, .period = 9},
		                        {.path = "/a/b", .quota = -1, .period = 9},
		                        {.path = "/a/limited", .quota = 18, .period = 9}};
		enum fact_state expected = cases[i].is_known ? FACT_UNLIMITED : FACT_UNSEEN;

		given[0].path = "/";
		for (size_t j = 0; j < ARRAY_SIZE(given); j++)
			given[j].is_v1 = cases[i].root.is_v1;
		if (given[0].is_v1) {
			given[0].quota = -1;
			given[0].period = 9;
		}
		make(given, ARRAY_SIZE(given));
		assert_int_equal(group_of("/a")->bounds[CGROUP_LIMIT_cpu].state, expected);
		assert_int_equal(group_of("/a/b")->bounds[CGROUP_LIMIT_cpu].state, expected);
		assert_bound("/a/limited", CGROUP_LIMIT_cpu, 2000000, "/a/limited");
		assert_int_equal(cgroup_above_knows_throttling(group_of("/a/b")),
		                 cases[i].is_known);
		teardown(state);
	}
}

/* Version 1 has a root of the namespace in each hierarchy: what is above one of them is not above another one. */
static void test_roots_of_hierarchies(void **state)
{
	enum { ID_OF_ROOT = 1, OTHER = 31 };
	static const struct given given[] = {
	        {.path = "/",
	         .is_v1 = true,
	         .quota = -1,
	         .period = 9,
	         .id = OTHER,
	         .pids = -1,
	         .pids_id = OTHER},
	        {.path = "/a", .is_v1 = true, .quota = -1, .period = 9, .pids = -1},
	        {.path = "/..", .is_v1 = true, .pids = -1, .periods = -1, .pids_id = OTHER},
	        {.path = "/../..", .is_v1 = true, .periods = -1, .pids_id = ID_OF_ROOT},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_int_equal(group_of("/a")->bounds[CGROUP_LIMIT_cpu].state, FACT_UNSEEN);
	assert_false(cgroup_above_knows_throttling(group_of("/a")));
	assert_int_equal(group_of("/a")->bounds[CGROUP_LIMIT_pids].state, FACT_UNLIMITED);
}

/* A cgroup above that could not be read may have the limit, and may have throttled. */
static void test_unreadable(void **state)
{
	static const struct given given[] = {
	        {.path = "/", .is_v1 = true, .quota = -1, .period = 1, .periods = 0},
	        {.path = "/a/b", .is_v1 = true, .quota = -1, .period = 1, .periods = 0},
	        {.path = "/a/b/c", .is_v1 = true, .quota = -1, .period = 1, .periods = 0},
	        {.path = "/d", .memory = 9, .periods = 7, .usec = 7},
	        /* The controllers end at /d. */
	        {.path = "/d/e", .periods = -1},
	        {.path = "/f", .periods = -1},
	        {.path = "/f/g", .memory = 8, .periods = 2, .usec = 2},
	        {.path = "/f/g/h", .memory = -1, .periods = 0},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_int_equal(group_of("/a/b")->bounds[CGROUP_LIMIT_cpu].state, FACT_UNSEEN);
	assert_int_equal(group_of("/a/b/c")->bounds[CGROUP_LIMIT_cpu].state, FACT_UNSEEN);
	assert_false(cgroup_above_knows_throttling(group_of("/a/b")));
	assert_false(cgroup_above_knows_throttling(group_of("/a/b/c")));
	assert_bound("/d/e", CGROUP_LIMIT_memory, 9, "/d");
	assert_false(group_of("/d/e")->bounds[CGROUP_LIMIT_memory].hidden);
	assert_throttled("/d/e", 7, 7, "/d");
	/* The limit below it is known, and a part of the throttling. The one of /f may be lower. */
	assert_bound("/f/g/h", CGROUP_LIMIT_memory, 8, "/f/g");
	assert_true(group_of("/f/g/h")->bounds[CGROUP_LIMIT_memory].hidden);
	assert_throttled("/f/g/h", 2, 2, "/f/g");
	assert_true(group_of("/f/g/h")->throttling_hidden);
	assert_false(group_of("/d/e")->throttling_hidden);
	assert_false(cgroup_above_knows_throttling(group_of("/f/g")));
}

/* A limit that could not be read beside other values of its controller is not one of a controller that ends above. */
static void test_unread_limit(void **state)
{
	static const struct given above[] = {
	        {.path = "/", .id = 1},
	        {.path = "/a", .memory = 9, .pids = 9, .quota = -1, .period = 1},
	};
	cleanup_(cgroup_stats_done) struct cgroup_stats unread = {0}, below = {0};
	struct cgroup_bound *bounds = group_of("/a/b")->bounds;

	(void)state;
	strbuf_add_str(&unread.path, "/a/b");
	set(&unread, CGROUP_VALUE_memory_current, 1);
	set(&unread, CGROUP_VALUE_pids_current, 1);
	set(&unread, CGROUP_VALUE_pids_max, 8);
	set(&unread, CGROUP_VALUE_cpu_weight, 100);
	strbuf_add_str(&below.path, "/a/b/c");
	cgroup_tree_add(&tree, &unread, (struct span){"/a/b", 4}, group_of("/a/b"));
	cgroup_tree_add(&tree, &below, (struct span){"/a/b/c", 6}, group_of("/a/b/c"));
	make(above, ARRAY_SIZE(above));
	for (unsigned i = 0; i < 2; i++) {
		assert_bound(names[i], CGROUP_LIMIT_memory, 9, "/a");
		assert_true(bounds[CGROUP_LIMIT_memory].hidden);
		assert_bound(names[i], CGROUP_LIMIT_pids, 8, "/a/b");
		assert_false(bounds[CGROUP_LIMIT_pids].hidden);
		assert_int_equal(bounds[CGROUP_LIMIT_cpu].state, FACT_UNSEEN);
		bounds = group_of("/a/b/c")->bounds;
	}
}

/* The largest limit of a group's cgroups is known if one is that is not hidden. */
static void test_hidden_in_group(void **state)
{
	static const struct given given[] = {
	        {.path = "/", .id = 1},
	        {.path = "/a", .memory = 4},
	        {.path = "/a/1", .memory = -1, .group = "low"},
	        {.path = "/a/2", .memory = -1, .group = "same"},
	        {.path = "/b", .memory = 9, .group = "low"},
	        {.path = "/shut/1", .memory = 3, .group = "low"},
	        {.path = "/shut/2", .memory = 4, .group = "same"},
	        {.path = "/shut/3", .memory = 5, .group = "high"},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_bound("low", CGROUP_LIMIT_memory, 9, "low");
	assert_false(group_of("low")->bounds[CGROUP_LIMIT_memory].hidden);
	assert_int_equal(group_of("same")->bounds[CGROUP_LIMIT_memory].number, 4);
	assert_false(group_of("same")->bounds[CGROUP_LIMIT_memory].hidden);
	assert_bound("high", CGROUP_LIMIT_memory, 5, "high");
	assert_true(group_of("high")->bounds[CGROUP_LIMIT_memory].hidden);
}

/* A snapshot may hold anything. */
static void test_nonsense(void **state)
{
	static const struct given given[] = {
	        {.path = "relative/x", .memory = 5, .periods = 1},
	        {.path = "", .memory = 5, .periods = 1},
	        {.path = "/z",
	         .quota = INT64_MAX,
	         .period = 1,
	         .periods = INT64_MAX,
	         .usec = INT64_MAX},
	        {.path = "/z/..", .periods = 0},
	        {.path = "/z", .periods = 3},
	};

	(void)state;
	make(given, ARRAY_SIZE(given));
	assert_int_equal(group_of("/z")->bounds[CGROUP_LIMIT_cpu].state, FACT_UNSEEN);
	assert_throttled("/z/..", INT64_MAX, INT64_MAX, "/z");
}

static void check_climb(const char *path, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_add_str(&text, path);
	assert_int_equal(cgroup_path_climb(&text), expected != NULL);
	assert_text(&text, expected ? expected : path);
}

static void test_climb(void **state)
{
	(void)state;
	check_climb("/a/b", "/a");
	check_climb("/a", "/");
	check_climb("/", "/..");
	check_climb("/..", "/../..");
	check_climb("/../a", "/..");
	check_climb("/...", "/");
	check_climb("/a/..", "/a");
	check_climb("", NULL);
	check_climb("a/b", NULL);
	assert_true(cgroup_path_is_above_root("/../.."));
	assert_false(cgroup_path_is_above_root("/../..x"));
	assert_false(cgroup_path_is_above_root("/"));
	assert_false(cgroup_path_is_above_root(""));
}

#define with_tree(test_) cmocka_unit_test_teardown(test_, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        with_tree(test_way_up),
	        with_tree(test_hierarchies),
	        with_tree(test_way_up),
	        with_tree(test_flat),
	        with_tree(test_groups),
	        with_tree(test_namespace),
	        with_tree(test_nonsense),
	        with_tree(test_unreadable),
	        with_tree(test_unread_limit),
	        with_tree(test_hidden_in_group),
	        with_tree(test_root_of_namespace),
	        with_tree(test_time_without_periods),
	        with_tree(test_roots_of_hierarchies),
	        cmocka_unit_test(test_climb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
