// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot/frame-base.h"

#include <errno.h>
#include <string.h>

#include "snapshot/row-changes.h"

/* A whole frame comes after so many others. */
enum { WHOLE_EVERY = 120 };

void frame_base_done(struct frame_base *base)
{
	row_table_done(&base->rows);
	cgroup_base_done(&base->cgroups);
	sample_done(&base->unchanged);
	*base = (struct frame_base){0};
}

static void begin(struct frame_base *base, bool is_whole)
{
	base->frame++;
	base->is_whole = is_whole;
	base->since_whole = is_whole ? 0 : base->since_whole + 1;
	base->tgid = 0;
	base->unchanged_threads = base->unchanged_cgroups = 0;
	row_table_tidy(&base->rows, &base->unchanged);
	cgroup_base_tidy(&base->cgroups);
}

bool frame_base_begin_writing(struct frame_base *base, bool asked_whole,
                              const enum source_outcome rules[SOURCE_COUNT])
{
	bool is_same = memcmp(base->rules, rules, sizeof(base->rules)) == 0;

	begin(base,
	      asked_whole || base->frame == 0 || !is_same || base->since_whole + 1 >= WHOLE_EVERY);
	memcpy(base->rules, rules, sizeof(base->rules));
	return base->is_whole;
}

void frame_base_begin_reading(struct frame_base *base, bool is_whole)
{
	begin(base, is_whole);
}

/* Adds the row to the sums over those of its process. */
static void add_to_process(struct frame_base *base, const struct thread_sample *sample)
{
	uint64_t start = sample_process_start(sample);

	if (sample->tgid != base->tgid || start != base->process_start) {
		base->tgid = sample->tgid;
		base->process_start = start;
		base->has_rows = false;
		memset(base->sums, 0, sizeof(base->sums));
	}
	sample_add_to_totals(sample, base->sums);
}

static struct thread_key key_of(const struct thread_sample *sample)
{
	return (struct thread_key){sample->tid, sample->tgid, sample->start_time_clock_ticks,
	                           sample_process_start(sample)};
}

static bool is_there_at_end(const struct thread_sample *sample)
{
	return sample->window_part == WINDOW_PART_continued ||
	       sample->window_part == WINDOW_PART_born;
}

/* A thread that has ended has no further rows, unless another one has its ids already. */
static void keep(struct frame_base *base, uint32_t before, const struct thread_sample *sample)
{
	if (is_there_at_end(sample))
		row_table_put(&base->rows, before, sample, (struct row_mark){.frame = base->frame});
	else if (before != THREAD_STORE_NONE && base->rows.marks[before].frame < base->frame)
		row_table_end(&base->rows, before);
}

/* Gets what the thread's row would be if nothing changed. Only the frame just before has the time of its reading. */
static bool get_unchanged(struct frame_base *base, uint32_t before)
{
	if (before == THREAD_STORE_NONE)
		return false;
	thread_store_get(&base->rows.store, before, &base->unchanged);
	if (base->rows.marks[before].frame + 1 != base->frame)
		base->unchanged.read_boottime_ns = 0;
	return row_make_unchanged(&base->unchanged);
}

/* The last row of a process, which has its totals, is there if any other is. */
static bool is_left_out(const struct frame_base *base, const struct thread_sample *sample,
                        const struct thread_sample *changes)
{
	return row_has_no_changes(changes) && !(sample->has_process_totals && base->has_rows);
}

enum frame_row frame_base_write_row(struct frame_base *base, const struct thread_sample *sample,
                                    struct thread_sample *ret_changes)
{
	const struct thread_key key = key_of(sample);
	uint32_t before = row_table_find(&base->rows, &key);
	enum frame_row row = FRAME_ROW_WHOLE;

	add_to_process(base, sample);
	if (!base->is_whole && get_unchanged(base, before) &&
	    row_find_changes(sample, &base->unchanged, base->sums, ret_changes))
		row = is_left_out(base, sample, ret_changes) ? FRAME_ROW_LEFT_OUT
		                                             : FRAME_ROW_CHANGES;
	if (row == FRAME_ROW_LEFT_OUT) {
		base->rows.marks[before].left_out = base->frame;
		base->unchanged_threads++;
		return row;
	}
	base->has_rows = true;
	keep(base, before, sample);
	return row;
}

