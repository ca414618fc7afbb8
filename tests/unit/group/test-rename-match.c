// SPDX-License-Identifier: GPL-2.0-or-later
#include "renames.h"

#include <stdio.h>

static void test_rename_nothing(void **state)
{
	struct rename_list none = {0}, some = {0};
	struct rename_map map = rename_lists(&none, &none);

	(void)state;
	assert_int_equal(map.count, 0);
	assert_null(rename_map_find(&map, 0));
	assert_null(rename_map_find(&map, SIZE_MAX));
	rename_map_done(&map);
	assert_null(rename_map_find(&map, 0));
	rename_map_done(&map);

	rename_list_range(&some, "/a", 0, 20);
	rename_list_range(&some, "/none", 0, 0);
	map = rename_lists(&none, &some);
	assert_int_equal(map.count, 0);
	assert_null(rename_map_find(&map, 0));
	rename_map_done(&map);
	map = rename_lists(&some, &none);
	assert_int_equal(map.count, 0);
	rename_map_done(&map);
	rename_list_done(&some);
}

/* A pair begins at nine tenths, and at ten types. */
static void test_rename_thresholds(void **state)
{
	static const struct {
		uint32_t baseline[2], candidate[2];
		bool is_pair;
	} cases[] = {
	        {{0, 9}, {0, 9}, false},       {{0, 10}, {0, 10}, true},
	        {{0, 11}, {0, 10}, true},      {{0, 10}, {0, 11}, true},
	        {{0, 9}, {0, 10}, false},      {{0, 10}, {0, 9}, false},
	        {{0, 12}, {0, 10}, false},     {{0, 10}, {0, 12}, false},
	        {{0, 11}, {1, 12}, false},     {{0, 19}, {1, 20}, true},
	        {{0, 18}, {1, 19}, false},     {{0, 20}, {0, 18}, true},
	        {{0, 21}, {0, 18}, false},     {{0, 100}, {0, 90}, true},
	        {{0, 100}, {0, 89}, false},    {{10, 100}, {0, 100}, true},
	        {{11, 100}, {0, 100}, false},  {{0, 950}, {50, 1000}, true},
	        {{0, 950}, {51, 1001}, false}, {{0, 30}, {40, 70}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rename_list baseline = {0}, candidate = {0};

		rename_list_range(&baseline, "/old", cases[i].baseline[0], cases[i].baseline[1]);
		rename_list_range(&candidate, "/new", cases[i].candidate[0], cases[i].candidate[1]);
		check_renamed(&baseline, &candidate, "/new", cases[i].is_pair ? "/old" : NULL);
		rename_list_done(&baseline);
		rename_list_done(&candidate);
	}
}

static void test_rename_pair(void **state)
{
	struct rename_list baseline = {0}, candidate = {0};
	const struct rename_pair *pair;
	struct rename_map map;

	(void)state;
	rename_list_range(&baseline, "/other", 50, 80);
	rename_list_range(&baseline, "/old.scope", 0, 19);
	rename_list_range(&candidate, "/new.scope", 1, 20);
	map = rename_lists(&baseline, &candidate);
	assert_int_equal(map.count, 1);
	pair = rename_map_find(&map, 0);
	assert_ptr_equal(pair, &map.pairs[0]);
	assert_null(rename_map_find(&map, 1));
	assert_int_equal(pair->candidate, 0);
	assert_int_equal(pair->baseline, 1);
	assert_int_equal(pair->overlap, 18);
	assert_float_equal(pair->jaccard, 0.9, 1e-12);
	assert_int_equal(pair->candidate_root_len, strlen("/new.scope"));
	assert_int_equal(pair->baseline_root_len, strlen("/old.scope"));
	assert_int_equal(pair->children, 0);
	assert_false(pair->cascaded);
	rename_map_done(&map);
	rename_list_done(&baseline);
	rename_list_done(&candidate);
}

/* Cgroups that have keys on the other side are in no direct pair. */
static void test_rename_matched(void **state)
{
	(void)state;
	for (unsigned matched = 0; matched < 4; matched++) {
		struct rename_list baseline = {0}, candidate = {0};

		rename_list_range(&baseline, "/old", 0, 20)->matched = matched & 1;
		rename_list_range(&candidate, "/new", 0, 20)->matched = matched & 2;
		check_renamed(&baseline, &candidate, "/new", matched == 0 ? "/old" : NULL);
		rename_list_done(&baseline);
		rename_list_done(&candidate);
	}
}

static void test_rename_best(void **state)
{
	struct rename_list baseline = {0}, candidate = {0};

	(void)state;
	rename_list_range(&baseline, "/a", 0, 39);
	rename_list_range(&baseline, "/b", 2, 40);
	rename_list_range(&baseline, "/c", 0, 41);
	rename_list_range(&baseline, "/d", 0, 38);
	rename_list_range(&candidate, "/new", 0, 40);
	rename_list_range(&candidate, "/twin", 0, 40);
	rename_list_range(&candidate, "/less", 1, 38);
	/* 40 of 41 is more than 39 of 40. */
	check_renamed(&baseline, &candidate, "/new", "/c");
	check_renamed(&baseline, &candidate, "/twin", "/c");
	check_renamed(&baseline, &candidate, "/less", "/d");
	rename_list_range(&baseline, "/z", 0, 40);
	check_renamed(&baseline, &candidate, "/new", "/z");
	check_renamed(&baseline, &candidate, "/twin", "/z");
	rename_list_done(&baseline);
	rename_list_done(&candidate);
}

/* Shares that are equal, by the same types and by others, are distinguished by path. */
static void test_rename_ties(void **state)
{
	/* 81 of 90 and 90 of 100 are the same. */
	static const uint32_t ends[] = {81, 100, 81, 100, 100, 81};
	static const char *const paths[] = {"/m", "/n", "/l", "/\xff", "/k", "/k/"};
	struct rename_list baseline = {0}, candidate = {0};

	(void)state;
	rename_list_range(&candidate, "/new", 0, 90);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		static const char *const first[] = {"/m", "/m", "/l", "/l", "/k", "/k"};

		rename_list_range(&baseline, paths[i], 0, ends[i]);
		check_renamed(&baseline, &candidate, "/new", first[i]);
	}
	rename_list_add(&baseline, "/k\0", 3, baseline.cgroups[4].types, 100);
	check_renamed(&baseline, &candidate, "/new", "/k");
	rename_list_range(&baseline, "/", 0, 100);
	check_renamed(&baseline, &candidate, "/new", "/");
	rename_list_done(&baseline);
	rename_list_done(&candidate);
}

