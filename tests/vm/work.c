// SPDX-License-Identifier: GPL-2.0-or-later
/* work - work of a known kind for the VM test. A process waits for SIGUSR1 before its work and for its end after it:
 *
 *	work NAME MODE ARGUMENT...        NAME.ready and NAME.done appear in the working directory
 *	work as UID COMMAND ARGUMENT...   runs a command as another user, without any capability
 *	work tsc                          prints how many thousand ticks a second the counter of the CPU makes
 *	work taskstats PID...             prints what the kernel's taskstats say of each thread and process
 *	work spawn COUNT                  starts so many processes "spawned", one behind the end of the other, and prints
 *	                                  what wait4(2) says that they used
 *
 *	spin MS                     one thread spins for so long, by the clock on the wall
 *	starve CPU MS               on one CPU, a thread "hog" spins beside the first thread, which is nice
 *	sleep COUNT USEC            sleeps so often
 *	direct DEVICE COUNT         reads 4 KiB so often, around the page cache
 *	refault DEVICE MIB ROUNDS   reads that much of a mapped device, again and again, and a part of it more often
 *	anon MIB ROUNDS             writes to that much memory of its own, again and again
 *	cow MIB ROUNDS              writes to that much memory while a child has it as well
 *	truncate FILE MIB           writes a file and truncates it
 *	churn FILE THREADS MS BYTES starts and ends threads that burn CPU time and write; prints the
 *	                            nanoseconds that they burnt and those of the whole process
 *	compact                     asks for huge pages where all free memory is in single pages */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "taskstats-print.h"

enum { PAGE = 4096, MIB = 1 << 20, BATCH = 10 };

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "work: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned long number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text == '\0' || *end != '\0') {
		errno = EINVAL;
		die(text);
	}
	return value;
}

static unsigned long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
}

static unsigned long clock_ms(clockid_t clock)
{
	return clock_ns(clock) / 1000000;
}

static void spin_until(clockid_t clock, unsigned long until)
{
	while (clock_ms(clock) < until)
		for (volatile unsigned i = 0; i < 10000; i++)
			;
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		die(path);
	return fd;
}

/* Memory in single pages, already written to. */
static char *small_pages(size_t len, int flags)
{
	char *memory =
	        mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	if (madvise(memory, len, MADV_NOHUGEPAGE) < 0)
		die("MADV_NOHUGEPAGE");
	return memory;
}

/* Without reading first: that would make each page one of zeros, and the write a copy of it. */
static void write_pages(volatile char *memory, size_t len)
{
	for (size_t at = 0; at < len; at += PAGE)
		memory[at] = 1;
}

static void work_spin(char **args)
{
	spin_until(CLOCK_MONOTONIC, clock_ms(CLOCK_MONOTONIC) + number(args[0]));
}

static unsigned long starve_until;

static void *run_hog(void *context)
{
	(void)context;
	prctl(PR_SET_NAME, "hog");
	spin_until(CLOCK_MONOTONIC, starve_until);
	pause();
	return NULL;
}

