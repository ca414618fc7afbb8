// SPDX-License-Identifier: GPL-2.0-or-later
#include "groups.h"

#include "group/group-pack.h"
#include "samples.h"

static void add_labels(struct thread_sample *sample, const struct thread_spec *spec)
{
	if (spec->state)
		assert_true(sample_set_label(sample, METRIC_state, &spec->state, 1));
	if (spec->policy)
		assert_true(sample_set_label(sample, METRIC_policy, spec->policy,
		                             strlen(spec->policy)));
	if (spec->cpus)
		assert_true(sample_set_text(sample, METRIC_cpu_affinity, ENCODING_CPU_LIST,
		                            spec->cpus, strlen(spec->cpus)));
}

void add_thread(struct group_table *table, struct thread_spec spec)
{
	static uint32_t last_tid = 100000;
	static struct thread_sample sample;

	sample_reset(&sample);
	sample.tid = spec.tid ? spec.tid : ++last_tid;
	sample.tgid = spec.tgid ? spec.tgid : sample.tid;
	sample.start_time_clock_ticks = spec.start_time_clock_ticks;
	sample.window_part = spec.window_part;
	sample.interval_ns = spec.interval_ns;
	sample.life_ns = spec.life_ns;
	sample.read_boottime_ns = spec.read_boottime_ns;
	sample.run_time_before_ns = spec.run_time_before_ns;
	sample_name(&sample.comm, spec.name);
	sample_name(&sample.pcomm, spec.name);
	if (spec.cgroup) {
		sample_name(&sample.cgroup, spec.cgroup);
		sample.has_cgroup = true;
	}
	add_labels(&sample, &spec);
	for (size_t i = 0; i < SPEC_VALUES && spec.values[i].metric != METRIC_thread_count; i++) {
		enum metric_id metric = spec.values[i].metric;
		int64_t number = spec.values[i].number;

		assert_true(number < 0 ? sample_set_negative(&sample, metric, number)
		                       : sample_set_integer(&sample, metric, (uint64_t)number));
	}
	group_table_add(table, &sample);
	sample_done(&sample);
}

struct group *open_table_group(const struct group_table *table, const struct span *patterns)
{
	struct group *group = group_table_find(table, patterns);

	if (group)
		group_open(group);
	return group;
}

struct group *table_group(const struct group_table *table, const char *pattern)
{
	const struct span span = {pattern, strlen(pattern)};

	assert_int_equal(table->by.count, 1);
	return open_table_group(table, &span);
}

struct row_options all_rows(void)
{
	struct row_options options = {.order = ORDER_IMPACT};

	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		options.measures[i] = true;
	return options;
}

const struct row_group *find_group(const struct row_set *set, const char *label)
{
	for (size_t i = 0; i < set->group_count; i++)
		if (strcmp(set->groups[i].label, label) == 0)
			return &set->groups[i];
	return NULL;
}

struct row_view view_row(const struct row_set *set, const char *label, unsigned measure)
{
	const struct row_group *group = find_group(set, label);
	struct row_view view;

	if (!group)
		fail_msg("no group \"%s\"", label);
	row_view(set, group, measure, &view);
	return view;
}

bool is_listed(const struct row_set *set, const char *label, unsigned measure)
{
	for (size_t i = 0; i < set->row_count; i++)
		if (set->rows[i].measure == measure &&
		    strcmp(set->groups[set->rows[i].group].label, label) == 0)
			return true;
	return false;
}

struct rate_list all_rates(void)
{
	struct rate_list list = {0};

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_has_rate((enum metric_id)i))
			rate_list_add(&list, (enum metric_id)i);
	return list;
}
