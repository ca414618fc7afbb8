// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-add.h"
#include "window-unjoined.h"

#include <string.h>

#include "base/mem.h"
#include "window-subtract.h"

/* A value that is impossible in one of the windows is so in both: the life in both may have room for it, but it is as wrong. */
static void add_difference(struct thread_sample *sample, const struct thread_sample *before,
                           enum metric_id metric)
{
	bool is_known = sample_has_said(sample, metric) && sample_has_said(before, metric);
	bool is_impossible = metric_set_has(&sample->impossible, metric) ||
	                     metric_set_has(&before->impossible, metric);
	uint64_t both;

	metric_set_remove(&sample->impossible, metric);
	if (!is_known) {
		metric_set_remove(&sample->seen, metric);
		return;
	}
	both = saturating_add(sample_number(sample, metric), sample_number(before, metric));
	metric_set_add(&sample->seen, metric);
	if (is_impossible)
		sample_set_impossible(sample, metric, both);
	else
		sample_replace_number(sample, metric, both);
}

/* A peak that rose in the earlier window only is still the highest. */
static void keep_extreme(struct thread_sample *sample, const struct thread_sample *before,
                         enum metric_id metric)
{
	if (metric_set_has(&sample->seen, metric) || !metric_set_has(&before->seen, metric))
		return;
	metric_set_add(&sample->seen, metric);
	sample_replace_number(sample, metric, sample_number(before, metric));
}

/* A source that failed in one of the windows has failed. */
static void add_reasons(struct thread_sample *sample, const struct thread_sample *before)
{
	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		enum source_outcome then = before->outcomes[s], now = sample->outcomes[s];

		if (s == SOURCE_smaps_rollup || s == SOURCE_exe)
			continue;
		if ((now == OUTCOME_read || now == OUTCOME_unneeded) && then != OUTCOME_read &&
		    then != OUTCOME_unneeded)
			sample->outcomes[s] = then;
	}
}

static enum window_part part_of_both(enum window_part before, enum window_part after)
{
	if (before != WINDOW_PART_born)
		return after;
	return after == WINDOW_PART_exited ? WINDOW_PART_passed : WINDOW_PART_born;
}

/* The run time of a thread without a record of its end becomes that before both windows: none if it was born in the first one. */
static void add_lost(struct thread_sample *sample, const struct thread_sample *before)
{
	uint64_t known = before->run_time_ns.v, *run_ns = &sample->run_time_before_ns;

	if (metric_set_has(&before->seen, METRIC_run_time_ns))
		*run_ns -= *run_ns > known ? known : *run_ns;
}

static void add_text(struct strbuf *text, const struct strbuf *before)
{
	if (text->len == 0)
		strbuf_add(text, strbuf_str(before), before->len);
}

void window_set_interval(struct thread_sample *sample, uint64_t interval_ns)
{
	uint64_t *jemalloc_ns = &sample->jemalloc_interval_ns;

	if (*jemalloc_ns > 0 && interval_ns >= sample->interval_ns)
		*jemalloc_ns = saturating_add(*jemalloc_ns, interval_ns - sample->interval_ns);
	else if (*jemalloc_ns > 0)
		*jemalloc_ns -= sample->interval_ns - interval_ns < *jemalloc_ns
		                        ? sample->interval_ns - interval_ns
		                        : *jemalloc_ns;
	sample->interval_ns = interval_ns;
}

void window_add_thread(struct thread_sample *sample, const struct thread_sample *before)
{
	uint64_t jemalloc_ns = sample->jemalloc_interval_ns > 0 ? sample->jemalloc_interval_ns
	                                                        : sample->interval_ns;

	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		switch (window_treatment_of(metric)) {
		case TREAT_DIFFERENCE:
			add_difference(sample, before, metric);
			break;
		case TREAT_RISEN:
		case TREAT_FALLEN:
			keep_extreme(sample, before, metric);
			break;
		case TREAT_END:
			break;
		}
	}
	add_reasons(sample, before);
	add_text(&sample->pcomm, &before->pcomm);
	add_text(&sample->cgroups_v1, &before->cgroups_v1);
	if (sample_is_lost(sample)) {
		add_lost(sample, before);
		return;
	}
	if (sample->jemalloc_interval_ns > 0 || before->jemalloc_interval_ns > 0)
		sample->jemalloc_interval_ns = jemalloc_ns + (before->jemalloc_interval_ns > 0
		                                                      ? before->jemalloc_interval_ns
		                                                      : before->interval_ns);
	saturating_add_to(&sample->interval_ns, before->interval_ns);
	saturating_add_to(&sample->life_ns, before->life_ns);
	sample->window_part = part_of_both(before->window_part, sample->window_part);
}

