// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "bpf/task-record.h"
#include "bpf/thread-pointer.h"

struct thread_pointers {
	struct task_record_reader *reader;
	struct task_record_reader *own; /* the same, or NULL where it is borrowed */
	struct thread_pointer *threads; /* owned */
	size_t capacity;
};

struct thread_pointers *thread_pointers_of(struct task_record_reader *reader)
{
	struct thread_pointers *pointers = mem_calloc(1, sizeof(*pointers));

	pointers->reader = reader;
	return pointers;
}

int thread_pointers_open(struct thread_pointers **ret_pointers)
{
	struct task_record_reader *reader;
	int r = task_record_open(&reader);

	if (r < 0)
		return r;
	*ret_pointers = thread_pointers_of(reader);
	(*ret_pointers)->own = reader;
	return 0;
}

void thread_pointers_freep(struct thread_pointers **pointers)
{
	if (*pointers) {
		task_record_freep(&(*pointers)->own);
		free((*pointers)->threads);
	}
	free(*pointers);
	*pointers = NULL;
}

struct thread_pointer thread_pointer_of(const struct task_record *thread)
{
	uint32_t flags = 0;

	if (thread->flags & TASK_RECORD_EXITING)
		flags |= THREAD_POINTER_EXITING;
	if (thread->flags & TASK_RECORD_TRACED)
		flags |= THREAD_POINTER_TRACED;
	if (thread->state == 'T' || thread->state == 't')
		flags |= THREAD_POINTER_STOPPED;
	if (thread->state == 'D')
		flags |= THREAD_POINTER_UNINTERRUPTIBLE;
	return (struct thread_pointer){
	        .tid = thread->tid,
	        .flags = flags,
	        .born_boottime_ns = thread->born_boottime_ns,
	        .pointer = thread->flags & TASK_RECORD_KERNEL ? 0 : thread->pointer,
	};
}

static int compare_tids(const void *a, const void *b)
{
	const struct thread_pointer *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

void thread_pointers_sort(struct thread_pointer *threads, size_t count)
{
	if (count > 0)
		qsort(threads, count, sizeof(threads[0]), compare_tids);
}

ssize_t thread_pointers_read(struct thread_pointers *pointers, uint32_t tgid,
                             const struct thread_pointer **ret_threads)
{
	const struct task_record *records;
	ssize_t count = task_record_read_process(pointers->reader, tgid, &records);

	if (count <= 0)
		return count;
	array_reserve(pointers->threads, pointers->capacity, (size_t)count);
	for (ssize_t i = 0; i < count; i++)
		pointers->threads[i] = thread_pointer_of(&records[i]);
	thread_pointers_sort(pointers->threads, (size_t)count);
	*ret_threads = pointers->threads;
	return count;
}
