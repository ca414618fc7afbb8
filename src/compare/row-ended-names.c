// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-ended-names.h"

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

bool row_ended_names_differ(const struct row_set *set)
{
	unsigned sources = 0;
	bool by_source = set->is_chosen_by_cgroup;

	for (unsigned side = 0; side < set->sides; side++)
		sources |= sources_of(&set->frames[side]);
	for (unsigned i = 0; i < set->by.count; i++)
		by_source = by_source || is_by_source[set->by.keys[i]];
	return by_source && (sources & (sources - 1)) != 0;
}
