// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of registry/exits.def. */
#include "window/exit-log.h"

/* clang-format off */
enum {
#define EXIT_METRIC(metric_, recorded_, completed_) row_in_exits_def_for_##metric_ = 1,
#include CTPROF_EXITS_DEF
#undef EXIT_METRIC
};

#define METRIC(id_, type_, bound_, rule_, encoding_, source_, key_, section_, class_, gates_, text_)       \
	_Static_assert((int)row_in_exits_def_for_##id_, "metric " #id_ ": no row in exits.def");
#include CTPROF_METRICS_DEF
#undef METRIC

/* Only the amount; the place matters to the readers of the records. A completed record has all values of the record. */
#define NOTHING EXIT_PART_NOTHING
#define PART(place_) EXIT_PART_PART
#define WHOLE(place_) EXIT_PART_WHOLE
#define EXIT_METRIC(metric_, recorded_, completed_)                                                \
	_Static_assert((int)(completed_) >= (int)(recorded_),                                      \
		       "metric " #metric_ ": a completed record has at least what the record has");
#include CTPROF_EXITS_DEF
#undef EXIT_METRIC

static const struct {
	uint8_t recorded, completed; /* enum exit_part */
} exit_parts[METRIC_COUNT] = {
#define EXIT_METRIC(metric_, recorded_, completed_) \
	[METRIC_##metric_] = {recorded_, completed_},
#include CTPROF_EXITS_DEF
#undef EXIT_METRIC
};
/* clang-format on */

enum exit_part exit_part_of(enum metric_id metric, enum window_exits exits)
{
	if (!window_exits_are_known(exits))
		return EXIT_PART_NOTHING;
	return exits == WINDOW_EXITS_recorded ? exit_parts[metric].recorded
	                                      : exit_parts[metric].completed;
}
