// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/scan.h"
#include "ctprof/metric/sample.h"

void cpu_mask_clear(struct cpu_mask *mask)
{
	mask->used_words = 0;
}

bool cpu_mask_add(struct cpu_mask *mask, uint64_t cpu)
{
	if (cpu >= CPU_MASK_CPUS)
		return false;
	while (mask->used_words <= cpu / 64)
		mask->words[mask->used_words++] = 0;
	mask->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
	return true;
}

unsigned cpu_mask_count(const struct cpu_mask *mask)
{
	unsigned count = 0;

	for (unsigned i = 0; i < mask->used_words; i++)
		count += (unsigned)__builtin_popcountll(mask->words[i]);
	return count;
}

bool cpu_mask_has(const struct cpu_mask *mask, unsigned cpu)
{
	return cpu / 64 < mask->used_words && ((mask->words[cpu / 64] >> (cpu % 64)) & 1);
}

bool cpu_mask_equal(const struct cpu_mask *a, const struct cpu_mask *b)
{
	unsigned longer = a->used_words > b->used_words ? a->used_words : b->used_words;

	for (unsigned i = 0; i < longer; i++) {
		uint64_t word_a = i < a->used_words ? a->words[i] : 0;
		uint64_t word_b = i < b->used_words ? b->words[i] : 0;

		if (word_a != word_b)
			return false;
	}
	return true;
}

unsigned cpu_mask_next(const struct cpu_mask *mask, unsigned cpu)
{
	while (cpu / 64 < mask->used_words) {
		uint64_t word = mask->words[cpu / 64] >> (cpu % 64);

		if (word != 0)
			return cpu + (unsigned)__builtin_ctzll(word);
		cpu = (cpu / 64 + 1) * 64;
	}
	return CPU_MASK_CPUS;
}

/* "3" or "0-3" */
static bool add_range(struct cpu_mask *mask, const char *text, size_t len)
{
	const char *dash = memchr(text, '-', len);
	size_t first_len = dash ? (size_t)(dash - text) : len;
	uint64_t first, last;

	if (!scan_u64(text, first_len, &first))
		return false;
	last = first;
	if (dash && !scan_u64(dash + 1, len - first_len - 1, &last))
		return false;
	if (last < first || last >= CPU_MASK_CPUS)
		return false;
	for (uint64_t cpu = first; cpu <= last; cpu++)
		if (!cpu_mask_add(mask, cpu))
			return false;
	return true;
}

bool cpu_mask_parse(struct cpu_mask *mask, const char *text, size_t len)
{
	cpu_mask_clear(mask);
	for (;;) {
		const char *comma = memchr(text, ',', len);
		size_t part = comma ? (size_t)(comma - text) : len;

		if (!add_range(mask, text, part))
			return false;
		if (!comma)
			return true;
		text += part + 1;
		len -= part + 1;
	}
}

void cpu_mask_format(const struct cpu_mask *mask, struct strbuf *out)
{
	const char *separator = "";
	unsigned first, last;

	for (first = cpu_mask_next(mask, 0); first < CPU_MASK_CPUS;
	     first = cpu_mask_next(mask, last + 1)) {
		last = first;
		while (cpu_mask_has(mask, last + 1))
			last++;
		if (last > first)
			strbuf_addf(out, "%s%u-%u", separator, first, last);
		else
			strbuf_addf(out, "%s%u", separator, first);
		separator = ",";
	}
}
