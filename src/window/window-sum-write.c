// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "window-add.h"
#include "window-sum-state.h"

void window_sum_row(const struct window_sum *sum, uint32_t row, struct thread_sample *ret)
{
	uint64_t later_ns = sum->length_ns - sum->live.marks[row].length_ns;

	thread_store_get(&sum->live.store, row, ret);
	if (later_ns == 0)
		return;
	ret->read_boottime_ns = sum->so_far.captured_boottime_ns;
	window_set_interval(ret, saturating_add(ret->interval_ns, later_ns));
	saturating_add_to(&ret->life_ns, later_ns);
}

static void count(struct snapshot_window *window, enum window_number number, uint32_t threads)
{
	window_set(window, number, window->numbers[number] + threads);
}

static void count_row(struct snapshot_info *info, const struct thread_sample *row)
{
	static const enum window_number numbers[WINDOW_PART_COUNT] = {
	        [WINDOW_PART_continued] = WINDOW_threads_continued,
	        [WINDOW_PART_born] = WINDOW_threads_born,
	        [WINDOW_PART_exited] = WINDOW_threads_exited,
	        [WINDOW_PART_passed] = WINDOW_threads_passed};

	if (sample_is_lost(row))
		count(&info->window, WINDOW_threads_lost, 1);
	else if (row->window_part == WINDOW_PART_continued &&
	         row->outcomes[SOURCE_stat] == OUTCOME_unjoined)
		count(&info->window, WINDOW_threads_unknown, 1);
	else
		count(&info->window, numbers[row->window_part], sample_threads(row));
}

/* The work of a thread that was not there all the time is all that it did in the windows. */
static void set_interval(struct thread_sample *row, const struct snapshot_info *info)
{
	uint64_t length_ns = info->window.numbers[WINDOW_length_ns];

	if (row->window_part == WINDOW_PART_continued || sample_is_lost(row))
		return;
	window_set_interval(row, length_ns > row->life_ns || row->merged_threads > 0
	                                 ? length_ns
	                                 : row->life_ns);
}

static uint64_t read_time(const struct window_sum *sum, const struct thread_sample *row)
{
	return row->read_boottime_ns > 0 ? row->read_boottime_ns : sum->so_far.captured_boottime_ns;
}

/* The first window has noted when it read a thread, and only that. */
static void note_unobserved(struct window_sum *sum, const struct host *host,
                            const struct thread_sample *row)
{
	uint64_t stat_ns = host->numbers[HOST_stat_interval_ns];

	if (host->seen[HOST_stat_interval_ns] && row->window_part == WINDOW_PART_continued &&
	    row->interval_ns > 0 && stat_ns > row->interval_ns)
		window_time_unobserved(&sum->accounted, stat_ns - row->interval_ns);
}

static int write_row(struct window_sum *sum, struct snapshot_writer *writer,
                     struct snapshot_info *info, struct thread_sample *row)
{
	struct host_bounds bounds = host_bounds_of(&info->host);

	count_row(info, row);
	set_interval(row, info);
	/* The threads of a merged row were judged each. */
	if (!sample_is_lost(row) && row->merged_threads == 0) {
		sample_judge_at(row, read_time(sum, row), bounds);
		sample_judge_inside(row, bounds);
	}
	snapshot_tally_add_impossible(&info->tally, row);
	window_time_add(&sum->time, row);
	note_unobserved(sum, &info->host, row);
	sum->rows += sample_threads(row);
	return snapshot_write_thread(writer, row);
}

/* Writes an ended thread. sum->before is a thread with the last name of its process. */
static int write_ended(struct window_sum *sum, struct ended_row *ended,
                       struct snapshot_writer *writer, struct snapshot_info *info)
{
	const struct strmap_entry *boot = &sum->boots.entries[ended->mark.boot];

	ended->is_written = true;
	thread_store_get(&sum->ended, ended->row, &sum->row);
	window_sum_set_process(&sum->row, &sum->before);
	if (ended->mark.boot != sum->boot)
		strbuf_add(&sum->row.boot_id, boot->key, boot->key_len);
	return write_row(sum, writer, info, &sum->row);
}

