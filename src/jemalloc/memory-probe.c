// SPDX-License-Identifier: GPL-2.0-or-later
/* Our side: starts the helper process, waits for it no longer than it may take, and ends it where it takes longer. */
#include "jemalloc/memory-probe.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/mem.h"
#include "helper-message.h"
#include "helper-program.h"
#include "memory-probe-shared.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

enum {
	FIRST_CAPACITY = 1024,
	LARGEST_CAPACITY = 1 << 23, /* more threads than the kernel allows */
	WAIT_MS = 1250,
	THREADS_A_MS = 10,
	LOOK_EVERY_MS = 20, /* at the helper, which somebody may have stopped */
	REAP_MS = 500,
};

struct memory_prober {
	pid_t pid;                   /* of the helper; 0: there is none */
	int socket_fd;               /* to it; -1 */
	struct probe_shared *shared; /* mapped, owned; NULL before the first request */
	int shared_fd;               /* of that memory, for the next helper; owned, or -1 */
	size_t capacity;             /* of it, in threads */
	struct memory_probe_cost cost;
	struct helper_guard *guard; /* borrowed; NULL: none */
};

enum answer { ANSWERED, WANTS_SUCCESSOR, UNANSWERED };

struct memory_prober *memory_prober_new(void)
{
	struct memory_prober *prober = mem_calloc(1, sizeof(*prober));

	prober->socket_fd = -1;
	prober->shared_fd = -1;
	return prober;
}

/* Threads that a killed helper had attached may have been stopped until now. A helper that ends by itself has just checked:
 * threads that it leaves behind had not stopped. */
static void count_left_behind(struct probe_shared *shared)
{
	for (size_t i = 0; i < shared->thread_count; i++)
		if (shared->threads[i].is_attached) {
			if (!shared->wants_successor)
				probe_count_stop(shared, &shared->threads[i]);
			shared->threads[i].is_attached = false;
		}
}

static void end_helper(struct memory_prober *prober)
{
	if (prober->pid > 0) {
		kill(prober->pid, SIGKILL);
		if (!helper_reap(prober->pid, REAP_MS) && prober->guard)
			helper_guard_leave(prober->guard);
		count_left_behind(prober->shared);
	}
	prober->pid = 0;
	fd_closep(&prober->socket_fd);
}

static size_t size_of(size_t capacity)
{
	return sizeof(struct probe_shared) + capacity * sizeof(struct probe_thread);
}

static void unmap(struct memory_prober *prober)
{
	if (prober->shared)
		munmap(prober->shared, size_of(prober->capacity));
	prober->shared = NULL;
	fd_closep(&prober->shared_fd);
	prober->capacity = 0;
}

void memory_prober_set_guard(struct memory_prober *prober, struct helper_guard *guard)
{
	prober->guard = guard;
}

struct memory_prober *memory_prober_free(struct memory_prober *prober)
{
	if (prober) {
		end_helper(prober);
		unmap(prober);
	}
	free(prober);
	return NULL;
}

void memory_prober_freep(struct memory_prober **prober)
{
	*prober = memory_prober_free(*prober);
}

/* Makes memory that can be passed to the helper. A host may refuse memory that could be executed (vm.memfd_noexec, Linux 6.3), and
 * older kernels lack the flag that it cannot. */
static int make_memory(size_t bytes)
{
	int fd = memfd_create("ctprof", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("ctprof", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes) < 0)
		fd_closep(&fd);
	return fd;
}

/* A larger request needs other memory, and the helper that has the old one ends. */
static bool reserve(struct memory_prober *prober, size_t threads)
{
	size_t capacity = FIRST_CAPACITY;
	void *memory;

	if (prober->capacity >= threads && prober->shared)
		return true;
	if (threads > LARGEST_CAPACITY)
		return false;
	while (capacity < threads)
		capacity *= 2;
	end_helper(prober);
	unmap(prober);
	prober->shared_fd = make_memory(size_of(capacity));
	if (prober->shared_fd < 0)
		return false;
	memory = mmap(NULL, size_of(capacity), PROT_READ | PROT_WRITE, MAP_SHARED,
	              prober->shared_fd, 0);
	if (memory == MAP_FAILED)
		return false;
	prober->shared = memory;
	prober->capacity = capacity;
	return true;
}

static int start_helper(struct memory_prober *prober)
{
	int r = helper_program_start(HELPER_FOR_MEMORY,
	                             prober->guard ? prober->guard->helper_fd : -1, &prober->pid,
	                             &prober->socket_fd);

	/* From here, for on a busy host it may be long until it could do so. */
	if (r == 0)
		(void)setpriority(PRIO_PROCESS, (id_t)prober->pid, -20);
	return r;
}

/* The helper ends with the thread that started it, which need not be this one. */
static bool has_helper(const struct memory_prober *prober)
{
	siginfo_t info = {0};

	return prober->pid > 0 &&
	       waitid(P_PID, (id_t)prober->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

/* A helper that somebody has stopped keeps threads stopped. */
static bool is_helper_stopped(const struct memory_prober *prober)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)prober->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == prober->pid;
}

static bool await_answer(const struct memory_prober *prober)
{
	uint64_t wait_ms = WAIT_MS + prober->shared->thread_count / THREADS_A_MS;
	uint64_t until = clock_now_ns(CLOCK_MONOTONIC) + wait_ms * NS_PER_MS;
	struct pollfd answer = {.fd = prober->socket_fd, .events = POLLIN};

	while (clock_now_ns(CLOCK_MONOTONIC) < until) {
		if (poll(&answer, 1, LOOK_EVERY_MS) > 0)
			return true;
		if (is_helper_stopped(prober))
			return false;
	}
	return false;
}

