// SPDX-License-Identifier: GPL-2.0-or-later
#include "settings/settings-compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_kind(const void *a, const void *b)
{
	const struct setting_pair *left = a, *right = b;

	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return strcmp(left->baseline->name, right->baseline->name);
}

static void add_pair(const struct setting *baseline, const struct setting *candidate, bool same_too,
                     struct setting_pairs *pairs)
{
	const bool differs = strcmp(baseline->text, candidate->text) != 0;

	if ((differs || same_too) && !settings_is_identity(baseline->name))
		*array_add(pairs->entries, pairs->count, pairs->capacity) = (struct setting_pair){
		        settings_kind_of(baseline->name), differs, baseline, candidate};
}

void settings_compare(const struct settings *baseline, const struct settings *candidate,
                      bool same_too, struct setting_pairs *ret)
{
	size_t b = 0, c = 0;

	while (b < baseline->count && c < candidate->count) {
		int order = strcmp(baseline->entries[b].name, candidate->entries[c].name);

		if (order == 0)
			add_pair(&baseline->entries[b], &candidate->entries[c], same_too, ret);
		b += order <= 0;
		c += order >= 0;
	}
	if (ret->count > 0)
		qsort(ret->entries, ret->count, sizeof(ret->entries[0]), by_kind);
}

void setting_pairs_done(struct setting_pairs *pairs)
{
	free(pairs->entries);
	*pairs = (struct setting_pairs){0};
}
