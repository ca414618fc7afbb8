// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "base/watch.h"
#include "base/worker.h"

#define LIMIT_NS (100 * NS_PER_MS)
enum { STALLS_MAX = 16 /* of one reading */ };

struct reader_thread {
	pthread_t id;
	struct watch watch;
	struct job_reader *reader;
	struct job_reading *reading;
	const struct id_list *pids;
	_Atomic size_t next; /* place behind the process that is read */
};

static bool is_held(const struct job_reader *reader, const struct job_reading *reading,
                    uint32_t pid)
{
	const struct stalled_process *known = stall_find(&reader->stalls, pid);

	return known && known->avoids >= reading->kind;
}

static void read_processes(void *context)
{
	struct reader_thread *thread = context;

	while (thread->next < thread->pids->count) {
		uint32_t pid = thread->pids->ids[thread->next++];

		if (!is_held(thread->reader, thread->reading, pid))
			thread->reading->read(thread->reading, pid);
	}
}

/* A thread that is held up must not keep files of the job open: who reads a pipe waits for all that may write to it. */
static void *run(void *context)
{
	struct reader_thread *thread = context;

	worker_keep_descriptor(thread->reader->proc_fd);
	watch_run(&thread->watch, read_processes, thread);
	return NULL;
}

static uint32_t pid_of(const struct reader_thread *thread)
{
	return thread->pids->ids[thread->next - 1];
}

/* Returns whether the thread ended by itself, and not given up. */
static bool await_thread(struct reader_thread *thread)
{
	const struct stall_list *stalls = &thread->reader->stalls;

	for (;;) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), until_ns = now_ns + STALL_TICK_NS;
		const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_SECOND),
		                               .tv_nsec = (long)(until_ns % NS_PER_SECOND)};
		uint64_t asleep_ns;

		if (pthread_clockjoin_np(thread->id, NULL, CLOCK_MONOTONIC, &until) == 0)
			return true;
		asleep_ns = watch_asleep_ns(&thread->watch, now_ns);
		if (asleep_ns > 0 && asleep_ns >= stall_limit_ns(stalls, pid_of(thread)) &&
		    watch_give_up(&thread->watch))
			return false;
	}
}

static void leave_out(struct job_reading *reading, uint32_t pid)
{
	if (reading->leave_out)
		reading->leave_out(reading, pid);
}

static void note(struct job_reader *reader, uint32_t pid)
{
	struct id_list *list = &reader->stalled;

	for (size_t i = 0; i < list->count; i++)
		if (list->ids[i] == pid)
			return;
	*array_add(list->ids, list->count, list->capacity) = pid;
}

static void give_up(struct job_reader *reader, struct job_reading *reading,
                    struct reader_thread *thread)
{
	const struct stalled_thread stalled = {.id = thread->id, .context = thread, .done = free};
	uint32_t pid = pid_of(thread);

	stall_add(&reader->stalls, reader->proc_fd, pid, 0, reading->kind, &stalled);
	note(reader, pid);
	leave_out(reading, pid);
}

/* Reads the processes from the place @next on, until one stalls. Returns the place behind those that were read. */
static size_t read_from(struct job_reader *reader, struct job_reading *reading,
                        const struct id_list *pids, size_t next)
{
	struct reader_thread *thread = mem_calloc(1, sizeof(*thread));

	thread->reader = reader;
	thread->reading = reading;
	thread->pids = pids;
	thread->next = next;
	if (!worker_start(&thread->id, run, thread, own_names[OWN_NAME_job])) {
		read_processes(thread);
	} else if (!await_thread(thread)) {
		give_up(reader, reading, thread);
		return thread->next;
	}
	free(thread);
	return pids->count;
}

void job_reader_read(struct job_reader *reader, struct job_reading *self,
                     const struct id_list *pids)
{
	struct stall_list *stalls = &reader->stalls;
	size_t next = 0;

	stalls->limit_ns = LIMIT_NS;
	stall_begin(stalls, reader->proc_fd);
	for (size_t i = 0; i < pids->count; i++)
		if (is_held(reader, self, pids->ids[i]))
			leave_out(self, pids->ids[i]);
	while (next < pids->count && stalls->given_up < STALLS_MAX &&
	       stalls->thread_count < STALL_THREADS_MAX)
		next = read_from(reader, self, pids, next);
	for (; next < pids->count; next++)
		if (!is_held(reader, self, pids->ids[next]))
			leave_out(self, pids->ids[next]);
}

void job_reader_done(struct job_reader *reader)
{
	stall_list_done(&reader->stalls);
	id_list_done(&reader->stalled);
}
