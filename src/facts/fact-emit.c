// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "ctprof/base/macro.h"
#include "fact-above.h"
#include "fact-build.h"
#include "facts/cgroup-lost.h"
#include "facts/cgroup-rates.h"
#include "facts/fact-derive.h"

static const char host_group[] = "host";

static struct fact_cell number_cell(__int128 number)
{
	return (struct fact_cell){.state = FACT_NUMBER, .number = quantity_integer(number)};
}

static struct fact_cell quantity_cell(struct quantity quantity)
{
	return (struct fact_cell){.state = quantity.kind == QUANTITY_NONE ? FACT_UNSEEN
	                                                                  : FACT_NUMBER,
	                          .number = quantity};
}

static struct fact_cell value_cell(const struct fact_value *value)
{
	if (value->state == FACT_NUMBER)
		return number_cell(value->number);
	return (struct fact_cell){.state = value->state, .text = value->text};
}

static void emit(struct fact_build *build, const char *metric, struct fact_kind kind,
                 const struct fact_cell *cells)
{
	fact_build_row(build, metric, strlen(metric), kind, cells);
}

/* Returns a number of a list in the unit of its rows; a number of more than 64 bits becomes the largest one. */
static struct fact_cell scaled_cell(uint64_t number, unsigned factor)
{
	return number_cell(saturating_multiply(number, factor));
}

/* Adds the rate of a group to its number in the cell. */
static void set_rate(struct fact_cell *cell, uint64_t rate)
{
	if (cell->state == FACT_NUMBER)
		cell->rate = cgroup_rate_quantity(rate > INT64_MAX ? INT64_MAX : (int64_t)rate);
}

static struct fact_cell list_cell(const struct keyed_value *entry, size_t place,
                                  const struct keyed_values *rates, unsigned factor)
{
	struct fact_cell cell = scaled_cell(entry->value, factor);
	const struct keyed_value *rate =
	        rates ? keyed_values_find(rates, entry->key, strlen(entry->key), place) : NULL;

	if (rate)
		set_rate(&cell, rate->value);
	return cell;
}

/* Emits the entries of a keyed list, in the order of the first side; those that only the second one has come behind. A
 * side without the list, or without rates of it, is NULL. Values are multiplied. */
static void emit_list(struct fact_build *build, const struct keyed_values *const *lists,
                      const struct keyed_values *const *rates,
                      struct fact_kind (*kind_of)(const struct fact_build *build, const char *key),
                      unsigned factor)
{
	for (unsigned side = 0; side < build->set->sides; side++)
		for (size_t i = 0; lists[side] && i < lists[side]->count; i++) {
			const struct keyed_value *entry = &lists[side]->entries[i], *other = NULL;
			struct fact_cell cells[SIDE_MAX] = {{0}};
			size_t len = strlen(entry->key);

			if (build->set->sides == SIDE_MAX && lists[!side])
				other = keyed_values_find(lists[!side], entry->key, len, i);
			if (other && side == SIDE_CANDIDATE)
				continue;
			cells[side] = list_cell(entry, i, rates[side], factor);
			if (other)
				cells[!side] = list_cell(other, i, rates[!side], factor);
			fact_build_row(build, entry->key, len, kind_of(build, entry->key), cells);
		}
}

/* Returns the cell of one side, with its rate if that is known. */
static struct fact_cell cgroup_cell(const struct cgroup_group *group, unsigned id)
{
	const struct cgroup_stats *rates = cgroup_group_rates(group);
	struct fact_cell cell = value_cell(&group->stats.values[id]);

	if (rates && rates->values[id].state == FACT_NUMBER)
		set_rate(&cell, (uint64_t)rates->values[id].number);
	return cell;
}

