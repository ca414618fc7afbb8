// SPDX-License-Identifier: GPL-2.0-or-later
#include "jemalloc-service.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/own-names.h"
#include "base/watch.h"
#include "base/worker.h"

struct service_thread {
	struct jemalloc_service *service;
	pthread_t thread;
	struct watch watch;
	struct jemalloc_buffers buffers; /* that it read into when it was given up */
};

struct jemalloc_service {
	struct jemalloc_reader *reader;
	int proc_fd;
	struct stall_list *stalls;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* The lock guards the members below. */
	struct service_thread *thread; /* NULL: none could be created */
	struct jemalloc_request *request;
	bool is_taken; /* by the thread */
	bool ends;
};

/* The threads that were read are swapped with the old ones of the request, for the next one. */
static void swap_answer(struct jemalloc_reader *from, struct jemalloc_reader *to)
{
	struct memory_probe_thread *threads = to->request.threads;
	size_t capacity = to->capacity;

	to->is_forked = from->is_forked;
	to->request.identity = from->request.identity;
	to->tag = from->tag;
	to->request.threads = from->request.threads;
	to->capacity = from->capacity;
	from->request.threads = threads;
	from->capacity = capacity;
}

/* While a directory of a process is open, another process with its number has one with another inode. */
static void serve(const struct jemalloc_service *service, struct jemalloc_request *request)
{
	cleanup_(fd_closep) int process_fd = -1;
	struct stat status;
	char name[12];

	snprintf(name, sizeof(name), "%u", request->tgid);
	process_fd = fd_open_path_at(service->proc_fd, name);
	if (process_fd < 0 || fstat(process_fd, &status) < 0 ||
	    (request->inode != 0 && status.st_ino != request->inode))
		return;
	if (!request->threads) {
		request->has_jemalloc =
		        jemalloc_reader_prepare_process(service->reader, process_fd, request->tgid);
		return;
	}
	jemalloc_read_process(service->reader, process_fd, request->tgid, request->threads,
	                      request->known);
	swap_answer(service->reader, request->answer);
}

static void finish(struct jemalloc_service *service)
{
	service->request->is_done = true;
	service->request = NULL;
	service->is_taken = false;
	pthread_cond_broadcast(&service->changed);
}

static void answer(void *thread)
{
	struct jemalloc_service *service = ((struct service_thread *)thread)->service;

	pthread_mutex_lock(&service->lock);
	while (!service->ends) {
		if (!service->request) {
			pthread_cond_wait(&service->changed, &service->lock);
			continue;
		}
		service->is_taken = true;
		pthread_mutex_unlock(&service->lock);
		serve(service, service->request);
		pthread_mutex_lock(&service->lock);
		finish(service);
	}
	pthread_mutex_unlock(&service->lock);
}

static void *run(void *thread)
{
	watch_run(&((struct service_thread *)thread)->watch, answer, thread);
	return NULL;
}

static struct service_thread *start_thread(struct jemalloc_service *service)
{
	struct service_thread *thread = mem_calloc(1, sizeof(*thread));

	thread->service = service;
	if (worker_start(&thread->thread, run, thread, own_names[OWN_NAME_jemalloc]))
		return thread;
	free(thread);
	return NULL;
}

struct jemalloc_service *jemalloc_service_new(struct jemalloc_reader *reader, int proc_fd,
                                              struct stall_list *stalls)
{
	struct jemalloc_service *service = mem_calloc(1, sizeof(*service));

	service->reader = reader;
	service->proc_fd = proc_fd;
	service->stalls = stalls;
	pthread_mutex_init(&service->lock, NULL);
	worker_cond_init(&service->changed);
	if (reader->rule == OUTCOME_read)
		service->thread = start_thread(service);
	return service;
}

static void thread_free(void *context)
{
	struct service_thread *thread = context;

	jemalloc_buffers_done(&thread->buffers);
	free(thread);
}

static void leave_out(const struct jemalloc_service *service, struct jemalloc_request *request,
                      enum probe_tag reason)
{
	request->is_done = true;
	if (!request->answer)
		return;
	request->answer->tag = reason;
	probe_summary_add_process(&service->reader->summary, reason, false);
}

/* The thread may still write into the buffers that it read into: they are its own from now on, as is its structure. */
static void give_up(struct jemalloc_service *service)
{
	struct jemalloc_request *request = service->request;
	struct service_thread *thread = service->thread;
	const struct stalled_thread stalled = {
	        .id = thread->thread, .context = thread, .done = thread_free};

	stall_add(service->stalls, service->proc_fd, request->tgid,
	          request->threads ? request->threads->count : 0, AVOIDS_MEMORY, &stalled);
	service->stalls->services++;
	thread->buffers = jemalloc_reader_lose_buffers(service->reader);
	leave_out(service, request, PROBE_TAG_stalled);
	finish(service);
	service->thread = start_thread(service);
}

static void watch(struct jemalloc_service *service, uint64_t now_ns)
{
	uint64_t asleep_ns;

	if (!service->thread || !service->is_taken)
		return;
	asleep_ns = watch_asleep_ns(&service->thread->watch, now_ns);
	if (asleep_ns > 0 && asleep_ns >= stall_limit_ns(service->stalls, service->request->tgid) &&
	    watch_give_up(&service->thread->watch))
		give_up(service);
}

void jemalloc_service_watch(struct jemalloc_service *service, uint64_t now_ns)
{
	pthread_mutex_lock(&service->lock);
	watch(service, now_ns);
	pthread_mutex_unlock(&service->lock);
}

static void wait_watching(struct jemalloc_service *service)
{
	worker_cond_wait(&service->changed, &service->lock,
	                 clock_now_ns(CLOCK_MONOTONIC) + STALL_TICK_NS);
	watch(service, clock_now_ns(CLOCK_MONOTONIC));
}

void jemalloc_service_ask(struct jemalloc_service *service, struct jemalloc_request *request,
                          bool watches)
{
	request->is_done = false;
	pthread_mutex_lock(&service->lock);
	while (service->request)
		pthread_cond_wait(&service->changed, &service->lock);
	/* Else each process that stalls would cost descriptors, which only its thread knew. */
	if (service->stalls->services >= STALL_SERVICES_MAX) {
		leave_out(service, request, PROBE_TAG_budget);
		pthread_mutex_unlock(&service->lock);
		return;
	}
	service->request = request;
	if (service->thread) {
		pthread_cond_broadcast(&service->changed);
	} else {
		pthread_mutex_unlock(&service->lock);
		serve(service, request);
		pthread_mutex_lock(&service->lock);
		finish(service);
	}
	while (!request->is_done)
		if (watches)
			wait_watching(service);
		else
			pthread_cond_wait(&service->changed, &service->lock);
	pthread_mutex_unlock(&service->lock);
}

void jemalloc_service_free(struct jemalloc_service *service)
{
	pthread_mutex_lock(&service->lock);
	service->ends = true;
	pthread_cond_broadcast(&service->changed);
	pthread_mutex_unlock(&service->lock);
	if (service->thread) {
		pthread_join(service->thread->thread, NULL);
		free(service->thread);
	}
	pthread_cond_destroy(&service->changed);
	pthread_mutex_destroy(&service->lock);
	free(service);
}
