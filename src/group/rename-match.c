// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/rename-match.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rename-cascade.h"

/* Direct pairs are a set-similarity join with prefix filtering. Two sets that share nine tenths of their types, sorted
 * alike, have a type in common within the first tenth of each, or else too few are left. With the rarest types first,
 * it is in few other sets, so an index of these first types finds all pairs that can qualify, and few others. Types
 * that are in every set are never used. */

/* The conditions of a pair. Two sets of ten types or more cannot reach the share with less than ten in common. */
enum { TYPES_MIN = 10, SHARE_OVER = 9, SHARE_UNDER = 10 };

/* The types of a cgroup that can be half of a direct pair. */
struct type_set {
	const struct rename_cgroup *cgroup;
	size_t place;          /* of its path among those of its side */
	const uint32_t *ranks; /* its types by their rank, ascending; borrowed */
	size_t count;
	size_t alike; /* sets of the same types; in the one that represents them, after drop_doubles() */
	size_t first; /* the place of these in set_list.all */
};

struct set_list {
	struct type_set *sets; /* in the order of by_types() */
	size_t count;
	struct type_set *all; /* doubles too, behind drop_doubles() */
	uint32_t *ranks;      /* of all sets */
};

/* A set that has the type among its first ones. */
struct posting {
	uint32_t set;
	uint32_t position;
};

struct type_index {
	size_t *starts; /* for each rank, and one more: where its postings begin */
	struct posting *postings;
};

/* The best set so far, or the share that a set must reach. The share is overlap by united. */
struct best_set {
	const struct type_set *set;
	uint64_t overlap;
	uint64_t united;
};

static const struct rename_cgroup **sort_by_path(const struct rename_side *side)
{
	const struct rename_cgroup **sorted = mem_calloc(side->count, sizeof(*sorted));

	for (size_t i = 0; i < side->count; i++)
		sorted[i] = &side->cgroups[i];
	qsort(sorted, side->count, sizeof(*sorted), rename_by_path);
	return sorted;
}

static bool is_eligible(const struct rename_cgroup *cgroup)
{
	return !cgroup->matched && cgroup->type_count >= TYPES_MIN;
}

/* Returns the number of types, by the largest one. */
static size_t count_types(const struct rename_side *side)
{
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++) {
		const struct rename_cgroup *cgroup = &side->cgroups[i];

		if (is_eligible(cgroup) && cgroup->types[cgroup->type_count - 1] >= count)
			count = (size_t)cgroup->types[cgroup->type_count - 1] + 1;
	}
	return count;
}

static void count_uses(const struct rename_side *side, uint64_t *uses)
{
	for (size_t i = 0; i < side->count; i++)
		if (is_eligible(&side->cgroups[i]))
			for (size_t j = 0; j < side->cgroups[i].type_count; j++)
				uses[side->cgroups[i].types[j]]++;
}

static int by_number_64(const void *a, const void *b)
{
	uint64_t number_a = *(const uint64_t *)a, number_b = *(const uint64_t *)b;

	return (number_a > number_b) - (number_a < number_b);
}

static int by_number_32(const void *a, const void *b)
{
	uint32_t number_a = *(const uint32_t *)a, number_b = *(const uint32_t *)b;

	return (number_a > number_b) - (number_a < number_b);
}

/* Computes the rank of each type, the rarest first. The caller frees it. */
static uint32_t *rank_types(const struct rename_work *work, size_t types)
{
	cleanup_(mem_freep) uint64_t *uses = mem_calloc(types, sizeof(*uses));
	uint32_t *ranks = mem_calloc(types, sizeof(*ranks));

	count_uses(work->baseline, uses);
	count_uses(work->candidate, uses);
	for (size_t i = 0; i < types; i++)
		uses[i] = uses[i] << 32 | i;
	qsort(uses, types, sizeof(*uses), by_number_64);
	for (size_t i = 0; i < types; i++)
		ranks[uses[i] & UINT32_MAX] = (uint32_t)i;
	return ranks;
}

static int compare_types(const struct type_set *a, const struct type_set *b)
{
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return memcmp(a->ranks, b->ranks, a->count * sizeof(a->ranks[0]));
}

/* Sorts sets of the same types together, the alphabetically first one in front. */
static int by_types(const void *a, const void *b)
{
	const struct type_set *set_a = a, *set_b = b;
	int order = compare_types(set_a, set_b);

	return order != 0 ? order : (set_a->place > set_b->place) - (set_a->place < set_b->place);
}

