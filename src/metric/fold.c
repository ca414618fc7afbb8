// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/metric/sample.h"
#include "fold-cell.h"

int64_t fold_range_bound(enum metric_id metric, uint32_t stored)
{
	enum metric_type type = metric_table[metric].type;

	if (metric_type_table[type].representation == REPRESENTATION_I32)
		return (int32_t)(stored ^ FOLD_SIGN_BIT);
	return stored;
}

uint64_t fold_number_capped(fold_number number)
{
	return number < UINT64_MAX ? (uint64_t)number : UINT64_MAX;
}

void fold_merge(enum metric_id metric, struct fold_cell *into, const struct fold_cell *from)
{
	uint32_t seen = into->seen + from->seen;
	struct fold_tally_entry entry;

	if (from->seen == 0)
		return;
	switch (metric_table[metric].rule) {
	case RULE_SUM:
		into->number += from->number;
		break;
	case RULE_MAX:
		fold_max(into, (uint64_t)from->number);
		break;
	case RULE_MIN:
		fold_min(into, (uint64_t)from->number);
		break;
	case RULE_RANGE:
		fold_range(into, from->range.low, from->range.high, from->seen);
		break;
	case RULE_MODE:
		for (uint32_t at = 0; fold_tally_next(from->tally, &at, &entry);)
			fold_tally_add(into, entry.label, entry.threads);
		break;
	case RULE_AFFINITY:
		fold_affinity_merge(into, from->affinity, from->seen);
		break;
	}
	into->seen = seen;
}

void fold_sample(const struct thread_sample *sample, enum metric_id metric, struct fold_cell *cell)
{
	const void *value = sample_value(sample, metric);
	struct fold_cell row = {0};

	if (sample->merged_threads <= 1) {
		metric_table[metric].fold(cell, value);
		return;
	}
	metric_table[metric].fold(&row, value);
	row.seen *= sample->merged_threads;
	if (metric_table[metric].rule == RULE_MODE)
		memcpy(row.tally->entries, &row.seen, sizeof(row.seen));
	fold_merge(metric, cell, &row);
	fold_cell_done(metric, &row);
}

void fold_cell_done(enum metric_id metric, struct fold_cell *cell)
{
	if (metric_table[metric].rule == RULE_MODE)
		free(cell->tally);
	if (metric_table[metric].rule == RULE_AFFINITY)
		free(cell->affinity);
	memset(cell, 0, sizeof(*cell));
}

const char *fold_winner(const struct fold_cell *cell, uint32_t *ret_threads)
{
	struct fold_tally_entry best = {NULL, 0}, entry;
	uint32_t at = 0;

	fold_tally_next(cell->tally, &at, &best);
	while (fold_tally_next(cell->tally, &at, &entry))
		if (entry.threads > best.threads ||
		    (entry.threads == best.threads && strcmp(entry.label, best.label) < 0))
			best = entry;
	*ret_threads = best.threads;
	return best.label;
}

/* Two unanimous labels are equal if the text is; mixed ones must have the same share as well. */
static bool mode_equal(const struct fold_cell *a, const struct fold_cell *b)
{
	uint32_t threads_a, threads_b;
	const char *label_a = fold_winner(a, &threads_a);
	const char *label_b = fold_winner(b, &threads_b);

	if (strcmp(label_a, label_b) != 0)
		return false;
	if (threads_a == a->seen && threads_b == b->seen)
		return true;
	return threads_a == threads_b && a->seen == b->seen;
}

static bool affinity_equal(const struct fold_affinity *a, const struct fold_affinity *b)
{
	if (a->uniform != b->uniform || a->min_cpus != b->min_cpus || a->max_cpus != b->max_cpus)
		return false;
	return !a->uniform || cpu_mask_equal(&a->first, &b->first);
}

bool fold_equal(enum metric_id metric, const struct fold_cell *a, const struct fold_cell *b)
{
	if (a->seen == 0 || b->seen == 0)
		return a->seen == b->seen;
	switch (metric_table[metric].rule) {
	case RULE_SUM:
	case RULE_MAX:
	case RULE_MIN:
		return a->number == b->number;
	case RULE_RANGE:
		return a->range.low == b->range.low && a->range.high == b->range.high;
	case RULE_MODE:
		return mode_equal(a, b);
	case RULE_AFFINITY:
		return affinity_equal(a->affinity, b->affinity);
	}
	return false;
}

struct quantity quantity_integer(__int128 integer)
{
	return (struct quantity){.kind = QUANTITY_INTEGER, .integer = integer};
}

struct quantity quantity_real(double real)
{
	if (!isfinite(real))
		return (struct quantity){0};
	return (struct quantity){.kind = QUANTITY_REAL, .real = real};
}

double quantity_double(struct quantity quantity)
{
	return quantity.kind == QUANTITY_INTEGER ? (double)quantity.integer : quantity.real;
}

struct quantity quantity_difference(struct quantity a, struct quantity b)
{
	if (a.kind == QUANTITY_NONE || b.kind == QUANTITY_NONE)
		return (struct quantity){0};
	if (a.kind == QUANTITY_INTEGER && b.kind == QUANTITY_INTEGER)
		return quantity_integer(a.integer - b.integer);
	return quantity_real(quantity_double(a) - quantity_double(b));
}

bool quantity_is_zero(struct quantity quantity)
{
	return quantity.kind != QUANTITY_NONE && fpclassify(quantity_double(quantity)) == FP_ZERO;
}

static struct quantity midpoint(int64_t low, int64_t high)
{
	if ((low + high) % 2 == 0)
		return quantity_integer((low + high) / 2);
	return quantity_real((double)(low + high) / 2);
}

struct quantity fold_quantity(enum metric_id metric, const struct fold_cell *cell)
{
	if (cell->seen == 0)
		return (struct quantity){0};
	switch (metric_table[metric].rule) {
	case RULE_SUM:
	case RULE_MAX:
	case RULE_MIN:
		return quantity_integer((__int128)cell->number);
	case RULE_RANGE:
		return midpoint(fold_range_bound(metric, cell->range.low),
		                fold_range_bound(metric, cell->range.high));
	case RULE_AFFINITY:
		return midpoint(cell->affinity->min_cpus, cell->affinity->max_cpus);
	case RULE_MODE:
		break;
	}
	return (struct quantity){0};
}