/* The baseline cgroup that qualifies with the largest share, from all pairs. */
static const struct rename_cgroup *best_of_all(const struct rename_list *baseline,
                                               const struct rename_cgroup *candidate,
                                               bool *ret_just)
{
	const struct rename_cgroup *best = NULL;
	size_t best_overlap = 0, best_united = 1;

	if (candidate->matched || candidate->type_count < 10)
		return NULL;
	for (size_t i = 0; i < baseline->count; i++) {
		const struct rename_cgroup *cgroup = &baseline->cgroups[i];
		size_t overlap = rename_overlap(candidate, cgroup);
		size_t united = candidate->type_count + cgroup->type_count - overlap;

		if (cgroup->matched || overlap < 10 || overlap * 10 < united * 9)
			continue;
		if (best && (overlap * best_united < best_overlap * united ||
		             (overlap * best_united == best_overlap * united &&
		              rename_path_compare(cgroup, best) > 0)))
			continue;
		best = cgroup;
		best_overlap = overlap;
		best_united = united;
	}
	*ret_just = best && best_overlap * 10 == best_united * 9;
	return best;
}

static bool same_types(const struct rename_cgroup *a, const struct rename_cgroup *b)
{
	return a->type_count == b->type_count &&
	       memcmp(a->types, b->types, a->type_count * sizeof(a->types[0])) == 0;
}

static unsigned direct_pairs_of(const struct rename_map *map, size_t baseline)
{
	unsigned pairs = 0;

	for (size_t i = 0; i < map->count; i++)
		pairs += !map->pairs[i].cascaded && map->pairs[i].baseline == baseline;
	return pairs;
}

/* Nobody shares a partner while another of the same types has none. */
static void check_shared(const struct random *random, const struct rename_list *baseline,
                         const struct rename_map *map)
{
	for (size_t i = 0; i < baseline->count; i++)
		for (size_t j = 0; j < baseline->count && direct_pairs_of(map, i) > 1; j++)
			check_random(random, baseline->cgroups[j].matched ||
			                             !same_types(&baseline->cgroups[i],
			                                         &baseline->cgroups[j]) ||
			                             direct_pairs_of(map, j) > 0);
}

