// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot/row-changes.h"

#include <string.h>

#include "metric/treatment.h"

static bool is_included(const struct metric_set *small, const struct metric_set *large)
{
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		if (small->words[i] & ~large->words[i])
			return false;
	return true;
}

static bool is_same_set(const struct metric_set *a, const struct metric_set *b)
{
	return memcmp(a->words, b->words, sizeof(a->words)) == 0;
}

static size_t value_bytes(enum metric_id metric)
{
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		return sizeof(uint64_t);
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		return sizeof(uint32_t);
	case REPRESENTATION_LETTER:
	case REPRESENTATION_FLAG:
		return 1;
	case REPRESENTATION_TEXT:
		return sizeof(struct label_bytes);
	case REPRESENTATION_CPUS:
		return sizeof(struct cpu_mask);
	}
	return 0;
}

static bool is_same_value(const struct thread_sample *a, const struct thread_sample *b,
                          enum metric_id metric)
{
	const void *left = sample_value(a, metric), *right = sample_value(b, metric);

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_CPUS:
		return cpu_mask_equal(left, right);
	case REPRESENTATION_TEXT:
		return strcmp(((const struct label_bytes *)left)->bytes,
		              ((const struct label_bytes *)right)->bytes) == 0;
	default:
		return memcmp(left, right, value_bytes(metric)) == 0;
	}
}

/* Returns whether the row has something that only a whole row can say. */
static bool is_special(const struct thread_sample *sample)
{
	return sample_is_lost(sample) || sample->process_successors > 0 ||
	       sample->run_time_before_ns > 0 || sample->jemalloc_boottime_ns > 0 ||
	       !metric_set_is_empty(&sample->impossible) || sample->process_totals_impossible != 0;
}

bool row_make_unchanged(struct thread_sample *sample)
{
	if (is_special(sample) || (sample->window_part != WINDOW_PART_continued &&
	                           sample->window_part != WINDOW_PART_born))
		return false;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		switch (window_treatment_of(metric)) {
		case TREAT_DIFFERENCE:
			sample_replace_number(sample, metric, 0);
			break;
		case TREAT_RISEN:
		case TREAT_FALLEN:
			metric_set_remove(&sample->seen, metric);
			break;
		case TREAT_END:
			break;
		}
	}
	sample->window_part = WINDOW_PART_continued;
	sample->interval_ns = sample->life_ns = sample->jemalloc_interval_ns = 0;
	return true;
}

/* Removes a text that is the same. Returns false if it is gone. */
static bool reduce_text(struct strbuf *text, const struct strbuf *before)
{
	if (strbuf_equal(text, before))
		text->len = 0;
	else if (text->len == 0)
		return false;
	return true;
}

static bool reduce_path(struct strbuf *text, bool *has, const struct strbuf *before,
                        bool had_before)
{
	if (!*has)
		return !had_before;
	if (had_before && strbuf_equal(text, before))
		*has = false;
	return true;
}

static bool reduce_identity(struct thread_sample *row, const struct thread_sample *before)
{
	bool is_parent_same = row->has_parent && before->has_parent && row->ppid == before->ppid &&
	                      row->pgrp == before->pgrp && row->session == before->session;

	if ((before->has_uid && !row->has_uid) || (before->has_parent && !row->has_parent) ||
	    (before->has_cgroup && row->cgroup_is_v1 != before->cgroup_is_v1))
		return false;
	if (row->has_uid && before->has_uid && row->uid == before->uid)
		row->has_uid = false;
	if (is_parent_same)
		row->has_parent = false;
	return reduce_text(&row->pcomm, &before->pcomm) && reduce_text(&row->comm, &before->comm) &&
	       reduce_text(&row->cgroups_v1, &before->cgroups_v1) &&
	       reduce_path(&row->cgroup, &row->has_cgroup, &before->cgroup, before->has_cgroup) &&
	       reduce_path(&row->exe, &row->has_exe, &before->exe, before->has_exe) &&
	       reduce_path(&row->cwd, &row->has_cwd, &before->cwd, before->has_cwd) &&
	       reduce_path(&row->title, &row->has_title, &before->title, before->has_title);
}

static bool reduce_reasons(struct thread_sample *row, const struct thread_sample *before)
{
	if (memcmp(row->outcomes, before->outcomes, sizeof(row->outcomes)) != 0 ||
	    !is_same_set(&row->malformed, &before->malformed) ||
	    !is_same_set(&row->skipped, &before->skipped))
		return false;
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		row->outcomes[s] = OUTCOME_unneeded;
	row->malformed = row->skipped = (struct metric_set){{0}};
	return true;
}

static bool reduce_metrics(struct thread_sample *row, const struct thread_sample *before)
{
	if (!is_included(&before->seen, &row->seen))
		return false;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		/* No row has those without a source. */
		if (metric_table[i].source == SOURCE_synthetic ||
		    (metric_set_has(&before->seen, metric) && is_same_value(row, before, metric)))
			metric_set_remove(&row->seen, metric);
	}
	return true;
}

static bool reduce_smaps(struct thread_sample *row, const struct thread_sample *before)
{
	const struct keyed_values *now = &row->smaps_rollup_kib, *then = &before->smaps_rollup_kib;

	if (!row->has_smaps)
		return !before->has_smaps;
	if (!before->has_smaps || now->count != then->count)
		return true;
	for (size_t i = 0; i < now->count; i++)
		if (now->entries[i].value != then->entries[i].value ||
		    strcmp(now->entries[i].key, then->entries[i].key) != 0)
			return true;
	row->has_smaps = false;
	return true;
}