static void list_sets(struct set_list *list, const struct rename_cgroup *const *by_path,
                      size_t cgroups, const uint32_t *ranks)
{
	size_t total = 0;
	uint32_t *end;

	for (size_t i = 0; i < cgroups; i++)
		if (is_eligible(by_path[i]))
			total += by_path[i]->type_count;
	list->sets = mem_calloc(cgroups, sizeof(list->sets[0]));
	list->ranks = end = mem_calloc(total, sizeof(*end));
	for (size_t i = 0; i < cgroups; i++) {
		const struct rename_cgroup *cgroup = by_path[i];

		if (!is_eligible(cgroup))
			continue;
		for (size_t j = 0; j < cgroup->type_count; j++)
			end[j] = ranks[cgroup->types[j]];
		qsort(end, cgroup->type_count, sizeof(*end), by_number_32);
		list->sets[list->count++] = (struct type_set){
		        .cgroup = cgroup, .place = i, .ranks = end, .count = cgroup->type_count};
		end += cgroup->type_count;
	}
	qsort(list->sets, list->count, sizeof(list->sets[0]), by_types);
}

/* Keeps the alphabetically first one of the sets with the same types. */
static void drop_doubles(struct set_list *list)
{
	size_t count = 0;

	list->all = mem_calloc(list->count, sizeof(list->all[0]));
	if (list->count > 0)
		memcpy(list->all, list->sets, list->count * sizeof(list->all[0]));
	for (size_t i = 0; i < list->count; i++) {
		if (count == 0 || compare_types(&list->sets[i], &list->sets[count - 1]) != 0) {
			list->sets[count] = list->sets[i];
			list->sets[count++].first = i;
		}
		list->sets[count - 1].alike++;
	}
	list->count = count;
}

static void list_done(struct set_list *list)
{
	free(list->sets);
	free(list->all);
	free(list->ranks);
}

/* Returns a number of first types. A set that reaches the best share has one of these, or too few are left to have in
 * common. */
static size_t prefix_len(size_t count, const struct best_set *best)
{
	uint64_t needed = (count * best->overlap + best->united - 1) / best->united;

	return count - (size_t)needed + 1;
}

static void index_build(struct type_index *index, const struct set_list *list, size_t types)
{
	const struct best_set least = {.overlap = SHARE_OVER, .united = SHARE_UNDER};
	size_t total = 0;

	/* The counts are two places behind the rank, so the sums are one place too far on. Filling moves each from the
	 * begin of its postings to their end, which is the begin of the next rank's. */
	index->starts = mem_calloc(types + 2, sizeof(index->starts[0]));
	for (size_t i = 0; i < list->count; i++) {
		size_t prefix = prefix_len(list->sets[i].count, &least);

		for (size_t j = 0; j < prefix; j++)
			index->starts[list->sets[i].ranks[j] + 2]++;
		total += prefix;
	}
	for (size_t i = 2; i < types + 2; i++)
		index->starts[i] += index->starts[i - 1];
	index->postings = mem_calloc(total, sizeof(index->postings[0]));
	for (size_t i = 0; i < list->count; i++) {
		size_t prefix = prefix_len(list->sets[i].count, &least);

		for (size_t j = 0; j < prefix; j++) {
			size_t *end = &index->starts[list->sets[i].ranks[j] + 1];

			index->postings[(*end)++] =
			        (struct posting){.set = (uint32_t)i, .position = (uint32_t)j};
		}
	}
}

static void index_done(struct type_index *index)
{
	free(index->starts);
	free(index->postings);
}

static bool is_better(const struct best_set *best, const struct type_set *set, uint64_t overlap,
                      uint64_t united)
{
	uint64_t here = overlap * best->united, there = best->overlap * united;

	return here > there || (here == there && (!best->set || set->place < best->set->place));
}

/* Returns how many types two sets have in common from these places on; any number below @needed if there are fewer than
 * that. */
static size_t count_common(const struct type_set *a, size_t i, const struct type_set *b, size_t j,
                           size_t needed)
{
	size_t common = 0, spare;

	if (a->count - i < needed || b->count - j < needed)
		return 0;
	spare = a->count - i - needed + (b->count - j - needed);
	while (i < a->count && j < b->count) {
		uint32_t rank_a = a->ranks[i], rank_b = b->ranks[j];

		/* Only one of the two sets has this type. */
		if (rank_a != rank_b && spare-- == 0)
			return 0;
		common += rank_a == rank_b;
		i += rank_a <= rank_b;
		j += rank_b <= rank_a;
	}
	return common;
}

