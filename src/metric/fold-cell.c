// SPDX-License-Identifier: GPL-2.0-or-later
#include "fold-cell.h"

#include <string.h>

#include "base/mem.h"
#include "ctprof/metric/sample.h"

void fold_max(struct fold_cell *cell, uint64_t value)
{
	if (cell->seen == 0 || value > cell->number)
		cell->number = value;
	cell->seen++;
}

void fold_min(struct fold_cell *cell, uint64_t value)
{
	if (value == 0)
		return;
	if (cell->seen == 0 || value < cell->number)
		cell->number = value;
	cell->seen++;
}

void fold_range(struct fold_cell *cell, uint32_t low, uint32_t high, uint32_t seen)
{
	if (cell->seen == 0 || low < cell->range.low)
		cell->range.low = low;
	if (cell->seen == 0 || high > cell->range.high)
		cell->range.high = high;
	cell->seen += seen;
}

void fold_range_i32(struct fold_cell *cell, int32_t value)
{
	fold_range(cell, (uint32_t)value ^ FOLD_SIGN_BIT, (uint32_t)value ^ FOLD_SIGN_BIT, 1);
}

void fold_range_u32(struct fold_cell *cell, uint32_t value)
{
	fold_range(cell, value, value, 1);
}

bool fold_tally_next(const struct fold_tally *tally, uint32_t *at, struct fold_tally_entry *ret)
{
	if (!tally || *at == tally->len)
		return false;
	memcpy(&ret->threads, tally->entries + *at, sizeof(ret->threads));
	ret->label = tally->entries + *at + sizeof(ret->threads);
	*at += (uint32_t)(sizeof(ret->threads) + strlen(ret->label) + 1);
	return true;
}

/* The kernel has a handful of labels, and a file may have one for each thread: from a number of them on, the others are one. */
void fold_tally_add(struct fold_cell *cell, const char *label, uint32_t threads)
{
	enum { TALLY_BYTES = 2048 };
	static const char others[] = "(others)";
	size_t label_size = strlen(label) + 1, size = sizeof(threads) + label_size;
	struct fold_tally_entry entry;
	uint32_t at = 0, start = 0, len;

	for (; fold_tally_next(cell->tally, &at, &entry); start = at)
		if (strcmp(entry.label, label) == 0) {
			entry.threads += threads;
			memcpy(cell->tally->entries + start, &entry.threads, sizeof(entry.threads));
			return;
		}
	len = at;
	if (len > TALLY_BYTES && strcmp(label, others) != 0) {
		fold_tally_add(cell, others, threads);
		return;
	}
	cell->tally = mem_realloc(cell->tally, 1, sizeof(*cell->tally) + len + size);
	memcpy(cell->tally->entries + len, &threads, sizeof(threads));
	memcpy(cell->tally->entries + len + sizeof(threads), label, label_size);
	cell->tally->len = len + (uint32_t)size;
}

void fold_mode(struct fold_cell *cell, const char *label)
{
	fold_tally_add(cell, label, 1);
	cell->seen++;
}

static struct fold_affinity *affinity_copy(const struct cpu_mask *mask)
{
	size_t size = sizeof(uint64_t) * mask->used_words;
	struct fold_affinity *copy = mem_calloc(1, offsetof(struct fold_affinity, first) +
	                                                   offsetof(struct cpu_mask, words) + size);

	copy->first.used_words = mask->used_words;
	memcpy(copy->first.words, mask->words, size);
	return copy;
}

void fold_affinity(struct fold_cell *cell, const struct cpu_mask *mask)
{
	unsigned cpus = cpu_mask_count(mask);

	if (!cell->affinity) {
		cell->affinity = affinity_copy(mask);
		cell->affinity->min_cpus = cpus;
		cell->affinity->max_cpus = cpus;
		cell->affinity->uniform = true;
	}
	if (cpus < cell->affinity->min_cpus)
		cell->affinity->min_cpus = cpus;
	if (cpus > cell->affinity->max_cpus)
		cell->affinity->max_cpus = cpus;
	if (cell->affinity->uniform)
		cell->affinity->uniform = cpu_mask_equal(&cell->affinity->first, mask);
	cell->seen++;
}

void fold_affinity_merge(struct fold_cell *into, const struct fold_affinity *from, uint32_t seen)
{
	fold_affinity(into, &from->first);
	into->seen += seen - 1;
	if (from->min_cpus < into->affinity->min_cpus)
		into->affinity->min_cpus = from->min_cpus;
	if (from->max_cpus > into->affinity->max_cpus)
		into->affinity->max_cpus = from->max_cpus;
	into->affinity->uniform = into->affinity->uniform && from->uniform;
}
