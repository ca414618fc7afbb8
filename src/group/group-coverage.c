// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group.h"

#include <math.h>

#include "group/group-marks.h"

uint32_t group_threads_for(const struct group *group, enum metric_id metric)
{
	return metric_is_leader_only(metric) ? group->leaders_read : group->threads;
}

static bool is_of_the_moved(const struct derive_frame *frame, enum metric_id metric)
{
	enum metric_type type = metric_table[metric].type;

	return frame->kind == KIND_window &&
	       (type == METRIC_TYPE_peak_ns || type == METRIC_TYPE_peak_bytes ||
	        type == METRIC_TYPE_floor_ns);
}

/* Returns the count of the delays of which the metric is the largest or the smallest one; METRIC_COUNT for any other metric. */
static unsigned count_of_delays(enum metric_id metric)
{
	switch ((int)metric) {
#define DELAY(id_, name_)                 \
	case METRIC_##id_##_delay_max_ns: \
	case METRIC_##id_##_delay_min_ns: \
		return METRIC_##id_##_delay_count;
#include "delays.def"
#undef DELAY
	}
	return METRIC_COUNT;
}

/* Returns the number of threads whose largest delay is not known though that of others is: they were born before delay accounting was
 * switched on. A thread that has the count has had no larger one in the window. */
static uint32_t without_record(const struct group *group, enum metric_id metric)
{
	unsigned count = count_of_delays(metric);
	uint32_t seen;

	if (count == METRIC_COUNT)
		return 0;
	seen = group->cells[count].seen - group_covered(group, (enum metric_id)count);
	return seen > 0 && seen < group->threads ? group->threads - seen : 0;
}

struct group_coverage group_covers(const struct group *group, const struct derive_frame *frame,
                                   enum metric_id metric)
{
	struct group_coverage ret = {group->cells[metric].seen, group_threads_for(group, metric)};
	uint32_t missing, without;

	if (!is_of_the_moved(frame, metric) || ret.seen >= ret.expected)
		return ret;
	missing = group_marks_missing(group, metric);
	without = without_record(group, metric);
	missing = without > missing ? without : missing;
	if (missing < ret.expected - ret.seen)
		ret.expected = ret.seen + missing;
	return ret;
}

static uint32_t seen_in(const struct group *group, enum metric_id metric, bool own_only)
{
	return group->cells[metric].seen - (own_only ? group_covered(group, metric) : 0);
}

static uint32_t most_seen(const struct group *group, const struct derived_desc *derived,
                          bool own_only)
{
	uint32_t most = 0;

	for (size_t i = 0; i < derived->input_count; i++) {
		uint32_t seen = seen_in(group, derived->inputs[i], own_only);

		most = seen > most ? seen : most;
	}
	return most;
}

/* The inputs of a derived metric are read of the same threads, but those of a sum of parts: each has the threads that it has. */
static struct group_coverage covers_derived(const struct group *group, enum derived_id id,
                                            bool own_only, bool has_value)
{
	const struct derived_desc *derived = &derived_table[id];
	struct group_coverage ret = {group->threads, group_threads_for(group, derived->inputs[0])};
	size_t count = has_value ? derived->needed_count : derived->input_count;

	if (basis_is_of_parts(derived->basis)) {
		ret.seen = most_seen(group, derived, own_only);
		return ret;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t seen = seen_in(group, derived->inputs[i],
		                        own_only || derived->basis == BASIS_LIFE);

		ret.seen = seen < ret.seen ? seen : ret.seen;
	}
	return ret;
}

struct group_coverage group_covers_measure(const struct group *group,
                                           const struct derive_inputs *in, unsigned measure,
                                           bool own_only, bool has_value)
{
	struct group_coverage ret;

	if (measure_is_derived(measure))
		return covers_derived(group, measure_derived(measure), own_only, has_value);
	ret = group_covers(group, in->frame, (enum metric_id)measure);
	if (own_only)
		ret.seen = seen_in(group, (enum metric_id)measure, true);
	return ret;
}

/* The values of threads that ended may be in as well. */
static bool is_whole(struct group_coverage coverage)
{
	return coverage.seen >= coverage.expected;
}

static double share_of(struct group_coverage coverage)
{
	return is_whole(coverage) ? 1 : coverage.seen / (double)coverage.expected;
}

bool group_shares_differ(struct group_coverage a, struct group_coverage b)
{
	return a.expected > 0 && b.expected > 0 && !(is_whole(a) && is_whole(b)) &&
	       (uint64_t)a.seen * b.expected != (uint64_t)b.seen * a.expected;
}

double group_shares_part(struct group_coverage of, struct group_coverage other)
{
	return share_of(of) > 0 ? fabs(share_of(of) - share_of(other)) / share_of(of) : 0;
}

bool group_shares_are_small(struct group_coverage a, struct group_coverage b, double of_a,
                            double of_b)
{
	enum { PARTS_OF_DIFFERENCE = 10 };
	double uneven =
	        fmax(group_shares_part(a, b) * fabs(of_a), group_shares_part(b, a) * fabs(of_b));

	return uneven * PARTS_OF_DIFFERENCE <= fabs(of_b - of_a);
}

bool group_measure_lacks_exited(const struct group *group, const struct derive_frame *frame,
                                unsigned measure)
{
	const struct derived_desc *derived;

	if (!measure_is_derived(measure))
		return group_lacks_exited(group, frame, (enum metric_id)measure);
	derived = &derived_table[measure_derived(measure)];
	/* Shares of lives are of the threads that have a row. */
	for (size_t i = 0; i < derived->input_count; i++)
		if (derived->inputs[i] != METRIC_lived_ns &&
		    group_lacks_exited(group, frame, derived->inputs[i]))
			return true;
	return false;
}