/* Writes the ended threads of a process that is still there, with the name of @leader, a live row. */
static int write_ended_of(struct window_sum *sum, struct ended_row *order, uint32_t leader,
                          struct snapshot_writer *writer, struct snapshot_info *info)
{
	const struct thread_key *process = thread_store_key(&sum->live.store, leader);
	size_t low = 0, high = sum->ended.count;
	int r = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order[middle].tgid < process->tgid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < sum->ended.count && order[low].tgid == process->tgid)
		thread_store_get(&sum->live.store, leader, &sum->before);
	for (; r == 0 && low < sum->ended.count && order[low].tgid == process->tgid; low++)
		if (!order[low].is_written && order[low].mark.successors == 0 &&
		    order[low].mark.boot == sum->boot &&
		    thread_key_same_process(thread_store_key(&sum->ended, order[low].row), process))
			r = write_ended(sum, &order[low], writer, info);
	return r;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct thread_store *store = context;
	const struct thread_key *x = thread_store_key(store, *(const uint32_t *)a);
	const struct thread_key *y = thread_store_key(store, *(const uint32_t *)b);
	bool x_leads = x->tid == x->tgid, y_leads = y->tid == y->tgid;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->process_start_clock_ticks != y->process_start_clock_ticks)
		return x->process_start_clock_ticks < y->process_start_clock_ticks ? -1 : 1;
	if (x_leads != y_leads)
		return x_leads ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Returns the live rows by process, the leader first; owned by the caller. */
static uint32_t *sort_live(struct window_sum *sum, uint32_t *ret_count)
{
	uint32_t *order = mem_calloc((size_t)sum->live.live + 1, sizeof(*order)), count = 0;

	for (uint32_t row = 0; row < sum->live.store.count; row++)
		if (row_table_is_live(&sum->live, row))
			order[count++] = row;
	qsort_r(order, count, sizeof(*order), compare_rows, &sum->live.store);
	*ret_count = count;
	return order;
}

/* The last row of a process has its totals. */
static int write_live(struct window_sum *sum, struct ended_row *ended,
                      struct snapshot_writer *writer, struct snapshot_info *info)
{
	const struct thread_store *threads = &sum->live.store;
	uint32_t count, begin = 0;
	cleanup_(mem_freep) uint32_t *order = sort_live(sum, &count);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct thread_key *key = thread_store_key(threads, order[i]);
		bool is_end =
		        i + 1 == count ||
		        !thread_key_same_process(key, thread_store_key(threads, order[i + 1]));

		if (is_end)
			r = write_ended_of(sum, ended, order[begin], writer, info);
		window_sum_row(sum, order[i], &sum->row);
		if (is_end)
			window_totals_set(&sum->totals, &sum->row);
		if (r == 0)
			r = write_row(sum, writer, info, &sum->row);
		if (is_end) {
			window_time_end(&sum->time, &sum->accounted);
			begin = i + 1;
		}
	}
	return r;
}

/* Writes the threads of a process that is gone. */
static int write_gone(struct window_sum *sum, struct ended_row *rows, size_t count,
                      struct snapshot_writer *writer, struct snapshot_info *info)
{
	int r = 0;

	thread_store_get(&sum->ended, window_sum_last_row(sum, rows, count), &sum->before);
	for (size_t i = 0; r == 0 && i < count; i++)
		if (!rows[i].is_written)
			r = write_ended(sum, &rows[i], writer, info);
	return r;
}

static int write_rows(struct window_sum *sum, struct snapshot_writer *writer,
                      struct snapshot_info *info)
{
	struct ended_row *order = window_sum_sort_ended(sum);
	int r = write_live(sum, order, writer, info);

	for (size_t i = 0, count; r == 0 && i < sum->ended.count; i += count) {
		count = window_sum_count_process(&order[i], sum->ended.count - i);
		r = write_gone(sum, &order[i], count, writer, info);
	}
	for (size_t i = 0; r == 0 && i < sum->merged.count; i++)
		r = write_row(sum, writer, info, &sum->merged.rows[i]);
	window_time_end(&sum->time, &sum->accounted);
	free(order);
	return r;
}

/* Version 2 comes first, and each version is in the order of the paths. */
static int compare_cgroups(const void *a, const void *b)
{
	const struct cgroup_stats *x = *(const struct cgroup_stats *const *)a;
	const struct cgroup_stats *y = *(const struct cgroup_stats *const *)b;
	size_t len = x->path.len < y->path.len ? x->path.len : y->path.len;
	int order;

	if (x->is_v1 != y->is_v1)
		return x->is_v1 ? 1 : -1;
	order = memcmp(strbuf_str(&x->path), strbuf_str(&y->path), len);
	return order != 0 ? order : (x->path.len > len) - (y->path.len > len);
}

