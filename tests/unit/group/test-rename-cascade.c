// SPDX-License-Identifier: GPL-2.0-or-later
#include "renames.h"

#include <stdio.h>

struct sides {
	struct rename_list baseline;
	struct rename_list candidate;
};

static void sides_done(struct sides *sides)
{
	rename_list_done(&sides->baseline);
	rename_list_done(&sides->candidate);
}

/* Two cgroups that are a direct pair, and like no others. */
static void add_direct(struct sides *sides, const char *old, const char *new)
{
	uint32_t first = (uint32_t)sides->candidate.count * 1000;

	rename_list_range(&sides->baseline, old, first, first + 10);
	rename_list_range(&sides->candidate, new, first, first + 10);
}

static void add_baseline(struct sides *sides, const char *path)
{
	rename_list_range(&sides->baseline, path, 900000, 900003);
}

static struct rename_cgroup *add_candidate(struct sides *sides, const char *path)
{
	return rename_list_range(&sides->candidate, path, 900001, 900004);
}

static void check_sides(const struct sides *sides, const char *path, const char *expected)
{
	check_renamed(&sides->baseline, &sides->candidate, path, expected);
}

static void test_cascade_pair(void **state)
{
	struct sides sides = {0};
	const struct rename_pair *direct, *pair;
	struct rename_map map;

	(void)state;
	add_direct(&sides, "/old/a/b", "/new/a/b");
	add_baseline(&sides, "/old/c");
	add_baseline(&sides, "/old/d");
	add_candidate(&sides, "/new/c");
	add_candidate(&sides, "/new/e");
	map = rename_lists(&sides.baseline, &sides.candidate);
	assert_int_equal(map.count, 2);
	direct = rename_pair_of(&map, &sides.candidate, "/new/a/b");
	assert_false(direct->cascaded);
	assert_int_equal(direct->children, 1);
	assert_int_equal(direct->candidate_root_len, 4);
	assert_int_equal(direct->baseline_root_len, 4);
	pair = rename_pair_of(&map, &sides.candidate, "/new/c");
	assert_ptr_equal(pair, &map.pairs[1]);
	assert_true(pair->cascaded);
	assert_int_equal(pair->candidate, 1);
	assert_int_equal(pair->baseline, 1);
	assert_int_equal(pair->candidate_root_len, 4);
	assert_int_equal(pair->baseline_root_len, 4);
	assert_int_equal(pair->children, 0);
	assert_int_equal(pair->overlap, 2);
	assert_float_equal(pair->jaccard, 0.5, 1e-12);
	assert_null(rename_pair_of(&map, &sides.candidate, "/new/e"));
	rename_map_done(&map);
	sides_done(&sides);
}

/* Nothing is asked of the threads of a cascaded pair. */
static void test_cascade_no_types(void **state)
{
	struct sides sides = {0};
	const struct rename_pair *pair;
	struct rename_map map;

	(void)state;
	add_direct(&sides, "/old/a", "/new/a");
	rename_list_range(&sides.baseline, "/old/none", 0, 0);
	rename_list_range(&sides.baseline, "/old/many", 5, 9000);
	rename_list_range(&sides.candidate, "/new/none", 0, 0);
	rename_list_range(&sides.candidate, "/new/many", 4, 6);
	map = rename_lists(&sides.baseline, &sides.candidate);
	pair = rename_pair_of(&map, &sides.candidate, "/new/none");
	assert_int_equal(pair->overlap, 0);
	assert_float_equal(pair->jaccard, 0, 0);
	pair = rename_pair_of(&map, &sides.candidate, "/new/many");
	assert_int_equal(pair->overlap, 1);
	assert_float_equal(pair->jaccard, 1.0 / 8996, 1e-12);
	assert_int_equal(rename_pair_of(&map, &sides.candidate, "/new/a")->children, 2);
	rename_map_done(&map);
	sides_done(&sides);
}

