// SPDX-License-Identifier: GPL-2.0-or-later
#include "rollup/rollup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "group/group.h"
#include "measure/measure.h"
#include "rollup/process-tree.h"

/* The groups of a directory and of all below it, put together. */
struct sum {
	struct group *sides[SIDE_MAX]; /* owned; NULL where there is none */
	bool hides[SIDE_MAX];          /* the side may have had more of the groups */
};

struct builder {
	const struct row_set *set;
	const struct row_group **entries; /* by label; owned */
	const char **labels;              /* owned, as a list */
	size_t count;
	struct sum *sums;        /* by node; owned */
	struct rollup_row *rows; /* by node; owned */
	uint32_t *order; /* the nodes that are shown, those of one parent side by side; owned */
	size_t order_count;
	uint32_t *children, *last_child; /* by node; owned */
	bool *shown;                     /* by node; owned */
};

/* Rows with whole paths. */
#define PATH_BYTES_FREE ((uint64_t)64 << 20)
enum { PATHS_PER_LABEL = 4 };

bool rollup_can_add(unsigned measure)
{
	return measure_is_amount(measure, PER_total) && !measure_is_extreme(measure);
}

bool rollup_is_of_processes(const struct row_set *set)
{
	return set->by.count == 1 && set->by.keys[0] == GROUP_KEY_pid;
}

/* Returns whether no process is on both sides, as in two boots. They may have processes with one id and start, which are not the same. */
static bool is_apart(const struct builder *builder)
{
	bool apart = builder->set->sides == SIDE_MAX && !builder->set->one_boot;

	for (size_t i = 0; apart && i < builder->count; i++)
		apart = !builder->entries[i]->sides[SIDE_BASELINE] ||
		        !builder->entries[i]->sides[SIDE_CANDIDATE];
	return apart;
}

/* The process as the later side has it. */
static struct process_entry process_of(const struct row_group *group, bool is_apart)
{
	const struct group *of =
	        group->sides[SIDE_CANDIDATE] ? group->sides[SIDE_CANDIDATE] : group->sides[0];

	if (!of || !of->process.is_known)
		return (struct process_entry){.label = group->label};
	return (struct process_entry){.label = group->label,
	                              .host_hash = of->process.host_hash ^
	                                           (is_apart && group->sides[SIDE_BASELINE]),
	                              .start_clock_ticks = of->process.start_clock_ticks,
	                              .tgid = of->process.tgid,
	                              .ppid = of->process.ppid,
	                              .is_known = true,
	                              .has_parent = of->process.has_parent};
}

static void build_tree(const struct builder *builder, struct path_tree *tree)
{
	struct process_entry *processes;
	bool apart;

	if (!rollup_is_of_processes(builder->set)) {
		path_tree_build(tree, builder->labels, builder->count);
		return;
	}
	processes = mem_calloc(builder->count + 1, sizeof(*processes));
	apart = is_apart(builder);
	for (size_t i = 0; i < builder->count; i++)
		processes[i] = process_of(builder->entries[i], apart);
	process_tree_build(tree, processes, builder->count);
	free(processes);
}

static void add_entries(struct builder *builder, const struct row_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (groups[i].exited)
			continue;
		builder->entries[builder->count] = &groups[i];
		builder->labels[builder->count++] = groups[i].label;
	}
}

static uint64_t count_label_bytes(const struct builder *builder)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < builder->count; i++)
		bytes += strlen(builder->labels[i]);
	return bytes;
}

static void merge_group(struct group **into, const struct group *from)
{
	struct group copy;

	if (!from)
		return;
	if (!*into)
		*into = mem_calloc(1, sizeof(**into));
	/* Distributions are of no use here. */
	copy = *from;
	copy.spreads = NULL;
	group_merge(*into, &copy, 0);
}

static bool may_hide(const struct row_set *set, const struct row_group *entry, unsigned side)
{
	return row_may_hide(set, entry, side) || row_may_lack_processes(set, entry, side);
}

static void add_entry(const struct builder *builder, struct sum *sum, const struct row_group *entry)
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		merge_group(&sum->sides[side], entry->sides[side]);
		sum->hides[side] = sum->hides[side] || may_hide(builder->set, entry, side);
	}
}

static void free_sum(struct sum *sum)
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		if (sum->sides[side])
			group_free(sum->sides[side], 0);
		sum->sides[side] = NULL;
		sum->hides[side] = false;
	}
}

