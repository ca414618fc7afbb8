// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "window-sum-state.h"

void window_sum_keep_ended(struct window_sum *sum, const struct thread_sample *sample,
                           uint32_t boot)
{
	thread_store_add(&sum->ended, sample);
	*array_add(sum->ended_marks, sum->mark_count, sum->mark_capacity) =
	        (struct ended_mark){sample->process_successors, boot};
}

static int compare_ended(const void *a, const void *b)
{
	const struct ended_row *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->process_start != y->process_start)
		return x->process_start < y->process_start ? -1 : 1;
	if (x->mark.boot != y->mark.boot)
		return x->mark.boot < y->mark.boot ? -1 : 1;
	/* Several processes had these ids in one clock tick, and each has fewer successors than the one before. */
	if (x->mark.successors != y->mark.successors)
		return x->mark.successors > y->mark.successors ? -1 : 1;
	/* The leader first. The order is the same in a sum of sums. */
	if ((x->tid == x->tgid) != (y->tid == y->tgid))
		return x->tid == x->tgid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

struct ended_row *window_sum_sort_ended(const struct window_sum *sum)
{
	size_t count = sum->ended.count;
	struct ended_row *order = mem_calloc(count + 1, sizeof(*order));

	for (uint32_t row = 0; row < count; row++) {
		const struct thread_key *key = thread_store_key(&sum->ended, row);

		order[row] = (struct ended_row){.row = row,
		                                .tgid = key->tgid,
		                                .process_start = key->process_start_clock_ticks,
		                                .mark = sum->ended_marks[row],
		                                .tid = key->tid,
		                                .start = key->start_time_clock_ticks};
	}
	if (count > 0)
		qsort(order, count, sizeof(*order), compare_ended);
	return order;
}

/* A process by its ids, as a key. */
struct process_key {
	uint64_t start;
	uint64_t tgid;
};

static struct process_key process_of(const struct thread_key *thread)
{
	return (struct process_key){thread->process_start_clock_ticks, thread->tgid};
}

/* Fills the set with the processes that have a thread that lives. */
static void list_living(const struct window_sum *sum, struct strmap *ret)
{
	for (uint32_t row = 0; row < sum->live.store.count; row++) {
		struct process_key key = process_of(thread_store_key(&sum->live.store, row));

		if (row_table_is_live(&sum->live, row))
			strmap_add(ret, (const char *)&key, sizeof(key));
	}
}

/* Returns whether the rows are a process that ended with all its threads, its leader among them, and have the same names of the
 * process. */
static bool can_merge(struct window_sum *sum, const struct thread_store *store,
                      const struct ended_row *rows, size_t count, const struct strmap *living)
{
	struct process_key key = {rows[0].process_start, rows[0].tgid};
	uint32_t place;

	/* The leader comes first. */
	if (rows->tid != rows->tgid || key.start == PROCESS_START_UNKNOWN ||
	    (rows->mark.boot == sum->boot &&
	     strmap_find(living, (const char *)&key, sizeof(key), &place)))
		return false;
	thread_store_get(store, rows[0].row, &sum->before);
	for (size_t i = 0; i < count; i++) {
		thread_store_get(store, rows[i].row, &sum->row);
		/* The time of a life that is longer than the sum is its own. */
		if (!window_merged_can(&sum->row) || sum->row.life_ns > sum->length_ns ||
		    !window_merged_is_like(&sum->row, &sum->before))
			return false;
	}
	return true;
}

static void merge_or_keep(struct window_sum *sum, const struct thread_store *store,
                          const struct ended_row *rows, size_t count, bool can)
{
	for (size_t i = 0; i < count; i++) {
		thread_store_get(store, rows[i].row, &sum->row);
		if (!can || !window_merged_add(&sum->merged, &sum->row))
			window_sum_keep_ended(sum, &sum->row, rows[i].mark.boot);
	}
}

size_t window_sum_count_process(const struct ended_row *rows, size_t most)
{
	size_t count = 1;

	while (count < most && rows[count].tgid == rows->tgid &&
	       rows[count].process_start == rows->process_start &&
	       rows[count].mark.boot == rows->mark.boot &&
	       rows[count].mark.successors == rows->mark.successors)
		count++;
	return count;
}

/* All rows of a window have the last name in it, so that of the thread that was there last is the last one. */
uint32_t window_sum_last_row(const struct window_sum *sum, const struct ended_row *rows,
                             size_t count)
{
	size_t last = 0;

	for (size_t i = 1; i < count; i++)
		if (thread_store_time(&sum->ended, rows[i].row) >=
		    thread_store_time(&sum->ended, rows[last].row))
			last = i;
	return rows[last].row;
}

void window_sum_set_process(struct thread_sample *row, const struct thread_sample *last)
{
	static const enum metric_source sources[] = {SOURCE_exe, SOURCE_cwd, SOURCE_title};

	if (row->pcomm.len == 0 || last->pcomm.len == 0 || row->merged_threads > 0 ||
	    last->merged_threads > 0 || row->process_successors != last->process_successors ||
	    row->process_successors == UINT32_MAX ||
	    sample_process_start(row) == PROCESS_START_UNKNOWN ||
	    sample_process_start(last) == PROCESS_START_UNKNOWN ||
	    strbuf_equal(&row->pcomm, &last->pcomm))
		return;
	strbuf_copy(&row->pcomm, &last->pcomm);
	strbuf_copy(&row->exe, &last->exe);
	strbuf_copy(&row->cwd, &last->cwd);
	strbuf_copy(&row->title, &last->title);
	row->has_exe = last->has_exe;
	row->has_cwd = last->has_cwd;
	row->has_title = last->has_title;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		row->outcomes[sources[i]] = last->outcomes[sources[i]];
}

void window_sum_merge_ended(struct window_sum *sum)
{
	enum { MERGE_MIN = 8192 };
	struct ended_row *order = window_sum_sort_ended(sum);
	struct thread_store store = sum->ended;
	cleanup_(strmap_done) struct strmap living = STRMAP_INIT;

	list_living(sum, &living);
	sum->ended = (struct thread_store){0};
	sum->mark_count = 0;
	for (size_t i = 0, count; i < store.count; i += count) {
		count = window_sum_count_process(&order[i], store.count - i);
		merge_or_keep(sum, &store, &order[i], count,
		              can_merge(sum, &store, &order[i], count, &living));
	}
	thread_store_done(&store);
	free(order);
	sum->merge_at = sum->ended.count < MERGE_MIN / 2 ? MERGE_MIN : 2 * sum->ended.count;
}