static void emit_cgroup_values(struct fact_build *build, const struct cgroup_group *const *groups)
{
	for (unsigned id = 0; id < CGROUP_VALUE_COUNT; id++) {
		const struct cgroup_value_desc *desc = &cgroup_value_table[id];
		struct fact_cell cells[SIDE_MAX] = {{0}};

		if (desc->section != build->section)
			continue;
		for (unsigned side = 0; side < build->set->sides; side++)
			if (groups[side])
				cells[side] = cgroup_cell(groups[side], id);
		emit(build, desc->name,
		     (struct fact_kind){.unit = desc->unit,
		                        .id = id,
		                        .counts = desc->window == FACT_WINDOW_DIFFERENCE,
		                        .is_own = desc->rule == FACT_RULE_OWN_SUM,
		                        .is_place = desc->form == FORM_PLACE,
		                        .object = desc->object,
		                        .since_made = cgroup_lost_hierarchy(desc)},
		     cells);
	}
}

/* Returns the sum over the devices that have the key. A cgroup that never did I/O has an empty io.stat. */
static struct fact_cell sum_devices(const struct cgroup_stats *stats,
                                    const struct cgroup_key_desc *desc)
{
	const struct keyed_values *list = &stats->lists[CGROUP_LIST_io_stat];
	bool seen = stats->has_list[CGROUP_LIST_io_stat] && list->count == 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < list->count; i++) {
		const char *key = list->entries[i].key, *blank = strrchr(key, ' ');

		if (!blank || strcmp(blank + 1, desc->key) != 0)
			continue;
		seen = true;
		saturating_add_to(&sum, list->entries[i].value);
	}
	return seen ? number_cell(sum) : (struct fact_cell){0};
}

static struct fact_cell io_sum(const struct cgroup_group *group, const struct cgroup_key_desc *desc)
{
	const struct cgroup_stats *rates = cgroup_group_rates(group);
	struct fact_cell cell = sum_devices(&group->stats, desc), rate = {0};

	if (rates)
		rate = sum_devices(rates, desc);
	if (rate.state == FACT_NUMBER)
		set_rate(&cell, (uint64_t)rate.number.integer);
	return cell;
}

/* A key with the rule SUM is a counter; of a current amount a group has the largest. */
static struct fact_kind kind_of_key(const struct cgroup_key_desc *desc, unsigned id)
{
	bool counts = desc->rule == FACT_RULE_SUM;

	return (struct fact_kind){.unit = desc->unit,
	                          .id = id,
	                          .counts = counts,
	                          .object = cgroup_list_table[desc->list].object,
	                          .since_made = counts ? CGROUP_ID_UNIFIED : NULL};
}

static void emit_io(struct fact_build *build, const struct cgroup_group *const *groups)
{
	unsigned id = CGROUP_VALUE_COUNT;

	for (size_t k = 0; k < cgroup_key_count; k++) {
		struct fact_cell cells[SIDE_MAX] = {{0}};
		char name[64] = "io_";

		if (cgroup_key_table[k].list != CGROUP_LIST_io_stat)
			continue;
		for (unsigned side = 0; side < build->set->sides; side++)
			if (groups[side])
				cells[side] = io_sum(groups[side], &cgroup_key_table[k]);
		strncat(name, cgroup_key_table[k].key, sizeof(name) - strlen(name) - 1);
		emit(build, name, kind_of_key(&cgroup_key_table[k], id++), cells);
	}
}

static struct fact_kind stat_kind(const struct fact_build *build, const char *key)
{
	enum cgroup_list_id list = build->section == SECTION_memory_stat
	                                   ? CGROUP_LIST_memory_stat
	                                   : CGROUP_LIST_memory_events;

	return kind_of_key(cgroup_key_find(list, key), 0);
}

static void emit_cgroup_list(struct fact_build *build, const struct cgroup_group *const *groups,
                             enum cgroup_list_id list)
{
	const struct keyed_values *lists[SIDE_MAX] = {NULL}, *rate_lists[SIDE_MAX] = {NULL};

	for (unsigned side = 0; side < build->set->sides; side++) {
		const struct cgroup_stats *rates =
		        groups[side] ? cgroup_group_rates(groups[side]) : NULL;

		if (groups[side])
			lists[side] = &groups[side]->stats.lists[list];
		if (rates)
			rate_lists[side] = &rates->lists[list];
	}
	emit_list(build, lists, rate_lists, stat_kind, 1);
}