static bool is_partial(const struct row_view *view, unsigned side)
{
	return !metric_set_is_empty(&view->missing_inputs[side]) ||
	       view->absence[side] == ABSENCE_PARTIAL ||
	       (view->seen[side] > 0 &&
	        (view->seen[side] < view->expected[side] || view->exited_left_out));
}

static void fill_part(const struct builder *builder, struct rollup *rollup, const struct sum *sum,
                      struct rollup_part *part, struct quantity *ret_percent)
{
	bool hides = sum->hides[SIDE_BASELINE] || sum->hides[SIDE_CANDIDATE];
	static char nameless[] = "";
	struct row_group group = {.label = nameless, .parts = {nameless}};
	struct row_view view;

	memcpy(group.sides, sum->sides, sizeof(group.sides));
	/* Threads without a name are in one group of each side, since there is one key. */
	group.unread = builder->set->unread_count > 0;
	row_view(builder->set, &group, rollup->measure, &view);
	for (unsigned side = 0; side < builder->set->sides; side++) {
		part->values[side] = view.values[side];
		part->inside[side] = view.inside[side];
		part->partial[side] = is_partial(&view, side) || sum->hides[side];
		part->began_before[side] =
		        view.began_before[side] > 0 && view.values[side].kind != QUANTITY_NONE;
		part->processes[side] = group.sides[side] ? group.sides[side]->leaders : 0;
		part->threads[side] = group.sides[side] ? group.sides[side]->threads : 0;
	}
	if (!hides) {
		part->delta = view.delta;
		part->delta_inside = view.delta_inside;
	}
	part->measured_differently = view.measured_differently;
	rollup->per = view.per;
	rollup->clock_ticks_per_second = view.clock_ticks_per_second;
	if (ret_percent && !hides && !view.measured_differently)
		*ret_percent = view.percent;
}

/* The part of a value in a larger one, in percent. */
static struct quantity share(const struct row_set *set, const struct rollup_part *part,
                             const struct rollup_part *whole)
{
	struct quantity value = set->sides == SIDE_MAX ? part->delta_inside : part->inside[0];
	double size = fabs(quantity_double(whole->inside[0])), number = quantity_double(value);

	if (set->sides == SIDE_MAX) {
		size = fmax(size, fabs(quantity_double(whole->inside[SIDE_CANDIDATE])));
		number = fabs(number);
	}
	return value.kind != QUANTITY_NONE && size > 0 ? quantity_real(100 * number / size)
	                                               : (struct quantity){0};
}

/* Adds a sum to another one. The first one becomes it, and is left empty. */
static void move_sum(struct sum *into, struct sum *from)
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		if (into->sides[side])
			merge_group(&into->sides[side], from->sides[side]);
		else
			into->sides[side] = take_ptr(from->sides[side]);
		into->hides[side] = into->hides[side] || from->hides[side];
	}
	free_sum(from);
}

/* Fills the own part of a node and what it is with all below it. */
static void fill_row(struct builder *builder, struct rollup *rollup, size_t n)
{
	const struct path_tree *tree = &rollup->tree;
	const struct path_node *node = &tree->nodes[n];
	struct rollup_row *row = &builder->rows[n];
	struct sum *sum = &builder->sums[n], own = {.sides = {NULL}};

	row->node = node;
	row->has_own = node->first_entry != PATH_NODE_NONE;
	/* Paths can have many directories with nothing but one other in them. */
	if (!row->has_own && builder->children[n] == 1) {
		const struct rollup_row *child = &builder->rows[builder->last_child[n]];

		row->total = child->total;
		row->percent = child->percent;
		return;
	}
	for (uint32_t e = node->first_entry; e != PATH_NODE_NONE; e = tree->next_entry[e])
		add_entry(builder, &own, builder->entries[e]);
	if (row->has_own)
		fill_part(builder, rollup, &own, &row->own, NULL);
	move_sum(sum, &own);
	fill_part(builder, rollup, sum, &row->total, &row->percent);
}

/* Nodes come behind their parents, so from the last one on each sum is whole when its turn comes, and only those of the
 * directories above are kept meanwhile. */
