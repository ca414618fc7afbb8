// SPDX-License-Identifier: GPL-2.0-or-later
/* exits - listens to exits while processes come and go, and holds what the log says against what the kernel tells
 * whoever waits for them.
 *
 *   exits completed   with the counters at the last switch, where they can be had
 *   exits recorded    with exit records alone
 *
 * Ends with 77 where this user or this kernel, or this build, has none of them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "capture/exit-listener.h"
#include "procfs/procfs.h"

enum { CANNOT = 77, SHORT = 2000, KILLED = 50, THREADS = 200, FIELD_START_TIME = 22 };

extern char **environ;

/* The kernel's values for a process that was waited for. */
struct child {
	pid_t pid;
	uint64_t start_time_clock_ticks; /* 0: not read */
	struct rusage usage;
	bool found;
};

struct worker {
	pthread_t thread;
	pid_t tid;
	uint64_t cpu_ns; /* at its end, or a little before */
	bool found;
};

static struct child children[SHORT + KILLED];
static pid_t large_pid;
static struct child busy; /* with enough CPU time for a record */
static struct worker workers[THREADS];

static void fail(const char *what)
{
	fprintf(stderr, "FAILED: %s\n", what);
	exit(1);
}

static void check(bool holds, const char *what, uint64_t have, uint64_t want)
{
	printf("%s %s: %" PRIu64 ", the kernel: %" PRIu64 "\n", holds ? "ok    " : "FAILED", what,
	       have, want);
	if (!holds)
		exit(1);
}

static void sleep_us(long us)
{
	const struct timespec time = {.tv_nsec = us * 1000};

	nanosleep(&time, NULL);
}

/* A zombie may still be on its way out of its CPU, and what it does until then counts. Mostly it is gone by now. */
static void await_child(struct child *child)
{
	siginfo_t info;
	int status;

	if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT) < 0)
		fail("waitid");
	sleep_us(300);
	if (wait4(child->pid, &status, 0, &child->usage) != child->pid)
		fail("wait4");
}

static void spawn(struct child *child, const char *const *arguments)
{
	if (posix_spawnp(&child->pid, arguments[0], NULL, NULL, (char *const *)arguments,
	                 environ) != 0)
		fail("posix_spawnp");
}

static uint64_t start_time_of(pid_t pid)
{
	struct strbuf text = STRBUF_INIT;
	char name[64];
	uint64_t ticks = 0;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	if (fd_read_all_at(AT_FDCWD, name, &text, 1 << 16) < 0 ||
	    !stat_field(strbuf_str(&text), text.len, FIELD_START_TIME, &ticks))
		fail("the start of a child");
	strbuf_done(&text);
	return ticks;
}

static void run_processes(void)
{
	static const char *const brief[] = {"true", NULL}, *const longer[] = {"sleep", "60", NULL};

	for (int i = 0; i < SHORT; i++) {
		spawn(&children[i], brief);
		await_child(&children[i]);
	}
	for (int i = SHORT; i < SHORT + KILLED; i++)
		spawn(&children[i], longer);
	sleep_us(100000);
	for (int i = SHORT; i < SHORT + KILLED; i++) {
		children[i].start_time_clock_ticks = start_time_of(children[i].pid);
		kill(children[i].pid, SIGKILL);
		await_child(&children[i]);
	}
}

static void burn(void)
{
	enum { STEPS = 100000 };

	while (clock() < CLOCKS_PER_SEC * 4 / 10)
		for (volatile int i = 0; i < STEPS; i++)
			continue;
	_exit(0);
}

static void run_busy_process(void)
{
	busy.pid = fork();
	if (busy.pid < 0)
		fail("fork");
	if (busy.pid == 0)
		burn();
	await_child(&busy);
}

/* Takes milliseconds to take itself apart: when its record is there, its end is not. Nobody waits for it. */
static void kill_large_process(void)
{
	enum { BYTES = 128 << 20, PAGE = 4096 };
	const struct timespec moment = {.tv_nsec = 1000000};
	int ready[2];
	char byte = 0;
	pid_t pid = pipe(ready) == 0 ? fork() : -1;

	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		volatile char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise((void *)(uintptr_t)memory, BYTES, MADV_NOHUGEPAGE);
		for (size_t i = 0; memory != MAP_FAILED && i < BYTES; i += PAGE)
			memory[i] = 1;
		(void)!write(ready[1], &byte, 1);
		for (;;)
			pause();
	}
	(void)!read(ready[0], &byte, 1);
	kill(pid, SIGKILL);
	large_pid = pid;
	nanosleep(&moment, NULL);
	close(ready[0]);
	close(ready[1]);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct timespec used = {0};

	worker->tid = gettid();
	while (used.tv_nsec < 1000000 && used.tv_sec == 0)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	worker->cpu_ns = (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
	return NULL;
}

static void run_threads(void)
{
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			fail("pthread_create");
		pthread_join(workers[i].thread, NULL);
	}
}

