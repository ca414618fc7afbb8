// SPDX-License-Identifier: GPL-2.0-or-later
#include "window/window-reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The rows of a process come one behind the other. */
static void compare_with_before(struct window_reading *reading, const struct thread_sample *sample)
{
	const struct window_process process = {sample->tgid, sample_process_start(sample)};
	struct strbuf *before = &reading->before_v1;
	bool is_same =
	        process.tgid == reading->before.tgid && process.start == reading->before.start;

	if (sample->cgroups_v1.len == 0)
		return;
	if (is_same && before->len == sample->cgroups_v1.len &&
	    memcmp(strbuf_str(before), strbuf_str(&sample->cgroups_v1), before->len) == 0)
		return;
	if (is_same)
		strmap_add(&reading->divided, (const char *)&process, sizeof(process))->value =
		        reading;
	reading->before = process;
	strbuf_copy(before, &sample->cgroups_v1);
}

bool window_reading_is_divided(const struct window_reading *reading, uint32_t tgid,
                               uint64_t process_start)
{
	const struct window_process process = {tgid, process_start};

	return strmap_get(&reading->divided, (const char *)&process, sizeof(process));
}

static int keep_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct window_reading *reading = (struct window_reading *)self;
	uint32_t row = thread_store_add(&reading->threads, sample);

	compare_with_before(reading, sample);
	if (!sample->has_process_totals)
		return 0;
	*array_add(reading->totals, reading->totals_count, reading->totals_capacity) =
	        (struct window_totals_row){sample->tgid, row, sample_process_start(sample)};
	return 0;
}

void window_copy_cgroup(struct cgroup_stats *to, const struct cgroup_stats *from)
{
	*to = (struct cgroup_stats){.is_gone = from->is_gone};
	strbuf_add(&to->path, strbuf_str(&from->path), from->path.len);
	cgroup_stats_merge(to, 0, from);
	to->read_boottime_ns = from->read_boottime_ns;
}

/* The version is in front of the path. */
static void add_cgroup_key(struct strbuf *key, const struct cgroup_stats *stats)
{
	strbuf_add_char(key, stats->is_v1 ? '1' : '2');
	strbuf_add(key, strbuf_str(&stats->path), stats->path.len);
}

static int keep_cgroup(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct window_reading *reading = (struct window_reading *)self;
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	struct cgroup_stats *copy =
	        array_add(reading->cgroups, reading->cgroup_count, reading->cgroup_capacity);

	window_copy_cgroup(copy, stats);
	add_cgroup_key(&key, stats);
	strmap_add(&reading->cgroup_places, strbuf_str(&key), key.len)->value =
	        (void *)(uintptr_t)reading->cgroup_count;
	return 0;
}

static int compare_totals(const void *a, const void *b)
{
	const struct window_totals_row *left = a, *right = b;

	if (left->tgid != right->tgid)
		return left->tgid < right->tgid ? -1 : 1;
	if (left->process_start != right->process_start)
		return left->process_start < right->process_start ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

void window_reading_init(struct window_reading *ret_reading)
{
	*ret_reading =
	        (struct window_reading){.visitor = {.thread = keep_thread, .cgroup = keep_cgroup}};
}

int window_reading_load(const struct window_input *input, const struct snapshot_limits *limits,
                        struct window_reading *reading, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = snapshot_read(input->source, limits, &reading->visitor, &reading->info, &reason);

	if (r == -E2BIG)
		strbuf_addf(reterr, "%s: over a limit (see --read-limit): %s", input->name,
		            strbuf_str(&reason));
	else if (r == -EBADMSG)
		strbuf_addf(reterr, "%s: not a ctprof snapshot: %s", input->name,
		            strbuf_str(&reason));
	else if (r < 0)
		strbuf_addf(reterr, "%s: %s", input->name, strerror(-r));
	return r;
}

void window_reading_sort(struct window_reading *reading)
{
	if (reading->totals_count > 0)
		qsort(reading->totals, reading->totals_count, sizeof(reading->totals[0]),
		      compare_totals);
}

void window_reading_done(struct window_reading *reading)
{
	for (size_t i = 0; i < reading->cgroup_count; i++)
		cgroup_stats_done(&reading->cgroups[i]);
	free(reading->cgroups);
	free(reading->totals);
	free(reading->carries);
	strmap_done(&reading->cgroup_places);
	strmap_done(&reading->divided);
	strbuf_done(&reading->before_v1);
	thread_store_done(&reading->threads);
	snapshot_info_done(&reading->info);
	*reading = (struct window_reading){0};
}

uint32_t window_reading_find(const struct window_reading *reading, const struct thread_key *key)
{
	const struct thread_store *threads = &reading->threads;
	uint32_t row = thread_store_find_key(threads, key);

	return row != THREAD_STORE_NONE &&
	                       thread_key_same_process(thread_store_key(threads, row), key)
	               ? row
	               : THREAD_STORE_NONE;
}

uint32_t window_reading_totals(const struct window_reading *reading, uint32_t tgid,
                               uint64_t process_start)
{
	const struct window_totals_row wanted = {.tgid = tgid, .process_start = process_start};
	size_t low = 0, high = reading->totals_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_totals(&reading->totals[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == reading->totals_count || reading->totals[low].tgid != tgid ||
	    reading->totals[low].process_start != process_start)
		return THREAD_STORE_NONE;
	return reading->totals[low].row;
}

void window_reading_sums(const struct window_reading *reading, uint32_t row,
                         struct thread_sample *scratch, uint64_t ret_sums[PROCESS_TOTAL_COUNT])
{
	const struct thread_store *threads = &reading->threads;
	const struct thread_key *key = thread_store_key(threads, row);

	memset(ret_sums, 0, PROCESS_TOTAL_COUNT * sizeof(ret_sums[0]));
	while (row > 0 && thread_key_same_process(thread_store_key(threads, row - 1), key))
		row--;
	for (; row < threads->count && thread_key_same_process(thread_store_key(threads, row), key);
	     row++) {
		thread_store_get(threads, row, scratch);
		sample_add_to_totals(scratch, ret_sums);
	}
}

const struct cgroup_stats *window_reading_cgroup(const struct window_reading *reading,
                                                 const struct cgroup_stats *like)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	uintptr_t place;

	add_cgroup_key(&key, like);
	place = (uintptr_t)strmap_get(&reading->cgroup_places, strbuf_str(&key), key.len);
	return place > 0 ? &reading->cgroups[place - 1] : NULL;
}

uint64_t window_read_time(const struct window_reading *reading, uint64_t read_boottime_ns)
{
	return read_boottime_ns > 0 ? read_boottime_ns : reading->info.captured_boottime_ns;
}