static void add_up(struct builder *builder, struct rollup *rollup)
{
	for (size_t n = rollup->tree.count; n-- > 0;) {
		uint32_t parent = rollup->tree.nodes[n].parent;

		fill_row(builder, rollup, n);
		if (parent == PATH_NODE_NONE) {
			free_sum(&builder->sums[n]);
			continue;
		}
		builder->children[parent]++;
		builder->last_child[parent] = (uint32_t)n;
		move_sum(&builder->sums[parent], &builder->sums[n]);
	}
}

static void set_shares(struct builder *builder, const struct rollup *rollup)
{
	for (size_t n = 0; n < rollup->tree.count; n++) {
		struct rollup_row *row = &builder->rows[n];
		uint32_t parent = rollup->tree.nodes[n].parent;

		row->host_percent = share(builder->set, &row->total, &rollup->host);
		if (parent != PATH_NODE_NONE)
			row->parent_percent =
			        share(builder->set, &row->total, &builder->rows[parent].total);
	}
}

/* A difference of how the values were measured is no part of anything. */
static void forget_unlike_shares(const struct builder *builder, const struct rollup *rollup)
{
	for (size_t n = 0; n < rollup->tree.count; n++) {
		struct rollup_row *row = &builder->rows[n];

		if (row->total.measured_differently)
			row->host_percent = row->parent_percent = (struct quantity){0};
	}
}

/* A directory is shown if one below it is: differences of two directories may make up for each other above them. */
static void choose_shown(struct builder *builder, struct rollup *rollup,
                         const struct rollup_options *options)
{
	const struct path_node *nodes = rollup->tree.nodes;

	for (size_t n = rollup->tree.count; n-- > 0;) {
		struct quantity percent = builder->rows[n].host_percent;

		if (options->depth > 0 && nodes[n].depth >= options->depth) {
			rollup->deeper++;
			continue;
		}
		builder->shown[n] = builder->shown[n] || percent.kind == QUANTITY_NONE ||
		                    quantity_double(percent) >= options->least_percent;
		if (!builder->shown[n])
			rollup->below++;
		else if (nodes[n].parent != PATH_NODE_NONE)
			builder->shown[nodes[n].parent] = true;
	}
}

static double rank_of(const struct builder *builder, const struct rollup_row *row)
{
	double value = quantity_double(builder->set->sides == SIDE_MAX ? row->total.delta
	                                                               : row->total.values[0]);

	return isnan(value) || row->total.measured_differently ? 0 : fabs(value);
}

/* The larger value of both sides, for rows whose difference is not known. */
static double size_of(const struct builder *builder, const struct rollup_row *row)
{
	double size = 0;

	for (unsigned side = 0; side < builder->set->sides; side++)
		size = fmax(size, fabs(quantity_double(row->total.values[side])));
	return size;
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct builder *builder = context;
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	const struct rollup_row *row = &builder->rows[first], *other = &builder->rows[second];
	double difference = rank_of(builder, other) - rank_of(builder, row);

	if (!(difference > 0) && !(difference < 0))
		difference = size_of(builder, other) - size_of(builder, row);
	if (row->node->parent != other->node->parent)
		return row->node->parent < other->node->parent ? -1 : 1;
	if (difference > 0 || difference < 0)
		return difference > 0 ? 1 : -1;
	/* The nodes are in the order of their names. */
	return first < second ? -1 : 1;
}

/* The places of each node's children in the order; the roots are those of the last place. */
struct ranges {
	uint32_t *first; /* by parent; owned */
	uint32_t *count;
};

static struct ranges find_ranges(const struct builder *builder, const struct path_tree *tree)
{
	struct ranges ranges = {mem_calloc(tree->count + 1, sizeof(uint32_t)),
	                        mem_calloc(tree->count + 1, sizeof(uint32_t))};

	for (size_t i = 0; i < builder->order_count; i++) {
		uint32_t parent = tree->nodes[builder->order[i]].parent;
		size_t at = parent == PATH_NODE_NONE ? tree->count : parent;

		if (ranges.count[at]++ == 0)
			ranges.first[at] = (uint32_t)i;
	}
	return ranges;
}

/* Copies the rows that are shown, each behind its parent. A parent's range shrinks from its begin on while its children come. */
static void emit(const struct builder *builder, struct rollup *rollup)
{
	const struct path_tree *tree = &rollup->tree;
	struct ranges ranges = find_ranges(builder, tree);
	uint32_t at = (uint32_t)tree->count;

	rollup->rows = mem_calloc(builder->order_count + 1, sizeof(rollup->rows[0]));
	for (;;) {
		if (ranges.count[at] > 0) {
			uint32_t child = builder->order[ranges.first[at]++];

			ranges.count[at]--;
			rollup->rows[rollup->count++] = builder->rows[child];
			at = child;
		} else if (at == tree->count) {
			break;
		} else {
			at = tree->nodes[at].parent == PATH_NODE_NONE ? (uint32_t)tree->count
			                                              : tree->nodes[at].parent;
		}
	}
	free(ranges.first);
	free(ranges.count);
}