/* Cgroups that hold the same types each keep their own names, whatever stands in front of them. */
static void test_rename_alike(void **state)
{
	struct rename_list baseline = {0}, candidate = {0};
	static const char *const names[] = {"a", "b", "c", "d"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[16];

		snprintf(path, sizeof(path), "/old/%s", names[i]);
		rename_list_range(&baseline, path, 0, 12);
	}
	/* Other names come after those that are the same, in their order; those that are too many share the first. */
	rename_list_range(&candidate, "/new/0", 0, 12);
	rename_list_range(&candidate, "/new/1", 0, 12);
	rename_list_range(&candidate, "/new/b", 0, 12);
	rename_list_range(&candidate, "/new/d", 0, 12);
	check_renamed(&baseline, &candidate, "/new/b", "/old/b");
	check_renamed(&baseline, &candidate, "/new/d", "/old/d");
	check_renamed(&baseline, &candidate, "/new/0", "/old/a");
	check_renamed(&baseline, &candidate, "/new/1", "/old/c");
	rename_list_range(&candidate, "/new/z", 0, 12);
	check_renamed(&baseline, &candidate, "/new/z", "/old/a");
	rename_list_done(&baseline);
	rename_list_done(&candidate);
}

/* Against all pairs of cgroups. */
static void test_rename_random(void **state)
{
	enum { SEED = 45, ROUNDS = 4000 };
	unsigned pairs = 0, just = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct rename_list baseline = {0}, candidate = {0};
		struct rename_map map;

		rename_list_random(&baseline, &candidate, &random);
		map = rename_lists(&baseline, &candidate);
		for (size_t i = 0; i < candidate.count; i++) {
			bool is_just = false;
			const struct rename_cgroup *best =
			        best_of_all(&baseline, &candidate.cgroups[i], &is_just);
			const struct rename_pair *pair = rename_map_find(&map, i);

			check_random(&random, (best != NULL) == (pair && !pair->cascaded));
			check_random(&random,
			             !best || same_types(&baseline.cgroups[pair->baseline], best));
			pairs += best != NULL;
			just += is_just;
		}
		check_rename_map(&random, &baseline, &candidate, &map);
		check_shared(&random, &baseline, &map);
		rename_map_done(&map);
		rename_list_done(&baseline);
		rename_list_done(&candidate);
	}
	/* The cases are worth the time: many pairs, and some that only just are one. */
	assert_true(pairs > ROUNDS);
	assert_true(just > ROUNDS / 100);
}

/* Types as they are on a host: some in nearly every cgroup, most in few. */
static size_t host_types(struct random *random, uint32_t *types, size_t most)
{
	enum { COMMON = 20, ALL = 100000 };
	size_t count = 0, rare = 10 + random_below(random, most - COMMON - 10 + 1);
	uint32_t type = COMMON;

	for (uint32_t i = 0; i < COMMON; i++)
		if (random_chance(random, 90))
			types[count++] = i;
	for (size_t i = 0; i < rare; i++) {
		type += 1 + (uint32_t)random_below(random, ALL / rare - 1);
		types[count++] = type;
	}
	return count;
}

static void test_rename_large(void **state)
{
	enum { SEED = 46, CGROUPS = 10000, TYPES = 50 };
	struct random random = random_start(SEED, 0);
	struct rename_list baseline = {0}, candidate = {0};
	struct rename_map map;

	(void)state;
	for (unsigned i = 0; i < CGROUPS; i++) {
		uint32_t types[TYPES];
		size_t count = host_types(&random, types, TYPES);
		char path[64];

		snprintf(path, sizeof(path), "/old.slice/old-%u.scope", i);
		rename_list_add(&baseline, path, strlen(path), types, count);
		snprintf(path, sizeof(path), "/new.slice/new-%u.scope", i);
		/* One type less is more than nine tenths from eleven on. */
		rename_list_add(&candidate, path, strlen(path), types, count - 1);
	}
	map = rename_lists(&baseline, &candidate);
	assert_int_equal(map.count, CGROUPS);
	for (size_t i = 0; i < map.count; i++)
		assert_int_equal(map.pairs[i].candidate, map.pairs[i].baseline);
	rename_map_done(&map);
	rename_list_done(&baseline);
	rename_list_done(&candidate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_rename_nothing), cmocka_unit_test(test_rename_thresholds),
	        cmocka_unit_test(test_rename_pair),    cmocka_unit_test(test_rename_matched),
	        cmocka_unit_test(test_rename_best),    cmocka_unit_test(test_rename_ties),
	        cmocka_unit_test(test_rename_alike),   cmocka_unit_test(test_rename_random),
	        cmocka_unit_test(test_rename_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