/* Compares with a set whose first type in common with @wanted is at these places. */
static void try_set(struct best_set *best, const struct type_set *wanted, size_t i,
                    const struct type_set *set, size_t j)
{
	size_t both = wanted->count + set->count;
	size_t left_wanted = wanted->count - i, left_set = set->count - j;
	size_t common = left_wanted < left_set ? left_wanted : left_set;
	uint64_t parts = best->overlap + best->united;

	if (!is_better(best, set, common, both - common))
		return;
	common = count_common(wanted, i, set, j,
	                      (size_t)((both * best->overlap + parts - 1) / parts));
	if (is_better(best, set, common, both - common))
		*best = (struct best_set){set, common, both - common};
}

/* Finds the best set. @tried has the last search that tried each set of the list; @number is the number of this
 * search. */
static struct best_set find_best(const struct set_list *list, const struct type_index *index,
                                 const struct type_set *wanted, size_t *tried, size_t number)
{
	struct best_set best = {.overlap = SHARE_OVER, .united = SHARE_UNDER};

	/* The better the best set, the earlier another one must have a type in common. */
	for (size_t i = 0; i < prefix_len(wanted->count, &best); i++) {
		size_t end = index->starts[wanted->ranks[i] + 1];

		for (size_t at = index->starts[wanted->ranks[i]]; at < end; at++) {
			const struct posting *posting = &index->postings[at];

			if (tried[posting->set] == number)
				continue;
			tried[posting->set] = number;
			try_set(&best, wanted, i, &list->sets[posting->set], posting->position);
		}
	}
	return best;
}

static void add_pair(struct rename_work *work, const struct type_set *set,
                     const struct rename_cgroup *partner, const struct best_set *best)
{
	size_t candidate = (size_t)(set->cgroup - work->candidate->cgroups);

	work->paired[candidate] = true;
	work->pairs[candidate] =
	        (struct rename_pair){.candidate = candidate,
	                             .baseline = (size_t)(partner - work->baseline->cgroups),
	                             .overlap = (size_t)best->overlap,
	                             .jaccard = (double)best->overlap / (double)best->united};
}

/* Returns how many whole segments at the end are the same in two paths. */
static size_t common_tail(const struct rename_cgroup *a, const struct rename_cgroup *b)
{
	size_t i = a->path_len, j = b->path_len, segments = 0;

	while (i > 0 && j > 0 && a->path[i - 1] == b->path[j - 1]) {
		segments += a->path[i - 1] == '/';
		i--;
		j--;
	}
	return segments;
}

/* Candidates of the same types, and the cgroups of the baseline that fit all of them equally well. */
struct alike {
	const struct type_set *candidates, *partners;
	size_t candidate_count, partner_count;
	bool *used; /* by index of the baseline's cgroup: is half of a pair */
	const struct best_set *best;
};

static bool is_used(const struct rename_work *work, const struct alike *alike, size_t partner)
{
	return alike->used[alike->partners[partner].cgroup - work->baseline->cgroups];
}

/* Returns the free partner that shares the longest end of its path with the candidate's, the alphabetically first of
 * several. Returns the count if none shares an end. */
static size_t find_partner(const struct rename_work *work, const struct alike *alike,
                           const struct type_set *set)
{
	size_t found = alike->partner_count, longest = 0;

	for (size_t i = 0; i < alike->partner_count; i++) {
		size_t tail;

		if (is_used(work, alike, i))
			continue;
		tail = common_tail(set->cgroup, alike->partners[i].cgroup);
		if (tail > longest) {
			longest = tail;
			found = i;
		}
	}
	return found;
}

/* Returns whether the ends of all paths can be compared: of all cgroups together, that may take so many bytes. Paths of 4 KiB may end
 * alike. More instances are all treated alike. */
static bool takes_compare(struct rename_work *work, const struct alike *alike)
{
	enum { COMPARED_BYTES_MAX = 1 << 28 };
	uint64_t bytes = 0;

	for (size_t i = 0; i < alike->candidate_count; i++)
		saturating_add_to(&bytes, alike->candidates[i].cgroup->path_len);
	bytes = saturating_multiply(bytes, alike->partner_count);
	if (bytes > COMPARED_BYTES_MAX - work->compared_bytes)
		return false;
	work->compared_bytes += bytes;
	return true;
}

