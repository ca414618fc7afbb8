// SPDX-License-Identifier: GPL-2.0-or-later
/* delays - threads that are delayed: they wait for a CPU, for a disk, and in copy-on-write faults. Prompts are
 * those of the program workload: READY, a line, DONE, a line.
 *
 *	delays NAME THREADS FILE   FILE is made, read past the page cache where its file system can, and removed
 *
 * Threads, named NAME, are all asleep, and alive, around the two waits. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	THREADS_MAX = 4096,
	PAGES = 8, /* written by each thread after a fork */
	PAGE_BYTES = 4096,
	BLOCKS = 64, /* of the file */
	BLOCK_BYTES = 65536,
	SPIN_NS = 2000000,
};

static pthread_barrier_t started, worked, ended;
static char *pages;
static const char *process_name;
static int file = -1;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "delays: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned long long cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
}

static void work(size_t index)
{
	unsigned long long end = cpu_now() + SPIN_NS;
	void *block;

	for (int page = 0; page < PAGES; page++)
		pages[(index * PAGES + (size_t)page) * PAGE_BYTES] = 2;
	if (posix_memalign(&block, PAGE_BYTES, BLOCK_BYTES) == 0) {
		if (pread(file, block, BLOCK_BYTES, (off_t)(index % BLOCKS) * BLOCK_BYTES) < 0)
			die("read");
		free(block);
	}
	while (cpu_now() < end)
		;
}

static void *run(void *index)
{
	prctl(PR_SET_NAME, process_name);
	pthread_barrier_wait(&started);
	work((size_t)index);
	pthread_barrier_wait(&worked);
	pthread_barrier_wait(&ended);
	return NULL;
}

static void make_file(const char *path)
{
	static char block[BLOCK_BYTES];

	file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		die(path);
	memset(block, 1, sizeof(block));
	for (int i = 0; i < BLOCKS; i++)
		if (write(file, block, sizeof(block)) != (ssize_t)sizeof(block))
			die(path);
	if (fsync(file) < 0)
		die(path);
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	if (fcntl(file, F_SETFL, O_DIRECT) < 0 && errno != EINVAL)
		die(path);
	unlink(path);
}

/* A child that shares the pages, so that writing to one copies it. It ends at the end of its input. */
static pid_t share_pages(int *ret_hold)
{
	int hold[2];
	char byte;
	pid_t child;

	if (pipe2(hold, O_CLOEXEC) < 0)
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		close(hold[1]);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	close(hold[0]);
	*ret_hold = hold[1];
	return child;
}

static void say(const char *line)
{
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		die("write");
}

static void await_line(void)
{
	char line[16];

	if (read(STDIN_FILENO, line, sizeof(line)) <= 0)
		die("no line");
}

int main(int argc, char **argv)
{
	size_t count = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	static pthread_t threads[THREADS_MAX];
	int hold;
	pid_t child;

	if (count == 0 || count > THREADS_MAX) {
		fputs("Usage: delays NAME THREADS FILE\n", stderr);
		return 2;
	}
	process_name = argv[1];
	prctl(PR_SET_NAME, process_name);
	make_file(argv[3]);
	pages = mmap(NULL, count * PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		die("mmap");
	madvise(pages, count * PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	memset(pages, 1, count * PAGES * PAGE_BYTES);
	pthread_barrier_init(&started, NULL, (unsigned)count + 1);
	pthread_barrier_init(&worked, NULL, (unsigned)count + 1);
	pthread_barrier_init(&ended, NULL, (unsigned)count + 1);
	child = share_pages(&hold);
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i) != 0)
			die("pthread_create");
	say("READY\n");
	await_line();
	pthread_barrier_wait(&started);
	pthread_barrier_wait(&worked);
	say("DONE\n");
	await_line();
	pthread_barrier_wait(&ended);
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	close(hold);
	waitpid(child, NULL, 0);
	return 0;
}