struct sums {
	uint64_t rows, complete, run_ns, cpu_ns, voluntary, nonvoluntary, minflt, majflt, rchar;
};

static uint64_t value(const struct thread_sample *sample, enum metric_id metric)
{
	return metric_set_has(&sample->seen, metric)
	               ? *(const uint64_t *)sample_value(sample, metric)
	               : 0;
}

static void add(struct sums *sums, const struct thread_sample *sample, const struct exit_note *note)
{
	sums->rows++;
	sums->complete += note->is_complete;
	sums->cpu_ns += note->user_ns + note->system_ns;
	sums->run_ns += value(sample, METRIC_run_time_ns);
	sums->voluntary += value(sample, METRIC_voluntary_csw);
	sums->nonvoluntary += value(sample, METRIC_nonvoluntary_csw);
	sums->minflt += value(sample, METRIC_minflt);
	sums->majflt += value(sample, METRIC_majflt);
	sums->rchar += value(sample, METRIC_rchar);
}

/* A line "0::/path" of our own; empty where there is none. */
static void read_own_cgroup(struct strbuf *ret)
{
	struct strbuf text = STRBUF_INIT;
	const char *line;

	if (fd_read_all_at(AT_FDCWD, "/proc/self/cgroup", &text, 1 << 16) == 0 &&
	    (line = strstr(strbuf_str(&text), "0::")))
		strbuf_add(ret, line + 3, strcspn(line + 3, "\n"));
	strbuf_done(&text);
}

static void check_identity(const struct thread_sample *sample, const struct exit_note *note,
                           const struct child *child, const struct strbuf *cgroup)
{
	const char *comm = child < children + SHORT ? "true" : "sleep";
	uint64_t ticks = sample->start_time_clock_ticks;

	if (strcmp(strbuf_str(&sample->comm), comm) != 0)
		fail("another comm");
	if (!sample->has_uid || sample->uid != geteuid())
		fail("another user");
	if (child->start_time_clock_ticks != 0 &&
	    (ticks < child->start_time_clock_ticks ||
	     ticks > child->start_time_clock_ticks + (note->is_complete ? 0 : 50)))
		check(false, "started at", ticks, child->start_time_clock_ticks);
	if (note->is_complete && cgroup->len > 0 &&
	    (!sample->has_cgroup || strcmp(strbuf_str(&sample->cgroup), strbuf_str(cgroup)) != 0))
		fail("another cgroup");
}

static bool add_child(struct sums *sums, const struct thread_sample *sample,
                      const struct exit_note *note, const struct strbuf *cgroup)
{
	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		if ((uint32_t)children[i].pid == sample->tid && !children[i].found) {
			check_identity(sample, note, &children[i], cgroup);
			children[i].found = true;
			add(sums, sample, note);
			return true;
		}
	return false;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* Ticks find nearly all of it in user mode; a record may lack the last few.  */
static void check_busy(const struct thread_sample *sample, const struct exit_note *note)
{
	uint64_t user_ns = ns_of(busy.usage.ru_utime), system_ns = ns_of(busy.usage.ru_stime);
	uint64_t run_ns = value(sample, METRIC_run_time_ns);

	busy.found = true;
	check(run_ns + 60000000 >= user_ns + system_ns && run_ns <= user_ns + system_ns + 1000000,
	      "CPU time of a busy process", run_ns, user_ns + system_ns);
	/* A record divides the time by its own ticks. On a busy machine most of them may have hit others. */
	if (!note->has_cpu_time && !note->is_complete) {
		printf("not checked: ticks found less than 200 ms of the %" PRIu64
		       " ns in a mode\n",
		       run_ns);
		return;
	}
	check(note->has_cpu_time && note->user_ns + note->system_ns == run_ns &&
	              note->user_ns + 70000000 >= user_ns && note->user_ns <= user_ns + 70000000,
	      "in user mode", note->user_ns, user_ns);
}

static void check_thread(const struct thread_sample *sample, const struct exit_note *note)
{
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		uint64_t run_ns = value(sample, METRIC_run_time_ns);

		if ((uint32_t)workers[i].tid != sample->tid || workers[i].found)
			continue;
		workers[i].found = true;
		if (note->has_tgid && sample->tgid != (uint32_t)getpid())
			fail("a thread of another process");
		if (note->is_complete && strcmp(strbuf_str(&sample->pcomm), "exits") != 0)
			fail("a thread's process has another name");
		if (note->is_complete && note->user_ns + note->system_ns != run_ns)
			fail("CPU time by mode does not add up");
		if (note->is_complete &&
		    (run_ns < workers[i].cpu_ns || run_ns > workers[i].cpu_ns + 500000000))
			check(false, "CPU time of a thread", run_ns, workers[i].cpu_ns);
	}
}

/* No less than the kernel told, and little more: some zombies were asked for before their last switch. */
static void check_nearly(const char *what, uint64_t have, uint64_t want, uint64_t more)
{
	check(have >= want && have - want <= more, what, have, want);
}