static void work_starve(char **args)
{
	cpu_set_t cpus;
	pthread_t hog;

	CPU_ZERO(&cpus);
	CPU_SET(number(args[0]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		die("sched_setaffinity");
	starve_until = clock_ms(CLOCK_MONOTONIC) + number(args[1]);
	if (pthread_create(&hog, NULL, run_hog, NULL) != 0)
		die("pthread_create");
	/* Values of this thread alone. */
	if (setpriority(PRIO_PROCESS, 0, 19) < 0)
		die("setpriority");
	spin_until(CLOCK_MONOTONIC, starve_until);
}

static void work_sleep(char **args)
{
	struct timespec span = {.tv_nsec = (long)number(args[1]) * 1000};

	for (unsigned long i = number(args[0]); i > 0; i--)
		nanosleep(&span, NULL);
}

static void work_direct(char **args)
{
	static char buffer[PAGE] __attribute__((aligned(PAGE)));
	int fd = open_file(args[0], O_RDONLY | O_DIRECT);
	unsigned long count = number(args[1]);

	for (unsigned long i = 0; i < count; i++)
		if (pread(fd, buffer, PAGE, (off_t)(i * PAGE)) != PAGE)
			die("pread");
	close(fd);
}

static unsigned read_pages(const volatile char *memory, size_t len)
{
	unsigned sum = 0;

	for (size_t at = 0; at < len; at += PAGE)
		sum += (unsigned char)memory[at];
	return sum;
}

static void work_refault(char **args)
{
	size_t len = number(args[1]) * MIB;
	int fd = open_file(args[0], O_RDONLY);
	const volatile char *memory = mmap(NULL, len, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	unsigned sum = 0;

	if (memory == MAP_FAILED)
		die("mmap");
	for (unsigned long round = number(args[2]); round > 0; round--) {
		/* The kernel takes pages that are executable, and those that are used more often, for
		 * the working set, so that their eviction is thrashing. */
		for (unsigned pass = 0; pass < 4; pass++)
			sum += read_pages(memory, len / 4);
		sum += read_pages(memory, len);
	}
	if (sum == 1)
		puts("odd");
}

static void work_anon(char **args)
{
	size_t len = number(args[0]) * MIB;
	char *memory = small_pages(len, 0);

	for (unsigned long round = number(args[1]); round > 0; round--)
		write_pages(memory, len);
}

static void work_cow(char **args)
{
	size_t len = number(args[0]) * MIB;
	char *memory = small_pages(len, 0);

	write_pages(memory, len);
	for (unsigned long round = number(args[1]); round > 0; round--) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (child == 0) {
			pause();
			_exit(0);
		}
		write_pages(memory, len);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
}

static void write_all(int fd, const char *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		die("write");
}

static void work_truncate(char **args)
{
	static char buffer[MIB];
	int fd = open_file(args[0], O_RDWR | O_CREAT);

	for (unsigned long i = number(args[1]); i > 0; i--)
		write_all(fd, buffer, MIB);
	if (ftruncate(fd, 0) < 0)
		die("ftruncate");
	close(fd);
}

static struct {
	int fd;
	unsigned long ms;
	size_t bytes;
	char *buffer;
	atomic_ulong burnt_ns;
} churn;

static void *run_brief(void *context)
{
	(void)context;
	write_all(churn.fd, churn.buffer, churn.bytes);
	spin_until(CLOCK_THREAD_CPUTIME_ID, churn.ms);
	churn.burnt_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void work_churn(char **args)
{
	pthread_t threads[BATCH];
	unsigned long count = number(args[1]), begin;

	churn.fd = open_file(args[0], O_WRONLY | O_CREAT);
	churn.ms = number(args[2]);
	churn.bytes = number(args[3]);
	churn.buffer = calloc(1, churn.bytes);
	begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned long i = 0; i < count; i += BATCH) {
		for (unsigned k = 0; k < BATCH; k++)
			if (pthread_create(&threads[k], NULL, run_brief, NULL) != 0)
				die("pthread_create");
		for (unsigned k = 0; k < BATCH; k++)
			pthread_join(threads[k], NULL);
	}
	close(churn.fd);
	free(churn.buffer);
	printf("%lu %lu\n", churn.burnt_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin);
	fflush(stdout);
}

/* Reads a value of /proc/meminfo, in bytes. */
static size_t memory_free(void)
{
	unsigned long kib = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");

	if (file == NULL)
		die("meminfo");
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "MemFree: %lu", &kib) == 1)
			break;
	fclose(file);
	return kib * 1024;
}

static void work_compact(char **args)
{
	/* The kernel's reserve, so that it need not kill anybody. */
	const size_t kept = 48ul * MIB, wanted = 24ul * MIB;
	size_t len = memory_free();
	char *filler, *huge;

	(void)args;
	len = len > kept ? len - kept : 0;
	filler = small_pages(len, 0);
	write_pages(filler, len);
	for (size_t at = 0; at < len; at += 4 * PAGE)
		madvise(filler + at, PAGE, MADV_DONTNEED);
	huge = mmap(NULL, kept + wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	            0);
	if (huge == MAP_FAILED)
		die("mmap");
	if (madvise(huge, kept + wanted, MADV_HUGEPAGE) < 0)
		die("MADV_HUGEPAGE");
	write_pages(huge, kept + wanted);
	munmap(huge, kept + wanted);
	munmap(filler, len);
}

static const struct {
	const char *name;
	int arguments;
	void (*work)(char **args);
} modes[] = {
        {"spin", 1, work_spin},       {"starve", 2, work_starve},     {"sleep", 2, work_sleep},
        {"direct", 2, work_direct},   {"refault", 3, work_refault},   {"anon", 2, work_anon},
        {"cow", 2, work_cow},         {"truncate", 2, work_truncate}, {"churn", 4, work_churn},
        {"compact", 0, work_compact},
};

static int run_as(char **args)
{
	uid_t user = (uid_t)number(args[0]);

	if (setgroups(0, NULL) < 0 || setresgid(user, user, user) < 0 ||
	    setresuid(user, user, user) < 0)
		die("another user");
	execv(args[1], args + 1);
	die(args[1]);
}

static unsigned long cpu_ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

static int print_tsc(void)
{
	unsigned long begin_ns = clock_ns(CLOCK_MONOTONIC), begin = cpu_ticks(), ns, ticks;

	do {
		ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
		ticks = cpu_ticks() - begin;
	} while (ns < 200000000);
	printf("%lu\n", ticks / (ns / 1000000));
	return 0;
}

static unsigned long time_us(struct timeval time)
{
	return (unsigned long)time.tv_sec * 1000000 + (unsigned long)time.tv_usec;
}

static int spawn(unsigned long count)
{
	struct rusage used;

	for (unsigned long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (child == 0) {
			prctl(PR_SET_NAME, "spawned");
			_exit(0);
		}
		if (waitpid(child, NULL, 0) != child)
			die("waitpid");
	}
	if (getrusage(RUSAGE_CHILDREN, &used) < 0)
		die("getrusage");
	printf("{\"count\":%lu,\"cpu_us\":%lu,\"voluntary_csw\":%ld,\"nonvoluntary_csw\":%ld,"
	       "\"minflt\":%ld,\"majflt\":%ld}\n",
	       count, time_us(used.ru_utime) + time_us(used.ru_stime), used.ru_nvcsw,
	       used.ru_nivcsw, used.ru_minflt, used.ru_majflt);
	return 0;
}

static void say(const char *name, const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "%s.%s", name, what);
	close(open_file(path, O_WRONLY | O_CREAT));
}

int main(int argc, char **argv)
{
	sigset_t signals;
	int signal_number;

	if (argc >= 4 && strcmp(argv[1], "as") == 0)
		return run_as(argv + 2);
	if (argc == 2 && strcmp(argv[1], "tsc") == 0)
		return print_tsc();
	if (argc >= 3 && strcmp(argv[1], "taskstats") == 0)
		return taskstats_print(argv + 2);
	if (argc == 3 && strcmp(argv[1], "spawn") == 0)
		return spawn(number(argv[2]));
	if (argc < 3)
		return 2;

	prctl(PR_SET_NAME, argv[1]);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (strcmp(modes[i].name, argv[2]) != 0 || modes[i].arguments != argc - 3)
			continue;
		say(argv[1], "ready");
		sigwait(&signals, &signal_number);
		modes[i].work(argv + 3);
		say(argv[1], "done");
		for (;;)
			pause();
	}
	return 2;
}
