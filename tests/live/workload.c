// SPDX-License-Identifier: GPL-2.0-or-later
/* workload - does work of a known size in threads with known names, so that what ctprof says about it can be
 * checked. It starts its threads, prints READY, waits for a line, lets every thread do its work, prints DONE,
 * waits for another line and ends; all threads are blocked, and alive, around the two waits. Both prompts are
 * one write(2) of six or five bytes and one read(2), made by the first thread.
 *
 *	workload NAME spin THREADS MS         each burns MS of its own CPU time in user mode
 *	workload NAME duty THREADS PERCENT MS each is busy for PERCENT of each 10 ms, for MS of time
 *	workload NAME sleep COUNT USEC        one thread sleeps COUNT times
 *	workload NAME write COUNT BYTES FILE  one thread writes COUNT times BYTES, another reads them back
 *	workload NAME pool THREADS            thread I writes I + 1 bytes to /dev/null, 10 * (I + 1) times
 *	workload NAME churn THREADS           each starts and ends threads from the first line to the second
 *	workload NAME retire THREADS MS BYTES one starts THREADS threads, two at a time, that burn MS of CPU time,
 *	                                      write BYTES to /dev/null and end
 *	workload NAME names HEX...            idle threads with these names, bytes in hexadecimal
 *	workload NAME undumpable              no work, and nobody but root may look inside
 *
 * The process is called NAME, the threads NAME-spin, NAME-duty, NAME-sleep, NAME-write and NAME-read, NAMEpool-<I>,
 * NAME-churn, NAME-brief and NAME-retire. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 4096, NAME_SIZE = 16, BYTES_MAX = 1 << 20, BRIEF_THREADS = 8 };

struct worker {
	unsigned index;
	char name[NAME_SIZE];
	void (*work)(unsigned index);
	pthread_t thread;
};

static struct worker workers[THREADS_MAX];
static unsigned worker_count;
static const char *process_name;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned waiting, finished;
static bool go, stop;

/* The arguments of the command line. */
static unsigned long count, amount, farewell;
static const char *file_name;
static bool wait_for_workers = true;

static char buffer[BYTES_MAX];

static _Noreturn __attribute__((format(printf, 1, 2))) void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("workload: ", stderr);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static unsigned long cpu_time_ms(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (unsigned long)used.tv_sec * 1000 + (unsigned long)used.tv_nsec / 1000000;
}

static void work_spin(unsigned index)
{
	/* One more, for the part of a millisecond that is cut off at either end. */
	unsigned long until = cpu_time_ms() + amount + 1;

	(void)index;
	do {
		for (volatile unsigned i = 0; i < 100000; i++)
			;
	} while (cpu_time_ms() < until);
}

static long long now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Busy for a part of its CPU time, asleep until the next round begins. */
static void work_duty(unsigned index)
{
	enum { ROUND_NS = 10000000 };
	long long start = now_ns(CLOCK_MONOTONIC), end = start + (long long)amount * 1000000;

	(void)index;
	for (long long next = start; next < end; next += ROUND_NS) {
		long long until =
		        now_ns(CLOCK_THREAD_CPUTIME_ID) + ROUND_NS / 100 * (long long)count;
		struct timespec wake = {.tv_sec = (time_t)(next / 1000000000),
		                        .tv_nsec = (long)(next % 1000000000)};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
		while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until)
			for (volatile unsigned i = 0; i < 10000; i++)
				;
	}
}