/* Gives each candidate a partner of its own as far as there are enough: first those whose paths end alike, then the
 * others in the order of their paths. The rest share the first one. */
static void pair_alike(struct rename_work *work, const struct alike *alike)
{
	bool compares = takes_compare(work, alike);
	size_t next = 0;

	for (unsigned round = compares ? 0 : 1; round < 2; round++)
		for (size_t i = 0; i < alike->candidate_count; i++) {
			const struct type_set *set = &alike->candidates[i];
			size_t partner;

			if (work->paired[set->cgroup - work->candidate->cgroups])
				continue;
			if (round == 0) {
				partner = find_partner(work, alike, set);
			} else {
				while (next < alike->partner_count && is_used(work, alike, next))
					next++;
				partner = next;
			}
			if (partner == alike->partner_count && round == 0)
				continue;
			if (partner == alike->partner_count)
				partner = 0;
			alike->used[alike->partners[partner].cgroup - work->baseline->cgroups] =
			        true;
			add_pair(work, set, alike->partners[partner].cgroup, alike->best);
		}
}

static void find_direct(struct rename_work *work)
{
	size_t types_baseline = count_types(work->baseline);
	size_t types_candidate = count_types(work->candidate);
	size_t types = types_baseline > types_candidate ? types_baseline : types_candidate;
	cleanup_(mem_freep) uint32_t *ranks = rank_types(work, types);
	cleanup_(mem_freep) size_t *tried = NULL;
	cleanup_(list_done) struct set_list baseline = {0}, candidate = {0};
	cleanup_(index_done) struct type_index index = {0};
	cleanup_(mem_freep) bool *used = NULL;

	list_sets(&baseline, work->baseline_by_path, work->baseline->count, ranks);
	drop_doubles(&baseline);
	list_sets(&candidate, work->candidate_by_path, work->candidate->count, ranks);
	index_build(&index, &baseline, types);
	tried = mem_calloc(baseline.count, sizeof(*tried));
	used = mem_calloc(work->baseline->count, sizeof(*used));
	for (size_t i = 0, end; i < candidate.count; i = end) {
		const struct type_set *set = &candidate.sets[i];
		struct best_set best = find_best(&baseline, &index, set, tried, i + 1);

		for (end = i + 1; end < candidate.count; end++)
			if (compare_types(&candidate.sets[end], set) != 0)
				break;
		if (best.set)
			pair_alike(work, &(struct alike){.candidates = set,
			                                 .candidate_count = end - i,
			                                 .partners = &baseline.all[best.set->first],
			                                 .partner_count = best.set->alike,
			                                 .used = used,
			                                 .best = &best});
	}
}

void rename_match(const struct rename_side *baseline, const struct rename_side *candidate,
                  struct rename_map *ret)
{
	struct rename_work work = {.baseline = baseline, .candidate = candidate};
	struct rename_map map = {.candidate_count = candidate->count};

	work.baseline_by_path = sort_by_path(baseline);
	work.candidate_by_path = sort_by_path(candidate);
	work.pairs = mem_calloc(candidate->count, sizeof(work.pairs[0]));
	work.paired = mem_calloc(candidate->count, sizeof(work.paired[0]));
	find_direct(&work);
	rename_cascade(&work);

	map.pairs = mem_calloc(candidate->count, sizeof(map.pairs[0]));
	map.places = mem_calloc(candidate->count, sizeof(map.places[0]));
	for (size_t i = 0; i < candidate->count; i++) {
		size_t at = (size_t)(work.candidate_by_path[i] - candidate->cgroups);

		if (work.paired[at]) {
			map.pairs[map.count++] = work.pairs[at];
			map.places[at] = map.count;
		}
	}
	free(work.baseline_by_path);
	free(work.candidate_by_path);
	free(work.pairs);
	free(work.paired);
	*ret = map;
}

const struct rename_pair *rename_map_find(const struct rename_map *map, size_t candidate)
{
	if (candidate >= map->candidate_count || map->places[candidate] == 0)
		return NULL;
	return &map->pairs[map->places[candidate] - 1];
}

void rename_map_done(struct rename_map *map)
{
	free(map->pairs);
	free(map->places);
	*map = RENAME_MAP_INIT;
}
