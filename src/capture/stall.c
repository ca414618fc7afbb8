// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/stall.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"

static struct stalled_process *find(const struct stall_list *list, uint32_t tgid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->processes[i].tgid == tgid)
			return &list->processes[i];
	return NULL;
}

const struct stalled_process *stall_find(const struct stall_list *list, uint32_t tgid)
{
	return find(list, tgid);
}

/* Returns 0 where there is no such process. This asks for no lock of the process. */
static ino_t inode_of(int proc_fd, uint32_t tgid)
{
	struct stat status;
	char name[12];

	snprintf(name, sizeof(name), "%u", tgid);
	return fstatat(proc_fd, name, &status, 0) == 0 ? status.st_ino : 0;
}

static void join_threads(struct stall_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->thread_count; i++) {
		struct stalled_thread *thread = &list->threads[i];

		if (pthread_tryjoin_np(thread->id, NULL) == 0)
			thread->done(thread->context);
		else
			list->threads[kept++] = *thread;
	}
	list->thread_count = kept;
}

/* Returns whether the process is still to be remembered. */
static bool keep_process(struct stalled_process *process, int proc_fd)
{
	if (process->is_held)
		return inode_of(proc_fd, process->tgid) == process->inode;
	if (process->is_tried)
		return false;
	process->is_tried = true;
	process->avoids = AVOIDS_NOTHING;
	return true;
}

void stall_begin(struct stall_list *list, int proc_fd)
{
	size_t kept = 0;

	list->given_up = 0;
	join_threads(list);
	for (size_t i = 0; i < list->count; i++)
		list->processes[i].is_held = false;
	for (size_t i = 0; i < list->thread_count; i++) {
		struct stalled_process *process = find(list, list->threads[i].tgid);

		if (process && process->inode == list->threads[i].inode)
			process->is_held = true;
	}
	for (size_t i = 0; i < list->count; i++)
		if (keep_process(&list->processes[i], proc_fd))
			list->processes[kept++] = list->processes[i];
	list->count = kept;
}

uint64_t stall_limit_ns(const struct stall_list *list, uint32_t tgid)
{
	if (list->given_up >= STALL_PATIENT_THREADS || find(list, tgid))
		return STALL_SHORT_LIMIT_NS;
	return list->limit_ns > 0 ? list->limit_ns : STALL_LIMIT_NS;
}

void stall_add(struct stall_list *list, int proc_fd, uint32_t tgid, size_t threads,
               enum stall_avoids avoids, const struct stalled_thread *thread)
{
	struct stalled_process *process = find(list, tgid);
	struct stalled_thread *kept =
	        array_add(list->threads, list->thread_count, list->thread_capacity);

	list->given_up++;
	if (!process) {
		process = array_add(list->processes, list->count, list->capacity);
		*process = (struct stalled_process){.tgid = tgid};
	}
	process->inode = inode_of(proc_fd, tgid);
	process->is_tried = false;
	if (avoids > process->avoids)
		process->avoids = avoids;
	if (threads > 0)
		process->threads = threads;
	*kept = *thread;
	kept->tgid = tgid;
	kept->inode = process->inode;
}

void stall_list_done(struct stall_list *list)
{
	join_threads(list);
	free(list->processes);
	free(list->threads);
	list->processes = NULL;
	list->threads = NULL;
	list->count = list->capacity = list->thread_count = list->thread_capacity = 0;
}
