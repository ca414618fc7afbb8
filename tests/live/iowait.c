// SPDX-License-Identifier: GPL-2.0-or-later
/* iowait THREADS: as many threads that are blocked on I/O for as long as the program runs: each waits by io_uring for a read of a pipe that
 * nobody writes to. The first thread pauses. Prints a line when all were started; ends with 77 where the kernel has no io_uring for them. */
#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int set_up(struct io_uring_params *params)
{
	return (int)syscall(SYS_io_uring_setup, 1, params);
}

static void *run(void *context)
{
	static char byte;
	struct io_uring_params params = {0};
	int fd = set_up(&params), ends[2];
	char *queue;
	struct io_uring_sqe *entries;

	(void)context;
	prctl(PR_SET_NAME, "blocked-on-io");
	if (fd < 0 || pipe(ends) < 0)
		abort();
	queue = mmap(NULL, params.sq_off.array + sizeof(unsigned), PROT_READ | PROT_WRITE,
	             MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
	entries = mmap(NULL, sizeof(*entries), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
	               fd, IORING_OFF_SQES);
	if (queue == MAP_FAILED || entries == MAP_FAILED)
		abort();
	entries[0] = (struct io_uring_sqe){
	        .opcode = IORING_OP_READ, .fd = ends[0], .addr = (unsigned long)&byte, .len = 1};
	*(unsigned *)(queue + params.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(queue + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	(void)syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0, fd;
	struct io_uring_params params = {0};

	fd = count > 0 ? set_up(&params) : -1;
	if (count > 0 && fd < 0) {
		printf("no io_uring: %s\n", strerror(errno));
		return 77;
	}
	if (fd >= 0)
		close(fd);
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, NULL) != 0)
			abort();
	}
	puts("begun");
	fflush(stdout);
	for (;;)
		pause();
}
