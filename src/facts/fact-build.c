// SPDX-License-Identifier: GPL-2.0-or-later
#include "fact-build.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "facts/cgroup-lost.h"
#include "facts/fact-derive.h"
#include "where/where.h"

static const char *keep_text(struct fact_row_set *set, const char *bytes, size_t len)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char **kept;

	text_add_escaped(&text, bytes, len);
	kept = array_add(set->texts, set->text_count, set->text_capacity);
	return *kept = mem_copy(strbuf_str(&text), text.len);
}

/* Tables that show the rows of a group side by side need all of them. */
static bool is_wide(enum metric_section section)
{
	return section == SECTION_cgroup_stats || section == SECTION_cgroup_limits ||
	       section == SECTION_pressure || section == SECTION_host_pressure ||
	       section == SECTION_host_cpu || section == SECTION_sched_ext;
}

/* Returns the part of the section: a table shows the rows of one resource under pressure, or of all elsewhere, side by
 * side. */
static unsigned part_of(const struct fact_row *row)
{
	if (row->section != SECTION_pressure && row->section != SECTION_host_pressure)
		return 0;
	return row->id / (PSI_ROW_COUNT * (PSI_AVERAGE_COUNT + 1));
}

static bool same_cell(const struct fact_cell *a, const struct fact_cell *b)
{
	if (a->state != b->state)
		return false;
	if (a->state == FACT_NUMBER)
		return quantity_is_zero(quantity_difference(a->number, b->number));
	return a->state != FACT_TEXT || strcmp(a->text, b->text) == 0;
}

static double magnitude(struct quantity quantity)
{
	return fabs(quantity_double(quantity));
}

/* Returns the share of the members that have the value. */
static double share_of(const struct fact_cell *cell)
{
	return cell->members / ((double)cell->members + cell->lacking);
}

bool fact_row_is_partial(const struct fact_row *row, unsigned side)
{
	return row->sides[side].state == FACT_NUMBER && row->sides[side].lacking > 0;
}

/* Returns whether unlike shares may make a hundredth of the delta or more, if the members without the value are like the
 * others: the rule for metrics of threads. */
static bool is_uneven(const struct fact_row *row)
{
	enum { PARTS_OF_DELTA = 100 };
	const struct fact_cell *sides = row->sides;
	double shares[SIDE_MAX], uneven = 0;

	if (row->delta.kind == QUANTITY_NONE || sides[SIDE_BASELINE].members == 0 ||
	    sides[SIDE_CANDIDATE].members == 0)
		return false;
	for (unsigned side = 0; side < SIDE_MAX; side++)
		shares[side] = share_of(&sides[side]);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		uneven = fmax(uneven, magnitude(sides[side].number) * fabs(shares[0] - shares[1]) /
		                              shares[side]);
	return uneven > 0 && uneven * PARTS_OF_DELTA > magnitude(row->delta);
}

static double weight_of(const struct fact_row *row, unsigned sides,
                        const struct fact_metric *metric)
{
	double larger = fmax(metric->totals[SIDE_BASELINE], metric->totals[SIDE_CANDIDATE]);
	struct quantity size = sides == 1 ? row->sides[0].number : row->delta;

	if (size.kind == QUANTITY_NONE)
		return row->changed && !row->went_back && !row->remade && !row->uneven &&
		       row->sides[SIDE_BASELINE].state != FACT_UNSEEN &&
		       row->sides[SIDE_CANDIDATE].state != FACT_UNSEEN;
	return larger > 0 ? magnitude(size) / larger : 0;
}

/* Returns 0 if it is not known. */
static uint64_t ticks_per_second(const struct fact_build *build, unsigned side)
{
	const struct snapshot_info *info = build->sides[side].info;

	return info ? derive_frame_of(info).clock_ticks_per_second : 0;
}

/* A counter that fell was counted anew. A cgroup that was made again may have counted more. */
static void compare_sides(const struct fact_build *build, struct fact_row *row,
                          struct fact_kind kind)
{
	struct quantity baseline = row->sides[SIDE_BASELINE].number;