static void compare(const struct sums *sums, bool complete)
{
	const uint64_t few = (SHORT + KILLED) / 20;
	struct sums told = {0};

	for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
		const struct rusage *usage = &children[i].usage;

		told.cpu_ns +=
		        1000 * (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) +
		        1000000000 * (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec);
		told.voluntary += (uint64_t)usage->ru_nvcsw;
		told.nonvoluntary += (uint64_t)usage->ru_nivcsw;
		told.minflt += (uint64_t)usage->ru_minflt;
		told.majflt += (uint64_t)usage->ru_majflt;
	}
	check(sums->rows == SHORT + KILLED, "processes", sums->rows, SHORT + KILLED);
	check(sums->minflt == told.minflt, "minor faults", sums->minflt, told.minflt);
	check(sums->majflt == told.majflt, "major faults", sums->majflt, told.majflt);
	if (!complete) {
		check(sums->run_ns == 0, "CPU time, of which nothing is known", sums->run_ns,
		      told.cpu_ns);
		check(sums->nonvoluntary <= told.nonvoluntary, "preemptions up to the record",
		      sums->nonvoluntary, told.nonvoluntary);
		/* Some wait once more while they take themselves apart. */
		check_nearly("voluntary switches", sums->voluntary + few, told.voluntary, 2 * few);
		return;
	}
	check(sums->complete == sums->rows, "of them complete", sums->complete, sums->rows);
	/* The kernel tells microseconds, of two modes. */
	check_nearly("CPU time", sums->run_ns, told.cpu_ns, 2000 * sums->rows + told.cpu_ns / 200);
	check(sums->cpu_ns == sums->run_ns, "the same by mode", sums->cpu_ns, sums->run_ns);
	check_nearly("voluntary switches", sums->voluntary, told.voluntary, few);
	check_nearly("preemptions", sums->nonvoluntary, told.nonvoluntary, few);
	check(sums->rchar > 0, "characters read", sums->rchar, sums->rchar);
}

/* The threads that were born from then on: an id from before may be one of ours by now. */
static void check_log(const struct exit_log *log, bool complete, uint64_t begin_ns,
                      const struct strbuf *cgroup)
{
	struct thread_sample sample = {0};
	struct sums sums = {0};
	uint64_t threads = 0;

	for (uint32_t row = 0; row < log->records.count; row++) {
		if (log->notes[row].born_boottime_ns < begin_ns)
			continue;
		thread_store_get(&log->records, row, &sample);
		if (sample.tid == (uint32_t)large_pid)
			check(log->notes[row].is_complete == complete, "the last row, complete",
			      log->notes[row].is_complete, complete);
		else if (sample.tid == (uint32_t)busy.pid)
			check_busy(&sample, &log->notes[row]);
		else if (!add_child(&sums, &sample, &log->notes[row], cgroup))
			check_thread(&sample, &log->notes[row]);
	}
	sample_done(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++)
		threads += workers[i].found;
	check(busy.found, "busy processes", busy.found, 1);
	check(threads == THREADS, "threads of this process", threads, THREADS);
	compare(&sums, complete);
	check(log->overruns == 0, "overruns", log->overruns, 0);
}

int main(int argc, char **argv)
{
	struct exit_listener_options options = {
	        .live = true, .rules = {.cpu_delay = true, .delays = TASKSTATS_DELAYS_OFF}};
	struct cgroup_mounts mounts = {0};
	struct strbuf cgroup = STRBUF_INIT;
	struct exit_log log;
	struct exit_listener *listener;
	int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	enum window_exits wanted = WINDOW_EXITS_completed;
	uint64_t begin_ns;

	if (argc != 2)
		fail("Usage: exits completed|recorded");
	if (strcmp(argv[1], "recorded") == 0)
		wanted = WINDOW_EXITS_recorded;
	options.without_ends = wanted == WINDOW_EXITS_recorded;
	cgroup_mounts_find(proc_fd, true, &mounts);
	if (mounts.unified.found && strcmp(strbuf_str(&mounts.unified.root), "/") == 0)
		read_own_cgroup(&cgroup);
	options.mounts = &mounts;
	listener = exit_listener_start(&options);
	begin_ns = clock_now_ns(CLOCK_BOOTTIME);
	run_processes();
	run_busy_process();
	run_threads();
	kill_large_process();
	exit_listener_stop(listener, &log);
	if (log.exits == wanted)
		check_log(&log, wanted == WINDOW_EXITS_completed, begin_ns, &cgroup);
	else
		printf("skipped: exits are %s here\n", window_exits_names[log.exits]);
	wanted = log.exits == wanted ? WINDOW_EXITS_UNKNOWN : log.exits;
	exit_log_done(&log);
	cgroup_mounts_done(&mounts);
	strbuf_done(&cgroup);
	fd_closep(&proc_fd);
	return wanted == WINDOW_EXITS_UNKNOWN ? 0 : CANNOT;
}
