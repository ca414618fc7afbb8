// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of threads that are there at the end of a window are in a table, each with its sum. A window replaces those that it has.
 * Those that it leaves out, since nothing moved in them, get only longer, which is added when they are needed next. Threads that
 * ended go to a store of their own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "snapshot/row-changes.h"
#include "window-add.h"
#include "window-sum-state.h"

/* Returns the row of the leader of a thread's process if that is another thread since the window that is added, and the window has
 * its work: it took over the ids of the leader, and has no other row. */
static uint32_t find_taker(struct window_sum *sum, uint32_t row)
{
	const struct thread_key *key = thread_store_key(&sum->live.store, row);
	const struct thread_key leader = {key->tgid, key->tgid, key->process_start_clock_ticks,
	                                  key->process_start_clock_ticks};
	uint32_t taker = THREAD_STORE_NONE;

	if (key->tid != key->tgid && leader.start_time_clock_ticks != PROCESS_START_UNKNOWN)
		taker = row_table_find(&sum->live, &leader);
	if (taker == THREAD_STORE_NONE || sum->live.marks[taker].first <= sum->count)
		return THREAD_STORE_NONE;
	thread_store_get(&sum->live.store, taker, &sum->row);
	return (sum->row.window_part == WINDOW_PART_continued ||
	        sum->row.window_part == WINDOW_PART_exited) &&
	                       sum->row.outcomes[SOURCE_stat] != OUTCOME_unjoined
	               ? taker
	               : THREAD_STORE_NONE;
}

/* Adds the work of the thread before that to its row, which is in sum->row. It was not born in a gap: see add_thread(). */
static void join_taker(struct window_sum *sum, uint32_t row, uint32_t taker)
{
	struct row_mark mark = sum->live.marks[taker];
	struct thread_sample *sample = &sum->row;

	mark.first = sum->live.marks[row].first;
	if (sample->window_part == WINDOW_PART_continued)
		window_set_interval(sample,
		                    sample->interval_ns - (sum->length_ns < sample->interval_ns
		                                                   ? sum->length_ns
		                                                   : sample->interval_ns));
	window_sum_row(sum, row, &sum->before);
	window_add_thread(sample, &sum->before);
	row_table_end(&sum->live, row);
	row_table_put(&sum->live, taker, sample, mark);
}

/* Sets aside a thread that was there at the end of the last window, and not in the next one. */
static void end_row(struct window_sum *sum, uint32_t row)
{
	struct thread_sample *sample = &sum->before;
	uint32_t taker = find_taker(sum, row);

	if (taker != THREAD_STORE_NONE) {
		join_taker(sum, row, taker);
		return;
	}
	window_sum_row(sum, row, sample);
	sample->window_part =
	        sample->window_part == WINDOW_PART_born ? WINDOW_PART_passed : WINDOW_PART_exited;
	window_sum_keep_ended(sum, sample, sum->boot);
	row_table_end(&sum->live, row);
}

/* Ends the threads that the next window does not have. */
static void end_unused(struct window_sum *sum)
{
	for (uint32_t row = 0; row < sum->live.store.count; row++)
		if (row_table_is_live(&sum->live, row) && sum->live.marks[row].frame <= sum->count)
			end_row(sum, row);
}

static void note_gone(struct window_sum *sum, const struct cgroup_stats *stats)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;

	strbuf_add_char(&key, stats->is_v1 ? '1' : '2');
	strbuf_add(&key, strbuf_str(&stats->path), stats->path.len);
	strmap_add(&sum->gone, strbuf_str(&key), key.len);
}

static bool is_same_boot(const struct window_sum *sum)
{
	const char *before = host_text(&sum->so_far.host, HOST_boot_id);
	const char *now = host_text(&sum->next.host, HOST_boot_id);

	return !before || !now || strcmp(before, now) == 0;
}

/* Returns the place of a boot among those of the sum, new or not. */
static uint32_t boot_place(struct window_sum *sum, const char *boot_id, size_t len)
{
	return (uint32_t)(strmap_add(&sum->boots, boot_id, len) - sum->boots.entries);
}

/* Ids mean other threads after a boot. A cgroup continues under its path, with another number. */
static void check_boot(struct window_sum *sum)
{
	const char *now = host_text(&sum->next.host, HOST_boot_id);

	if (sum->is_checked)
		return;
	sum->is_checked = true;
	if (sum->count > 0 && is_same_boot(sum))
		return;
	end_unused(sum);
	sum->boot = boot_place(sum, now ? now : "", now ? strlen(now) : 0);
	window_totals_done(&sum->totals);
	for (size_t i = 0; i < sum->cgroups.count; i++)
		keyed_values_clear(&sum->cgroups.entries[i].stats.ids);
	sum->begins_boot = sum->count > 0;
}