/* Those of all directories that are not too deep. */
static uint64_t count_path_bytes(const struct path_tree *tree, size_t depth)
{
	uint64_t bytes = 0;

	for (size_t n = 0; n < tree->count; n++)
		if (depth == 0 || tree->nodes[n].depth < depth)
			bytes += tree->nodes[n].path_len;
	return bytes;
}

static void fill_host(const struct builder *builder, struct rollup *rollup)
{
	struct sum host = {0};

	/* A side may have no thread of those that were chosen. */
	for (unsigned side = 0; side < builder->set->sides; side++)
		if (builder->set->totals[side]->threads > 0)
			host.sides[side] = builder->set->totals[side];
	for (size_t i = 0; i < builder->count; i++)
		for (unsigned side = 0; side < SIDE_MAX; side++)
			host.hides[side] = host.hides[side] ||
			                   may_hide(builder->set, builder->entries[i], side);
	fill_part(builder, rollup, &host, &rollup->host, NULL);
}

static void make_rows(struct builder *builder, struct rollup *rollup)
{
	size_t nodes = rollup->tree.count;

	builder->sums = mem_calloc(nodes + 1, sizeof(builder->sums[0]));
	builder->rows = mem_calloc(nodes + 1, sizeof(builder->rows[0]));
	builder->order = mem_calloc(nodes + 1, sizeof(builder->order[0]));
	builder->shown = mem_calloc(nodes + 1, sizeof(builder->shown[0]));
	builder->children = mem_calloc(nodes + 1, sizeof(builder->children[0]));
	builder->last_child = mem_calloc(nodes + 1, sizeof(builder->last_child[0]));
	fill_host(builder, rollup);
	add_up(builder, rollup);
	set_shares(builder, rollup);
	choose_shown(builder, rollup, &rollup->options);
	forget_unlike_shares(builder, rollup);
	for (size_t i = 0; i < nodes; i++)
		if (builder->shown[i])
			builder->order[builder->order_count++] = (uint32_t)i;
	if (builder->order_count > 0)
		qsort_r(builder->order, builder->order_count, sizeof(builder->order[0]),
		        compare_nodes, builder);
	emit(builder, rollup);
	rollup->path_bytes = 0;
	for (size_t i = 0; i < rollup->count; i++)
		rollup->path_bytes += rollup->rows[i].node->path_len;
	free(builder->sums);
	free(builder->rows);
	free(builder->order);
	free(builder->shown);
	free(builder->children);
	free(builder->last_child);
}

void rollup_init(struct rollup *rollup, const struct row_set *set, unsigned measure,
                 const struct rollup_options *options)
{
	size_t most = set->group_count + set->unmatched_count[0] + set->unmatched_count[1];
	struct builder builder = {.set = set,
	                          .entries = mem_calloc(most + 1, sizeof(builder.entries[0])),
	                          .labels = mem_calloc(most + 1, sizeof(builder.labels[0]))};

	*rollup = (struct rollup){.measure = measure, .options = *options};
	add_entries(&builder, set->groups, set->group_count);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_entries(&builder, set->unmatched[side], set->unmatched_count[side]);
	build_tree(&builder, &rollup->tree);
	rollup->label_bytes = count_label_bytes(&builder);
	rollup->path_bytes = count_path_bytes(&rollup->tree, options->depth);
	/* A least share may leave out most of them. */
	if (!options->whole_paths || options->least_percent > 0 || !rollup_is_too_long(rollup))
		make_rows(&builder, rollup);
	free(builder.entries);
	free(builder.labels);
}

void rollup_done(struct rollup *rollup)
{
	free(rollup->rows);
	path_tree_done(&rollup->tree);
	*rollup = (struct rollup){0};
}

bool rollup_is_too_long(const struct rollup *rollup)
{
	return rollup->path_bytes > PATH_BYTES_FREE &&
	       rollup->path_bytes / PATHS_PER_LABEL > rollup->label_bytes;
}