static struct fact_cell psi_cell(const struct psi_line *line, unsigned average)
{
	if (!line->seen)
		return (struct fact_cell){0};
	return number_cell(average < PSI_AVERAGE_COUNT ? line->averages[average]
	                                               : line->total_usec);
}

/* The pressure of one side, and the time for which its totals counted: the rates of a cgroup, or the interval of the
 * host. */
struct psi_side {
	const struct psi *psi; /* NULL: the side has none */
	const struct psi *rates;
	uint64_t interval_ns;
};

static struct fact_cell psi_side_cell(const struct psi_side *side, unsigned resource, unsigned row,
                                      unsigned average)
{
	const struct psi_line *line = side->psi ? &side->psi->lines[resource][row] : NULL;
	struct fact_cell cell = {0};

	if (line)
		cell = psi_cell(line, average);
	if (average < PSI_AVERAGE_COUNT || cell.state != FACT_NUMBER)
		return cell;
	if (side->rates && side->rates->lines[resource][row].seen)
		set_rate(&cell, side->rates->lines[resource][row].total_usec);
	else if (side->interval_ns > 0)
		set_rate(&cell, (uint64_t)cgroup_rate(line->total_usec, side->interval_ns));
	return cell;
}

static void emit_psi_line(struct fact_build *build, const struct psi_side *psi, unsigned resource,
                          unsigned row)
{
	enum { PSI_VALUE_COUNT = PSI_AVERAGE_COUNT + 1 };

	for (unsigned average = 0; average < PSI_VALUE_COUNT; average++) {
		struct fact_cell cells[SIDE_MAX] = {{0}};
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
		bool is_total = average == PSI_AVERAGE_COUNT;

		for (unsigned side = 0; side < build->set->sides; side++)
			cells[side] = psi_side_cell(&psi[side], resource, row, average);
		strbuf_addf(&name, "%s_%s_%s", psi_resource_names[resource], psi_row_names[row],
		            is_total ? "total" : psi_average_names[average]);
		emit(build, strbuf_str(&name),
		     (struct fact_kind){.unit = is_total ? UNIT_us : UNIT_percent_hundredths,
		                        .id = (resource * PSI_ROW_COUNT + row) * PSI_VALUE_COUNT +
		                              average,
		                        .counts = is_total,
		                        .since_made = is_total ? CGROUP_ID_UNIFIED : NULL},
		     cells);
	}
}

static void emit_psi(struct fact_build *build, const struct psi_side *psi)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++)
			emit_psi_line(build, psi, resource, row);
}

static struct fact_cell derived_cell(const struct fact_build *build, unsigned side,
                                     enum fact_derived_id id, const struct cgroup_group *group)
{
	const struct snapshot_info *info = build->sides[side].info;
	struct fact_cell cell;

	if (group && fact_above_cell(build, id, &group->above, &cell))
		return cell;
	return quantity_cell(fact_derive(id, info, group ? &group->stats : NULL,
	                                 group ? cgroup_group_rates(group) : NULL));
}

/* A cgroup that was made again may be below others than before. */
static const char *throttling_hierarchy(const struct cgroup_group *const *groups)
{
	const struct cgroup_group *group = groups[0] ? groups[0] : groups[1];

	return group->stats.is_v1 ? "cpu" : CGROUP_ID_UNIFIED;
}

