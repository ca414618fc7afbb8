/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-marks - which threads of a group have impossible values. See registry/bounds.def. */
#include "group/group.h"

/* What is noted of one metric. */
struct group_mark {
	uint16_t metric;
	uint64_t impossible; /* fingerprint of the threads that have such a value */
};

/* Only of metrics that there is something to note of. */
struct group_marks {
	unsigned count;
	struct group_mark marks[];
};

/* Notes the marks of a thread. @member is its part of struct group's members. */
void group_marks_add(struct group *group, const struct thread_sample *sample, uint64_t member);
void group_marks_merge(struct group *into, const struct group *from);
void group_marks_done(struct group *group);

/* What is noted of the metric, or NULL if there is nothing. @marks may be NULL. */
const struct group_mark *group_marks_find(const struct group_marks *marks, enum metric_id metric);