/* Returns whether the windows of @stats have the cgroup of a value from their begin on. One that was made inside has no interval. In
 * version 1 it may have been made anew in the hierarchy of the value only: then that has no differences. */
static bool is_there_all_the_time(const struct cgroup_stats *stats, unsigned id)
{
	const struct cgroup_value_desc *peak = &cgroup_value_table[id];
	bool has_counters = false;

	if (stats->interval_ns == 0)
		return false;
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *value = &cgroup_value_table[i];

		if (value->window != FACT_WINDOW_DIFFERENCE || value->version != peak->version ||
		    strcmp(value->object, peak->object) != 0)
			continue;
		if (stats->values[i].state == FACT_NUMBER)
			return true;
		has_counters = true;
	}
	return !has_counters || stats->values[id].state == FACT_NUMBER;
}

/* A peak of the earlier windows may be the highest one, if the cgroup is the same: it did not rise since, or it was reset. */
static void add_peak(struct cgroup_stats *stats, const struct cgroup_stats *before, unsigned id)
{
	struct fact_value *value = &stats->values[id];

	if (!is_there_all_the_time(stats, id) || !is_there_all_the_time(before, id))
		fact_clear(value);
	else if (before->values[id].state == FACT_NUMBER &&
	         (value->state == FACT_UNSEEN || value->number < before->values[id].number) &&
	         !cgroup_stats_are_others(stats, before, cgroup_value_table[id].object))
		fact_set_number(value, before->values[id].number);
}

static void add_fact(enum fact_window window, struct fact_value *value,
                     const struct fact_value *before)
{
	if (window != FACT_WINDOW_DIFFERENCE)
		return;
	if (value->state != FACT_NUMBER || before->state != FACT_NUMBER ||
	    __builtin_add_overflow(value->number, before->number, &value->number))
		fact_clear(value);
}

/* A list that one of the windows has no differences of has none over both. */
static void add_list(enum cgroup_list_id list, struct cgroup_stats *stats,
                     const struct cgroup_stats *earlier)
{
	struct keyed_values *values = &stats->lists[list];
	const struct keyed_values *before = &earlier->lists[list];
	bool omits_zeros = earlier->has_list[list] && cgroup_list_omits_zeros(list);
	struct keyed_values kept = {0};

	for (size_t i = 0; i < values->count; i++) {
		const char *key = values->entries[i].key;
		uint64_t value = values->entries[i].value;
		const struct keyed_value *then;

		if (cgroup_key_find(list, key)->rule == FACT_RULE_SUM) {
			then = keyed_values_find(before, key, strlen(key), i);
			if (!then && !omits_zeros)
				continue;
			saturating_add_to(&value, then ? then->value : 0);
		}
		keyed_values_set(&kept, key, strlen(key), value);
	}
	keyed_values_done(values);
	*values = kept;
	stats->has_list[list] =
	        stats->has_list[list] && (earlier->has_list[list] || kept.count > 0);
}

static void add_psi(struct psi *psi, const struct psi *before)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			struct psi_line *line = &psi->lines[resource][row];
			const struct psi_line *then = &before->lines[resource][row];

			line->seen = line->seen && then->seen;
			saturating_add_to(&line->total_usec, then->total_usec);
		}
}

/* Between the two windows there may be a gap. */
static void add_unjoined(struct cgroup_stats *stats, const struct cgroup_stats *before)
{
	struct keyed_values unjoined = stats->unjoined;

	stats->unjoined = (struct keyed_values){0};
	if (stats->interval_ns > 0 && before->interval_ns > 0)
		window_note_unjoined(stats, before);
	window_keep_unjoined(stats, &unjoined);
	window_keep_unjoined(stats, &before->unjoined);
	keyed_values_done(&unjoined);
}

