// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-ended-names.h"

#include <string.h>

#include "group/path-name.h"

/* clang-format off */
enum {
#define EXIT_METRIC(...)
#define EXIT_KEY(key_, names_) row_in_exits_def_for_##key_ = 1,
#include CTPROF_EXITS_DEF
};

#define GROUP_KEY(id_, name_, heading_, text_)                                                     \
	_Static_assert((int)row_in_exits_def_for_##id_, "group key " #id_ ": no row in exits.def");
#include "group-keys.def"

/* Keys whose names of ended threads depend on the source of the window's ends. */
static const bool is_by_source[GROUP_KEY_COUNT] = {
#define SAME false
#define COMPLETED true
#define EXIT_KEY(key_, names_) [GROUP_KEY_##key_] = names_,
#include CTPROF_EXITS_DEF
#undef EXIT_METRIC
};
/* clang-format on */

/* Returns a bit for each source that the side has ended threads of. */
static unsigned sources_of(const struct derive_frame *frame)
{
	return (1u << frame->exits | frame->exits_also) &
	       (1u << WINDOW_EXITS_recorded | 1u << WINDOW_EXITS_completed);
}

static bool windows_overlap(const struct row_set *set)
{
	const struct derive_frame *a = &set->frames[SIDE_BASELINE];
	const struct derive_frame *b = &set->frames[SIDE_CANDIDATE];

	return set->one_boot && a->begin_ns > 0 && b->begin_ns > 0 &&
	       a->begin_ns < b->begin_ns + b->length_ns && b->begin_ns < a->begin_ns + a->length_ns;
}

/* Returns whether the birth of a thread may differ, which is a part of the keys. The kernel's record has the length of the life, and its end is
 * known when the record comes: the birth is late by as much, which may be a tick. Windows one after the other have no such thread both. */
static bool births_differ(const struct row_set *set, unsigned sources)
{
	return (sources & 1u << WINDOW_EXITS_recorded) != 0 && windows_overlap(set) &&
	       (group_by_has(&set->by, GROUP_KEY_pid) || group_by_has(&set->by, GROUP_KEY_thread));
}

bool row_ended_names_differ(const struct row_set *set, const struct row_group *group)
{
	unsigned sources = 0;
	bool by_source = set->is_chosen_by_cgroup;

	for (unsigned side = 0; side < set->sides; side++)
		sources |= sources_of(&set->frames[side]);
	for (unsigned i = 0; i < set->by.count; i++)
		by_source = by_source || is_by_source[set->by.keys[i]];
	return (by_source && (sources & (sources - 1)) != 0) ||
	       ((!group->sides[SIDE_BASELINE] || !group->sides[SIDE_CANDIDATE]) &&
	        births_differ(set, sources));
}

const struct group *row_unnamed_group(const struct group_table *table,
                                      const struct strmap_entry *entry,
                                      const struct group_table *other,
                                      const struct derive_frame *other_frame)
{
	const struct span unread = {path_name_unread_cgroup, strlen(path_name_unread_cgroup)};
	const struct group *group;
	struct span patterns[GROUP_KEYS_MAX];
	bool any = false;

	if ((sources_of(other_frame) & 1u << WINDOW_EXITS_recorded) == 0)
		return NULL;
	for (unsigned i = 0; i < table->by.count; i++) {
		enum group_key key = table->by.keys[i];

		patterns[i] = group_table_pattern(table, entry, i);
		if (!is_by_source[key] || key == GROUP_KEY_user)
			continue;
		any = any || !span_equal(patterns[i], unread);
		patterns[i] = unread;
	}
	group = any ? group_table_find(other, patterns) : NULL;
	return group && group->ended > 0 ? group : NULL;
}
