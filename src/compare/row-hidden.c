// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-hidden.h"

#include <math.h>

#include "base/clock.h"
#include "window/exit-log.h"

enum { SMALL_PARTS = 10 };

uint32_t row_ended_in(const struct row_set *set, const struct row_group *group, unsigned side)
{
	if (row_group_is_exited(group))
		return set->totals[side]->ended > 0 ? set->totals[side]->ended : 1;
	return group->sides[side] ? group->sides[side]->ended : 0;
}

bool row_may_have_missed(const struct derive_frame *frame)
{
	return frame->missed > 0 || (!window_exits_are_known(frame->exits) && !frame->missed_known);
}

bool row_has_missed_many(const struct row_set *set, const struct row_group *group)
{
	uint64_t ended = (uint64_t)row_ended_in(set, group, SIDE_BASELINE) +
	                 row_ended_in(set, group, SIDE_CANDIDATE);

	for (unsigned side = 0; ended > 0 && side < SIDE_MAX; side++) {
		uint64_t here = row_ended_in(set, group, side),
		         most = ended - here > here ? ended - here : here;

		if (set->frames[side].missed > most / SMALL_PARTS)
			return true;
	}
	return false;
}

/* Returns the CPU time that only totals of processes have. */
static double exited_ticks(const struct group *total)
{
	return (double)group_exited_part(total, METRIC_utime_clock_ticks) +
	       (double)group_exited_part(total, METRIC_stime_clock_ticks);
}

/* Returns the CPU time, in ns, of threads that ended in the window and that a group of the set's keys may lack: time of the host in no
 * row and no total, unless a key is the process; and with keys of threads that which totals have alone. With its error, which for a process
 * is a tick of each mode at either reading. INFINITY if that is not known. */
static double hidden_ns(const struct row_set *set, unsigned side)
{
	enum { TICKS_OF_PROCESS = 4 };
	const struct derive_frame *frame = &set->frames[side];
	double tick_ns, hidden;

	if (frame->clock_ticks_per_second == 0)
		return INFINITY;
	tick_ns = NS_PER_SECOND / (double)frame->clock_ticks_per_second;
	if (group_by_has(&set->by, GROUP_KEY_pid))
		hidden = TICKS_OF_PROCESS * tick_ns;
	else if (frame->unaccounted_known)
		hidden = (double)frame->unaccounted_ns;
	else
		return INFINITY;
	if (group_by_has_thread_key(&set->by))
		hidden += exited_ticks(set->totals[side]) * tick_ns;
	return hidden;
}

static double by_second(double ns, const struct derive_frame *frame)
{
	return frame->length_ns > 0 ? ns / (double)frame->length_ns : 0;
}

/* Returns the CPU time by the second that the group has on the side with more of it, in ns. */
static double most_by_second(const struct row_set *set, const struct row_group *group)
{
	double most = 0;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		if (group->sides[side])
			most = fmax(most, by_second((double)group_number(group->sides[side],
			                                                 METRIC_run_time_ns)
			                                    .number,
			                            &set->frames[side]));
	return most;
}

bool row_hides_many(const struct row_set *set, const struct row_group *group, unsigned side,
                    double more_ns)
{
	return by_second(hidden_ns(set, side) + more_ns, &set->frames[side]) * SMALL_PARTS >
	       most_by_second(set, group);
}