static void test_cascade_boundaries(void **state)
{
	struct sides sides = {0};

	(void)state;
	add_direct(&sides, "/old/a", "/new/a");
	add_baseline(&sides, "/old");
	add_baseline(&sides, "/old2");
	add_baseline(&sides, "/old/x/y/z");
	add_baseline(&sides, "/old2/x");
	add_baseline(&sides, "/old-x");
	add_candidate(&sides, "/new");
	add_candidate(&sides, "/new2");
	add_candidate(&sides, "/new/x/y/z");
	add_candidate(&sides, "/new2/x");
	add_candidate(&sides, "/new-x");
	add_candidate(&sides, "/ne");
	add_candidate(&sides, "/x/new/x/y/z");
	check_sides(&sides, "/new", "/old");
	check_sides(&sides, "/new2", NULL);
	check_sides(&sides, "/new/x/y/z", "/old/x/y/z");
	check_sides(&sides, "/new2/x", NULL);
	check_sides(&sides, "/new-x", NULL);
	check_sides(&sides, "/ne", NULL);
	check_sides(&sides, "/x/new/x/y/z", NULL);
	sides_done(&sides);
}

/* Without a segment in common, the cgroups are their own roots. Only whole segments are in common. */
static void test_cascade_own_roots(void **state)
{
	struct sides sides = {0};

	(void)state;
	add_direct(&sides, "/s/old-x", "/s/new-x");
	add_baseline(&sides, "/s/old-x/in");
	add_baseline(&sides, "/s/old-y");
	add_candidate(&sides, "/s/new-x/in");
	add_candidate(&sides, "/s/new-y");
	check_sides(&sides, "/s/new-x/in", "/s/old-x/in");
	check_sides(&sides, "/s/new-y", NULL);
	sides_done(&sides);
}

