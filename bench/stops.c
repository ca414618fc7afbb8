// SPDX-License-Identifier: GPL-2.0-or-later
/* stops - how long threads are stopped to read their thread pointers: a process of many threads, parked and then busy
 * allocating, is probed ten times each, by stopping its threads and, where that works, without.
 *
 *   stops [THREADS [RUNS]]
 */
#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bpf/thread-pointer.h"
#include "jemalloc/memory-probe.h"

enum { STACK_BYTES = 64 << 10, RUNS_MAX = 1000, BLOCK_BYTES = 512 };

static __thread volatile uint64_t counters[2];

struct figures {
	uint64_t read, stops, longest_ns, total_ns, wall_ns;
};

static int64_t offset_of(const volatile uint64_t *counter)
{
	uintptr_t pointer;

#ifdef __x86_64__
	__asm__("mov %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#else
	pointer = (uintptr_t)counter;
#endif
	return (int64_t)((uintptr_t)counter - pointer);
}

static void *be_parked(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void *be_busy(void *unused)
{
	for (;;) {
		void *volatile block = malloc(BLOCK_BYTES);

		counters[0] += BLOCK_BYTES;
		free(block);
		counters[1] += BLOCK_BYTES;
	}
	return unused;
}

static noreturn_ void be_process(unsigned threads, bool busy, int ready_fd)
{
	void *(*work)(void *) = busy ? be_busy : be_parked;
	pthread_attr_t attributes;
	pthread_t thread;
	unsigned started = 1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (; started < threads; started++)
		if (pthread_create(&thread, &attributes, work, NULL) != 0)
			break;
	if (write(ready_fd, &started, sizeof(started)) != sizeof(started))
		_exit(1);
	(void)work(NULL);
	_exit(0);
}

static pid_t start_process(unsigned threads, bool busy)
{
	unsigned started = 0;
	int ready[2];
	pid_t pid;

	if (pipe(ready) < 0 || (pid = fork()) < 0)
		return -1;
	if (pid == 0)
		be_process(threads, busy, ready[1]);
	close(ready[1]);
	if (read(ready[0], &started, sizeof(started)) != sizeof(started) || started < threads)
		fprintf(stderr, "stops: only %u of %u threads could be started\n", started,
		        threads);
	close(ready[0]);
	usleep(100000);
	return pid;
}

static size_t list_threads(pid_t pid, struct memory_probe_thread *threads, size_t max)
{
	const struct dirent *entry;
	size_t count = 0;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && count < max && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			threads[count++] = (struct memory_probe_thread){
			        .tid = (uint32_t)strtoul(entry->d_name, NULL, 10)};
	if (tasks)
		closedir(tasks);
	return count;
}

static size_t take_pointers(struct thread_pointers *pointers, pid_t pid,
                            struct memory_probe_thread *threads, size_t max)
{
	const struct thread_pointer *found;
	ssize_t n = thread_pointers_read(pointers, (uint32_t)pid, &found);
	size_t count = n < 0 ? 0 : (size_t)n < max ? (size_t)n : max;

	for (size_t i = 0; i < count; i++)
		threads[i] = (struct memory_probe_thread){
		        .tid = found[i].tid, .has_pointer = true, .pointer = found[i].pointer};
	return count;
}

/* A prober of its own each time: a capture starts one as well. */
static void probe(pid_t pid, unsigned max, struct thread_pointers *pointers,
                  struct figures *ret_figures)
{
	struct memory_probe_thread *threads = calloc(max, sizeof(*threads));
	struct memory_probe_request request = {.tgid = (uint32_t)pid,
	                                       .place_count = 1,
	                                       .places = {{.allocated = offset_of(&counters[0]),
	                                                   .deallocated = offset_of(&counters[1])}},
	                                       .threads = threads};
	struct memory_prober *prober = memory_prober_new();
	uint64_t start = clock_now_ns(CLOCK_MONOTONIC);
	const struct memory_probe_cost *cost;

	if (!process_identity_read(request.tgid, &request.identity))
		exit(1);
	request.thread_count = pointers ? take_pointers(pointers, pid, threads, max)
	                                : list_threads(pid, threads, max);
	memory_prober_run(prober, &request);
	cost = memory_prober_cost(prober);
	*ret_figures = (struct figures){.stops = cost->stops,
	                                .longest_ns = cost->longest_stop_ns,
	                                .total_ns = cost->total_stop_ns,
	                                .wall_ns = clock_now_ns(CLOCK_MONOTONIC) - start};
	for (size_t i = 0; i < request.thread_count; i++)
		ret_figures->read += threads[i].tag == PROBE_TAG_ok;
	memory_prober_free(prober);
	free(threads);
}

static void print(const char *label, const struct figures *figures)
{
	printf("%-30s %8" PRIu64 " read %8" PRIu64 " stops, longest %9.3f ms, total %10.3f ms; "
	       "wall %9.3f ms\n",
	       label, figures->read, figures->stops, (double)figures->longest_ns / 1e6,
	       (double)figures->total_ns / 1e6, (double)figures->wall_ns / 1e6);
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Each figure has a median of its own. */
static struct figures median_of(const struct figures *runs, unsigned count)
{
	enum { EACH = sizeof(struct figures) / sizeof(uint64_t) };
	uint64_t column[RUNS_MAX], medians[EACH];
	struct figures median;

	for (unsigned i = 0; i < EACH; i++) {
		for (unsigned run = 0; run < count; run++)
			column[run] = ((const uint64_t *)(const void *)&runs[run])[i];
		qsort(column, count, sizeof(column[0]), compare);
		medians[i] = (column[(count - 1) / 2] + column[count / 2]) / 2;
	}
	memcpy(&median, medians, sizeof(median));
	return median;
}

static void measure(const char *label, pid_t pid, unsigned threads, unsigned count,
                    struct thread_pointers *pointers)
{
	struct figures runs[RUNS_MAX], median;
	char text[64];

	for (unsigned run = 0; run < count; run++) {
		probe(pid, threads, pointers, &runs[run]);
		snprintf(text, sizeof(text), "  %s, run %u", label, run + 1);
		print(text, &runs[run]);
	}
	median = median_of(runs, count);
	snprintf(text, sizeof(text), "%s, medians", label);
	print(text, &median);
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
	unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10;
	struct thread_pointers *pointers = NULL;
	int r;

	if (argc > 3 || threads == 0 || runs == 0 || runs > RUNS_MAX) {
		fputs("Usage: stops [THREADS [RUNS]]\n", stderr);
		return 2;
	}
	r = thread_pointers_open(&pointers);
	if (r < 0)
		printf("no thread pointers without stops here: %s\n", strerror(-r));
	for (int busy = 0; busy < 2; busy++) {
		pid_t pid = start_process(threads, busy);

		if (pid < 0) {
			perror("stops");
			return 1;
		}
		printf("%u threads, %s\n", threads, busy ? "busy allocating" : "parked");
		measure("stopping", pid, threads, runs, NULL);
		if (pointers)
			measure("by BPF", pid, threads, runs, pointers);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	thread_pointers_freep(&pointers);
	return 0;
}
