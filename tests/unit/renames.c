// SPDX-License-Identifier: GPL-2.0-or-later
#include "renames.h"

#include "base/mem.h"

struct rename_side rename_list_side(const struct rename_list *list)
{
	return (struct rename_side){.cgroups = list->cgroups, .count = list->count};
}

void rename_list_done(struct rename_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free((void *)(uintptr_t)list->cgroups[i].path);
		free((void *)(uintptr_t)list->cgroups[i].types);
	}
	free(list->cgroups);
	*list = (struct rename_list){0};
}

struct rename_cgroup *rename_list_add(struct rename_list *list, const char *path, size_t path_len,
                                      const uint32_t *types, size_t type_count)
{
	uint32_t *copy = malloc(type_count ? type_count * sizeof(*copy) : 1);

	assert_non_null(copy);
	if (type_count > 0)
		memcpy(copy, types, type_count * sizeof(*copy));
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 16;
		list->cgroups = mem_realloc(list->cgroups, list->capacity, sizeof(*list->cgroups));
	}
	list->cgroups[list->count] = (struct rename_cgroup){.path = exact_copy(path, path_len),
	                                                    .path_len = path_len,
	                                                    .types = copy,
	                                                    .type_count = type_count};
	return &list->cgroups[list->count++];
}

struct rename_cgroup *rename_list_range(struct rename_list *list, const char *path, uint32_t first,
                                        uint32_t end)
{
	size_t count = end - first;
	uint32_t *types = mem_calloc(count, sizeof(*types));
	struct rename_cgroup *cgroup;

	for (size_t i = 0; i < count; i++)
		types[i] = first + (uint32_t)i;
	cgroup = rename_list_add(list, path, strlen(path), types, count);
	free(types);
	return cgroup;
}

enum { FAMILIES = 8, TYPES = 70, DEPTH = 2 };

/* A few segments that are like one another, at any depth, and some of them no name. */
static void add_segments(struct strbuf *path, struct random *random)
{
	static const struct {
		const char *bytes;
		size_t len;
	} segments[] = {{"a", 1},    {"b", 1}, {"ab", 2},  {"a-b", 3},
	                {"a\0b", 3}, {"", 0},  {"\xff", 1}};
	size_t depth = random_below(random, DEPTH + 1);

	for (size_t i = 0; i < depth; i++) {
		size_t at = random_below(random, ARRAY_SIZE(segments));

		strbuf_add_char(path, '/');
		strbuf_add(path, segments[at].bytes, segments[at].len);
	}
}

/* One of few roots, and behind it the end of a path of the other side, or anything. */
static void random_path(struct random *random, struct strbuf *path, const struct rename_list *other)
{
	static const char *const roots[] = {"/x", "/y", "/x/a", "/y-", "v1:/x", "v1:", ""};
	/* Two for each side in most cases, and others in each round. */
	size_t at = random_chance(random, 10) ? random_below(random, ARRAY_SIZE(roots))
	                                      : random->round + random_below(random, 2);

	if (other)
		at += random->round / ARRAY_SIZE(roots);
	strbuf_add_str(path, roots[at % ARRAY_SIZE(roots)]);
	if (other && other->count > 0 && random_chance(random, 70)) {
		const struct rename_cgroup *like =
		        &other->cgroups[random_below(random, other->count)];
		size_t start = random_below(random, like->path_len + 1);

		while (start < like->path_len && like->path[start] != '/')
			start++;
		strbuf_add(path, like->path + start, like->path_len - start);
	} else {
		add_segments(path, random);
	}
}