void window_add_cgroup(struct cgroup_stats *stats, const struct cgroup_stats *before)
{
	add_unjoined(stats, before);
	/* Peaks come first, since they depend on which differences there are. */
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (cgroup_value_table[i].window == FACT_WINDOW_RISEN)
			add_peak(stats, before, i);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		add_fact(cgroup_value_table[i].window, &stats->values[i], &before->values[i]);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		add_list((enum cgroup_list_id)i, stats, before);
	add_psi(&stats->psi, &before->psi);
	stats->interval_ns = stats->interval_ns > 0 && before->interval_ns > 0
	                             ? stats->interval_ns + before->interval_ns
	                             : 0;
}

static void move_field(struct host *host, struct host *before, enum host_field field)
{
	struct host_map map = host->maps[field];
	char *text = host->texts[field];

	host->seen[field] = true;
	host->numbers[field] = before->numbers[field];
	host->texts[field] = before->texts[field];
	host->maps[field] = before->maps[field];
	before->texts[field] = text;
	before->maps[field] = map;
	before->seen[field] = false;
}

void window_add_facts(struct snapshot_info *info, struct snapshot_info *before)
{
	struct settings none = {0};

	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		if (!host_field_table[i].counts && !info->host.seen[i] && before->host.seen[i])
			move_field(&info->host, &before->host, (enum host_field)i);
	if (info->settings.seen) {
		settings_note_changes(&info->settings, &before->settings);
		return;
	}
	settings_done(&info->settings);
	info->settings = before->settings;
	before->settings = none;
}

/* Between the windows there may be gaps, so that the ends of these maps are not those of the sum. */
static void add_host(struct host *host, const struct host *before)
{
	host_forget_pairs(host);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		if (!host_field_table[i].counts || !host->seen[i])
			continue;
		if (before->seen[i])
			saturating_add_to(&host->numbers[i], before->numbers[i]);
		else
			host_forget(host, (enum host_field)i);
	}
}

static void add_number(struct snapshot_window *window, const struct snapshot_window *before,
                       enum window_number number)
{
	uint64_t *value = &window->numbers[number];

	switch (number) {
	case WINDOW_begin_unix_ns:
	case WINDOW_begin_boottime_ns:
		window->seen[number] = before->seen[number];
		*value = before->numbers[number];
		return;
	case WINDOW_read_skew_ns:
		if (before->seen[number] && before->numbers[number] > *value)
			window_set(window, number, before->numbers[number]);
		return;
	default:
		window->seen[number] = window->seen[number] && before->seen[number];
		saturating_add_to(value, before->numbers[number]);
	}
}

/* The worse of two sources. */
static enum window_exits exits_of_both(enum window_exits a, enum window_exits b)
{
	if (!window_exits_are_known(a))
		return a;
	if (!window_exits_are_known(b))
		return b;
	return a == b ? a : WINDOW_EXITS_recorded;
}

static void add_cost(struct snapshot_info *info, const struct snapshot_info *before)
{
	for (unsigned i = 0; i < COST_COUNT; i++) {
		bool is_largest = i == COST_peak_rss_bytes || i == COST_longest_stop_ns ||
		                  i == COST_walk_spread_ns || i == COST_pass_ns;
		uint64_t then = before->cost[i];

		info->cost_seen[i] = info->cost_seen[i] && before->cost_seen[i];
		if (!is_largest)
			saturating_add_to(&info->cost[i], then);
		else if (then > info->cost[i])
			info->cost[i] = then;
	}
}

void window_add_info(struct snapshot_info *info, struct snapshot_info *before)
{
	add_host(&info->host, &before->host);
	host_join_source(&info->host, &before->host);
	add_psi(&info->psi, &before->psi);
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		add_number(&info->window, &before->window, (enum window_number)i);
	window_join_exits(&info->window, &before->window,
	                  exits_of_both(info->window.exits, before->window.exits));
	add_cost(info, before);
	labels_keep_common(&info->labels, &before->labels);
	window_add_facts(info, before);
}
