// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-match.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "group/group-pack.h"
#include "row-carried.h"
#include "row-ended-names.h"
#include "row-pairs.h"
#include "row-rename.h"
#include "row-unread.h"

/* Longer than a thread's name can be, so that no thread can pass for it. */
static const char exited_label[] = "(exited threads)";

/* The state of the matching. */
struct matching {
	struct row_set *set;
	struct row_pairs pairs;
	bool keeps_patterns, unread_differs;
	bool *carried; /* groups of the first table that go on under another name; owned, or NULL */
	const char **labels[SIDE_MAX][GROUP_KEYS_MAX]; /* of names, by number; the array is owned */
};

static const char *keep_label(struct row_set *set, const struct strbuf *text)
{
	char **label = array_add(set->labels, set->label_count, set->label_capacity);

	return *label = mem_copy(strbuf_str(text), text->len);
}

/* Returns the label of a name, the same for both sides. */
static const char *label_of(struct matching *matching, unsigned side, unsigned key, uint32_t number)
{
	const struct row_pairs *pairs = &matching->pairs;
	const struct key_names *names[SIDE_MAX] = {NULL};
	const struct strmap_entry *entry = &pairs->tables[side]->names[key].map.entries[number];
	struct span shown;
	const char **label = &matching->labels[side][key][number];
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	uint32_t other;

	if (*label)
		return *label;
	for (unsigned i = 0; i < matching->set->sides; i++)
		names[i] = &pairs->tables[i]->names[key];
	shown = key_names_shown(names, matching->set->sides,
	                        (struct span){entry->key, entry->key_len});
	text_add_escaped(&text, shown.text, shown.len);
	*label = keep_label(matching->set, &text);
	other = matching->set->sides == SIDE_MAX ? pairs->elsewhere[side][key][number] : NO_PLACE;
	if (other != NO_PLACE)
		matching->labels[!side][key][other] = *label;
	return *label;
}

/* Returns the patterns of all names. Text that is escaped has no control characters but those in between. */
static const char *pattern_of(struct matching *matching, unsigned side,
                              const struct strmap_entry *entry)
{
	const struct group_table *table = matching->pairs.tables[side];
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (unsigned key = 0; key < table->by.count; key++) {
		struct span pattern = group_table_pattern(table, entry, key);

		if (key > 0)
			strbuf_add_char(&text, '\x1f');
		text_add_escaped(&text, pattern.text, pattern.len);
	}
	return keep_label(matching->set, &text);
}

/* Fills in what the group is called, going by one side's names. */
static void name_group(struct matching *matching, struct row_group *group, unsigned side,
                       const struct strmap_entry *entry)
{
	const struct group_by *by = &matching->set->by;
	cleanup_(strbuf_done) struct strbuf label = STRBUF_INIT;

	for (unsigned key = 0; key < by->count; key++) {
		group->parts[key] = label_of(matching, side, key, row_pairs_number(entry, key));
		strbuf_addf(&label, "%s%s", key > 0 ? " / " : "", group->parts[key]);
	}
	group->label = mem_copy(strbuf_str(&label), label.len);
	if (matching->keeps_patterns)
		group->pattern = pattern_of(matching, side, entry);
}

struct group_list {
	struct row_group *groups;
	size_t count;
	size_t capacity;
};

static void add_group(struct group_list *list, struct row_group group)
{
	*array_add(list->groups, list->count, list->capacity) = group;
}

static int by_label(const void *a, const void *b)
{
	const struct row_group *group_a = a, *group_b = b;

	int order = strcmp(group_a->label, group_b->label);

	/* Names that hold what separates them may make one label of two. */
	for (unsigned i = 0; order == 0 && i < GROUP_KEYS_MAX; i++)
		if (group_a->parts[i] && group_b->parts[i])
			order = strcmp(group_a->parts[i], group_b->parts[i]);
	return order;
}

static uint64_t run_time(const struct row_group *group)
{
	const struct group *side = group->sides[SIDE_BASELINE] ? group->sides[SIDE_BASELINE]
	                                                       : group->sides[SIDE_CANDIDATE];

	struct fold_cell cell = group_number(side, METRIC_run_time_ns);

	return cell.seen > 0 ? fold_number_capped(cell.number) : 0;
}