/* Like one of the families, the same one for paths that end alike, and now and then less of it than can be paired. */
static size_t random_types(struct random *random, const struct strbuf *path,
                           bool families[FAMILIES][TYPES], uint32_t types[TYPES])
{
	unsigned char last = path->len > 0 ? (unsigned char)path->data[path->len - 1] : 0;
	const bool *family = families[random_chance(random, 80) ? last % FAMILIES
	                                                        : random_below(random, FAMILIES)];
	unsigned percent = (unsigned)random_below(random, 4) * 2;
	size_t count = 0;

	for (uint32_t i = 0; i < TYPES; i++)
		if (family[i] != random_chance(random, percent))
			types[count++] = i;
	return random_chance(random, 40) ? count / 4 : count;
}

static void add_random(struct rename_list *list, const struct rename_list *other,
                       struct random *random, bool families[FAMILIES][TYPES])
{
	struct strbuf path = STRBUF_INIT;
	uint32_t types[TYPES];
	size_t count;

	random_path(random, &path, other);
	count = random_types(random, &path, families, types);
	if (!rename_list_find(list, strbuf_str(&path), path.len))
		rename_list_add(list, strbuf_str(&path), path.len, types, count)->matched =
		        random_chance(random, 10);
	strbuf_done(&path);
}

void rename_list_random(struct rename_list *baseline, struct rename_list *candidate,
                        struct random *random)
{
	bool families[FAMILIES][TYPES];
	size_t baselines = random_below(random, 60), candidates = random_below(random, 60);

	for (size_t i = 0; i < FAMILIES; i++) {
		unsigned percent = 5 + (unsigned)random_below(random, 60);

		for (size_t j = 0; j < TYPES; j++)
			families[i][j] = random_chance(random, percent);
	}
	for (size_t i = 0; i < baselines; i++)
		add_random(baseline, NULL, random, families);
	for (size_t i = 0; i < candidates; i++)
		add_random(candidate, baseline, random, families);
}

struct rename_map rename_lists(const struct rename_list *baseline,
                               const struct rename_list *candidate)
{
	struct rename_side sides[] = {rename_list_side(baseline), rename_list_side(candidate)};
	struct rename_map map = RENAME_MAP_INIT;

	rename_match(&sides[0], &sides[1], &map);
	return map;
}

int rename_path_compare(const struct rename_cgroup *a, const struct rename_cgroup *b)
{
	for (size_t i = 0; i < a->path_len && i < b->path_len; i++)
		if (a->path[i] != b->path[i])
			return (unsigned char)a->path[i] - (unsigned char)b->path[i];
	return (a->path_len > b->path_len) - (a->path_len < b->path_len);
}

const struct rename_cgroup *rename_list_find(const struct rename_list *list, const char *path,
                                             size_t path_len)
{
	const struct rename_cgroup wanted = {.path = path, .path_len = path_len};

	for (size_t i = 0; i < list->count; i++)
		if (rename_path_compare(&list->cgroups[i], &wanted) == 0)
			return &list->cgroups[i];
	return NULL;
}

size_t rename_overlap(const struct rename_cgroup *a, const struct rename_cgroup *b)
{
	size_t overlap = 0;

	for (size_t i = 0; i < a->type_count; i++)
		for (size_t j = 0; j < b->type_count; j++)
			overlap += a->types[i] == b->types[j];
	return overlap;
}

const struct rename_pair *rename_pair_of(const struct rename_map *map,
                                         const struct rename_list *candidate, const char *path)
{
	const struct rename_cgroup *cgroup = rename_list_find(candidate, path, strlen(path));

	assert_non_null(cgroup);
	return rename_map_find(map, (size_t)(cgroup - candidate->cgroups));
}

void check_renamed(const struct rename_list *baseline, const struct rename_list *candidate,
                   const char *path, const char *expected)
{
	struct rename_map map = rename_lists(baseline, candidate);
	const struct rename_pair *pair = rename_pair_of(&map, candidate, path);

	if (!expected && pair)
		fail_msg("%s has a pair", path);
	if (expected && !pair)
		fail_msg("%s has no pair", path);
	if (expected) {
		const struct rename_cgroup *cgroup = &baseline->cgroups[pair->baseline];

		assert_int_equal(cgroup->path_len, strlen(expected));
		assert_memory_equal(cgroup->path, expected, cgroup->path_len);
	}
	rename_map_done(&map);
}

