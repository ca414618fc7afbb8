// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group-marks.h"

#include <stdlib.h>

#include "base/mem.h"

const struct group_mark *group_marks_find(const struct group_marks *marks, enum metric_id metric)
{
	for (unsigned i = 0; marks && i < marks->count; i++)
		if (marks->marks[i].metric == metric)
			return &marks->marks[i];
	return NULL;
}

/* Returns the mark of a metric, and makes it if it is new. Groups have few of them. */
static struct group_mark *mark_of(struct group *group, enum metric_id metric)
{
	struct group_marks *marks = group->marks;
	unsigned count = marks ? marks->count : 0;

	for (unsigned i = 0; i < count; i++)
		if (marks->marks[i].metric == metric)
			return &marks->marks[i];
	group->marks = marks =
	        mem_realloc(marks, 1, sizeof(*marks) + (count + 1) * sizeof(marks->marks[0]));
	marks->marks[count] = (struct group_mark){.metric = (uint16_t)metric};
	marks->count = count + 1;
	return &marks->marks[count];
}

void group_marks_add(struct group *group, const struct thread_sample *sample, uint64_t member)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (metric_set_has(&sample->impossible, metric))
			mark_of(group, metric)->impossible += member;
	}
}

void group_marks_merge(struct group *into, const struct group *from)
{
	for (unsigned i = 0; from->marks && i < from->marks->count; i++) {
		const struct group_mark *other = &from->marks->marks[i];
		struct group_mark *mark = mark_of(into, (enum metric_id)other->metric);

		mark->impossible += other->impossible;
	}
}

void group_marks_done(struct group *group)
{
	free(group->marks);
}

bool group_is_continued(const struct thread_sample *sample)
{
	bool joined = sample->window_part == WINDOW_PART_continued;

	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		joined = joined && sample->outcomes[s] != OUTCOME_unjoined;
	return joined;
}
