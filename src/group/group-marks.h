/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-marks - marks the threads of a group that have impossible values, see registry/bounds.def, and counts those whose
 * events were not read. */
#include "group/group.h"

/* The mark of one metric. */
struct group_mark {
	uint16_t metric;
	uint64_t impossible; /* fingerprint of the threads that have such a value */
	uint32_t threads;    /* their number */
};

/* The sources of peaks and floors. */
enum event_source { EVENT_SOURCE_sched, EVENT_SOURCE_taskstats, EVENT_SOURCE_COUNT };

/* Has only metrics with a mark. */
struct group_marks {
	unsigned count;
	uint32_t unread[EVENT_SOURCE_COUNT]; /* threads of which the source was not read */
	struct group_mark marks[];
};

/* Adds the marks of a thread. @member is its part of struct group's members. */
void group_marks_add(struct group *group, const struct thread_sample *sample, uint64_t member);
void group_marks_merge(struct group *into, const struct group *from);
void group_marks_done(struct group *group);

/* Returns the mark of the metric, or NULL if there is none. @marks may be NULL. */
const struct group_mark *group_marks_find(const struct group_marks *marks, enum metric_id metric);

/* Returns the number of threads whose value of the metric is impossible or, for a peak or a floor, was not read. */
uint32_t group_marks_missing(const struct group *group, enum metric_id metric);

/* Returns whether both readings of a window have the thread. One whose part inside is unknown was not in the first, or is not
 * known to be the same. */
bool group_is_continued(const struct thread_sample *sample);
