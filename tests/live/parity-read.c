// SPDX-License-Identifier: GPL-2.0-or-later
#include "parity-read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"

void parity_readers_open(struct readers *readers, const struct taskstats_rules *rules)
{
	static const struct process_wishes wishes = {.smaps = CAPTURE_SMAPS_OFF};

	thread_reader_init(&readers->thread, readers->proc_fd, true, NULL);
	taskstats_reader_init(&readers->taskstats, true, rules);
	process_reader_init(&readers->process, readers->proc_fd, &wishes, &readers->taskstats);
}

static struct thread_sample *next_sample(struct thread_sample **list, size_t *count,
                                         size_t *capacity)
{
	struct thread_sample *sample;

	if (*count == *capacity) {
		size_t more = *capacity ? *capacity * 2 : 1024;

		*list = mem_realloc(*list, more, sizeof((*list)[0]));
		memset(*list + *capacity, 0, (more - *capacity) * sizeof((*list)[0]));
		*capacity = more;
	}
	sample = &(*list)[(*count)++];
	sample_reset(sample);
	return sample;
}

static void read_threads(struct readers *readers, int task_fd, uint32_t tgid,
                         struct reading *reading)
{
	for (size_t i = 0; i < readers->threads.count; i++) {
		struct thread_sample *sample = next_sample(
		        &reading->threads, &reading->thread_count, &reading->thread_capacity);
		char name[12];

		sample->tgid = tgid;
		sample->tid = readers->threads.ids[i];
		snprintf(name, sizeof(name), "%u", sample->tid);
		if (thread_read(&readers->thread, task_fd, name, sample) != OUTCOME_read ||
		    taskstats_read_thread(&readers->taskstats, readers->threads.ids, i,
		                          readers->threads.count, sample) == OUTCOME_gone)
			reading->thread_count--;
	}
}

static void read_process(struct readers *readers, int process_fd, uint32_t tgid,
                         struct reading *reading)
{
	struct thread_sample *sample;

	if (process_read(&readers->process, process_fd, tgid) < 0)
		return;
	sample = next_sample(&reading->processes, &reading->process_count,
	                     &reading->process_capacity);
	sample->tgid = tgid;
	sample->process_totals_seen = readers->process.sample.process_totals_seen;
	memcpy(sample->process_totals, readers->process.sample.process_totals,
	       sizeof(sample->process_totals));
	sample->uid = readers->process.sample.uid;
}

static int compare_tids(const void *a, const void *b)
{
	const struct thread_sample *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

static int compare_tgids(const void *a, const void *b)
{
	const struct thread_sample *left = a, *right = b;

	return (left->tgid > right->tgid) - (left->tgid < right->tgid);
}

void parity_read_proc(struct readers *readers, struct reading *reading)
{
	cleanup_(fd_closep) int list_fd = fd_open_dir_at(readers->proc_fd, ".");

	reading->thread_count = 0;
	reading->process_count = 0;
	if (list_fd < 0 || fd_list_ids(list_fd, &readers->processes, &readers->listing) < 0)
		exit(1);
	for (size_t i = 0; i < readers->processes.count; i++) {
		uint32_t tgid = readers->processes.ids[i];
		cleanup_(fd_closep) int process_fd = -1, task_fd = -1;
		char name[12];

		snprintf(name, sizeof(name), "%u", tgid);
		process_fd = fd_open_path_at(readers->proc_fd, name);
		task_fd = process_fd < 0 ? -1 : fd_open_dir_at(process_fd, "task");
		if (task_fd < 0 || fd_list_ids(task_fd, &readers->threads, &readers->listing) < 0)
			continue;
		read_process(readers, process_fd, tgid, reading);
		read_threads(readers, task_fd, tgid, reading);
	}
	qsort(reading->threads, reading->thread_count, sizeof(reading->threads[0]), compare_tids);
	qsort(reading->processes, reading->process_count, sizeof(reading->processes[0]),
	      compare_tgids);
}

const struct thread_sample *parity_find_thread(const struct reading *reading, uint32_t tid)
{
	const struct thread_sample key = {.tid = tid};

	return bsearch(&key, reading->threads, reading->thread_count, sizeof(key), compare_tids);
}

const struct thread_sample *parity_find_process(const struct reading *reading, uint32_t tgid)
{
	const struct thread_sample key = {.tgid = tgid};

	return bsearch(&key, reading->processes, reading->process_count, sizeof(key),
	               compare_tgids);
}