	row->changed = !same_cell(&row->sides[SIDE_BASELINE], &row->sides[SIDE_CANDIDATE]);
	row->delta = quantity_difference(row->sides[SIDE_CANDIDATE].number, baseline);
	row->remade = row->delta.kind != QUANTITY_NONE && kind.since_made &&
	              cgroup_groups_have_lost(build->cgroups, SIDE_MAX, kind.since_made);
	row->went_back = kind.counts && build->options->continues && !row->remade &&
	                 row->delta.kind != QUANTITY_NONE && quantity_double(row->delta) < 0;
	if (row->went_back || row->remade)
		row->delta = (struct quantity){0};
	row->uneven = is_uneven(row);
	if (row->uneven ||
	    !measure_ticks_compare(row->unit, ticks_per_second(build, SIDE_CANDIDATE),
	                           ticks_per_second(build, SIDE_BASELINE)))
		row->delta = (struct quantity){0};
	if (row->delta.kind != QUANTITY_NONE && !quantity_is_zero(baseline) && !kind.is_place &&
	    row->unit != UNIT_percent_hundredths && row->unit != UNIT_ratio)
		row->percent = quantity_real(100 * quantity_double(row->delta) /
		                             quantity_double(baseline));
}

static struct fact_metric *metric_of(struct fact_build *build, const char *name, size_t len)
{
	struct strmap_entry *entry = strmap_add(&build->metrics, name, len);
	struct fact_metric *metric = entry->value;

	if (!metric) {
		metric = entry->value = mem_calloc(1, sizeof(*metric));
		metric->name = keep_text(build->set, name, len);
	}
	return metric;
}

void fact_build_begin(struct fact_build *build, const char *name, size_t len)
{
	build->group_name = name;
	build->group_name_len = len;
	build->group_start = build->set->count;
}

/* Returns a difference over a window as a rate. Files without the times of readings have the length of the window only;
 * the rate is unseen if that is unknown as well. */
static struct fact_cell rate_cell(const struct fact_build *build, unsigned side,
                                  const struct fact_cell *cell)
{
	uint64_t length_ns = derive_frame_of(build->sides[side].info).length_ns;
	struct rate_sum rate = {0};

	if (cell->state != FACT_NUMBER)
		return *cell;
	if (cell->rate.kind != QUANTITY_NONE)
		return (struct fact_cell){.state = FACT_NUMBER, .number = cell->rate};
	/* A snapshot may hold any number. */
	if (length_ns == 0 || cell->number.integer < 0)
		return (struct fact_cell){0};
	rate_add(&rate, (uint64_t)cell->number.integer, length_ns);
	return (struct fact_cell){.state = FACT_NUMBER, .number = quantity_real(rate_value(rate))};
}

/* Ticks of clocks with different frequencies only compare as time: those of the candidate become ticks of the baseline. */
static void set_common_ticks(const struct fact_build *build, struct fact_row *row)
{
	struct fact_cell *cell = &row->sides[SIDE_CANDIDATE];
	uint64_t frequencies[SIDE_MAX] = {0};

	if (build->set->sides < SIDE_MAX || cell->state != FACT_NUMBER)
		return;
	for (unsigned side = 0; side < SIDE_MAX; side++)
		frequencies[side] = ticks_per_second(build, side);
	if (measure_ticks_differ(row->unit, frequencies[SIDE_CANDIDATE],
	                         frequencies[SIDE_BASELINE]))
		cell->number =
		        quantity_real(quantity_double(cell->number) *
		                      measure_ticks_factor(row->unit, frequencies[SIDE_CANDIDATE],
		                                           frequencies[SIDE_BASELINE]));
}

/* Returns whether the row is of what the cgroups of a group have counted. */
static bool is_of_counters(struct fact_kind kind)
{
	return kind.id < FACT_ID_DERIVED
	               ? kind.counts
	               : kind.id == FACT_ID_DERIVED + FACT_DERIVED_cpu_percent_docker ||
	                         kind.id == FACT_ID_DERIVED + FACT_DERIVED_cpu_percent_cadvisor;
}