/* Returns the cgroups that ended, and were not made again; owned by the caller, with paths of the sum. */
static struct cgroup_stats *find_gone(struct window_sum *sum, size_t *ret_count)
{
	struct cgroup_stats *gone = mem_calloc(sum->gone.count + 1, sizeof(*gone));

	*ret_count = 0;
	for (size_t i = 0; i < sum->gone.count; i++) {
		struct strmap_entry *entry = &sum->gone.entries[i];
		struct cgroup_stats *stats = &gone[*ret_count];

		*stats = (struct cgroup_stats){
		        .path = {.data = entry->key + 1, .len = entry->key_len - 1},
		        .is_v1 = entry->key[0] == '1',
		        .is_gone = true};
		*ret_count += cgroup_base_find(&sum->cgroups, stats) == NULL;
	}
	return gone;
}

static int write_cgroups(struct window_sum *sum, struct snapshot_writer *writer)
{
	size_t gone_count, count = 0;
	struct cgroup_stats *gone = find_gone(sum, &gone_count);
	const struct cgroup_stats **order =
	        mem_calloc(sum->cgroups.count + gone_count + 1, sizeof(*order));
	int r = 0;

	for (size_t i = 0; i < sum->cgroups.count; i++)
		if (sum->cgroups.entries[i].frame > 0)
			order[count++] = &sum->cgroups.entries[i].stats;
	for (size_t i = 0; i < gone_count; i++)
		order[count++] = &gone[i];
	qsort(order, count, sizeof(*order), compare_cgroups);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = snapshot_write_cgroup(writer, order[i]);
	free(order);
	free(gone);
	return r;
}

/* The clock of a boot says nothing of another one. */
static void set_boots(const struct window_sum *sum, struct snapshot_window *window)
{
	uint64_t boots = sum->boots.count > sum->boots_min ? sum->boots.count : sum->boots_min;

	window->seen[WINDOW_boots] = false;
	window->numbers[WINDOW_boots] = 0;
	if (boots < 2)
		return;
	window_set(window, WINDOW_boots, boots);
	window->seen[WINDOW_begin_boottime_ns] = false;
	window->numbers[WINDOW_begin_boottime_ns] = 0;
}

static void begin_numbers(struct window_sum *sum, struct snapshot_info *info)
{
	static const enum window_number counted[] = {
	        WINDOW_threads_continued, WINDOW_threads_born, WINDOW_threads_exited,
	        WINDOW_threads_passed,    WINDOW_threads_lost, WINDOW_threads_unknown,
	};

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		window_set(&info->window, counted[i], 0);
	window_set(&info->window, WINDOW_windows, sum->windows);
	window_set(&info->window, WINDOW_gaps, sum->gaps);
	window_set(&info->window, WINDOW_gap_ns, sum->gap_ns);
	set_boots(sum, &info->window);
	memset(info->tally.impossible, 0, sizeof(info->tally.impossible));
	memset(info->tally.impossible_totals, 0, sizeof(info->tally.impossible_totals));
}

/* The sum of what single windows do not account for has the errors of all their ticks, all of one sign. */
static void set_unaccounted(struct window_sum *sum, struct snapshot_info *info)
{
	const struct host *host = &info->host;
	struct snapshot_window *window = &info->window;
	bool is_known = window->seen[WINDOW_threads_missed];
	uint64_t rest;

	window->seen[WINDOW_unaccounted_clock_ticks] = false;
	window->numbers[WINDOW_unaccounted_clock_ticks] = 0;
	if (is_known && window_time_rest(host, &sum->accounted, &rest))
		window_set(window, WINDOW_unaccounted_clock_ticks, rest);
}

int window_sum_write(struct window_sum *sum, struct snapshot_writer *writer,
                     struct snapshot_info *ret_info)
{
	struct snapshot_info *info = &sum->so_far;
	int r;

	if (sum->merges)
		window_sum_merge_ended(sum);
	begin_numbers(sum, info);
	r = snapshot_write_begin(writer, info);
	if (r == 0)
		r = write_rows(sum, writer, info);
	if (r == 0)
		r = write_cgroups(sum, writer);
	info->tally.threads = sum->rows;
	set_unaccounted(sum, info);
	if (r == 0)
		r = snapshot_write_end(writer, info);
	*ret_info = *info;
	*info = (struct snapshot_info){0};
	return r;
}