/* Emits derived values of cgroups, or of the host if there are none. */
static void emit_derived(struct fact_build *build, const struct cgroup_group *const *groups)
{
	for (unsigned id = 0; id < FACT_DERIVED_COUNT; id++) {
		const struct fact_derived_desc *desc = &fact_derived_table[id];
		struct fact_cell cells[SIDE_MAX] = {{0}};
		bool counts = groups && (id == FACT_DERIVED_throttled_by_periods ||
		                         id == FACT_DERIVED_throttled_by_usec);

		if (desc->section != build->section)
			continue;
		for (unsigned side = 0; side < build->set->sides; side++)
			if (!groups || groups[side])
				cells[side] = derived_cell(build, side, (enum fact_derived_id)id,
				                           groups ? groups[side] : NULL);
		emit(build, desc->name,
		     (struct fact_kind){.unit = desc->unit,
		                        .id = groups ? FACT_ID_DERIVED + id : id,
		                        .counts = counts,
		                        .since_made = counts ? throttling_hierarchy(groups) : NULL,
		                        .per_second = desc->per == PER_second},
		     cells);
	}
}

static void emit_cgroup_psi(struct fact_build *build, const struct cgroup_group *const *groups)
{
	struct psi_side psi[SIDE_MAX] = {{0}};

	for (unsigned side = 0; side < build->set->sides; side++) {
		const struct cgroup_stats *rates =
		        groups[side] ? cgroup_group_rates(groups[side]) : NULL;

		if (groups[side])
			psi[side] = (struct psi_side){.psi = &groups[side]->stats.psi,
			                              .rates = rates ? &rates->psi : NULL};
	}
	emit_psi(build, psi);
}

static void emit_cgroup(struct fact_build *build, const struct cgroup_group *const *groups)
{
	switch (build->section) {
	case SECTION_cgroup_stats:
		emit_cgroup_values(build, groups);
		emit_io(build, groups);
		emit_derived(build, groups);
		break;
	case SECTION_cgroup_limits:
		emit_cgroup_values(build, groups);
		emit_derived(build, groups);
		break;
	case SECTION_memory_stat:
		emit_cgroup_list(build, groups, CGROUP_LIST_memory_stat);
		break;
	case SECTION_memory_events:
		emit_cgroup_list(build, groups, CGROUP_LIST_memory_events);
		break;
	default:
		emit_cgroup_psi(build, groups);
		break;
	}
}

/* Returns the value of the second side's entry; an entry of both sides is emitted with the first one. */
static const void *entry_elsewhere(const struct fact_build *build, const struct strmap *const *maps,
                                   unsigned side, const struct strmap_entry *entry)
{
	if (build->set->sides < SIDE_MAX || !maps[!side])
		return NULL;
	return strmap_get(maps[!side], entry->key, entry->key_len);
}

static void emit_cgroups(struct fact_build *build)
{
	const struct strmap *maps[SIDE_MAX] = {NULL};
	const struct key_names *names[SIDE_MAX] = {NULL};

	for (unsigned side = 0; side < build->set->sides; side++) {
		names[side] = build->sides[side].cgroup_names;
		if (build->sides[side].cgroups)
			maps[side] = &build->sides[side].cgroups->map;
	}
	for (unsigned side = 0; side < build->set->sides; side++)
		for (size_t i = 0; maps[side] && i < maps[side]->count; i++) {
			const struct strmap_entry *entry = &maps[side]->entries[i];
			const struct cgroup_group *groups[SIDE_MAX] = {NULL};
			struct span shown;

			groups[side] = entry->value;
			groups[!side] = entry_elsewhere(build, maps, side, entry);
			if (side == SIDE_CANDIDATE && groups[!side])
				continue;
			shown = key_names_shown(names, build->set->sides,
			                        (struct span){entry->key, entry->key_len});
			fact_build_begin(build, shown.text, shown.len);
			memcpy(build->cgroups, groups, sizeof(groups));
			emit_cgroup(build, groups);
			fact_build_end(build);
		}
}

static bool same_name(const struct smaps_group *a, const struct smaps_group *b)
{
	return a->first_name_len == b->first_name_len &&
	       memcmp(a->first_name, b->first_name, a->first_name_len) == 0;
}

static struct fact_kind smaps_kind(const struct fact_build *build, const char *key)
{
	(void)build;
	(void)key;
	return (struct fact_kind){.unit = UNIT_bytes};
}