/* Returns the thread's row of the windows before. */
static uint32_t find_before(const struct window_sum *sum, const struct thread_sample *sample)
{
	const struct thread_key key = {sample->tid, sample->tgid, sample->start_time_clock_ticks,
	                               sample_process_start(sample)};
	uint32_t row = THREAD_STORE_NONE;

	if (sample->window_part != WINDOW_PART_passed)
		row = row_table_find(&sum->live, &key);
	return row != THREAD_STORE_NONE && sum->live.marks[row].frame <= sum->count
	               ? row
	               : THREAD_STORE_NONE;
}

/* Returns whether an ended leader is not among the threads before, although its process may be: it may have taken over the ids of its
 * leader in the window, which is a sum itself, and ended in it as well. */
static bool may_be_taker(const struct window_sum *sum, const struct thread_sample *sample)
{
	return sum->count > 0 && sample->window_part == WINDOW_PART_exited &&
	       sample->tid == sample->tgid && sample->merged_threads == 0;
}

/* Sets the leaders aside that ended in the window, once the threads that became them have been found. */
static void end_leaders(struct window_sum *sum, uint32_t first_row)
{
	for (uint32_t row = first_row; sum->ended_leaders > 0 && row < sum->live.store.count;
	     row++) {
		if (!row_table_is_live(&sum->live, row))
			continue;
		thread_store_get(&sum->live.store, row, &sum->row);
		if (!sample_ended_inside(&sum->row))
			continue;
		window_sum_keep_ended(sum, &sum->row, sum->boot);
		row_table_end(&sum->live, row);
	}
	sum->ended_leaders = 0;
}

/* Adds the row of a thread of a boot that ended before the window did, which is a sum itself. */
static void add_former(struct window_sum *sum, struct thread_sample *sample)
{
	sample_forget_totals(sample);
	window_sum_keep_ended(sum, sample,
	                      boot_place(sum, strbuf_str(&sample->boot_id), sample->boot_id.len));
}

static int add_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct window_sum *sum = (struct window_sum *)self;
	struct row_mark mark = {
	        .frame = sum->count + 1, .length_ns = sum->length_ns, .first = sum->count + 1};
	uint32_t row;

	check_boot(sum);
	if (sample->merged_threads > 0 && sum->merges && window_merged_add(&sum->merged, sample))
		return 0;
	if (sample->boot_id.len > 0) {
		add_former(sum, sample);
		return 0;
	}
	window_totals_add(&sum->totals_next, sample);
	sample_forget_totals(sample);
	row = find_before(sum, sample);
	/* It was born in a gap, or another boot began there: the time before has nothing of it. */
	if (row == THREAD_STORE_NONE && sum->count > 0 &&
	    sample->window_part == WINDOW_PART_continued && !sample_is_lost(sample))
		window_set_interval(sample, saturating_add(sample->interval_ns, sum->length_ns));
	if (row != THREAD_STORE_NONE) {
		mark.first = sum->live.marks[row].first;
		window_sum_row(sum, row, &sum->before);
		window_add_thread(sample, &sum->before);
	}
	if (!sample_ended_inside(sample) ||
	    (row == THREAD_STORE_NONE && may_be_taker(sum, sample))) {
		sum->ended_leaders += sample_ended_inside(sample);
		row_table_put(&sum->live, row, sample, mark);
		return 0;
	}
	if (row != THREAD_STORE_NONE)
		row_table_end(&sum->live, row);
	window_sum_keep_ended(sum, sample, sum->boot);
	return 0;
}

/* Ends the cgroups that the next window does not have. */
static void end_unused_cgroups(struct window_sum *sum, uint64_t frame)
{
	for (size_t i = 0; i < sum->cgroups.count; i++) {
		const struct cgroup_base_entry *entry = &sum->cgroups.entries[i];

		if (entry->frame > 0 && entry->frame != frame)
			note_gone(sum, &entry->stats);
	}
	cgroup_base_end_others(&sum->cgroups, frame);
}

static int add_cgroup(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct window_sum *sum = (struct window_sum *)self;
	cleanup_(cgroup_stats_done) struct cgroup_stats kept = {0};
	struct cgroup_base_entry *before;

	check_boot(sum);
	before = cgroup_base_find(&sum->cgroups, stats);
	if (stats->is_gone) {
		note_gone(sum, stats);
		if (before)
			cgroup_base_end(&sum->cgroups, before);
		return 0;
	}
	cgroup_row_copy(&kept, stats);
	if (before)
		window_add_cgroup(&kept, &before->stats);
	cgroup_base_keep(&sum->cgroups, &kept, sum->count + 1);
	return 0;
}

