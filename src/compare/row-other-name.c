// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/row-other-name.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "row-carried.h"
#include "row-pairs.h"

static void add_name(const struct group_table *table, uint32_t place, struct strbuf *ret)
{
	const struct strmap_entry *entry = &table->map.entries[place];

	for (unsigned key = 0; key < table->by.count; key++) {
		const struct key_names *names = &table->names[key];
		struct span shown =
		        key_names_shown(&names, 1, group_table_pattern(table, entry, key));

		strbuf_add_str(ret, key > 0 ? " / " : "");
		text_add_escaped(ret, shown.text, shown.len);
	}
}

/* Returns whether the group at the place of a table has the name. */
static bool has_name(const struct group_table *table, uint32_t place, const char *name)
{
	cleanup_(strbuf_done) struct strbuf own = STRBUF_INIT;

	add_name(table, place, &own);
	return strcmp(strbuf_str(&own), name) == 0;
}

void row_add_other_name(const struct group_table *const tables[SIDE_MAX],
                        const struct group_table *interval, unsigned side, const char *name,
                        struct strbuf *ret)
{
	struct row_pairs pairs;
	bool found = false;

	row_pairs_init(&pairs, tables, SIDE_MAX);
	free(row_carried(&pairs, interval));
	for (uint32_t i = 0; i < tables[SIDE_BASELINE]->map.count && !found; i++) {
		uint32_t places[SIDE_MAX] = {i, pairs.first[i]};

		if (places[SIDE_CANDIDATE] == NO_PLACE ||
		    !has_name(tables[!side], places[!side], name) ||
		    has_name(tables[side], places[side], name))
			continue;
		add_name(tables[side], places[side], ret);
		found = true;
	}
	row_pairs_done(&pairs);
}