static void emit_smaps_group(struct fact_build *build, const struct strmap_entry *entry,
                             const struct smaps_group *const *groups)
{
	enum { BYTES_IN_KIB = 1024 };
	const struct keyed_values *lists[SIDE_MAX] = {NULL}, *no_rates[SIDE_MAX] = {NULL};
	const struct smaps_group *named = NULL;
	bool one_name = true;

	memset(build->smaps, 0, sizeof(build->smaps));
	for (unsigned side = 0; side < build->set->sides; side++) {
		if (!groups[side] || groups[side]->processes == 0)
			continue;
		lists[side] = &groups[side]->kib;
		build->smaps[side] = groups[side];
		one_name = one_name && !groups[side]->several_names &&
		           (!named || same_name(named, groups[side]));
		named = groups[side];
	}
	if (!named)
		return;
	/* A process has the name that it had last. A pattern that stands for one name only, over both sides, is shown as that name. */
	one_name = one_name || (build->sides[0].smaps && build->sides[0].smaps->literal);
	fact_build_begin(build, one_name ? named->first_name : entry->key,
	                 one_name ? named->first_name_len : entry->key_len);
	emit_list(build, lists, no_rates, smaps_kind, BYTES_IN_KIB);
	fact_build_end(build);
}

static void emit_smaps(struct fact_build *build)
{
	const struct strmap *maps[SIDE_MAX] = {NULL};

	for (unsigned side = 0; side < build->set->sides; side++)
		if (build->sides[side].smaps)
			maps[side] = &build->sides[side].smaps->map;
	for (unsigned side = 0; side < build->set->sides; side++)
		for (size_t i = 0; maps[side] && i < maps[side]->count; i++) {
			const struct strmap_entry *entry = &maps[side]->entries[i];
			const struct smaps_group *groups[SIDE_MAX] = {NULL};

			groups[side] = entry->value;
			groups[!side] = entry_elsewhere(build, maps, side, entry);
			if (side == SIDE_BASELINE || !groups[!side])
				emit_smaps_group(build, entry, groups);
		}
}

static void emit_host_psi(struct fact_build *build)
{
	struct psi_side psi[SIDE_MAX] = {{0}};

	for (unsigned side = 0; side < build->set->sides; side++) {
		const struct snapshot_info *info = build->sides[side].info;

		psi[side].psi = &info->psi;
		if (info->host.seen[HOST_pressure_interval_ns])
			psi[side].interval_ns = info->host.numbers[HOST_pressure_interval_ns];
	}
	emit_psi(build, psi);
}

/* A window has the values of its end. */
static void emit_sched_ext(struct fact_build *build)
{
	for (unsigned id = 0; id < SCHED_EXT_COUNT; id++) {
		bool counts = sched_ext_table[id].counts && build->options->continues;
		struct fact_kind kind = {.unit = UNIT_none, .id = id, .counts = counts};
		struct fact_cell cells[SIDE_MAX] = {{0}};

		for (unsigned side = 0; side < build->set->sides; side++)
			cells[side] = value_cell(&build->sides[side].info->sched_ext.values[id]);
		emit(build, sched_ext_table[id].name, kind, cells);
	}
}

static void emit_host(struct fact_build *build)
{
	fact_build_begin(build, host_group, strlen(host_group));
	if (build->section == SECTION_host_pressure)
		emit_host_psi(build);
	else if (build->section == SECTION_host_cpu)
		emit_derived(build, NULL);
	else if (build->section == SECTION_settings)
		fact_emit_settings(build);
	else if (build->section == SECTION_sched_ext)
		emit_sched_ext(build);
	fact_build_end(build);
}

void fact_emit(struct fact_build *build)
{
	switch (section_table[build->section].subject) {
	case SUBJECT_THREADS:
		break;
	case SUBJECT_CGROUPS:
		emit_cgroups(build);
		break;
	case SUBJECT_PROCESSES:
		emit_smaps(build);
		break;
	case SUBJECT_HOST:
		emit_host(build);
		break;
	}
}
