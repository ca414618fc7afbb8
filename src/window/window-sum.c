// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of threads that are there at the end of a window are kept in one of two readings in turn: the one of the windows so far, and
 * the one that the next window fills with the sums. Threads that ended go to a store of their own. */
#include "window/window-sum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "window-add.h"
#include "window-time.h"
#include "window-totals.h"
#include "window/window-reading.h"

struct window_sum {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct window_reading so_far, next;
	struct window_totals totals_so_far, totals_next;
	bool *used; /* by row of so_far: it is in a row of the next window; owned */
	size_t used_capacity;
	bool is_checked; /* the boot of the next window */
	struct thread_store ended;
	uint32_t *successors; /* of the processes of these; owned */
	size_t successor_count, successor_capacity;
	struct snapshot_info facts;
	uint64_t count, gaps, gap_ns;
	struct thread_sample row, before; /* scratch */
	uint64_t rows;                    /* written */
	struct window_time time;
	uint64_t accounted_ticks; /* CPU time of the processes */
};

static void keep_ended(struct window_sum *sum, const struct thread_sample *sample)
{
	thread_store_add(&sum->ended, sample);
	*array_add(sum->successors, sum->successor_count, sum->successor_capacity) =
	        sample->process_successors;
}

/* Sets aside a thread that was there at the end of the last window, and not in the next one. */
static void end_row(struct window_sum *sum, uint32_t row)
{
	struct thread_sample *sample = &sum->before;

	thread_store_get(&sum->so_far.threads, row, sample);
	sample->window_part =
	        sample->window_part == WINDOW_PART_born ? WINDOW_PART_passed : WINDOW_PART_exited;
	keep_ended(sum, sample);
}

static void end_unused(struct window_sum *sum)
{
	for (uint32_t row = 0; row < sum->so_far.threads.count; row++)
		if (!sum->used[row])
			end_row(sum, row);
}

/* Ids mean other threads after a boot. */
static void check_boot(struct window_sum *sum)
{
	const char *before = host_text(&sum->so_far.info.host, HOST_boot_id);
	const char *now = host_text(&sum->next.info.host, HOST_boot_id);

	if (sum->is_checked)
		return;
	sum->is_checked = true;
	if (sum->count == 0 || !before || !now || strcmp(before, now) == 0)
		return;
	end_unused(sum);
	thread_store_done(&sum->so_far.threads);
	window_totals_done(&sum->totals_so_far);
	for (size_t i = 0; i < sum->so_far.cgroup_count; i++)
		cgroup_stats_done(&sum->so_far.cgroups[i]);
	sum->so_far.cgroup_count = 0;
	strmap_done(&sum->so_far.cgroup_places);
	sum->so_far.cgroup_places = (struct strmap){0};
}

static bool has_ended(const struct thread_sample *sample)
{
	return sample->window_part == WINDOW_PART_exited ||
	       sample->window_part == WINDOW_PART_passed;
}

static int add_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct window_sum *sum = (struct window_sum *)self;
	const struct thread_key key = {sample->tid, sample->tgid, sample->start_time_clock_ticks,
	                               sample_process_start(sample)};
	uint32_t row;

	check_boot(sum);
	if (sample->has_process_totals)
		window_totals_add(&sum->totals_next, sample);
	sample_forget_totals(sample);
	row = sample->window_part == WINDOW_PART_passed ? THREAD_STORE_NONE
	                                                : window_reading_find(&sum->so_far, &key);
	if (row != THREAD_STORE_NONE) {
		sum->used[row] = true;
		thread_store_get(&sum->so_far.threads, row, &sum->before);
		window_add_thread(sample, &sum->before);
	}
	if (has_ended(sample))
		keep_ended(sum, sample);
	else
		thread_store_add(&sum->next.threads, sample);
	return 0;
}

static int add_cgroup(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct window_sum *sum = (struct window_sum *)self;
	const struct cgroup_stats *before;
	struct cgroup_stats *kept;

	check_boot(sum);
	before = window_reading_cgroup(&sum->so_far, stats);
	kept = window_reading_add_cgroup(&sum->next, stats);
	kept->interval_ns = stats->interval_ns;
	if (before)
		window_add_cgroup(kept, before);
	return 0;
}

struct window_sum *window_sum_new(void)
{
	struct window_sum *sum = mem_calloc(1, sizeof(*sum));

	sum->visitor = (struct snapshot_visitor){add_thread, add_cgroup};
	return sum;
}

void window_sum_freep(struct window_sum **sum_ref)
{
	struct window_sum *sum = *sum_ref;

	*sum_ref = NULL;
	if (!sum)
		return;
	window_reading_done(&sum->so_far);
	window_reading_done(&sum->next);
	window_totals_done(&sum->totals_so_far);
	window_totals_done(&sum->totals_next);
	free(sum->used);
	thread_store_done(&sum->ended);
	free(sum->successors);
	snapshot_info_done(&sum->facts);
	sample_done(&sum->row);
	sample_done(&sum->before);
	free(sum);
}