struct window_sum *window_sum_new(void)
{
	struct window_sum *sum = mem_calloc(1, sizeof(*sum));

	sum->visitor = (struct snapshot_visitor){add_thread, add_cgroup, &sum->base};
	return sum;
}

void window_sum_freep(struct window_sum **sum_ref)
{
	struct window_sum *sum = *sum_ref;

	*sum_ref = NULL;
	if (!sum)
		return;
	frame_base_done(&sum->base);
	row_table_done(&sum->live);
	cgroup_base_done(&sum->cgroups);
	strmap_done(&sum->gone);
	window_totals_done(&sum->totals);
	window_totals_done(&sum->totals_next);
	thread_store_done(&sum->ended);
	free(sum->ended_marks);
	strmap_done(&sum->boots);
	window_merged_done(&sum->merged);
	window_accounted_done(&sum->accounted);
	snapshot_info_done(&sum->so_far);
	snapshot_info_done(&sum->next);
	snapshot_info_done(&sum->facts);
	sample_done(&sum->row);
	sample_done(&sum->before);
	free(sum);
}

void window_sum_merge(struct window_sum *sum)
{
	sum->merges = true;
}

void window_sum_only_moved(struct window_sum *sum)
{
	sum->only_moved = true;
}

bool window_sum_has_idle(const struct window_sum *sum)
{
	return sum->has_idle;
}

bool window_sum_merges(const struct window_sum *sum)
{
	return sum->merges;
}

void window_sum_set_facts(struct window_sum *sum, struct snapshot_info *earlier)
{
	window_add_facts(&sum->facts, earlier);
}

void window_sum_swap_base(struct window_sum *sum, struct frame_base *base)
{
	const struct frame_base own = sum->base;

	sum->base = *base;
	*base = own;
}

void window_sum_follow(struct window_sum *sum, struct window_sum *before)
{
	frame_base_done(&sum->base);
	sum->base = before->base;
	before->base = (struct frame_base){0};
	window_sum_set_facts(sum, &before->so_far);
}

/* A window that is a sum itself has its own counts. */
static void count_windows(struct window_sum *sum)
{
	const struct snapshot_window *next = &sum->next.window;

	saturating_add_to(&sum->windows,
	                  next->seen[WINDOW_windows] ? next->numbers[WINDOW_windows] : 1);
	saturating_add_to(&sum->gaps, next->numbers[WINDOW_gaps]);
	saturating_add_to(&sum->gap_ns, next->numbers[WINDOW_gap_ns]);
	if (next->numbers[WINDOW_boots] > sum->boots_min)
		sum->boots_min = next->numbers[WINDOW_boots];
}

uint64_t window_sum_count(const struct window_sum *sum)
{
	return sum->count;
}

/* Counts the time between the windows before and this one. */
static int check_gap(struct window_sum *sum, struct strbuf *reterr)
{
	const struct snapshot_info *info = &sum->next, *before = &sum->so_far;
	bool same_boot = is_same_boot(sum);
	uint64_t begin =
	        info->window.numbers[same_boot ? WINDOW_begin_boottime_ns : WINDOW_begin_unix_ns];
	uint64_t end = same_boot ? before->captured_boottime_ns : before->captured_at_unix_ns;

	if (same_boot && begin < end) {
		strbuf_add_str(reterr, "a window begins before the end of the one before it");
		return -EINVAL;
	}
	if (begin == end && same_boot)
		return 0;
	sum->gaps++;
	sum->gap_ns += begin > end ? begin - end : 0;
	return 0;
}

static bool was_there(const void *context, const struct thread_key *leader)
{
	const struct window_sum *sum = context;
	uint32_t row = row_table_find(&sum->live, leader);

	return row != THREAD_STORE_NONE && sum->live.marks[row].first <= sum->count;
}

/* Begins with what the first window leaves out. */
static void add_left_out(struct window_sum *sum)
{
	const struct row_table *rows = &sum->base.rows;
	uint64_t length_ns = sum->next.window.numbers[WINDOW_length_ns];

	for (uint32_t row = 0; row < rows->store.count; row++) {
		if (!row_table_is_live(rows, row) || rows->marks[row].frame == sum->base.frame)
			continue;
		thread_store_get(&rows->store, row, &sum->row);
		if (!row_make_unchanged(&sum->row))
			continue;
		memset(sum->row.process_totals, 0, sizeof(sum->row.process_totals));
		sum->row.read_boottime_ns = sum->next.captured_boottime_ns;
		sum->row.interval_ns = sum->row.life_ns = length_ns;
		(void)add_thread(&sum->visitor, &sum->row);
	}
	for (size_t i = 0; i < sum->base.cgroups.count; i++) {
		const struct cgroup_base_entry *entry = &sum->base.cgroups.entries[i];
		cleanup_(cgroup_stats_done) struct cgroup_stats copy = {0};

		if (entry->frame == 0 || entry->frame == sum->base.frame)
			continue;
		cgroup_row_copy(&copy, &entry->stats);
		cgroup_make_unchanged(&copy, length_ns);
		copy.read_boottime_ns = sum->next.captured_boottime_ns;
		(void)add_cgroup(&sum->visitor, &copy);
	}
}