/* A new helper gets the memory with its first question. */
static enum answer ask(struct memory_prober *prober)
{
	struct helper_message message = {.kind = HELPER_PROBE};
	bool is_new = !has_helper(prober);

	if (is_new) {
		end_helper(prober);
		if (start_helper(prober) < 0)
			return UNANSWERED;
	}
	if (helper_message_send(prober->socket_fd, &message, is_new ? prober->shared_fd : -1) ==
	            0 &&
	    await_answer(prober) &&
	    helper_message_receive(prober->socket_fd, &message, NULL) == 0 &&
	    message.kind == HELPER_PROBED)
		return ANSWERED;
	end_helper(prober);
	return prober->shared->wants_successor ? WANTS_SUCCESSOR : UNANSWERED;
}

static int compare_tids(const void *a, const void *b)
{
	const struct probe_thread *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

static void put(struct probe_shared *shared, const struct memory_probe_request *request)
{
	*shared = (struct probe_shared){.tgid = request->tgid,
	                                .identity = request->identity,
	                                .place_count = request->place_count,
	                                .thread_count = request->thread_count};
	for (size_t i = 0; i < request->place_count; i++)
		shared->places[i] = request->places[i];
	for (size_t i = 0; i < request->thread_count; i++) {
		const struct memory_probe_thread *thread = &request->threads[i];
		struct probe_thread *copy = &shared->threads[i];

		*copy = (struct probe_thread){.tid = thread->tid, .origin = i};
		if (thread->tag != PROBE_TAG_ok) {
			probe_thread_end(copy, thread->tag);
		} else if (thread->has_pointer) {
			copy->step = PROBE_STEP_READ;
			copy->pointer = thread->pointer;
		}
	}
	qsort(shared->threads, shared->thread_count, sizeof(shared->threads[0]), compare_tids);
}

static void take(const struct probe_shared *shared, struct memory_probe_request *request)
{
	for (size_t i = 0; i < shared->thread_count; i++) {
		const struct probe_thread *from = &shared->threads[i];
		struct memory_probe_thread *to = &request->threads[from->origin];

		to->tag = from->step == PROBE_STEP_DONE ? from->tag : PROBE_TAG_worker_panic;
		to->allocated = to->tag == PROBE_TAG_ok ? from->allocated : 0;
		to->deallocated = to->tag == PROBE_TAG_ok ? from->deallocated : 0;
		to->read_boottime_ns = to->tag == PROBE_TAG_ok ? from->read_boottime_ns : 0;
		if (from->pointer != 0) {
			to->has_pointer = true;
			to->pointer = from->pointer;
		}
	}
}

struct owner {
	uint64_t pointer;
	struct memory_probe_thread *thread;
};

static int compare_owners(const void *a, const void *b)
{
	const struct owner *left = a, *right = b;

	if (left->pointer != right->pointer)
		return left->pointer < right->pointer ? -1 : 1;
	return (left->thread > right->thread) - (left->thread < right->thread);
}

/* Threads made without thread-local storage of their own have that of their maker, and its counters count once. */
static void drop_duplicates(struct memory_probe_request *request)
{
	cleanup_(mem_freep) struct owner *owners = NULL;
	size_t count = 0;

	if (request->thread_count < 2)
		return;
	owners = mem_calloc(request->thread_count, sizeof(*owners));
	for (size_t i = 0; i < request->thread_count; i++)
		if (request->threads[i].tag == PROBE_TAG_ok)
			owners[count++] =
			        (struct owner){request->threads[i].pointer, &request->threads[i]};
	qsort(owners, count, sizeof(*owners), compare_owners);
	for (size_t i = 1; i < count; i++) {
		if (owners[i].pointer != owners[i - 1].pointer)
			continue;
		owners[i].thread->tag = PROBE_TAG_tls_arithmetic;
		owners[i].thread->allocated = owners[i].thread->deallocated = 0;
	}
}

static void end_all(struct memory_probe_request *request, enum probe_tag tag)
{
	for (size_t i = 0; i < request->thread_count; i++)
		if (request->threads[i].tag == PROBE_TAG_ok)
			request->threads[i].tag = tag;
}

static void add_cost(struct memory_probe_cost *sum, const struct memory_probe_cost *cost)
{
	sum->stops += cost->stops;
	sum->total_stop_ns += cost->total_stop_ns;
	if (cost->longest_stop_ns > sum->longest_stop_ns)
		sum->longest_stop_ns = cost->longest_stop_ns;
}

void memory_prober_run(struct memory_prober *prober, struct memory_probe_request *request)
{
	int r;

	if (request->tgid == (uint32_t)getpid()) {
		end_all(request, PROBE_TAG_own_process);
		return;
	}
	if (request->place_count == 0 || request->place_count > MEMORY_PROBE_PLACES_MAX) {
		end_all(request, PROBE_TAG_tls_arithmetic);
		return;
	}
	if (!reserve(prober, request->thread_count)) {
		end_all(request, PROBE_TAG_worker_panic);
		return;
	}
	if (!has_helper(prober) && prober->guard) {
		r = helper_guard_enter(prober->guard);
		if (r < 0) {
			end_all(request, r == -ENOLCK ? PROBE_TAG_no_helper_guard
			                              : PROBE_TAG_earlier_helper);
			return;
		}
	}
	put(prober->shared, request);
	if (ask(prober) == WANTS_SUCCESSOR) {
		prober->shared->wants_successor = false;
		(void)ask(prober);
	}
	take(prober->shared, request);
	drop_duplicates(request);
	add_cost(&prober->cost, &prober->shared->cost);
}

const struct memory_probe_cost *memory_prober_cost(const struct memory_prober *prober)
{
	return &prober->cost;
}