bool frame_base_leave_out(struct frame_base *base, const struct thread_key *key)
{
	uint32_t row = row_table_find(&base->rows, key);
	bool is_of_process =
	        key->tgid == base->tgid && key->process_start_clock_ticks == base->process_start;

	/* The last row of a process may have totals, which other rows have changed. */
	if (row == THREAD_STORE_NONE || (is_of_process && base->has_rows) ||
	    base->rows.marks[row].left_out + 1 != base->frame)
		return false;
	base->rows.marks[row].left_out = base->frame;
	base->unchanged_threads++;
	return true;
}

int frame_base_read_row(struct frame_base *base, bool is_changes, struct thread_sample *sample)
{
	const struct thread_key key = key_of(sample);
	uint32_t before = row_table_find(&base->rows, &key);

	/* No window goes on from a thread of a boot before, and its ids may be those of another one now. */
	if (sample->boot_id.len > 0)
		return is_changes ? -ENOENT : 0;
	if (is_changes && (!get_unchanged(base, before) || !row_fill(sample, &base->unchanged)))
		return -ENOENT;
	add_to_process(base, sample);
	if (is_changes)
		row_fill_totals(sample, &base->unchanged, base->sums);
	keep(base, before, sample);
	return 0;
}

bool frame_base_write_cgroup(struct frame_base *base, const struct cgroup_stats *stats)
{
	struct cgroup_base_entry *before = cgroup_base_find(&base->cgroups, stats);

	if (!base->is_whole && before && cgroup_is_unchanged(&before->stats, stats)) {
		before->frame = base->frame;
		base->unchanged_cgroups++;
		return true;
	}
	cgroup_base_keep(&base->cgroups, stats, base->frame);
	return false;
}

void frame_base_read_cgroup(struct frame_base *base, const struct cgroup_stats *stats)
{
	cgroup_base_keep(&base->cgroups, stats, base->frame);
}

void frame_base_end_cgroup(struct frame_base *base, const struct cgroup_stats *stats)
{
	struct cgroup_base_entry *entry = cgroup_base_find(&base->cgroups, stats);

	if (entry)
		cgroup_base_end(&base->cgroups, entry);
}

void frame_base_end(struct frame_base *base)
{
	if (!base->is_whole)
		return;
	for (uint32_t row = 0; row < base->rows.store.count; row++)
		if (row_table_is_live(&base->rows, row) &&
		    base->rows.marks[row].frame != base->frame)
			row_table_end(&base->rows, row);
	cgroup_base_end_others(&base->cgroups, base->frame);
}

bool frame_base_next_ended(struct frame_base *base, uint32_t *row, struct thread_key *ret_key)
{
	for (; !base->is_whole && *row < base->rows.store.count; (*row)++) {
		const struct row_mark *mark = &base->rows.marks[*row];

		if (mark->frame == 0 || mark->frame == base->frame || mark->left_out == base->frame)
			continue;
		*ret_key = *thread_store_key(&base->rows.store, *row);
		row_table_end(&base->rows, *row);
		return true;
	}
	return false;
}

void frame_base_end_thread(struct frame_base *base, const struct thread_key *key)
{
	uint32_t row = row_table_find(&base->rows, key);

	if (row != THREAD_STORE_NONE && base->rows.marks[row].frame != base->frame)
		row_table_end(&base->rows, row);
}

const struct cgroup_stats *frame_base_next_gone(struct frame_base *base, bool is_v1)
{
	for (size_t i = 0; !base->is_whole && i < base->cgroups.count; i++) {
		struct cgroup_base_entry *entry = &base->cgroups.entries[i];

		if (entry->frame == 0 || entry->frame == base->frame || entry->stats.is_v1 != is_v1)
			continue;
		cgroup_base_end(&base->cgroups, entry);
		return &entry->stats;
	}
	return NULL;
}

uint64_t frame_base_threads_left_out(const struct frame_base *base)
{
	uint64_t count = 0;

	for (uint32_t row = 0; row < base->rows.store.count; row++)
		count += row_table_is_live(&base->rows, row) &&
		         base->rows.marks[row].frame != base->frame;
	return count;
}

uint64_t frame_base_cgroups_left_out(const struct frame_base *base)
{
	uint64_t count = 0;

	for (size_t i = 0; i < base->cgroups.count; i++)
		count += base->cgroups.entries[i].frame > 0 &&
		         base->cgroups.entries[i].frame != base->frame;
	return count;
}
