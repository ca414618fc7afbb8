// SPDX-License-Identifier: GPL-2.0-or-later
#include "parity-load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SLEEPERS = 320,
	TICKERS = 80,
	PAIRS = 20,
	CLASSES = 60, /* of other scheduling policies */
	BUSY = 2,
	WRITERS = 4,
	FAULTERS = 4,
	ENDED = 40,
	CHILDREN = 6,
	STACK_BYTES = 64 << 10,
	BLOCK_BYTES = 64 << 10,
	POLICY_DEADLINE = 6,
};

struct role {
	void *(*run)(void *);
	unsigned number;
	int fds[2];
};

static struct parity_anchor anchors[SLEEPERS];
static pid_t children[CHILDREN];
static pthread_barrier_t all_ready;

static void nap(long ns)
{
	const struct timespec time = {.tv_nsec = ns};

	nanosleep(&time, NULL);
}

static void rename_to(const char *what, unsigned number)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%u", what, number);
	prctl(PR_SET_NAME, name);
}

/* Names as nobody should have them. */
static void rename_hostile(unsigned number)
{
	static const char *const names[] = {
	        "a) R 1 2 3 (b", "two\nlines", "back\\slash",     "\x1b[31mred", "\xff\xfe\x80 raw",
	        "  blanks  ",    ")",          "(((((((((((((((", "\t\r\v",      "nr_wakeups : 5",
	};

	prctl(PR_SET_NAME, names[number % (sizeof(names) / sizeof(names[0]))]);
}

/* Uses a little of everything and then stands still. */
static void *sleep_on(void *context)
{
	const struct role *role = context;
	unsigned number = role->number;
	char byte;
	int fd;

	if (number % 4 == 0)
		rename_hostile(number / 4);
	else
		rename_to("still", number);
	for (unsigned i = 0; i < number % 7; i++)
		nap(1000000);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	for (unsigned i = 0; i < number % 13; i++)
		if (read(fd, &byte, 1) != 1)
			abort();
	close(fd);
	if (number % 3 == 0)
		setpriority(PRIO_PROCESS, (id_t)gettid(), (int)(number % 40) - 20);
	anchors[number] = (struct parity_anchor){(uint32_t)gettid(), (uint64_t)pthread_self()};
	pthread_barrier_wait(&all_ready);
	for (;;)
		pause();
	return NULL;
}

static void pin(unsigned number)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number % (unsigned)(count > 0 ? count : 1), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *tick(void *context)
{
	const struct role *role = context;

	rename_to("tick", role->number);
	if (role->number % 4 == 0)
		pin(role->number / 4);
	pthread_barrier_wait(&all_ready);
	for (;;)
		nap(20000000 + (long)(role->number % 20) * 5000000);
	return NULL;
}

/* Not in all C libraries. */
struct deadline_attributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static void take_class(unsigned number)
{
	static const int policies[] = {SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE};
	struct sched_param parameters = {.sched_priority = (int)(1 + number % 20)};
	struct deadline_attributes deadline = {.size = sizeof(deadline),
	                                       .policy = POLICY_DEADLINE,
	                                       .runtime = 200000,
	                                       .deadline = 100000000,
	                                       .period = 100000000};
	unsigned choice = number % 5;

	if (choice == 4) {
		syscall(SYS_sched_setattr, 0, &deadline, 0);
		return;
	}
	if (choice >= 2)
		parameters.sched_priority = 0;
	sched_setscheduler(0, policies[choice], &parameters);
}

static void *tick_in_class(void *context)
{
	const struct role *role = context;

	rename_to("class", role->number);
	take_class(role->number);
	pthread_barrier_wait(&all_ready);
	for (;;)
		nap(20000000 + (long)(role->number % 10) * 5000000);
	return NULL;
}

