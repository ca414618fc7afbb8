// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe-target.h"

enum { STACK_BYTES = 64 << 10 };

__thread volatile uint64_t counters[2];

struct board *board;

void make_board(void)
{
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	             0);
	assert_true(board != MAP_FAILED);
}

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

uint64_t own_pointer(void)
{
	return (uintptr_t)&counters[0] - (uint64_t)offset_of(&counters[0]);
}

void sleep_ms(long ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	(void)nanosleep(&time, NULL);
}

static void write_counters(unsigned index)
{
	counters[0] = UINT64_C(1000000007) * (index + 1);
	counters[1] = counters[0] / 3;
	board->threads[index].tid = (uint32_t)syscall(SYS_gettid);
	board->threads[index].allocated = counters[0];
	__atomic_fetch_add(&board->ready, 1, __ATOMIC_SEQ_CST);
}

/* A fourth of the threads each: in poll, in a futex, in nanosleep and in pause, but for one, which runs. */
void *be_thread(void *argument)
{
	unsigned index = (unsigned)(uintptr_t)argument;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	write_counters(index);
	pthread_mutex_lock(&mutex);
	for (;;) {
		if (index % 4 == 0)
			(void)poll(NULL, 0, -1);
		else if (index % 4 == 1)
			pthread_mutex_lock(&mutex);
		else if (index % 4 == 2)
			sleep_ms(100000);
		else if (index != 3)
			(void)pause();
	}
	return NULL;
}

void *spin(void *argument)
{
	write_counters((unsigned)(uintptr_t)argument);
	for (;;)
		;
	return NULL;
}

void start_threads(void *(*work)(void *), unsigned first, unsigned end)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned i = first; i < end; i++)
		if (pthread_create(&thread, &attributes, work, (void *)(uintptr_t)i) != 0)
			_exit(1);
}

pid_t fork_target(void)
{
	pid_t pid;

	memset(board, 0, sizeof(*board));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

void await_ready(unsigned threads)
{
	for (int i = 0; i < 20000 && board->ready < threads; i++)
		sleep_ms(1);
	assert_int_equal(board->ready, threads);
	sleep_ms(20);
}

pid_t start_idle_target(unsigned threads)
{
	enum { FIRST = 4 };
	pid_t pid = fork_target();

	if (pid == 0) {
		start_threads(be_thread, FIRST + 1, FIRST + threads);
		(void)be_thread((void *)(uintptr_t)FIRST);
	}
	await_ready(threads);
	return pid;
}

pid_t start_target(unsigned threads, void *(*work)(void *))
{
	pid_t pid = fork_target();

	if (pid == 0) {
		start_threads(work, 1, threads);
		(void)work(NULL);
		_exit(0);
	}
	await_ready(threads);
	return pid;
}

void end_target(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static size_t list(pid_t pid, struct memory_probe_thread *threads)
{
	const struct dirent *entry;
	size_t count = 0;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && count < THREADS_MAX && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			threads[count++] = (struct memory_probe_thread){
			        .tid = (uint32_t)strtoul(entry->d_name, NULL, 10)};
	if (tasks)
		closedir(tasks);
	return count;
}

char state_of(pid_t pid, uint32_t tid)
{
	char path[64], text[512];
	const char *close;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/stat", (int)pid, tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	close = strrchr(text, ')');
	return close ? close[2] : '\0';
}

bool is_anybody_stopped(pid_t pid)
{
	static struct memory_probe_thread threads[THREADS_MAX];
	size_t count = list(pid, threads);

	for (size_t i = 0; i < count; i++) {
		char state = state_of(pid, threads[i].tid);

		if (state == 't' || state == 'T')
			return true;
	}
	return false;
}

struct memory_probe_thread probed[THREADS_MAX];
struct memory_probe_request request;

void prepare(pid_t pid)
{
	request =
	        (struct memory_probe_request){.tgid = (uint32_t)pid,
	                                      .place_count = 1,
	                                      .places = {{.allocated = offset_of(&counters[0]),
	                                                  .deallocated = offset_of(&counters[1])}},
	                                      .threads = probed};
	request.thread_count = list(pid, probed);
	/* One that is gone is found to be. */
	(void)!process_identity_read(request.tgid, &request.identity);
}

struct memory_probe_cost probe(pid_t pid)
{
	cleanup_(memory_prober_freep) struct memory_prober *prober = memory_prober_new();

	prepare(pid);
	memory_prober_run(prober, &request);
	return *memory_prober_cost(prober);
}

void probe_all(pid_t pid, size_t ok)
{
	bool was_late = false;

	for (int i = 0; i < 50; i++) {
		(void)probe(pid);
		was_late = was_late || count_tags(PROBE_TAG_waitpid) > 0;
		if (!was_late || count_tags(PROBE_TAG_ok) == ok)
			break;
	}
}

size_t count_tags(enum probe_tag tag)
{
	size_t count = 0;

	for (size_t i = 0; i < request.thread_count; i++)
		count += probed[i].tag == tag;
	return count;
}

void check_values(void)
{
	for (size_t i = 0; i < request.thread_count; i++) {
		uint64_t expected = 0;

		if (probed[i].tag != PROBE_TAG_ok)
			continue;
		for (unsigned k = 0; k < THREADS_MAX; k++)
			if (board->threads[k].tid == probed[i].tid)
				expected = board->threads[k].allocated;
		assert_int_equal(probed[i].allocated, expected);
		assert_int_equal(probed[i].deallocated, expected / 3);
	}
}
