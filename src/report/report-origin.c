// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"
#include "report/report-text.h"
#include "report/report.h"
#include "snapshot/reference.h"

/* Returns whether all families of this one's group are in the set. */
static bool has_group(uint32_t families, unsigned family)
{
	for (unsigned i = 0; i < REFERENCE_FAMILY_COUNT; i++)
		if (strcmp(reference_family_table[i].group, reference_family_table[family].group) ==
		            0 &&
		    !reference_has(families, (enum reference_family)i))
			return false;
	return true;
}

/* Returns whether an earlier family of the set has the same group. */
static bool group_was_named(uint32_t families, unsigned family)
{
	for (unsigned i = 0; i < family; i++)
		if (reference_has(families, (enum reference_family)i) &&
		    strcmp(reference_family_table[i].group, reference_family_table[family].group) ==
		            0)
			return true;
	return false;
}

/* Adds "io, schedstat": with @groups, a group that is complete instead of its families; without, only a set of all of
 * them is shortened. */
static void add_families(uint32_t families, bool groups, struct strbuf *out)
{
	bool any = false;

	for (unsigned i = 0; i < REFERENCE_FAMILY_COUNT; i++) {
		bool as_group = groups || has_group(families, i);

		if (!reference_has(families, (enum reference_family)i) ||
		    (as_group && group_was_named(families, i)))
			continue;
		strbuf_addf(out, "%s%s", any ? ", " : "",
		            as_group ? reference_family_table[i].group
		                     : reference_family_table[i].name);
		any = true;
	}
}

bool report_add_origin(const struct report_side *side, struct strbuf *out)
{
	const struct snapshot_info *info = side->info;

	if (info->origin != ORIGIN_ktstr)
		return false;
	text_add_escaped(out, side->path, strlen(side->path));
	strbuf_add_str(out, " is a ktstr ctprof snapshot");
	if (info->ambiguous) {
		strbuf_add_str(out, ": zeros of ");
		add_families(info->ambiguous, true, out);
		strbuf_add_str(out, " may mean \"not available\"");
	}
	if (info->forgotten) {
		strbuf_addf(out, "%s shown as '-': ", info->ambiguous ? ";" : ":");
		add_families(info->forgotten, false, out);
		strbuf_add_str(out, " (zero for every thread)");
	}
	return true;
}