static void work_sleep(unsigned index)
{
	const struct timespec span = {.tv_sec = (time_t)(amount / 1000000),
	                              .tv_nsec = (long)(amount % 1000000) * 1000};

	(void)index;
	for (unsigned long i = 0; i < count; i++)
		if (nanosleep(&span, NULL) < 0)
			die("nanosleep: %s", strerror(errno));
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static void write_times(int fd, unsigned long times, unsigned long bytes)
{
	for (unsigned long i = 0; i < times; i++)
		if (write(fd, buffer, bytes) != (ssize_t)bytes)
			die("write: %s", strerror(errno));
}

static void set_flag(bool *flag)
{
	pthread_mutex_lock(&lock);
	*flag = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static bool written;

static void work_write(unsigned index)
{
	int fd = open_file(file_name, O_WRONLY | O_CREAT | O_TRUNC);

	(void)index;
	write_times(fd, count, amount);
	close(fd);
	set_flag(&written);
}

static void work_read(unsigned index)
{
	int fd;

	(void)index;
	pthread_mutex_lock(&lock);
	while (!written)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	fd = open_file(file_name, O_RDONLY);
	for (unsigned long i = 0; i < count; i++)
		if (read(fd, buffer, amount) != (ssize_t)amount)
			die("read: %s", strerror(errno));
	close(fd);
}

static void work_pool(unsigned index)
{
	int fd = open_file("/dev/null", O_WRONLY);

	write_times(fd, 10ul * (index + 1), index + 1);
	close(fd);
}

static void set_name(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static void *run_brief(void *context)
{
	char name[NAME_SIZE];

	(void)context;
	snprintf(name, sizeof(name), "%s-brief", process_name);
	set_name(name);
	for (volatile unsigned i = 0; i < 20000; i++)
		;
	return NULL;
}

static bool is_stopped(void)
{
	bool now;

	pthread_mutex_lock(&lock);
	now = stop;
	pthread_mutex_unlock(&lock);
	return now;
}

static void work_churn(unsigned index)
{
	pthread_t threads[BRIEF_THREADS];

	(void)index;
	while (!is_stopped()) {
		for (unsigned i = 0; i < BRIEF_THREADS; i++)
			if (pthread_create(&threads[i], NULL, run_brief, NULL) != 0)
				die("no thread could be created");
		for (unsigned i = 0; i < BRIEF_THREADS; i++)
			pthread_join(threads[i], NULL);
	}
}

static void *run_retiring(void *context)
{
	int fd = open_file("/dev/null", O_WRONLY);

	(void)context;
	work_spin(0);
	write_times(fd, 1, farewell);
	close(fd);
	return NULL;
}

static void work_retire(unsigned index)
{
	(void)index;
	for (unsigned long i = 0; i < count; i += 2) {
		pthread_t threads[2];

		for (unsigned t = 0; t < 2; t++)
			if (pthread_create(&threads[t], NULL, run_retiring, NULL) != 0)
				die("no thread could be created");
		for (unsigned t = 0; t < 2; t++)
			pthread_join(threads[t], NULL);
	}
}

static void work_nothing(unsigned index)
{
	(void)index;
}

static void *run_worker(void *context)
{
	struct worker *self = context;

	set_name(self->name);
	pthread_mutex_lock(&lock);
	waiting++;
	pthread_cond_broadcast(&changed);
	while (!go)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);

	self->work(self->index);

	pthread_mutex_lock(&lock);
	finished++;
	pthread_cond_broadcast(&changed);
	while (!stop)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static struct worker *add_worker(void (*work)(unsigned index))
{
	struct worker *worker;

	if (worker_count == THREADS_MAX)
		die("more than %d threads", THREADS_MAX);
	worker = &workers[worker_count];
	worker->index = worker_count++;
	worker->work = work;
	return worker;
}

static void add_workers(unsigned long how_many, const char *suffix, void (*work)(unsigned index))
{
	for (unsigned long i = 0; i < how_many; i++)
		snprintf(add_worker(work)->name, NAME_SIZE, "%s%s", process_name, suffix);
}

static void add_pool(unsigned long how_many)
{
	for (unsigned long i = 0; i < how_many; i++)
		if (snprintf(add_worker(work_pool)->name, NAME_SIZE, "%spool-%lu", process_name,
		             i) >= NAME_SIZE)
			die("the name of thread %lu is too long", i);
}

static void add_named(const char *hex)
{
	struct worker *worker = add_worker(work_nothing);
	size_t len = strlen(hex) / 2;

	if (strlen(hex) % 2 != 0 || len >= NAME_SIZE)
		die("'%s' is not up to 15 bytes in hexadecimal", hex);
	for (size_t i = 0; i < len; i++) {
		unsigned byte;

		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			die("'%s' is not in hexadecimal", hex);
		worker->name[i] = (char)byte;
	}
}

static unsigned long number(const char *text, unsigned long max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text == '\0' || *end != '\0' || value > max)
		die("'%s' is not a number up to %lu", text, max);
	return value;
}

static void add_for_mode(const char *mode, int argc, char **argv)
{
	if (strcmp(mode, "spin") == 0 && argc == 2) {
		amount = number(argv[1], 60000);
		add_workers(number(argv[0], THREADS_MAX), "-spin", work_spin);
	} else if (strcmp(mode, "duty") == 0 && argc == 3) {
		count = number(argv[1], 100);
		amount = number(argv[2], 600000);
		add_workers(number(argv[0], THREADS_MAX), "-duty", work_duty);
	} else if (strcmp(mode, "sleep") == 0 && argc == 2) {
		count = number(argv[0], 1000000);
		amount = number(argv[1], 10000000);
		add_workers(1, "-sleep", work_sleep);
	} else if (strcmp(mode, "write") == 0 && argc == 3) {
		count = number(argv[0], 1000000);
		amount = number(argv[1], BYTES_MAX);
		file_name = argv[2];
		add_workers(1, "-write", work_write);
		add_workers(1, "-read", work_read);
	} else if (strcmp(mode, "pool") == 0 && argc == 1) {
		add_pool(number(argv[0], THREADS_MAX));
	} else if (strcmp(mode, "churn") == 0 && argc == 1) {
		wait_for_workers = false;
		add_workers(number(argv[0], THREADS_MAX), "-churn", work_churn);
	} else if (strcmp(mode, "retire") == 0 && argc == 3) {
		count = number(argv[0], 1000000) / 2 * 2;
		amount = number(argv[1], 60000);
		farewell = number(argv[2], BYTES_MAX);
		add_workers(1, "-retire", work_retire);
	} else if (strcmp(mode, "names") == 0) {
		for (int i = 0; i < argc; i++)
			add_named(argv[i]);
	} else if (strcmp(mode, "undumpable") == 0 && argc == 0) {
		if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
			die("PR_SET_DUMPABLE: %s", strerror(errno));
	} else {
		die("no mode '%s' with %d arguments", mode, argc);
	}
}

static void wait_until(const unsigned *number_of, unsigned target)
{
	pthread_mutex_lock(&lock);
	while (*number_of < target)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

/* One write and one read, whatever the line. */
static void prompt(const char *text)
{
	char line[64];

	if (write(STDOUT_FILENO, text, strlen(text)) != (ssize_t)strlen(text) ||
	    read(STDIN_FILENO, line, sizeof(line)) <= 0)
		exit(1);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("NAME and a mode are missing");
	process_name = argv[1];
	set_name(process_name);
	add_for_mode(argv[2], argc - 3, argv + 3);

	for (unsigned i = 0; i < worker_count; i++)
		if (pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) != 0)
			die("no thread could be created");
	wait_until(&waiting, worker_count);
	prompt("READY\n");
	set_flag(&go);
	if (wait_for_workers)
		wait_until(&finished, worker_count);
	prompt("DONE\n");
	set_flag(&stop);
	for (unsigned i = 0; i < worker_count; i++)
		pthread_join(workers[i].thread, NULL);
	return 0;
}