static int by_run_time(const void *a, const void *b)
{
	uint64_t time_a = run_time(a), time_b = run_time(b);

	if (time_a != time_b)
		return time_a < time_b ? 1 : -1;
	return by_label(a, b);
}

static void sort_groups(struct group_list *list, int (*compare)(const void *, const void *))
{
	if (list->count > 0)
		qsort(list->groups, list->count, sizeof(list->groups[0]), compare);
}

/* Returns a group with the CPU time of all threads of the host, less that of the threads in the snapshot. */
static struct group *exited_group(const struct row_cpu_time *cpu_time,
                                  const struct fold_cell totals[METRIC_COUNT])
{
	const struct fold_cell *user = &totals[METRIC_utime_clock_ticks];
	const struct fold_cell *system = &totals[METRIC_stime_clock_ticks];
	struct group *group;

	/* The two are sampled in different ways; a difference below zero says nothing. */
	if (!cpu_time->seen || user->seen == 0 || system->seen == 0 ||
	    cpu_time->user_clock_ticks < user->number ||
	    cpu_time->system_clock_ticks < system->number)
		return NULL;
	group = mem_calloc(1, sizeof(*group));
	group_open(group);
	group->cells[METRIC_utime_clock_ticks].number = cpu_time->user_clock_ticks - user->number;
	group->cells[METRIC_utime_clock_ticks].seen = 1;
	group->cells[METRIC_stime_clock_ticks].number =
	        cpu_time->system_clock_ticks - system->number;
	group->cells[METRIC_stime_clock_ticks].seen = 1;
	return group;
}

static void add_exited(struct row_set *set, struct group_list *matched,
                       const struct row_cpu_time *cpu_times)
{
	struct row_group group = {.exited = true};

	for (unsigned side = 0; side < set->sides; side++) {
		set->exited[side] = exited_group(&cpu_times[side], set->totals[side]->cells);
		if (!set->exited[side])
			return;
		group.sides[side] = set->exited[side];
	}
	group.label = mem_copy_text(exited_label);
	add_group(matched, group);
}

static struct group *group_at(const struct row_pairs *pairs, unsigned side, uint32_t place)
{
	return pairs->tables[side]->map.entries[place].value;
}

/* The sources of which both sides of a pair have the totals of the same processes, and those of the others that one of
 * them has any totals of. */
static unsigned comparable_sources(const struct row_pairs *pairs, uint32_t baseline,
                                   unsigned *ret_left_out)
{
	const struct group *group = group_at(pairs, SIDE_BASELINE, baseline);
	struct group sum = {0};
	unsigned sources;

	for (uint32_t i = pairs->first[baseline]; i != NO_PLACE; i = pairs->next[i]) {
		const struct group *candidate = group_at(pairs, SIDE_CANDIDATE, i);

		sum.known |= candidate->known;
		for (unsigned source = 0; source < PROCESS_SOURCE_COUNT; source++)
			sum.unknown[source] += candidate->unknown[source];
	}
	sources = group_comparable_sources(group, &sum);
	*ret_left_out = ~sources & (group_known_sources(group) | group_known_sources(&sum));
	return sources;
}

/* Exited threads have rows of their own in a window. The rest of a process's work belongs to that window alone, not to the
 * other one. */
static bool is_window(const struct row_pairs *pairs)
{
	return group_table_frame(pairs->tables[SIDE_BASELINE]).kind == KIND_window;
}