/* Threads that ended without a row are no longer in the base. */
static void end_missing(struct window_sum *sum)
{
	if (sum->live.live - sum->ended_leaders == sum->base.rows.live)
		return;
	for (uint32_t row = 0; row < sum->live.store.count; row++)
		if (row_table_is_live(&sum->live, row) &&
		    sum->live.marks[row].frame <= sum->count &&
		    row_table_find(&sum->base.rows, thread_store_key(&sum->live.store, row)) ==
		            THREAD_STORE_NONE)
			end_row(sum, row);
}

/* The rows from @first_row on are those of the window. */
static void add_length(struct window_sum *sum, uint32_t first_row)
{
	uint64_t length_ns = sum->next.window.numbers[WINDOW_length_ns];

	saturating_add_to(&sum->length_ns, length_ns);
	for (uint32_t row = first_row; row < sum->live.store.count; row++)
		sum->live.marks[row].length_ns = sum->length_ns;
	for (size_t i = 0; i < sum->cgroups.count; i++) {
		struct cgroup_base_entry *entry = &sum->cgroups.entries[i];

		if (entry->frame == 0 || entry->frame > sum->count)
			continue;
		entry->stats.read_boottime_ns = sum->next.captured_boottime_ns;
		if (entry->stats.interval_ns > 0)
			saturating_add_to(&entry->stats.interval_ns, length_ns);
	}
}

static void move_on(struct window_sum *sum, uint32_t first_row)
{
	bool is_whole = !sum->next.unchanged.seen;

	check_boot(sum);
	sum->has_idle = sum->has_idle || is_whole || !sum->only_moved;
	if (!is_whole && sum->count == 0 && !sum->only_moved)
		add_left_out(sum);
	/* Nothing of another boot is unchanged. */
	if (is_whole || sum->begins_boot) {
		end_unused(sum);
		end_unused_cgroups(sum, sum->count + 1);
	} else {
		end_missing(sum);
	}
	end_leaders(sum, first_row);
	add_length(sum, first_row);
	count_windows(sum);
	window_totals_join(&sum->totals, &sum->totals_next, is_whole, was_there, sum);
	if (sum->count > 0)
		window_add_info(&sum->next, &sum->so_far);
	else
		window_add_facts(&sum->next, &sum->facts);
	snapshot_info_done(&sum->so_far);
	sum->so_far = sum->next;
	sum->next = (struct snapshot_info){0};
	sum->count++;
	if (sum->merges && sum->ended.count > sum->merge_at)
		window_sum_merge_ended(sum);
}

/* Makes sure that a frame is a window. */
static int check_kind(const struct snapshot_info *info, struct strbuf *reterr)
{
	if (info->kind == KIND_window)
		return 0;
	strbuf_add_str(reterr, "bytes follow its first zstd frame, and it is no recording, "
	                       "for a frame is no window");
	return -EINVAL;
}

int window_sum_read(struct window_sum *sum, struct byte_source *source,
                    const struct snapshot_limits *limits, struct strbuf *reterr)
{
	uint32_t first_row;
	int r;

	row_table_tidy(&sum->live, &sum->before);
	cgroup_base_tidy(&sum->cgroups);
	first_row = sum->live.store.count;
	sum->is_checked = sum->begins_boot = false;
	r = snapshot_read(source, limits, &sum->visitor, &sum->next, reterr);
	if (r == 0)
		r = check_kind(&sum->next, reterr);
	if (r == 0 && sum->count > 0)
		r = check_gap(sum, reterr);
	if (r == 0)
		move_on(sum, first_row);
	return r;
}

static int ignore_thread(unused_ struct snapshot_visitor *self,
                         unused_ struct thread_sample *sample)
{
	return 0;
}

int window_sum_pass(struct window_sum *sum, struct byte_source *source,
                    const struct snapshot_limits *limits, struct strbuf *reterr)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct snapshot_visitor visitor = {.thread = ignore_thread, .base = &sum->base};
	int r = snapshot_read(source, limits, &visitor, &info, reterr);

	return r < 0 ? r : check_kind(&info, reterr);
}