/* Derived values come from CPU time. */
static uint32_t unjoined_of(const struct cgroup_group *group, struct fact_kind kind)
{
	const char *object = kind.id < FACT_ID_DERIVED ? kind.object
	                     : group->stats.is_v1      ? "cpuacct"
	                                               : "cpu";
	const struct keyed_value *count =
	        object ? keyed_values_find(&group->unjoined, object, strlen(object), 0) : NULL;

	return count ? (uint32_t)count->value : 0;
}

/* A cgroup that was made in the window has values at its end only, one that was removed has none, and a process may be one that this
 * user may not read. */
static void set_lacking(const struct fact_build *build, unsigned side, struct fact_kind kind,
                        struct fact_cell *cell)
{
	const struct cgroup_group *group = build->cgroups[side];
	const struct smaps_group *processes = build->smaps[side];
	uint32_t unjoined;

	if (build->section == SECTION_smaps_rollup && processes) {
		cell->lacking = processes->unread;
		cell->members = processes->processes;
	}
	if (section_table[build->section].subject != SUBJECT_CGROUPS || !group ||
	    build->sides[side].info->kind != KIND_window || !is_of_counters(kind))
		return;
	unjoined = unjoined_of(group, kind);
	cell->lacking = group->without_begin + group->gone + unjoined;
	cell->members = group->members - group->without_begin - unjoined;
	if (kind.is_own) {
		cell->lacking += group->nested_lacking;
		cell->members += group->nested - group->nested_lacking;
	}
}

/* Returns false if no side has seen the value. */
static bool set_cells(const struct fact_build *build, struct fact_kind kind, bool as_rate,
                      const struct fact_cell *cells, struct fact_row *row)
{
	bool seen = false;

	for (unsigned side = 0; side < build->set->sides; side++) {
		row->sides[side] = as_rate ? rate_cell(build, side, &cells[side]) : cells[side];
		set_lacking(build, side, kind, &row->sides[side]);
		seen = seen || row->sides[side].state != FACT_UNSEEN;
	}
	set_common_ticks(build, row);
	return seen;
}

void fact_build_row(struct fact_build *build, const char *name, size_t len, struct fact_kind kind,
                    const struct fact_cell *cells)
{
	struct fact_row_set *set = build->set;
	bool as_rate = kind.counts && build->rates;
	struct fact_row row = {.section = build->section,
	                       .unit = kind.unit,
	                       .id = kind.id,
	                       .per = as_rate || kind.per_second ? PER_second : PER_total};
	struct fact_metric *metric;

	if (!set_cells(build, kind, as_rate, cells, &row))
		return;
	metric = metric_of(build, name, len);
	if (build->totals_only) {
		for (unsigned side = 0; side < set->sides; side++)
			if (row.sides[side].state == FACT_NUMBER)
				metric->totals[side] += magnitude(row.sides[side].number);
		return;
	}
	row.metric = metric->name;
	if (row.unit == UNIT_ticks && ticks_per_second(build, set->sides - 1) > 0)
		row.clock_ticks_per_second = ticks_per_second(build, SIDE_BASELINE);
	if (set->sides == SIDE_MAX)
		compare_sides(build, &row, kind);
	row.weight = weight_of(&row, set->sides, metric);
	*array_add(set->rows, set->count, set->capacity) = row;
}

/* Returns whether a row meets the conditions. */
static bool meets_conditions(const struct fact_build *build, const struct fact_row *row,
                             const char *group)
{
	const struct fact_row_options *options = build->options;
	struct where_row tested = {.group = group,
	                           .metric = row->metric,
	                           .section = section_table[row->section].name,
	                           .unit = row->unit,
	                           .clock_ticks_per_second = row->clock_ticks_per_second,
	                           .unit_name = unit_name_per(row->unit, row->per)};
	bool show = build->set->sides == 1;

	tested.numbers[WHERE_DELTA] = row->delta;
	tested.numbers[WHERE_PERCENT] = row->percent;
	tested.numbers[show ? WHERE_VALUE : WHERE_BASELINE] = row->sides[SIDE_BASELINE].number;
	if (!show)
		tested.numbers[WHERE_CANDIDATE] = row->sides[SIDE_CANDIDATE].number;
	for (size_t i = 0; i < options->condition_count; i++)
		if (!where_holds(options->conditions[i], &tested))
			return false;
	return true;
}

