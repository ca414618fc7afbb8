// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-merged.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A row takes some kilobytes. Names that nobody has twice are not worth it. */
enum { ROWS_MAX = 4096 };

/* Sums and extremes are numbers of 64 bits. */
/* clang-format off */
#define METRIC(id_, type_, bound_, rule_, ...)                                                     \
	_Static_assert((RULE_##rule_ != RULE_SUM && RULE_##rule_ != RULE_MAX &&                    \
			RULE_##rule_ != RULE_MIN) || sizeof(struct type_) == sizeof(uint64_t),     \
		       "metric " #id_ ": rows of threads are merged as numbers of 64 bits");
#include CTPROF_METRICS_DEF
#undef METRIC
/* clang-format on */

/* Returns whether each wait of the thread is one that it can have had in its life. */
static bool is_within_life(const struct thread_sample *sample)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (metric_table[i].bound == BOUND_waiting &&
		    metric_set_has(&sample->seen, metric) &&
		    sample_state_inside(sample, metric) != sample_number(sample, metric))
			return false;
	}
	return sample_delays_beyond(sample, METRIC_swapin_delay_total_ns, sample->life_ns) == 0 &&
	       sample_delays_beyond(sample, METRIC_thrashing_delay_total_ns, sample->life_ns) == 0;
}

bool window_merged_can(const struct thread_sample *sample)
{
	static const struct metric_set none;

	if (sample->merged_threads > 0)
		return true;
	return sample->window_part == WINDOW_PART_passed && sample->process_successors == 0 &&
	       sample->life_ns > 0 && !sample->has_process_totals && !sample->has_smaps &&
	       sample->jemalloc_boottime_ns == 0 && sample->jemalloc_interval_ns == 0 &&
	       metric_set_equal(&sample->impossible, &none) && is_within_life(sample);
}

bool window_merged_is_like(const struct thread_sample *a, const struct thread_sample *b)
{
	return a == b ||
	       (strbuf_equal(&a->pcomm, &b->pcomm) && strbuf_equal(&a->exe, &b->exe) &&
	        strbuf_equal(&a->cwd, &b->cwd) && strbuf_equal(&a->title, &b->title) &&
	        a->has_exe == b->has_exe && a->has_cwd == b->has_cwd &&
	        a->has_title == b->has_title && a->has_uid == b->has_uid && a->uid == b->uid);
}

static void put(struct strbuf *key, const void *bytes, size_t len)
{
	strbuf_add(key, bytes, len);
}

static void put_text(struct strbuf *key, bool is_there, const struct strbuf *text)
{
	uint32_t len = is_there ? (uint32_t)text->len : UINT32_MAX;

	put(key, &len, sizeof(len));
	if (is_there)
		put(key, strbuf_str(text), text->len);
}

/* Appends a value that is neither summed nor an extreme. A smallest value is zero where there was no event. */
static void put_value(struct strbuf *key, const struct thread_sample *sample, enum metric_id metric)
{
	const void *value = sample_value(sample, metric);
	const struct cpu_mask *mask = value;
	const struct label_bytes *label = value;
	enum metric_rule rule = metric_table[metric].rule;
	bool is_zero;

	if (rule == RULE_SUM || rule == RULE_MAX)
		return;
	if (rule == RULE_MIN) {
		is_zero = sample_number(sample, metric) == 0;
		put(key, &is_zero, sizeof(is_zero));
		return;
	}
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		put(key, value, sizeof(uint64_t));
		break;
	case REPRESENTATION_U32:
	case REPRESENTATION_I32:
		put(key, value, sizeof(uint32_t));
		break;
	case REPRESENTATION_LETTER:
	case REPRESENTATION_FLAG:
		put(key, value, 1);
		break;
	case REPRESENTATION_TEXT:
		put(key, label->bytes, strlen(label->bytes) + 1);
		break;
	case REPRESENTATION_CPUS:
		put(key, &mask->used_words, sizeof(mask->used_words));
		put(key, mask->words, mask->used_words * sizeof(mask->words[0]));
		break;
	}
}