/* Roots that stand for a whole hierarchy move nothing. */
static void test_cascade_no_roots(void **state)
{
	static const char *const cases[][4] = {
	        {"/a", "/x/a", "/b", "/x/b"},       {"/x/a", "/a", "/x/b", "/b"},
	        {"/", "/x", "/b", "/x/b"},          {"/x", "/", "/x/b", "/b"},
	        {"/x", "/", "/xb", "/b"},           {"", "/x", "/b", "/x/b"},
	        {"/x", "", "/x/b", "/b"},           {"//a", "/x/a", "//b", "/x/b"},
	        {"v1:/a", "/x/a", "v1:/b", "/x/b"}, {"/x/a", "v1:/a", "/x/b", "v1:/b"},
	        {"v1:/a", "/a", "v1:/b", "/b"},     {"v1:/", "/x", "v1:/b", "/x/b"},
	        {"x", "/y", "x/b", "/y/b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sides sides = {0};

		add_direct(&sides, cases[i][0], cases[i][1]);
		add_baseline(&sides, cases[i][2]);
		add_candidate(&sides, cases[i][3]);
		check_sides(&sides, cases[i][1], cases[i][0]);
		check_sides(&sides, cases[i][3], NULL);
		sides_done(&sides);
	}
}

/* One more segment, and the hierarchies are as good as any other root. */
static void test_cascade_versions(void **state)
{
	struct sides sides = {0};

	(void)state;
	add_direct(&sides, "v1:/old/a", "/new/a");
	add_baseline(&sides, "v1:/old/b");
	add_candidate(&sides, "/new/b");
	check_sides(&sides, "/new/b", "v1:/old/b");
	sides_done(&sides);
}

static void test_cascade_matched(void **state)
{
	struct sides sides = {0};

	(void)state;
	add_direct(&sides, "/old/a", "/new/a");
	add_baseline(&sides, "/old/b");
	add_baseline(&sides, "/old/c");
	sides.baseline.cgroups[2].matched = true;
	add_candidate(&sides, "/new/b")->matched = true;
	add_candidate(&sides, "/new/c");
	check_sides(&sides, "/new/b", NULL);
	/* Keys of the baseline cgroup that are left over may still find theirs. */
	check_sides(&sides, "/new/c", "/old/c");
	sides_done(&sides);
}

static void test_cascade_direct_wins(void **state)
{
	struct sides sides = {0};

	(void)state;
	add_direct(&sides, "/old/a", "/new/a");
	add_direct(&sides, "/elsewhere", "/new/b");
	add_baseline(&sides, "/old/b");
	check_sides(&sides, "/new/b", "/elsewhere");
	sides_done(&sides);
}

static void test_cascade_longest_root(void **state)
{
	struct sides sides = {0};

	(void)state;
	add_direct(&sides, "/old/a", "/new/a");
	add_direct(&sides, "/moved/a", "/new/deep/a");
	add_direct(&sides, "/else/a", "/new-x/a");
	add_baseline(&sides, "/old/deep/b");
	add_baseline(&sides, "/moved/b");
	add_baseline(&sides, "/old/deep/c");
	add_candidate(&sides, "/new/deep/b");
	add_candidate(&sides, "/new/deep/c");
	check_sides(&sides, "/new/deep/b", "/moved/b");
	/* A root that leads to no cgroup claims nothing. */
	check_sides(&sides, "/new/deep/c", "/old/deep/c");
	sides_done(&sides);
}

static void test_cascade_first_root(void **state)
{
	struct sides sides = {0};
	struct rename_map map;

	(void)state;
	add_direct(&sides, "/m/a", "/new/a");
	add_direct(&sides, "/l/b", "/new/b");
	add_direct(&sides, "/n/c", "/new/c");
	add_baseline(&sides, "/m/x");
	add_baseline(&sides, "/n/x");
	add_candidate(&sides, "/new/x");
	check_sides(&sides, "/new/x", "/m/x");
	add_baseline(&sides, "/l/x");
	check_sides(&sides, "/new/x", "/l/x");
	map = rename_lists(&sides.baseline, &sides.candidate);
	assert_int_equal(rename_pair_of(&map, &sides.candidate, "/new/a")->children, 0);
	assert_int_equal(rename_pair_of(&map, &sides.candidate, "/new/b")->children, 1);
	assert_int_equal(rename_pair_of(&map, &sides.candidate, "/new/c")->children, 0);
	rename_map_done(&map);
	sides_done(&sides);
}

/* One of several pairs with the same roots has the children. */
static void test_cascade_children(void **state)
{
	struct sides sides = {0};
	struct rename_map map;

	(void)state;
	add_direct(&sides, "/old/b", "/new/b");
	add_direct(&sides, "/old/a", "/new/a");
	add_direct(&sides, "/old/c", "/new/c");
	add_baseline(&sides, "/old/0");
	add_baseline(&sides, "/old/x");
	add_candidate(&sides, "/new/0");
	add_candidate(&sides, "/new/x");
	map = rename_lists(&sides.baseline, &sides.candidate);
	assert_int_equal(rename_pair_of(&map, &sides.candidate, "/new/a")->children, 2);
	assert_int_equal(rename_pair_of(&map, &sides.candidate, "/new/b")->children, 0);
	assert_int_equal(rename_pair_of(&map, &sides.candidate, "/new/c")->children, 0);
	rename_map_done(&map);
	sides_done(&sides);
}

/* The 64th pair of roots is tried, the next one is not. */
static void test_cascade_limit(void **state)
{
	(void)state;
	for (unsigned last = 63; last <= 64; last++) {
		struct sides sides = {0};
		char old[32], new[32];

		for (unsigned i = 0; i <= last; i++) {
			snprintf(old, sizeof(old), "/old%02u/%u", i, i);
			snprintf(new, sizeof(new), "/new/%u", i);
			add_direct(&sides, old, new);
		}
		snprintf(old, sizeof(old), "/old%02u/x", last);
		add_baseline(&sides, old);
		add_candidate(&sides, "/new/x");
		check_sides(&sides, "/new/x", last < 64 ? old : NULL);
		sides_done(&sides);
	}
}

static bool ends_alike(const struct rename_cgroup *a, size_t a_start, const struct rename_cgroup *b)
{
	size_t len = a->path_len - a_start;

	return len <= b->path_len &&
	       memcmp(a->path + a_start, b->path + b->path_len - len, len) == 0;
}

/* The longest end that begins with a slash and is that of both. */
static void naive_roots(const struct rename_cgroup *a, const struct rename_cgroup *b, size_t *ret_a,
                        size_t *ret_b)
{
	size_t start = 0;

	while (start < a->path_len && (a->path[start] != '/' || !ends_alike(a, start, b)))
		start++;
	*ret_a = start;
	*ret_b = b->path_len - (a->path_len - start);
}

/* Something other than slashes stands behind the first slash. */
static bool is_root(const struct rename_cgroup *cgroup, size_t len)
{
	size_t start = 0;

	while (start < len && cgroup->path[start] != '/')
		start++;
	while (start < len && cgroup->path[start] == '/')
		start++;
	return start < len;
}

struct naive {
	const struct rename_cgroup *moved;
	struct rename_cgroup root; /* of the baseline */
	size_t root_len;           /* of the candidate */
};

/* Takes the place below the roots of a direct pair if it comes before the one that is known. */
static void naive_try(struct naive *naive, const struct rename_list *baseline,
                      const struct rename_cgroup *cgroup, const struct rename_cgroup *a,
                      const struct rename_cgroup *b)
{
	struct strbuf path = STRBUF_INIT;
	struct rename_cgroup root = {.path = b->path};
	const struct rename_cgroup *moved;
	size_t len;

	naive_roots(a, b, &len, &root.path_len);
	if (!is_root(a, len) || !is_root(b, root.path_len) || cgroup->path_len < len ||
	    memcmp(cgroup->path, a->path, len) != 0 ||
	    (cgroup->path_len > len && cgroup->path[len] != '/'))
		return;
	strbuf_add(&path, b->path, root.path_len);
	strbuf_add(&path, cgroup->path + len, cgroup->path_len - len);
	moved = rename_list_find(baseline, path.data, path.len);
	strbuf_done(&path);
	if (!moved || (naive->moved &&
	               (len < naive->root_len ||
	                (len == naive->root_len && rename_path_compare(&root, &naive->root) >= 0))))
		return;
	*naive = (struct naive){moved, root, len};
}

static struct naive naive_cascade(const struct rename_list *baseline,
                                  const struct rename_list *candidate, const struct rename_map *map,
                                  const struct rename_cgroup *cgroup)
{
	struct naive naive = {0};

	for (size_t i = 0; i < map->count; i++)
		if (!map->pairs[i].cascaded)
			naive_try(&naive, baseline, cgroup,
			          &candidate->cgroups[map->pairs[i].candidate],
			          &baseline->cgroups[map->pairs[i].baseline]);
	return naive;
}

static unsigned check_cascades(struct random *random, const struct rename_list *baseline,
                               const struct rename_list *candidate, const struct rename_map *map)
{
	unsigned cascaded = 0;

	for (size_t i = 0; i < candidate->count; i++) {
		const struct rename_pair *pair = rename_map_find(map, i);
		struct naive naive;

		if (candidate->cgroups[i].matched || (pair && !pair->cascaded))
			continue;
		naive = naive_cascade(baseline, candidate, map, &candidate->cgroups[i]);
		check_random(random, (naive.moved != NULL) == (pair != NULL));
		if (!pair)
			continue;
		check_random(random, &baseline->cgroups[pair->baseline] == naive.moved);
		check_random(random, pair->candidate_root_len == naive.root_len);
		check_random(random, pair->baseline_root_len == naive.root.path_len);
		cascaded++;
	}
	return cascaded;
}

/* Against all pairs of roots. */
static void test_cascade_random(void **state)
{
	enum { SEED = 47, ROUNDS = 4000 };
	unsigned cascaded = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct sides sides = {0};
		struct rename_map map;

		rename_list_random(&sides.baseline, &sides.candidate, &random);
		map = rename_lists(&sides.baseline, &sides.candidate);
		cascaded += check_cascades(&random, &sides.baseline, &sides.candidate, &map);
		check_rename_map(&random, &sides.baseline, &sides.candidate, &map);
		rename_map_done(&map);
		sides_done(&sides);
	}
	assert_true(cascaded > ROUNDS / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cascade_pair),
	        cmocka_unit_test(test_cascade_no_types),
	        cmocka_unit_test(test_cascade_boundaries),
	        cmocka_unit_test(test_cascade_own_roots),
	        cmocka_unit_test(test_cascade_no_roots),
	        cmocka_unit_test(test_cascade_versions),
	        cmocka_unit_test(test_cascade_matched),
	        cmocka_unit_test(test_cascade_direct_wins),
	        cmocka_unit_test(test_cascade_longest_root),
	        cmocka_unit_test(test_cascade_first_root),
	        cmocka_unit_test(test_cascade_children),
	        cmocka_unit_test(test_cascade_limit),
	        cmocka_unit_test(test_cascade_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
