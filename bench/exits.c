// SPDX-License-Identifier: GPL-2.0-or-later
/* exits - what it costs to listen: threads exit at a rate, in other processes, while this one listens.
 *
 *   exits SECONDS RATE [recorded]
 *
 * RATE is exits a second, or as many as this machine can make. With "recorded" it listens to exit records alone. Ends
 * with 77 where nobody may listen. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "capture/exit-listener.h"

enum { CANNOT = 77, MAKERS = 2, STACK_BYTES = 64 << 10, BURSTS_A_SECOND = 200 };

static int exit_at_once(void *unused)
{
	(void)unused;
	return 0;
}

/* One process that is born and gone before the call returns. */
static void make_exit(char *stack)
{
	pid_t pid =
	        clone(exit_at_once, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		_exit(1);
}

static void make_exits(uint64_t until_ns, double rate)
{
	char *stack = malloc(STACK_BYTES);
	uint64_t start = clock_now_ns(CLOCK_MONOTONIC), now = start;
	double made = 0;
	const struct timespec pause = {.tv_nsec = 1000000000 / BURSTS_A_SECOND};

	while (stack && now < until_ns) {
		for (double due = rate * (double)(now - start) / 1e9; made < due && now < until_ns;
		     made++, now = clock_now_ns(CLOCK_MONOTONIC))
			make_exit(stack);
		nanosleep(&pause, NULL);
		now = clock_now_ns(CLOCK_MONOTONIC);
	}
	_exit(made > 0 && made < 1e9 ? 0 : 1);
}

/* On a CPU, of the thread of this process with a name; 0 where there is none. */
static uint64_t run_ns_of(const char *name)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	struct strbuf text = STRBUF_INIT;
	uint64_t ns = 0;
	char path[300];

	while (tasks && (entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		if (fd_read_all_at(AT_FDCWD, path, &text, 4096) < 0 ||
		    strncmp(strbuf_str(&text), name, strlen(name)) != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", entry->d_name);
		if (fd_read_all_at(AT_FDCWD, path, &text, 4096) == 0)
			ns = strtoull(strbuf_str(&text), NULL, 10);
	}
	if (tasks)
		closedir(tasks);
	strbuf_done(&text);
	return ns;
}

static double cpu_ms_of_process(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

struct figures {
	double start_ms, stop_ms, seconds, listener_ms, process_ms;
	long peak_kib;
};

static void run_makers(unsigned seconds, double rate)
{
	uint64_t until = clock_now_ns(CLOCK_MONOTONIC) + UINT64_C(1000000000) * seconds;

	for (int i = 0; i < MAKERS; i++)
		if (fork() == 0)
			make_exits(until, rate / MAKERS);
	for (int i = 0; i < MAKERS; i++)
		(void)wait(NULL);
}

static void print(const struct exit_log *log, const struct figures *figures)
{
	printf("%s: %.0f exits a second for %.1f s; %" PRIu64 " records, %" PRIu64
	       " overruns, %" PRIu64 " ends, %" PRIu64 " rows without one\n",
	       window_exits_names[log->exits], (double)log->records.count / figures->seconds,
	       figures->seconds, log->received, log->overruns, log->ends,
	       log->records.count - log->ends);
	printf("  the listener: %.1f %% of one core, %.2f us an exit; all of this process %.1f "
	       "%%\n",
	       figures->listener_ms / figures->seconds / 10,
	       figures->listener_ms * 1e3 / log->records.count,
	       figures->process_ms / figures->seconds / 10);
	printf("  start %.1f ms, stop %.1f ms, peak %.1f MiB, %.0f bytes an exit in the log\n",
	       figures->start_ms, figures->stop_ms, (double)figures->peak_kib / 1024,
	       (double)(log->records.packed.len +
	                log->records.count * (sizeof(log->notes[0]) +
	                                      sizeof(struct thread_store_row) + sizeof(uint32_t))) /
	               log->records.count);
}

int main(int argc, char **argv)
{
	unsigned seconds = argc >= 3 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	struct exit_listener_options options = {
	        .live = true,
	        .rules = {.cpu_delay = true, .delays = TASKSTATS_DELAYS_LATER},
	        .without_ends = argc == 4 && strcmp(argv[3], "recorded") == 0};
	struct figures figures;
	struct exit_listener *listener;
	struct cgroup_mounts mounts = {0};
	struct exit_log log;
	struct rusage usage;
	uint64_t begin;
	int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	bool listened;

	if (seconds == 0) {
		fputs("Usage: exits SECONDS RATE [recorded]\n", stderr);
		return 2;
	}
	cgroup_mounts_find(proc_fd, true, &mounts);
	options.mounts = &mounts;
	begin = clock_now_ns(CLOCK_MONOTONIC);
	listener = exit_listener_start(&options);
	figures.start_ms = (double)(clock_now_ns(CLOCK_MONOTONIC) - begin) / 1e6;
	figures.process_ms = -cpu_ms_of_process();
	begin = clock_now_ns(CLOCK_MONOTONIC);
	run_makers(seconds, strtod(argv[2], NULL));
	figures.seconds = (double)(clock_now_ns(CLOCK_MONOTONIC) - begin) / 1e9;
	figures.listener_ms = (double)run_ns_of("exit-listener") / 1e6;
	figures.process_ms += cpu_ms_of_process();
	begin = clock_now_ns(CLOCK_MONOTONIC);
	exit_listener_stop(listener, &log);
	figures.stop_ms = (double)(clock_now_ns(CLOCK_MONOTONIC) - begin) / 1e6;
	getrusage(RUSAGE_SELF, &usage);
	figures.peak_kib = usage.ru_maxrss;
	listened = log.records.count > 0;
	if (listened)
		print(&log, &figures);
	else
		printf("exits are %s here\n", window_exits_names[log.exits]);
	exit_log_done(&log);
	cgroup_mounts_done(&mounts);
	fd_closep(&proc_fd);
	return listened ? 0 : CANNOT;
}
