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

/* Returns the marks of a group, which most groups do not have. */
static struct group_marks *marks_of(struct group *group)
{
	if (!group->marks)
		group->marks = mem_calloc(1, sizeof(*group->marks));
	return group->marks;
}

/* Returns the mark of a metric, and makes it if it is new. Groups have few of them. */
static struct group_mark *mark_of(struct group *group, enum metric_id metric)
{
	struct group_marks *marks = marks_of(group);
	unsigned count = marks->count;

	for (unsigned i = 0; i < count; i++)
		if (marks->marks[i].metric == metric)
			return &marks->marks[i];
	group->marks = marks =
	        mem_realloc(marks, 1, sizeof(*marks) + (count + 1) * sizeof(marks->marks[0]));
	marks->marks[count] = (struct group_mark){.metric = (uint16_t)metric};
	marks->count = count + 1;
	return &marks->marks[count];
}

static const enum metric_source event_sources[EVENT_SOURCE_COUNT] = {
        [EVENT_SOURCE_sched] = SOURCE_sched,
        [EVENT_SOURCE_taskstats] = SOURCE_taskstats,
};

/* clang-format off */
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, ...)                                 \
	_Static_assert(((int)METRIC_TYPE_##type_ != (int)METRIC_TYPE_peak_ns &&                    \
			(int)METRIC_TYPE_##type_ != (int)METRIC_TYPE_peak_bytes &&                 \
			(int)METRIC_TYPE_##type_ != (int)METRIC_TYPE_floor_ns) ||                  \
			       (int)SOURCE_##source_ == (int)SOURCE_sched ||                       \
			       (int)SOURCE_##source_ == (int)SOURCE_taskstats,                     \
		       "metric " #id_ ": its source is none of enum event_source");
#include CTPROF_METRICS_DEF
#undef METRIC
/* clang-format on */

/* A source that the kernel does not provide is read of no thread, and none lacks it. */
static bool is_unread(enum source_outcome outcome)
{
	return outcome != OUTCOME_read && outcome != OUTCOME_unneeded && outcome != OUTCOME_off;
}

uint32_t group_marks_missing(const struct group *group, enum metric_id metric)
{
	const struct group_mark *mark = group_marks_find(group->marks, metric);
	uint32_t missing = mark ? mark->threads : 0;

	for (unsigned i = 0; group->marks && i < EVENT_SOURCE_COUNT; i++)
		if (event_sources[i] == metric_table[metric].source)
			missing += group->marks->unread[i];
	return missing;
}

void group_marks_add(struct group *group, const struct thread_sample *sample, uint64_t member)
{
	uint32_t threads = sample_threads(sample);

	for (unsigned i = 0; i < EVENT_SOURCE_COUNT; i++)
		if (is_unread(sample->outcomes[event_sources[i]]))
			marks_of(group)->unread[i] += threads;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (!metric_set_has(&sample->impossible, metric))
			continue;
		mark_of(group, metric)->impossible += member;
		mark_of(group, metric)->threads += threads;
	}
}

void group_marks_merge(struct group *into, const struct group *from)
{
	for (unsigned i = 0; from->marks && i < from->marks->count; i++) {
		const struct group_mark *other = &from->marks->marks[i];
		struct group_mark *mark = mark_of(into, (enum metric_id)other->metric);

		mark->impossible += other->impossible;
		mark->threads += other->threads;
	}
	for (unsigned i = 0; from->marks && i < EVENT_SOURCE_COUNT; i++)
		marks_of(into)->unread[i] += from->marks->unread[i];
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
