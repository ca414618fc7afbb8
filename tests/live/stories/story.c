// SPDX-License-Identifier: GPL-2.0-or-later
/* story - a process with a name that does one thing until it is killed.
 *
 *	story NAME spin THREADS         each thread runs all the time
 *	story NAME duty THREADS         each thread runs for 1 ms of each 50 ms; on SIGUSR1 the last one runs all the time
 *	story NAME leak                 starts 50 threads a second that sleep for ever
 *	story NAME convoy THREADS       all threads work under one lock, and briefly without it
 *	story NAME load PERCENT         runs for so much of each 100 ms
 *	story NAME drip FILE            writes 1 MiB past the page cache ten times a second
 *	story NAME write FILE           writes blocks of 1 MiB past the page cache, over and over
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t slow;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note_slow(int number)
{
	(void)number;
	slow = 1;
}

static void burn(long ns)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < ns);
}

static void *spin(void *unused)
{
	(void)unused;
	for (;;)
		burn(1000000);
	return NULL;
}

static void *duty(void *last)
{
	const struct timespec rest = {.tv_nsec = 49000000};

	for (;;) {
		burn(1000000);
		if (!(slow && last))
			nanosleep(&rest, NULL);
	}
	return NULL;
}

static void *doze(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static void *queue(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&lock);
		burn(50000);
		pthread_mutex_unlock(&lock);
		burn(1000);
	}
	return NULL;
}

static void start(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, argument) != 0) {
		perror("story: cannot start a thread");
		exit(1);
	}
}

static void leak(void)
{
	const struct timespec rest = {.tv_nsec = 20000000};

	for (;;) {
		start(doze, NULL);
		nanosleep(&rest, NULL);
	}
}

static void load(int percent)
{
	const struct timespec rest = {.tv_nsec = (100 - percent) * 1000000L};

	for (;;) {
		burn(percent * 1000000L);
		nanosleep(&rest, NULL);
	}
}

static void write_blocks(const char *path, long rest_ns)
{
	const struct timespec rest = {.tv_nsec = rest_ns};
	enum { BLOCK = 1 << 20, BLOCKS = 64 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT | O_CLOEXEC, 0600);
	void *block = aligned_alloc(4096, BLOCK);

	if (fd < 0 || !block) {
		perror(path);
		exit(1);
	}
	memset(block, 'x', BLOCK);
	for (off_t at = 0;; at = (at + 1) % BLOCKS) {
		if (pwrite(fd, block, BLOCK, at * BLOCK) < 0) {
			perror(path);
			exit(1);
		}
		if (rest_ns > 0)
			nanosleep(&rest, NULL);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = note_slow};
	const char *kind = argc > 2 ? argv[2] : "";
	int threads = argc > 3 ? atoi(argv[3]) : 0;

	if (argc < 3)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &action, NULL);
	if (strcmp(kind, "leak") == 0)
		leak();
	if (strcmp(kind, "write") == 0 && argc > 3)
		write_blocks(argv[3], 0);
	if (strcmp(kind, "drip") == 0 && argc > 3)
		write_blocks(argv[3], 100000000);
	if (strcmp(kind, "load") == 0 && threads > 0 && threads < 100)
		load(threads);
	for (int i = 1; i < threads; i++)
		start(strcmp(kind, "spin") == 0     ? spin
		      : strcmp(kind, "convoy") == 0 ? queue
		                                    : duty,
		      NULL);
	if (strcmp(kind, "spin") == 0)
		spin(NULL);
	if (strcmp(kind, "convoy") == 0)
		queue(NULL);
	duty(&action);
}
