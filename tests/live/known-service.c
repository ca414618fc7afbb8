// SPDX-License-Identifier: GPL-2.0-or-later
/* known-service NAME CPU fair|idle|rr|steady LOG: a service of known size, pinned to a CPU, that measures itself until SIGTERM. fair,
 * idle and rr spin in SCHED_OTHER, SCHED_IDLE and SCHED_RR. steady uses 2 ms of CPU time in each 10 ms, under SCHED_FIFO, so that
 * no other service and no measurement holds it up. A line of LOG has five numbers of one moment: the nanoseconds since 1970; the
 * service's CPU time in nanoseconds; how often it has been off the CPU for a millisecond or more; and, by the kernel's counters, how
 * often it was preempted and how many nanoseconds it waited for the CPU. CPU time between two lines is even. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { US = 1000, MS = 1000 * US, STEP = MS, GAP = MS, PERIOD = 10 * MS, DUTY = 2 * MS };

struct moment {
	uint64_t time_ns, cpu_ns, gaps, switches, wait_ns;
};

enum { MOMENTS_MAX = 1 << 19 };
static struct moment *moments;
static size_t count;
static volatile sig_atomic_t ended;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "known-service: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

static uint64_t switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_nivcsw;
}

/* The second number of /proc/self/schedstat. Wall time less CPU time is no measure of it: an interrupt, and a virtual CPU that
 * its host does not run, are in neither. */
static uint64_t wait_ns(void)
{
	static int file = -1;
	char text[128], *second;
	ssize_t length;

	if (file < 0)
		file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	length = pread(file, text, sizeof(text) - 1, 0);
	if (length <= 0)
		die("/proc/self/schedstat");
	text[length] = '\0';
	second = strchr(text, ' ');
	return second == NULL ? 0 : strtoull(second, NULL, 10);
}

static void note(struct moment moment)
{
	if (count == MOMENTS_MAX) {
		errno = ENOSPC;
		die("too many moments");
	}
	moments[count++] = moment;
}

/* On an emulator that is off its own CPU, time passes and CPU time as well: that is no gap. */
static void spin(void)
{
	struct moment last = {.time_ns = clock_ns(CLOCK_REALTIME)};
	uint64_t noted = 0;

	last.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (!ended) {
		uint64_t now = clock_ns(CLOCK_REALTIME), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

		if (now - last.time_ns >= cpu - last.cpu_ns + GAP) {
			note(last);
			last.gaps++;
			noted = 0;
		}
		last.time_ns = now;
		last.cpu_ns = cpu;
		if (now - noted >= STEP) {
			last.switches = switches();
			last.wait_ns = wait_ns();
			note(last);
			noted = now;
		}
	}
}

static void be_steady(void)
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	while (!ended) {
		uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID), cpu = begin;

		note((struct moment){clock_ns(CLOCK_REALTIME), begin, 0, switches(), wait_ns()});
		while (cpu - begin < DUTY)
			cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		note((struct moment){clock_ns(CLOCK_REALTIME), cpu, 0, switches(), wait_ns()});
		next.tv_nsec += PERIOD;
		if (next.tv_nsec >= 1000 * MS) {
			next.tv_nsec -= 1000 * MS;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

static void pin(const char *cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(strtoul(cpu, NULL, 10), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		die("sched_setaffinity");
}

static void set_policy(int policy, int priority)
{
	struct sched_param param = {.sched_priority = priority};

	if (sched_setscheduler(0, policy, &param) < 0)
		die("sched_setscheduler");
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = end};
	FILE *log;

	if (argc != 5) {
		fputs("usage: known-service NAME CPU fair|idle|rr|steady LOG\n", stderr);
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);

	moments = mmap(NULL, MOMENTS_MAX * sizeof(*moments), PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (moments == MAP_FAILED)
		die("mmap");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	log = fopen(argv[4], "we");
	if (log == NULL)
		die(argv[4]);
	pin(argv[2]);
	if (strcmp(argv[3], "steady") == 0)
		set_policy(SCHED_FIFO, 3);
	else if (strcmp(argv[3], "rr") == 0)
		set_policy(SCHED_RR, 1);
	else
		set_policy(strcmp(argv[3], "idle") == 0 ? SCHED_IDLE : SCHED_OTHER, 0);
	/* It has its name when all else is set. */
	prctl(PR_SET_NAME, argv[1]);
	if (strcmp(argv[3], "steady") == 0)
		be_steady();
	else
		spin();
	for (size_t i = 0; i < count; i++)
		fprintf(log, "%lu %lu %lu %lu %lu\n", (unsigned long)moments[i].time_ns,
		        (unsigned long)moments[i].cpu_ns, (unsigned long)moments[i].gaps,
		        (unsigned long)moments[i].switches, (unsigned long)moments[i].wait_ns);
	if (fclose(log) != 0)
		die(argv[4]);
	return 0;
}
