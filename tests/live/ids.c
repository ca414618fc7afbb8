// SPDX-License-Identifier: GPL-2.0-or-later
/* ids - processes and threads that end, with work of a size that they measure themselves. It prints READY, waits for a
 * line, goes on, prints DONE and what was used in between, waits for another line and ends.
 *
 *	ids NAME reuse           one id for three processes, one after the other: DONE ID NS NS NS, what each has used
 *	                         between the lines, or UNABLE where the kernel does not let us choose ids
 *	ids NAME processes N MS  N processes with one id and a second thread each, one after the other, called NAMEa,
 *	                         NAMEb and so on: DONE NS ... ID, what each has used by its own account, or UNABLE.
 *	                         The first one is there before READY, the last one at DONE; the k-th burns k times MS.
 *	                         Of every second one the leader ends before the other thread begins to burn
 *	ids NAME shrink N KEPT MS
 *	                         N threads burn MS of CPU time each, twice, and all but KEPT end: DONE NS
 *	ids NAME execute WHO MS  a process whose leader has burnt 20 ms executes a shell, which says DONE. WHO does it: leader,
 *	                         which is alone; thread, another one that has burnt MS before READY; or late, one that begins
 *	                         after the line */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 256, FIRST_MS = 60, SECOND_MS = 40, PASSED_MS = 30, LAST_MS = 20 };

/* The kernel's structure up to the member that is needed; <linux/sched.h> of older systems lacks some. */
struct arguments {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	uint64_t set_tid, set_tid_size, cgroup;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "ids: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void burn(unsigned ms)
{
	uint64_t until = used_ns() + (uint64_t)ms * 1000000u;