static bool same_pair(const struct rename_pair *a, const struct rename_pair *b)
{
	return a->candidate == b->candidate && a->baseline == b->baseline &&
	       a->candidate_root_len == b->candidate_root_len &&
	       a->baseline_root_len == b->baseline_root_len && a->overlap == b->overlap &&
	       !(a->jaccard < b->jaccard) && !(a->jaccard > b->jaccard) &&
	       a->children == b->children && a->cascaded == b->cascaded;
}

static struct rename_side shuffled(const struct rename_list *list, struct random *random,
                                   size_t **ret_order)
{
	struct rename_cgroup *cgroups = mem_calloc(list->count, sizeof(*cgroups));

	*ret_order = mem_calloc(list->count, sizeof(**ret_order));
	random_shuffle(random, *ret_order, list->count);
	for (size_t i = 0; i < list->count; i++)
		cgroups[i] = list->cgroups[(*ret_order)[i]];
	return (struct rename_side){.cgroups = cgroups, .count = list->count};
}

static void check_order(struct random *random, const struct rename_list *baseline,
                        const struct rename_list *candidate, const struct rename_map *map)
{
	size_t *baseline_order, *candidate_order;
	struct rename_side baseline_side = shuffled(baseline, random, &baseline_order);
	struct rename_side candidate_side = shuffled(candidate, random, &candidate_order);
	struct rename_map again;

	rename_match(&baseline_side, &candidate_side, &again);
	check_random(random, again.count == map->count);
	for (size_t i = 0; i < again.count; i++) {
		struct rename_pair pair = again.pairs[i];

		pair.candidate = candidate_order[pair.candidate];
		pair.baseline = baseline_order[pair.baseline];
		check_random(random, same_pair(&pair, &map->pairs[i]));
	}
	rename_map_done(&again);
	free((void *)(uintptr_t)baseline_side.cgroups);
	free((void *)(uintptr_t)candidate_side.cgroups);
	free(baseline_order);
	free(candidate_order);
}

void check_rename_map(struct random *random, const struct rename_list *baseline,
                      const struct rename_list *candidate, const struct rename_map *map)
{
	size_t found = 0, cascaded = 0, children = 0;

	for (size_t i = 0; i < map->count; i++) {
		const struct rename_pair *pair = &map->pairs[i];
		const struct rename_cgroup *a = &candidate->cgroups[pair->candidate];
		const struct rename_cgroup *b = &baseline->cgroups[pair->baseline];
		size_t overlap = rename_overlap(a, b);
		size_t united = a->type_count + b->type_count - overlap;

		check_random(random, !a->matched);
		check_random(random,
		             i == 0 || rename_path_compare(&candidate->cgroups[pair[-1].candidate],
		                                           a) < 0);
		check_random(random, pair->overlap == overlap);
		check_random(random, (size_t)(pair->jaccard * (double)united + 0.5) == overlap);
		check_random(random, pair->candidate_root_len <= a->path_len);
		check_random(random, a->path_len - pair->candidate_root_len ==
		                             b->path_len - pair->baseline_root_len);
		check_random(random, memcmp(a->path + pair->candidate_root_len,
		                            b->path + pair->baseline_root_len,
		                            a->path_len - pair->candidate_root_len) == 0);
		cascaded += pair->cascaded;
		children += pair->children;
		check_random(random, !pair->cascaded || pair->children == 0);
	}
	check_random(random, cascaded == children);
	for (size_t i = 0; i <= candidate->count; i++) {
		const struct rename_pair *pair = rename_map_find(map, i);

		check_random(random, !pair || pair->candidate == i);
		found += pair != NULL;
	}
	check_random(random, found == map->count);
	check_order(random, baseline, candidate, map);
}