static void *answer(void *context)
{
	const struct role *role = context;
	char byte = 0;

	pthread_barrier_wait(&all_ready);
	while (read(role->fds[0], &byte, 1) == 1) {
		nap(20000000);
		if (write(role->fds[1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

static void *spin(void *context)
{
	const struct role *role = context;
	volatile uint64_t work = 0;

	rename_to("busy", role->number);
	setpriority(PRIO_PROCESS, (id_t)gettid(), 10 + (int)role->number);
	pthread_barrier_wait(&all_ready);
	for (;;) {
		for (unsigned i = 0; i < 100000; i++)
			work = work + i;
		if (role->number % 2)
			sched_yield();
	}
	return NULL;
}

static void *write_on(void *context)
{
	const struct role *role = context;
	char name[] = "parity-XXXXXX";
	void *block = NULL;
	int fd = mkstemp(name);

	rename_to("write", role->number);
	if (fd >= 0)
		unlink(name);
	if (posix_memalign(&block, 4096, BLOCK_BYTES) != 0)
		abort();
	memset(block, 'x', BLOCK_BYTES);
	pthread_barrier_wait(&all_ready);
	for (;;) {
		if (fd < 0 || pwrite(fd, block, BLOCK_BYTES, 0) < 0 || fsync(fd) < 0)
			nap(10000000);
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		if (pread(fd, block, BLOCK_BYTES, 0) < 0 || ftruncate(fd, 0) < 0)
			nap(10000000);
		nap(10000000);
	}
	return NULL;
}

static void *fault(void *context)
{
	const struct role *role = context;

	rename_to("fault", role->number);
	pthread_barrier_wait(&all_ready);
	for (;;) {
		char *memory = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE,
		                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			abort();
		memset(memory, 1, BLOCK_BYTES);
		munmap(memory, BLOCK_BYTES);
		nap(10000000);
	}
	return NULL;
}

static void *end(void *context)
{
	volatile uint64_t work = 0;

	for (unsigned i = 0; i < 3000000; i++)
		work = work + i;
	nap(1000000);
	return context;
}

static void start(pthread_t *ret_thread, struct role role)
{
	pthread_attr_t attributes;
	struct role *own = malloc(sizeof(*own));

	*own = role;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (pthread_create(ret_thread, &attributes, role.run, own) != 0)
		abort();
	pthread_attr_destroy(&attributes);
}

static void start_all(void *(*run)(void *), unsigned count)
{
	pthread_t thread;

	for (unsigned i = 0; i < count; i++)
		start(&thread, (struct role){.run = run, .number = i});
}

static void start_pairs(void)
{
	pthread_t thread;
	char byte = 0;
	int there[2], back[2];

	for (unsigned i = 0; i < PAIRS; i++) {
		if (pipe(there) < 0 || pipe(back) < 0)
			abort();
		start(&thread, (struct role){.run = answer, .fds = {there[0], back[1]}});
		start(&thread, (struct role){.run = answer, .fds = {back[0], there[1]}});
		if (write(there[1], &byte, 1) != 1)
			abort();
	}
}

static void start_ended(void)
{
	pthread_t threads[ENDED];

	for (unsigned i = 0; i < ENDED; i++)
		start(&threads[i], (struct role){.run = end});
	for (unsigned i = 0; i < ENDED; i++)
		pthread_join(threads[i], NULL);
}

static void *stand(void *context)
{
	for (;;)
		pause();
	return context;
}

/* Copies pages that it shares with children of its own, whom it waits for. */
static void copy_on(void)
{
	static char pages[64][4096];

	for (;;) {
		pid_t child = fork();

		if (child == 0) {
			nap(2000000);
			_exit(0);
		}
		for (unsigned i = 0; i < 64; i++)
			pages[i][0]++;
		if (child > 0)
			waitpid(child, NULL, 0);
		nap(20000000);
	}
}

static void run_child(unsigned number)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	switch (number) {
	case 0:
		raise(SIGSTOP);
		break;
	case 1:
		_exit(0); /* nobody waits for it */
	case 2:
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGUSR1);
		break;
	case 3: /* a leader that has ended before its thread */
		pthread_create(&thread, NULL, stand, NULL);
		syscall(SYS_exit, 0);
		break;
	case 4:
		copy_on();
		break;
	default:
		if (setresuid(65534, 65534, 65534) < 0)
			_exit(1);
	}
	stand(NULL);
}

unsigned parity_load_start(void)
{
	/* Everybody who waits at the barrier, and this thread. */
	const unsigned threads =
	        SLEEPERS + TICKERS + CLASSES + 2 * PAIRS + BUSY + WRITERS + FAULTERS;

	for (unsigned i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (children[i] == 0)
			run_child(i);
	}
	pthread_barrier_init(&all_ready, NULL, threads + 1);
	start_all(sleep_on, SLEEPERS);
	start_all(tick, TICKERS);
	start_all(tick_in_class, CLASSES);
	start_pairs();
	start_all(spin, BUSY);
	start_all(write_on, WRITERS);
	start_all(fault, FAULTERS);
	pthread_barrier_wait(&all_ready);
	start_ended();
	return threads + 1;
}

void parity_load_stop(void)
{
	for (unsigned i = 0; i < CHILDREN; i++)
		if (children[i] > 0)
			kill(children[i], SIGKILL);
}

const struct parity_anchor *parity_load_anchors(size_t *ret_count)
{
	*ret_count = SLEEPERS;
	return anchors;
}
