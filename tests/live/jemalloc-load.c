// SPDX-License-Identifier: GPL-2.0-or-later
/* jemalloc-load - threads that allocate and free known amounts, and that say what jemalloc itself says of them.
 *
 *   jemalloc-load NAME THREADS BYTES [leave|share|fork]
 *
 * Prints READY; then for each line of input makes another round and prints a line "tid allocated deallocated" for each
 * thread, 0 where there is no jemalloc, and DONE. In a round every thread allocates BLOCKS blocks, a little larger with each
 * thread, keeps a third of them, frees a third and has its neighbour free the rest. Between the rounds no thread allocates or frees
 * anything: the odd ones sleep, the even ones wait for a lock. With "leave" the leader exits after the first round, and
 * the others stay; with "share" it has a child all the time that has its memory and its thread-local storage. With "fork" it forks a child before the
 * second round, which allocates on SIGUSR1, and prints a line "CHILD pid allocated deallocated" then.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCKS = 300, THREADS_MAX = 4096, LINE_BYTES = 96 };

/* There only with jemalloc. */
#pragma weak mallctl
int mallctl(const char *name, void *old, size_t *old_len, void *new, size_t new_len);

struct worker {
	pthread_t thread;
	unsigned number;
	long tid;
	uint64_t allocated, deallocated;
	void *blocks[BLOCKS];
};

static struct worker workers[THREADS_MAX];
static unsigned worker_count;
static size_t block_bytes;
static unsigned round_wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next_round = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;

static uint64_t counter(const char *name)
{
	uint64_t value = 0;
	size_t len = sizeof(value);

	if (mallctl && mallctl(name, &value, &len, NULL, 0) != 0)
		abort();
	return value;
}

static void work(struct worker *worker)
{
	struct worker *neighbour = &workers[(worker->number + 1) % worker_count];

	for (unsigned i = 0; i < BLOCKS; i++) {
		worker->blocks[i] = malloc(block_bytes + worker->number);
		if (!worker->blocks[i])
			abort();
		memset(worker->blocks[i], 1, block_bytes);
	}
	for (unsigned i = 1; i < BLOCKS; i += 3)
		free(worker->blocks[i]);
	pthread_barrier_wait(&barrier);
	for (unsigned i = 2; i < BLOCKS; i += 3)
		free(neighbour->blocks[i]);
	worker->allocated = counter("thread.allocated");
	worker->deallocated = counter("thread.deallocated");
	pthread_barrier_wait(&barrier);
}

static void wait_for_round(const struct worker *worker, unsigned round)
{
	pthread_mutex_lock(&lock);
	while (worker->number % 2 == 0 && round_wanted < round)
		pthread_cond_wait(&next_round, &lock);
	pthread_mutex_unlock(&lock);
	while (__atomic_load_n(&round_wanted, __ATOMIC_RELAXED) < round)
		usleep(20000);
}

static void *run(void *argument)
{
	struct worker *worker = argument;

	worker->tid = syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	for (unsigned round = 1;; round++) {
		wait_for_round(worker, round);
		work(worker);
	}
	return NULL;
}

static void print(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

/* The main thread's are asked for last, and nothing is allocated after that. */
static void tell(void)
{
	char line[LINE_BYTES];

	for (unsigned i = 0; i < worker_count; i++) {
		snprintf(line, sizeof(line), "%ld %llu %llu\n", workers[i].tid,
		         (unsigned long long)workers[i].allocated,
		         (unsigned long long)workers[i].deallocated);
		print(line);
	}
	snprintf(line, sizeof(line), "%ld %llu %llu\n", (long)getpid(),
	         (unsigned long long)counter("thread.allocated"),
	         (unsigned long long)counter("thread.deallocated"));
	print(line);
}

static void make_round(void)
{
	pthread_mutex_lock(&lock);
	__atomic_fetch_add(&round_wanted, 1, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&next_round);
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
}

static int be_child(void *argument)
{
	(void)argument;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
	return 0;
}

/* Prints what it has from its parent, and what it has after each signal. */
static void fork_child(void)
{
	void *volatile block; /* keeps the calls in the program */
	sigset_t signals;
	char line[LINE_BYTES];
	int signal;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	do {
		snprintf(line, sizeof(line), "CHILD %ld %llu %llu\n", (long)getpid(),
		         (unsigned long long)counter("thread.allocated"),
		         (unsigned long long)counter("thread.deallocated"));
		print(line);
		if (sigwait(&signals, &signal) != 0)
			_exit(1);
		block = malloc(block_bytes);
		free(block);
		block = malloc(2 * block_bytes);
	} while (block);
	_exit(1);
}

static void start_child(void)
{
	static _Alignas(16) char stack[16384];

	if (clone(be_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL) < 0)
		abort();
}

int main(int argc, char **argv)
{
	char input;

	bool leave = argc == 5 && strcmp(argv[4], "leave") == 0;
	bool share = argc == 5 && strcmp(argv[4], "share") == 0;
	bool forks = argc == 5 && strcmp(argv[4], "fork") == 0;

	if (argc != 4 && !leave && !share && !forks)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	worker_count = (unsigned)atoi(argv[2]);
	block_bytes = (size_t)atol(argv[3]);
	if (worker_count == 0 || worker_count > THREADS_MAX || block_bytes == 0)
		return 2;
	counter("thread.allocated");
	pthread_barrier_init(&barrier, NULL, worker_count + 1);
	for (unsigned i = 0; i < worker_count; i++) {
		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]) != 0)
			return 1;
	}
	pthread_barrier_wait(&barrier);
	if (share)
		start_child();
	print("READY\n");
	while (read(STDIN_FILENO, &input, 1) == 1) {
		if (input != '\n')
			continue;
		if (forks && round_wanted == 1)
			fork_child();
		make_round();
		tell();
		print("DONE\n");
		/* The leader alone. */
		if (leave)
			syscall(SYS_exit, 0);
	}
	_exit(0);
}
