// SPDX-License-Identifier: GPL-2.0-or-later
/* threads - starts PROCESSES processes of THREADS sleeping threads each, all named as a busy host's would be,
 * prints READY once the last one sleeps, and ends with all of them at the end of standard input or on a
 * signal.
 *
 *   threads PROCESSES THREADS_OF_EACH [BUSY]
 *
 * With BUSY every so many-th thread wakes up now and then, each at its own pace, and computes a little, writes to a file
 * and reads it, and touches memory that was not there: some 10 % of a CPU for 1,000 of them. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10, NAME_BYTES = 16 };

/* Shared by all processes. */
struct shared {
	atomic_ulong sleeping;
	atomic_int error; /* of the first fork or pthread_create that failed */
};
static struct shared *shared;

static void *sleep_forever(void *name)
{
	prctl(PR_SET_NAME, name);
	atomic_fetch_add(&shared->sleeping, 1);
	for (;;)
		pause();
	return NULL;
}

/* One of the threads that work. The amounts differ from thread to thread. */
struct work {
	char *name;
	unsigned long number;
	int file; /* of the process, or -1 */
};

static void work_once(const struct work *work, volatile unsigned char *memory, size_t page)
{
	unsigned char bytes[4096] = {0};
	size_t len = 64 + work->number * 37 % 4000, pages = 1 + work->number % 4;
	off_t place = (off_t)(work->number % 64) * 4096;

	for (unsigned long i = 0; i < 2000 + work->number * 101 % 20000; i++)
		bytes[i % sizeof(bytes)] += (unsigned char)i;
	if (work->file >= 0 && pwrite(work->file, bytes, len, place) > 0 &&
	    pread(work->file, bytes, len / 2, place) < 0)
		bytes[0] = 0;
	madvise((void *)memory, 4 * page, MADV_DONTNEED);
	for (size_t i = 0; i < pages; i++)
		memory[i * page] = bytes[i];
}

static void *work_forever(void *argument)
{
	const struct work *work = argument;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile unsigned char *memory =
	        mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec wait = {0, 300000000 + (long)(work->number * 7919 % 600) * 1000000};

	if (memory == MAP_FAILED)
		return sleep_forever(work->name);
	prctl(PR_SET_NAME, work->name);
	work_once(work, memory, page);
	atomic_fetch_add(&shared->sleeping, 1);
	for (;;) {
		nanosleep(&wait, NULL);
		work_once(work, memory, page);
	}
	return NULL;
}

/* A file without a name, and no disk's business until the kernel writes it back. */
static int open_work_file(void)
{
	FILE *file = tmpfile();

	return file ? fileno(file) : -1;
}

/* Names repeat from process to process, with the numbers that real ones have. */
static char *thread_name(unsigned long thread)
{
	static const char *const roles[] = {"worker", "io-poll", "timer", "gc", "tokio-rt"};
	char *name = malloc(NAME_BYTES);

	if (name)
		snprintf(name, NAME_BYTES, "%s-%lu", roles[thread % 5], thread / 5 % 100000);
	return name;
}

static void fill_process_name(unsigned long process, char ret_name[NAME_BYTES])
{
	static const char *const services[] = {"nginx", "postgres", "java",  "redis",  "node",
	                                       "envoy", "kafka",    "build", "python", "cron"};

	snprintf(ret_name, NAME_BYTES, "%s-%lu", services[process % 10], process / 10 % 10000);
}

static int start_thread(const pthread_attr_t *attributes, char *name, unsigned long number,
                        bool busy, int file)
{
	struct work *work;
	pthread_t id;

	if (!busy)
		return pthread_create(&id, attributes, sleep_forever, name);
	work = malloc(sizeof(*work));
	if (!work)
		return ENOMEM;
	*work = (struct work){name, number, file};
	return pthread_create(&id, attributes, work_forever, work);
}

/* A process; never returns. */
static void be_process(unsigned long process, unsigned long threads, unsigned long busy,
                       pid_t parent)
{
	char name[NAME_BYTES];
	pthread_attr_t attributes;
	int file = busy > 0 ? open_work_file() : -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_attr_setguardsize(&attributes, 0);
	for (unsigned long thread = 1; thread < threads; thread++) {
		unsigned long number = process * threads + thread;
		int r = start_thread(&attributes, thread_name(thread), number,
		                     busy > 0 && number % busy == 0, file);

		if (r != 0) {
			atomic_store(&shared->error, r);
			_exit(1);
		}
	}
	fill_process_name(process, name);
	sleep_forever(name);
}