/* Marks the rows that do not meet the conditions. Returns a bit for each part with a row that does. */
static unsigned apply_conditions(struct fact_build *build)
{
	struct fact_row_set *set = build->set;
	cleanup_(strbuf_done) struct strbuf group = STRBUF_INIT;
	unsigned parts = 0;

	if (build->options->condition_count == 0)
		return UINT_MAX;
	text_add_escaped(&group, build->group_name, build->group_name_len);
	for (size_t i = build->group_start; i < set->count; i++) {
		struct fact_row *row = &set->rows[i];

		row->companion = !meets_conditions(build, row, strbuf_str(&group));
		if (!row->companion)
			parts |= 1U << part_of(row);
	}
	return parts;
}

/* Drops the rows of the group that are not to be listed. */
static void drop_rows(struct fact_build *build)
{
	struct fact_row_set *set = build->set;
	bool wide = is_wide(build->section);
	unsigned changed_parts = 0, met_parts = apply_conditions(build);
	size_t kept = build->group_start;

	for (size_t i = build->group_start; i < set->count; i++)
		if (set->rows[i].changed)
			changed_parts |= 1U << part_of(&set->rows[i]);
	for (size_t i = build->group_start; i < set->count; i++) {
		const struct fact_row *row = &set->rows[i];
		bool keep = build->options->unchanged;

		if (set->sides == 1)
			keep = keep || wide || !quantity_is_zero(row->sides[0].number);
		else
			keep = keep || (wide ? changed_parts >> part_of(row) & 1 : row->changed);
		if (keep && (wide ? met_parts >> part_of(row) & 1 : !row->companion))
			set->rows[kept++] = *row;
	}
	set->count = kept;
}

static int by_weight(const void *a, const void *b)
{
	const struct fact_row *row_a = a, *row_b = b;

	if (row_a->weight < row_b->weight || row_a->weight > row_b->weight)
		return row_a->weight < row_b->weight ? 1 : -1;
	return strcmp(row_a->metric, row_b->metric);
}

/* Rss is the best single measure of a process's memory, and Pss decides between equal ones. In compare the difference
 * counts first, and a group that one side lacks has none. */
static void rank_smaps(const struct fact_row_set *set, struct fact_group *group)
{
	group->first = group->second = -1;
	for (size_t i = group->start; i < group->start + group->count; i++) {
		const struct fact_row *row = &set->rows[i];

		if (strcmp(row->metric, "Rss") == 0 && set->sides == SIDE_MAX) {
			if (row->delta.kind != QUANTITY_NONE)
				group->first = magnitude(row->delta);
			group->second = fmax(quantity_double(row->sides[0].number),
			                     quantity_double(row->sides[1].number));
		} else if (strcmp(row->metric, "Rss") == 0) {
			group->first = magnitude(row->sides[0].number);
		} else if (strcmp(row->metric, "Pss") == 0 && set->sides == 1) {
			group->second = magnitude(row->sides[0].number);
		}
	}
}

static void rank_group(const struct fact_build *build, struct fact_group *group)
{
	const struct fact_row_set *set = build->set;

	if (build->section == SECTION_smaps_rollup) {
		rank_smaps(set, group);
		return;
	}
	for (size_t i = group->start; i < group->start + group->count; i++)
		group->first = fmax(group->first, set->rows[i].weight);
}

void fact_build_end(struct fact_build *build)
{
	struct fact_row_set *set = build->set;
	struct fact_group group = {.start = build->group_start};

	if (build->totals_only)
		return;
	/* Rows that did not change still count for the rank. */
	group.count = set->count - group.start;
	rank_group(build, &group);
	drop_rows(build);
	group.count = set->count - group.start;
	if (group.count == 0)
		return;
	group.label = keep_text(set, build->group_name, build->group_name_len);
	for (size_t i = group.start; i < set->count; i++)
		set->rows[i].group = group.label;
	if (set->sides == SIDE_MAX &&
	    (build->section == SECTION_memory_stat || build->section == SECTION_memory_events))
		qsort(set->rows + group.start, group.count, sizeof(set->rows[0]), by_weight);
	*array_add(build->groups, build->group_count, build->group_capacity) = group;
}