	while (used_ns() < until)
		for (volatile unsigned i = 0; i < 20000; i++)
			;
}

static void await_line(void)
{
	char c = 0;

	while (c != '\n')
		if (read(STDIN_FILENO, &c, 1) != 1)
			exit(0);
}

static void put(int fd, const void *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		die("write");
}

static void take(int fd, void *bytes, size_t len)
{
	if (read(fd, bytes, len) != (ssize_t)len)
		die("read");
}

/* A process with a given id, or any for 0; -1 where that cannot be had. */
static pid_t begin_with_id(pid_t id)
{
	struct arguments arguments = {
	        .exit_signal = SIGCHLD,
	        .set_tid = id ? (uint64_t)(uintptr_t)&id : 0,
	        .set_tid_size = id != 0,
	};

	return (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
}

struct child {
	pid_t id;
	int to, from;
};

/* Burns, says what it used, and on a word from us burns again, says so, and ends. */
static struct child begin_child(pid_t id, unsigned first_ms, unsigned second_ms)
{
	struct child child;
	int to[2], from[2];
	char word;

	if (pipe(to) < 0 || pipe(from) < 0)
		die("pipe");
	child = (struct child){begin_with_id(id), to[1], from[0]};
	if (child.id == 0) {
		uint64_t used, before = 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (unsigned i = 0; i < 2; i++) {
			burn(i ? second_ms : first_ms);
			used = used_ns() - before;
			before += used;
			put(from[1], &used, sizeof(used));
			take(to[0], &word, 1);
		}
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	return child;
}

static uint64_t used_by(const struct child *child)
{
	uint64_t used;

	take(child->from, &used, sizeof(used));
	return used;
}

static void end(const struct child *child, unsigned words)
{
	put(child->to, "..", words);
	if (waitpid(child->id, NULL, 0) != child->id)
		die("waitpid");
}

static void reuse(void)
{
	struct child first = begin_child(0, FIRST_MS, SECOND_MS), passed, last;
	uint64_t used[3];

	if (first.id < 0)
		die("clone3");
	used_by(&first);
	puts("READY");
	await_line();
	put(first.to, ".", 1);
	used[0] = used_by(&first);
	end(&first, 1);
	passed = begin_child(first.id, PASSED_MS, 0);
	if (passed.id < 0) {
		puts("DONE UNABLE");
		await_line();
		return;
	}
	used[1] = used_by(&passed);
	end(&passed, 2);
	last = begin_child(first.id, LAST_MS, 0);
	if (last.id < 0)
		die("clone3");
	used[2] = used_by(&last);
	printf("DONE %d %llu %llu %llu\n", (int)first.id, (unsigned long long)used[0],
	       (unsigned long long)used[1], (unsigned long long)used[2]);
	await_line();
	end(&last, 2);
}

/* The jobs of the two threads of a process. */
static struct {
	int to, from;
	unsigned first_ms, second_ms;
	bool leader_ends;
} work;

static uint64_t used_by_process_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void *second_thread(void *context)
{
	uint64_t used;
	char word;

	(void)context;
	prctl(PR_SET_NAME, "second");
	take(work.to, &word, 1);
	if (work.leader_ends)
		usleep(20000);
	burn(work.second_ms);
	used = used_by_process_ns();
	put(work.from, &used, sizeof(used));
	take(work.to, &word, 1);
	_exit(0);
}

static _Noreturn void run_two_threads(const char *name)
{
	pthread_t second;

	prctl(PR_SET_NAME, name);
	if (pthread_create(&second, NULL, second_thread, NULL) != 0)
		die("pthread_create");
	burn(work.first_ms);
	if (work.leader_ends)
		syscall(SYS_exit, 0);
	for (;;)
		pause();
}

static struct child begin_two_threads(pid_t id, const char *name, unsigned number, unsigned ms)
{
	struct child child;
	int to[2], from[2];
	char own_name[16];

	snprintf(own_name, sizeof(own_name), "%.14s%c", name, 'a' + (int)number);
	if (pipe(to) < 0 || pipe(from) < 0)
		die("pipe");
	child = (struct child){begin_with_id(id), to[1], from[0]};
	if (child.id == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work.to = to[0];
		work.from = from[1];
		work.leader_ends = number % 2;
		/* The first one is there before the window begins, and burns in it alone. */
		work.first_ms = number ? ms * (number + 1) / 3 : 0;
		work.second_ms = ms * (number + 1) - work.first_ms;
		run_two_threads(own_name);
	}
	close(to[0]);
	close(from[1]);
	return child;
}

static void processes(const char *name, unsigned count, unsigned ms)
{
	struct child child = begin_two_threads(0, name, 0, ms);
	pid_t id = child.id;

	if (id < 0)
		die("clone3");
	usleep(20000);
	puts("READY");
	await_line();
	printf("DONE");
	for (unsigned i = 0;; i++) {
		put(child.to, ".", 1);
		printf(" %llu", (unsigned long long)used_by(&child));
		if (i + 1 == count)
			break;
		end(&child, 1);
		child = begin_two_threads(id, name, i + 1, ms);
		if (child.id < 0) {
			puts(" UNABLE");
			await_line();
			return;
		}
	}
	printf(" %d\n", (int)id);
	await_line();
	end(&child, 1);
}

static unsigned kept, burn_ms;
static pthread_barrier_t barrier;
static _Atomic uint64_t used_inside;

static void *shrinking_thread(void *context)
{
	uint64_t before;

	burn(burn_ms);
	pthread_barrier_wait(&barrier); /* READY */
	pthread_barrier_wait(&barrier);
	before = used_ns();
	burn(burn_ms);
	atomic_fetch_add(&used_inside, used_ns() - before);
	if ((uintptr_t)context < kept)
		pause();
	return NULL;
}

static void shrink(unsigned count)
{
	pthread_t threads[THREADS_MAX];

	if (count > THREADS_MAX || kept > count)
		die("count");
	pthread_barrier_init(&barrier, NULL, count + 1);
	for (uintptr_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, shrinking_thread, (void *)i) != 0)
			die("pthread_create");
	pthread_barrier_wait(&barrier);
	puts("READY");
	await_line();
	pthread_barrier_wait(&barrier);
	for (unsigned i = kept; i < count; i++)
		pthread_join(threads[i], NULL);
	while (atomic_load(&used_inside) < (uint64_t)count * burn_ms * 1000000u)
		usleep(1000);
	printf("DONE %llu\n", (unsigned long long)atomic_load(&used_inside));
	await_line();
}

static _Noreturn void execute_shell(void)
{
	await_line();
	execl("/bin/sh", "sh", "-c", "echo DONE; read line", (char *)NULL);
	die("/bin/sh");
}

static void *executing_thread(void *is_late)
{
	if (!is_late) {
		burn(burn_ms);
		puts("READY");
	}
	execute_shell();
}

static _Noreturn void execute(const char *who)
{
	bool is_late = strcmp(who, "late") == 0;
	pthread_t thread;
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	burn(20);
	if (strcmp(who, "thread") != 0)
		puts("READY");
	if (strcmp(who, "leader") == 0)
		execute_shell();
	/* The thread reads the line as well: this only waits for it. */
	if (is_late && poll(&input, 1, -1) < 0)
		die("poll");
	if (pthread_create(&thread, NULL, executing_thread, is_late ? &burn_ms : NULL) != 0)
		die("pthread_create");
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 3)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	if (strcmp(argv[2], "reuse") == 0) {
		reuse();
	} else if (strcmp(argv[2], "processes") == 0 && argc == 5) {
		processes(argv[1], (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
	} else if (strcmp(argv[2], "shrink") == 0 && argc == 6) {
		kept = (unsigned)atoi(argv[4]);
		burn_ms = (unsigned)atoi(argv[5]);
		shrink((unsigned)atoi(argv[3]));
	} else if (strcmp(argv[2], "execute") == 0 && argc == 5) {
		burn_ms = (unsigned)atoi(argv[4]);
		execute(argv[3]);
	} else {
		return 2;
	}
	return 0;
}