static void include_exited(const struct row_pairs *pairs, unsigned sides)
{
	const unsigned all = (1u << PROCESS_SOURCE_COUNT) - 1;
	bool window = is_window(pairs);

	for (uint32_t b = 0; b < pairs->tables[SIDE_BASELINE]->map.count; b++) {
		bool compared = pairs->first[b] != NO_PLACE && !window;
		unsigned left_out = 0;
		unsigned sources = compared ? comparable_sources(pairs, b, &left_out) : all;

		group_include_exited(pairs->tables[SIDE_BASELINE],
		                     group_at(pairs, SIDE_BASELINE, b), sources, left_out);
		for (uint32_t c = pairs->first[b]; c != NO_PLACE; c = pairs->next[c])
			group_include_exited(pairs->tables[SIDE_CANDIDATE],
			                     group_at(pairs, SIDE_CANDIDATE, c), sources, left_out);
	}
	for (uint32_t c = 0; sides == SIDE_MAX && c < pairs->tables[SIDE_CANDIDATE]->map.count; c++)
		if (pairs->to_baseline[c] == NO_PLACE)
			group_include_exited(pairs->tables[SIDE_CANDIDATE],
			                     group_at(pairs, SIDE_CANDIDATE, c), all, 0);
}

/* The label of the candidate's cgroup where that is not the baseline's, else NULL. */
static const char *other_cgroup(struct matching *matching, uint32_t baseline, uint32_t candidate)
{
	const struct row_pairs *pairs = &matching->pairs;
	const struct group_by *by = &matching->set->by;
	const struct strmap_entry *entries[SIDE_MAX] = {
	        &pairs->tables[SIDE_BASELINE]->map.entries[baseline],
	        &pairs->tables[SIDE_CANDIDATE]->map.entries[candidate]};

	for (unsigned key = 0; key < by->count; key++) {
		uint32_t number = row_pairs_number(entries[SIDE_CANDIDATE], key);

		if (by->keys[key] == GROUP_KEY_cgroup &&
		    pairs->elsewhere[SIDE_CANDIDATE][key][number] !=
		            row_pairs_number(entries[SIDE_BASELINE], key))
			return label_of(matching, SIDE_CANDIDATE, key, number);
	}
	return NULL;
}

/* Returns the candidate's name of a cgroup that was renamed, the alphabetically first one of several, or
 * NULL. */
static const char *renamed_to(struct matching *matching, uint32_t baseline)
{
	const struct row_pairs *pairs = &matching->pairs;
	const char *first = NULL;

	for (uint32_t i = pairs->first[baseline]; i != NO_PLACE; i = pairs->next[i]) {
		const char *label = other_cgroup(matching, baseline, i);

		if (label && (!first || strcmp(label, first) < 0))
			first = label;
	}
	return first;
}

/* Groups of one table, put together where there are several. */
struct joint {
	struct row_set *set;
	struct group *only, *merged;
};

static void add_to_joint(struct joint *joint, struct group *group)
{
	struct row_set *set = joint->set;

	if (!group)
		return;
	if (joint->only && !joint->merged) {
		joint->merged = mem_calloc(1, sizeof(*joint->merged));
		*array_add(set->merged, set->merged_count, set->merged_capacity) = joint->merged;
		group_merge(joint->merged, joint->only, set->spread_count);
	}
	if (joint->merged)
		group_merge(joint->merged, group, set->spread_count);
	joint->only = group;
}

/* Returns the sum of a baseline group's rows in the window between the sides. The window has its threads under the candidate's
 * names, and those that left without a record under the baseline's. */
static const struct group *interval_of(struct matching *matching,
                                       const struct group_table *interval, uint32_t baseline)
{
	const struct row_pairs *pairs = &matching->pairs;
	struct joint joint = {.set = matching->set};
	struct group *own;

	if (!interval)
		return NULL;
	own = row_interval_at(pairs, interval, SIDE_BASELINE, baseline);
	for (uint32_t i = pairs->first[baseline]; i != NO_PLACE; i = pairs->next[i]) {
		struct group *group = row_interval_at(pairs, interval, SIDE_CANDIDATE, i);

		add_to_joint(&joint, group);
		if (group == own)
			own = NULL;
	}
	add_to_joint(&joint, own);
	return joint.merged ? joint.merged : joint.only;
}