static void print_file(const char *path, const char *what)
{
	FILE *file = fopen(path, "r");
	char line[64] = "";

	if (!file)
		return;
	if (fgets(line, sizeof(line), file))
		fprintf(stderr, "  %-28s %s", what, line);
	fclose(file);
}

/* The line of /proc/self/cgroup says where the pids controller counts us. */
static void print_pids_limit(void)
{
	FILE *file = fopen("/proc/self/cgroup", "r");
	char line[4096], path[8192];

	while (file && fgets(line, sizeof(line), file)) {
		char *where = strstr(line, "::");

		line[strcspn(line, "\n")] = '\0';
		if (where)
			snprintf(path, sizeof(path), "/sys/fs/cgroup%s/pids.max", where + 2);
		else if ((where = strstr(line, ":pids:")) != NULL)
			snprintf(path, sizeof(path), "/sys/fs/cgroup/pids%s/pids.max", where + 6);
		else
			continue;
		print_file(path, "pids.max of this cgroup");
	}
	if (file)
		fclose(file);
}

static void explain(int error, unsigned long wanted)
{
	struct rlimit limit;

	fprintf(stderr, "threads: only %lu of %lu threads could be started: %s\n",
	        atomic_load(&shared->sleeping), wanted, strerror(error));
	fputs("One of these limits is in the way (cgroups above this one may have their own):\n",
	      stderr);
	print_file("/proc/sys/kernel/threads-max", "sysctl kernel.threads-max");
	print_file("/proc/sys/kernel/pid_max", "sysctl kernel.pid_max");
	print_file("/proc/sys/vm/max_map_count", "sysctl vm.max_map_count");
	if (getrlimit(RLIMIT_NPROC, &limit) == 0) {
		fprintf(stderr, "  %-28s ", "ulimit -u (not for root)");
		if (limit.rlim_cur == RLIM_INFINITY)
			fputs("unlimited\n", stderr);
		else
			fprintf(stderr, "%llu\n", (unsigned long long)limit.rlim_cur);
	}
	print_pids_limit();
}

static void end_all(const pid_t *children, unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		kill(children[i], SIGKILL);
	for (unsigned long i = 0; i < count; i++)
		while (waitpid(children[i], NULL, 0) < 0 && errno == EINTR)
			;
}

static void do_nothing(int signal)
{
	(void)signal;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = do_nothing};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static bool parse_count(const char *text, unsigned long *ret)
{
	char *end;

	*ret = strtoul(text, &end, 10);
	return *end == '\0' && *ret > 0 && *ret <= 1000000;
}

int main(int argc, char **argv)
{
	unsigned long processes, threads, busy = 0, started = 0;
	pid_t self = getpid(), *children;
	char byte;

	if (argc < 3 || argc > 4 || !parse_count(argv[1], &processes) ||
	    !parse_count(argv[2], &threads) || (argc == 4 && !parse_count(argv[3], &busy))) {
		fputs("Usage: threads PROCESSES THREADS_OF_EACH [BUSY]\n", stderr);
		return 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	              0);
	children = calloc(processes, sizeof(children[0]));
	if (shared == MAP_FAILED || !children) {
		fputs("threads: out of memory\n", stderr);
		return 1;
	}
	catch_signals();
	for (; started < processes && atomic_load(&shared->error) == 0; started++) {
		children[started] = fork();
		if (children[started] < 0) {
			atomic_store(&shared->error, errno);
			break;
		}
		if (children[started] == 0)
			be_process(started, threads, busy, self);
	}
	while (atomic_load(&shared->sleeping) < processes * threads &&
	       atomic_load(&shared->error) == 0)
		usleep(1000);
	if (atomic_load(&shared->error) != 0) {
		explain(atomic_load(&shared->error), processes * threads);
		end_all(children, started);
		return 1;
	}
	puts("READY");
	fflush(stdout);
	/* An end or an error of the input, or a signal, all mean the same. */
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	end_all(children, started);
	return 0;
}