static bool reduce_totals(struct thread_sample *row, const struct thread_sample *before,
                          const uint64_t sums[PROCESS_TOTAL_COUNT])
{
	if (!before->has_process_totals)
		return true;
	if (row->process_totals_seen != before->process_totals_seen)
		return false;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (row->process_totals[i] == sums[i])
			row->process_totals_seen &= ~(UINT32_C(1) << i);
	row->has_process_totals = row->process_totals_seen != 0;
	return true;
}

/* The interval begins with the reading before, where the row has its time. */
static void reduce_times(struct thread_sample *row, const struct thread_sample *before)
{
	if (row->life_ns == row->interval_ns && before->read_boottime_ns > 0 &&
	    row->interval_ns == row->read_boottime_ns - before->read_boottime_ns)
		row->interval_ns = row->life_ns = 0;
	row->window_part = WINDOW_PART_NONE;
}

bool row_find_changes(const struct thread_sample *sample, const struct thread_sample *unchanged,
                      const uint64_t sums[PROCESS_TOTAL_COUNT], struct thread_sample *ret)
{
	if (is_special(sample) || sample->window_part != WINDOW_PART_continued ||
	    sample->read_boottime_ns == 0)
		return false;
	*ret = *sample;
	if (!reduce_reasons(ret, unchanged) || !reduce_identity(ret, unchanged) ||
	    !reduce_metrics(ret, unchanged) || !reduce_smaps(ret, unchanged) ||
	    !reduce_totals(ret, unchanged, sums))
		return false;
	reduce_times(ret, unchanged);
	return true;
}

bool row_has_no_changes(const struct thread_sample *changes)
{
	return metric_set_is_empty(&changes->seen) && changes->pcomm.len == 0 &&
	       changes->comm.len == 0 && changes->cgroups_v1.len == 0 && !changes->has_cgroup &&
	       !changes->has_exe && !changes->has_cwd && !changes->has_title && !changes->has_uid &&
	       !changes->has_parent && !changes->has_smaps && !changes->has_process_totals;
}

static void fill_text(struct strbuf *text, const struct strbuf *before)
{
	if (text->len == 0)
		strbuf_add(text, strbuf_str(before), before->len);
}

static void fill_path(struct strbuf *text, bool *has, const struct strbuf *before, bool had_before)
{
	if (*has || !had_before)
		return;
	*has = true;
	strbuf_copy(text, before);
}

static void fill_identity(struct thread_sample *row, const struct thread_sample *before)
{
	fill_text(&row->pcomm, &before->pcomm);
	fill_text(&row->comm, &before->comm);
	fill_text(&row->cgroups_v1, &before->cgroups_v1);
	if (!row->has_cgroup)
		row->cgroup_is_v1 = before->cgroup_is_v1;
	fill_path(&row->cgroup, &row->has_cgroup, &before->cgroup, before->has_cgroup);
	fill_path(&row->exe, &row->has_exe, &before->exe, before->has_exe);
	fill_path(&row->cwd, &row->has_cwd, &before->cwd, before->has_cwd);
	fill_path(&row->title, &row->has_title, &before->title, before->has_title);
	if (!row->has_uid && before->has_uid) {
		row->has_uid = true;
		row->uid = before->uid;
	}
	if (!row->has_parent && before->has_parent) {
		row->has_parent = true;
		row->ppid = before->ppid;
		row->pgrp = before->pgrp;
		row->session = before->session;
	}
}

static void fill_metrics(struct thread_sample *row, const struct thread_sample *before)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (metric_set_has(&row->seen, metric) || !metric_set_has(&before->seen, metric))
			continue;
		metric_set_add(&row->seen, metric);
		memcpy((char *)row + metric_table[i].offset, sample_value(before, metric),
		       value_bytes(metric));
	}
	for (size_t i = 0; i < METRIC_SET_WORDS; i++) {
		row->malformed.words[i] |= before->malformed.words[i];
		row->skipped.words[i] |= before->skipped.words[i];
	}
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		if (row->outcomes[s] == OUTCOME_unneeded)
			row->outcomes[s] = before->outcomes[s];
}

bool row_fill(struct thread_sample *changes, const struct thread_sample *unchanged)
{
	uint64_t before_ns = unchanged->read_boottime_ns;

	if (changes->interval_ns == 0) {
		if (before_ns == 0 || changes->read_boottime_ns <= before_ns)
			return false;
		changes->interval_ns = changes->life_ns = changes->read_boottime_ns - before_ns;
	}
	changes->window_part = WINDOW_PART_continued;
	fill_identity(changes, unchanged);
	fill_metrics(changes, unchanged);
	for (size_t i = 0; !changes->has_smaps && i < unchanged->smaps_rollup_kib.count; i++)
		keyed_values_set(&changes->smaps_rollup_kib,
		                 unchanged->smaps_rollup_kib.entries[i].key,
		                 strlen(unchanged->smaps_rollup_kib.entries[i].key),
		                 unchanged->smaps_rollup_kib.entries[i].value);
	changes->has_smaps = changes->has_smaps || unchanged->has_smaps;
	return true;
}

void row_fill_totals(struct thread_sample *changes, const struct thread_sample *unchanged,
                     const uint64_t sums[PROCESS_TOTAL_COUNT])
{
	if (!unchanged->has_process_totals)
		return;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (!(changes->process_totals_seen >> i & 1))
			changes->process_totals[i] = sums[i];
	changes->process_totals_seen |= unchanged->process_totals_seen;
	changes->has_process_totals = true;
}