/* Returns the candidate's group of a baseline group: one group, or the sum of several. */
static const struct group *candidate_of(struct matching *matching, uint32_t baseline)
{
	const struct row_pairs *pairs = &matching->pairs;
	struct row_set *set = matching->set;
	uint32_t first = pairs->first[baseline];
	struct group *merged;

	if (pairs->next[first] == NO_PLACE)
		return group_at(pairs, SIDE_CANDIDATE, first);
	merged = mem_calloc(1, sizeof(*merged));
	for (uint32_t i = first; i != NO_PLACE; i = pairs->next[i])
		group_merge(merged, group_at(pairs, SIDE_CANDIDATE, i), set->spread_count);
	*array_add(set->merged, set->merged_count, set->merged_capacity) = merged;
	return merged;
}

/* A group that goes on under another name has that one. */
static void name_carried(struct matching *matching, struct row_group *group, uint32_t baseline)
{
	const struct row_pairs *pairs = &matching->pairs;
	const struct group_table *const *tables = pairs->tables;
	struct row_group before = {0};

	name_group(matching, &before, SIDE_BASELINE, &tables[SIDE_BASELINE]->map.entries[baseline]);
	*array_add(matching->set->labels, matching->set->label_count,
	           matching->set->label_capacity) = before.label;
	group->was = before.label;
	name_group(matching, group, SIDE_CANDIDATE,
	           &tables[SIDE_CANDIDATE]->map.entries[pairs->first[baseline]]);
}

/* Returns the group of the other side that may have threads of this group, which is on one side only. */
static const struct group *unnamed_of(const struct matching *matching, unsigned side,
                                      const struct strmap_entry *entry)
{
	const struct group_table *const *tables = matching->pairs.tables;

	return row_unnamed_group(tables[side], entry, tables[!side], &matching->set->frames[!side]);
}

static void set_unread(const struct matching *matching, struct row_group *group, unsigned side,
                       const struct strmap_entry *entry)
{
	const struct group_table *const *tables = matching->pairs.tables;
	struct row_set *set = matching->set;
	struct row_unread unread = {{NULL}};

	if (!matching->unread_differs)
		return;
	for (unsigned s = 0; s < SIDE_MAX; s++)
		unread.sides[s] = row_unread_group(tables[side], entry, tables[s]);
	if (!unread.sides[SIDE_BASELINE] && !unread.sides[SIDE_CANDIDATE])
		return;
	/* All groups have the same by one key. */
	if (set->unread_count == 0 ||
	    memcmp(&set->unreads[set->unread_count - 1], &unread, sizeof(unread)) != 0)
		*array_add(set->unreads, set->unread_count, set->unread_capacity) = unread;
	group->unread = (uint32_t)set->unread_count;
}

static void add_baseline_groups(struct matching *matching, struct group_list *matched,
                                const struct group_table *interval, struct group_list *unmatched)
{
	const struct row_pairs *pairs = &matching->pairs;
	const struct strmap *map = &pairs->tables[SIDE_BASELINE]->map;

	for (uint32_t i = 0; i < map->count; i++) {
		struct row_group group = {.sides = {map->entries[i].value}};
		bool paired = pairs->first[i] != NO_PLACE;

		if (matching->carried && matching->carried[i])
			name_carried(matching, &group, i);
		else
			name_group(matching, &group, SIDE_BASELINE, &map->entries[i]);
		if (paired) {
			group.sides[SIDE_CANDIDATE] = candidate_of(matching, i);
			group.renamed = group.was ? NULL : renamed_to(matching, i);
		} else if (matching->set->sides == SIDE_MAX) {
			group.unnamed = unnamed_of(matching, SIDE_BASELINE, &map->entries[i]);
		}
		set_unread(matching, &group, SIDE_BASELINE, &map->entries[i]);
		group.interval = interval_of(matching, interval, i);
		add_group(paired || matching->set->sides == 1 ? matched : unmatched, group);
	}
}

static void add_candidate_groups(struct matching *matching, const struct group_table *interval,
                                 struct group_list *unmatched)
{
	const struct row_pairs *pairs = &matching->pairs;
	const struct strmap *map = &pairs->tables[SIDE_CANDIDATE]->map;