void window_sum_set_facts(struct window_sum *sum, struct snapshot_info *earlier)
{
	window_add_facts(&sum->facts, earlier);
}

uint64_t window_sum_count(const struct window_sum *sum)
{
	return sum->count;
}

static bool is_same_boot(const struct window_sum *sum)
{
	const char *before = host_text(&sum->so_far.info.host, HOST_boot_id);
	const char *now = host_text(&sum->next.info.host, HOST_boot_id);

	return !before || !now || strcmp(before, now) == 0;
}

/* Counts the time between the windows before and this one. */
static int check_gap(struct window_sum *sum, struct strbuf *reterr)
{
	const struct snapshot_info *info = &sum->next.info, *before = &sum->so_far.info;
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

static void move_on(struct window_sum *sum)
{
	end_unused(sum);
	window_totals_join(&sum->totals_next, &sum->totals_so_far, &sum->so_far);
	if (sum->count > 0)
		window_add_info(&sum->next.info, &sum->so_far.info);
	else
		window_add_facts(&sum->next.info, &sum->facts);
	window_reading_done(&sum->so_far);
	window_totals_done(&sum->totals_so_far);
	sum->so_far = sum->next;
	sum->totals_so_far = sum->totals_next;
	sum->next = (struct window_reading){0};
	sum->totals_next = (struct window_totals){0};
	sum->count++;
}

int window_sum_read(struct window_sum *sum, struct byte_source *source,
                    const struct snapshot_limits *limits, struct strbuf *reterr)
{
	size_t live = sum->so_far.threads.count;
	int r;

	array_reserve(sum->used, sum->used_capacity, live + 1);
	memset(sum->used, 0, (live + 1) * sizeof(sum->used[0]));
	sum->is_checked = false;
	r = snapshot_read(source, limits, &sum->visitor, &sum->next.info, reterr);
	if (r < 0)
		return r;
	if (sum->next.info.kind != KIND_window) {
		strbuf_add_str(reterr, "bytes follow its first zstd frame, and it is no recording, "
		                       "for a frame is no window");
		return -EINVAL;
	}
	r = sum->count > 0 ? check_gap(sum, reterr) : 0;
	if (r == 0)
		move_on(sum);
	return r;
}

static void count(struct snapshot_window *window, enum window_number number)
{
	window_set(window, number, window->numbers[number] + 1);
}

static void count_row(struct window_sum *sum, struct snapshot_info *info)
{
	static const enum window_number numbers[WINDOW_PART_COUNT] = {
	        [WINDOW_PART_continued] = WINDOW_threads_continued,
	        [WINDOW_PART_born] = WINDOW_threads_born,
	        [WINDOW_PART_exited] = WINDOW_threads_exited,
	        [WINDOW_PART_passed] = WINDOW_threads_passed};
	const struct thread_sample *row = &sum->row;

	if (sample_is_lost(row))
		count(&info->window, WINDOW_threads_lost);
	else if (row->window_part == WINDOW_PART_continued &&
	         row->outcomes[SOURCE_stat] == OUTCOME_unjoined)
		count(&info->window, WINDOW_threads_unknown);
	else
		count(&info->window, numbers[row->window_part]);
}

/* The work of a thread that was not there all the time is all that it did in the windows. */
static void set_interval(struct thread_sample *row, const struct snapshot_info *info)
{
	uint64_t length_ns = info->window.numbers[WINDOW_length_ns];

	if (row->window_part == WINDOW_PART_continued || sample_is_lost(row))
		return;
	row->interval_ns = length_ns > row->life_ns ? length_ns : row->life_ns;
}

static int write_row(struct window_sum *sum, struct snapshot_writer *writer,
                     struct snapshot_info *info)
{
	struct thread_sample *row = &sum->row;
	struct host_bounds bounds = host_bounds_of(&info->host);

	count_row(sum, info);
	set_interval(row, info);
	if (!sample_is_lost(row)) {
		sample_judge_at(row, window_read_time(&sum->so_far, row->read_boottime_ns), bounds);
		sample_judge_inside(row, bounds);
	}
	snapshot_tally_add_impossible(&info->tally, row);
	window_time_add(&sum->time, row);
	sum->rows++;
	return snapshot_write_thread(writer, row);
}

struct ended_order {
	uint32_t row;
	uint32_t tgid;
	uint64_t process_start;
	uint32_t successors;
	bool is_written;
};

static int compare_ended(const void *a, const void *b)
{
	const struct ended_order *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->process_start != y->process_start)
		return x->process_start < y->process_start ? -1 : 1;
	/* Several processes had these ids in one clock tick, and each has fewer successors than the one before. */
	if (x->successors != y->successors)
		return x->successors > y->successors ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Returns the ended rows by process; owned by the caller. */
static struct ended_order *sort_ended(const struct window_sum *sum)
{
	size_t count = sum->ended.count;
	struct ended_order *order = mem_calloc(count + 1, sizeof(*order));

	for (uint32_t row = 0; row < count; row++) {
		const struct thread_key *key = thread_store_key(&sum->ended, row);

		order[row] = (struct ended_order){row, key->tgid, key->process_start_clock_ticks,
		                                  sum->successors[row], false};
	}
	if (count > 0)
		qsort(order, count, sizeof(*order), compare_ended);
	return order;
}

static int write_ended(struct window_sum *sum, struct ended_order *ended,
                       struct snapshot_writer *writer, struct snapshot_info *info)
{
	ended->is_written = true;
	thread_store_get(&sum->ended, ended->row, &sum->row);
	return write_row(sum, writer, info);
}

/* Writes the ended threads of a process that is still there. */
static int write_ended_of(struct window_sum *sum, struct ended_order *order,
                          const struct thread_key *process, struct snapshot_writer *writer,
                          struct snapshot_info *info)
{
	size_t low = 0, high = sum->ended.count;
	int r = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order[middle].tgid < process->tgid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; r == 0 && low < sum->ended.count && order[low].tgid == process->tgid; low++)
		if (!order[low].is_written && order[low].successors == 0 &&
		    thread_key_same_process(thread_store_key(&sum->ended, order[low].row), process))
			r = write_ended(sum, &order[low], writer, info);
	return r;
}