/* Sets the key to everything that rows have in common. */
static void set_key(struct strbuf *key, const struct thread_sample *sample)
{
	uint64_t uid = sample->has_uid ? sample->uid : UINT64_MAX;
	bool is_leader = sample->tid == sample->tgid;

	strbuf_clear(key);
	put(key, &is_leader, sizeof(is_leader));
	put_text(key, true, &sample->pcomm);
	put_text(key, true, &sample->comm);
	put_text(key, sample->has_cgroup, &sample->cgroup);
	put(key, &sample->cgroup_is_v1, sizeof(sample->cgroup_is_v1));
	put_text(key, true, &sample->cgroups_v1);
	put_text(key, sample->has_exe, &sample->exe);
	put_text(key, sample->has_cwd, &sample->cwd);
	put_text(key, sample->has_title, &sample->title);
	put(key, &uid, sizeof(uid));
	put(key, sample->outcomes, sizeof(sample->outcomes));
	put(key, &sample->seen, sizeof(sample->seen));
	put(key, &sample->malformed, sizeof(sample->malformed));
	put(key, &sample->skipped, sizeof(sample->skipped));
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(&sample->seen, (enum metric_id)i))
			put_value(key, sample, (enum metric_id)i);
}

static void fold_value(struct thread_sample *into, const struct thread_sample *sample,
                       enum metric_id metric)
{
	uint64_t value = sample_number(sample, metric), so_far = sample_number(into, metric);

	switch (metric_table[metric].rule) {
	case RULE_SUM:
		sample_replace_number(into, metric, saturating_add(so_far, value));
		break;
	case RULE_MAX:
		sample_replace_number(into, metric, value > so_far ? value : so_far);
		break;
	case RULE_MIN:
		sample_replace_number(into, metric, value < so_far ? value : so_far);
		break;
	case RULE_RANGE:
	case RULE_MODE:
	case RULE_AFFINITY:
		break;
	}
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void fold_row(struct thread_sample *into, const struct thread_sample *sample)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(&sample->seen, (enum metric_id)i))
			fold_value(into, sample, (enum metric_id)i);
	into->read_boottime_ns = later(into->read_boottime_ns, sample->read_boottime_ns);
	into->interval_ns = later(into->interval_ns, sample->interval_ns);
	saturating_add_to(&into->life_ns, sample->life_ns);
	into->merged_threads =
	        (uint32_t)saturating_add(into->merged_threads, sample_threads(sample));
	/* These were of one thread and of one process. */
	into->exit_facts_seen = 0;
	into->has_parent = false;
}

bool window_merged_add(struct window_merged *merged, struct thread_sample *sample)
{
	struct strmap_entry *entry;

	set_key(&merged->key, sample);
	if (merged->count >= ROWS_MAX && sample->merged_threads == 0 &&
	    !strmap_get(&merged->places, strbuf_str(&merged->key), merged->key.len))
		return false;
	entry = strmap_add(&merged->places, strbuf_str(&merged->key), merged->key.len);
	if (entry->value) {
		fold_row(&merged->rows[(uintptr_t)entry->value - 1], sample);
		return true;
	}
	sample->merged_threads = sample_threads(sample);
	*array_add(merged->rows, merged->count, merged->capacity) = *sample;
	/* Its texts have moved. */
	*sample = (struct thread_sample){0};
	entry->value = (void *)(uintptr_t)merged->count;
	return true;
}

void window_merged_done(struct window_merged *merged)
{
	for (size_t i = 0; i < merged->count; i++)
		sample_done(&merged->rows[i]);
	free(merged->rows);
	strmap_done(&merged->places);
	strbuf_done(&merged->key);
	*merged = (struct window_merged){0};
}