	for (uint32_t i = 0; i < map->count; i++) {
		struct row_group group = {.sides = {NULL, map->entries[i].value}};

		if (pairs->to_baseline[i] != NO_PLACE)
			continue;
		name_group(matching, &group, SIDE_CANDIDATE, &map->entries[i]);
		group.unnamed = unnamed_of(matching, SIDE_CANDIDATE, &map->entries[i]);
		set_unread(matching, &group, SIDE_CANDIDATE, &map->entries[i]);
		if (interval)
			group.interval = row_interval_at(pairs, interval, SIDE_CANDIDATE, i);
		add_group(unmatched, group);
	}
}

static void matching_init(struct matching *matching, struct row_set *set,
                          const struct group_table *const *tables)
{
	*matching = (struct matching){.set = set, .unread_differs = row_unread_differs(set)};
	row_pairs_init(&matching->pairs, tables, set->sides);
	for (unsigned side = 0; side < set->sides; side++)
		for (unsigned key = 0; key < set->by.count; key++) {
			size_t count = tables[side]->names[key].map.count;

			matching->labels[side][key] =
			        mem_calloc(count > 0 ? count : 1, sizeof(const char *));
		}
}

static void matching_done(struct matching *matching)
{
	for (unsigned side = 0; side < SIDE_MAX; side++)
		for (unsigned key = 0; key < GROUP_KEYS_MAX; key++)
			free(matching->labels[side][key]);
	row_pairs_done(&matching->pairs);
	free(matching->carried);
}

static void add_totals(struct row_set *set, const struct group_table *const *tables)
{
	for (unsigned side = 0; side < set->sides; side++) {
		set->totals[side] = group_table_total(tables[side]);
		set->last_birth_clock_ticks[side] = tables[side]->last_birth_clock_ticks;
	}
}

/* A window has the work of exited threads of its processes, as far as it is known. */
static void add_interval(struct row_set *set, const struct group_table *interval)
{
	for (uint32_t i = 0; i < interval->map.count; i++)
		group_include_exited(interval, interval->map.entries[i].value,
		                     (1u << PROCESS_SOURCE_COUNT) - 1, 0);
	set->interval_total = group_table_total(interval);
	set->interval_frame = group_table_frame(interval);
	set->interval_rates = interval->rates;
}

/* Moves the groups that the other side surely lacks, or all, to the matched ones. */
static void keep_one_sided(const struct row_set *set, unsigned side, bool all,
                           struct group_list *unmatched, struct group_list *matched)
{
	size_t left = 0;

	for (size_t i = 0; i < unmatched->count; i++)
		if (all || row_has_absence(set, &unmatched->groups[i], !side))
			add_group(matched, unmatched->groups[i]);
		else
			unmatched->groups[left++] = unmatched->groups[i];
	unmatched->count = left;
}

void row_match(struct row_set *set, const struct group_table *const *tables,
               const struct row_cpu_time *cpu_times, const struct row_options *options)
{
	struct group_list matched = {0}, unmatched[SIDE_MAX] = {{0}};
	struct matching matching;

	matching_init(&matching, set, tables);
	matching.keeps_patterns = options->patterns;
	if (set->sides == SIDE_MAX && options->renamed)
		row_rename(set, &matching.pairs);
	if (options->interval || options->one_boot)
		matching.carried = row_carried(&matching.pairs, options->interval);
	include_exited(&matching.pairs, set->sides);
	add_totals(set, tables);
	if (options->interval)
		add_interval(set, options->interval);
	add_baseline_groups(&matching, &matched, options->interval, &unmatched[SIDE_BASELINE]);
	if (set->sides == SIDE_MAX)
		add_candidate_groups(&matching, options->interval, &unmatched[SIDE_CANDIDATE]);
	if (cpu_times)
		add_exited(set, &matched, cpu_times);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		keep_one_sided(set, side, options->one_sided[side], &unmatched[side], &matched);
	sort_groups(&matched, by_label);
	set->groups = matched.groups;
	set->group_count = matched.count;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		sort_groups(&unmatched[side], by_run_time);
		set->unmatched[side] = unmatched[side].groups;
		set->unmatched_count[side] = unmatched[side].count;
	}
	matching_done(&matching);
}