/* The last row of a process has its totals. */
static int write_live(struct window_sum *sum, struct ended_order *order,
                      struct snapshot_writer *writer, struct snapshot_info *info)
{
	const struct thread_store *threads = &sum->so_far.threads;
	int r = 0;

	for (uint32_t row = 0; r == 0 && row < threads->count; row++) {
		const struct thread_key *key = thread_store_key(threads, row);
		bool is_end = row + 1 == threads->count ||
		              !thread_key_same_process(key, thread_store_key(threads, row + 1));

		if (is_end)
			r = write_ended_of(sum, order, key, writer, info);
		thread_store_get(threads, row, &sum->row);
		if (is_end)
			window_totals_set(&sum->totals_so_far, &sum->row);
		if (r == 0)
			r = write_row(sum, writer, info);
		if (is_end)
			window_time_end(&sum->time, &sum->accounted_ticks);
	}
	return r;
}

static int write_rows(struct window_sum *sum, struct snapshot_writer *writer,
                      struct snapshot_info *info)
{
	struct ended_order *order = sort_ended(sum);
	int r = write_live(sum, order, writer, info);

	for (size_t i = 0; r == 0 && i < sum->ended.count; i++)
		if (!order[i].is_written)
			r = write_ended(sum, &order[i], writer, info);
	window_time_end(&sum->time, &sum->accounted_ticks);
	free(order);
	return r;
}

static int write_cgroups(struct window_sum *sum, struct snapshot_writer *writer)
{
	int r = 0;

	for (int is_v1 = 0; is_v1 < 2; is_v1++)
		for (size_t i = 0; r == 0 && i < sum->so_far.cgroup_count; i++)
			if (sum->so_far.cgroups[i].is_v1 == (is_v1 == 1))
				r = snapshot_write_cgroup(writer, &sum->so_far.cgroups[i]);
	return r;
}

static void begin_numbers(struct window_sum *sum, struct snapshot_info *info)
{
	static const enum window_number counted[] = {
	        WINDOW_threads_continued, WINDOW_threads_born, WINDOW_threads_exited,
	        WINDOW_threads_passed,    WINDOW_threads_lost, WINDOW_threads_unknown,
	};

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		window_set(&info->window, counted[i], 0);
	window_set(&info->window, WINDOW_windows, sum->count);
	window_set(&info->window, WINDOW_gaps, sum->gaps);
	window_set(&info->window, WINDOW_gap_ns, sum->gap_ns);
	memset(info->tally.impossible, 0, sizeof(info->tally.impossible));
	memset(info->tally.impossible_totals, 0, sizeof(info->tally.impossible_totals));
}

/* The sum of what single windows do not account for has the errors of all their ticks, all of one sign. */
static void set_unaccounted(const struct window_sum *sum, struct snapshot_info *info)
{
	const struct host *host = &info->host;
	struct snapshot_window *window = &info->window;
	uint64_t ticks = saturating_add(host->numbers[HOST_user_clock_ticks],
	                                host->numbers[HOST_system_clock_ticks]);
	bool is_known = window->seen[WINDOW_threads_missed] && host->seen[HOST_user_clock_ticks] &&
	                host->seen[HOST_system_clock_ticks] && ticks >= sum->accounted_ticks;

	window->seen[WINDOW_unaccounted_clock_ticks] = false;
	window->numbers[WINDOW_unaccounted_clock_ticks] = 0;
	if (is_known)
		window_set(window, WINDOW_unaccounted_clock_ticks, ticks - sum->accounted_ticks);
}

int window_sum_write(struct window_sum *sum, struct snapshot_writer *writer,
                     struct snapshot_info *ret_info)
{
	struct snapshot_info *info = &sum->so_far.info;
	int r;

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
