// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/scan.h"
#include "capture/own-proc.h"
#include "job-cgroup-files.h"
#include "procfs/procfs.h"

enum {
	TEXT_BYTES = 4 << 20,
	PATH_BYTES = 64,
	KIB = 1024,
};

/* See enum capture_smaps, which has the same limits. */
#define SMAPS_AUTO_MAPPED_BYTES (64.0 * KIB * KIB * KIB)
#define SMAPS_AUTO_RESIDENT_BYTES (4.0 * KIB * KIB * KIB)

static int read_file(int proc_fd, uint32_t pid, const char *name, struct strbuf *text)
{
	char path[2 * PATH_BYTES];

	snprintf(path, sizeof(path), "%u/%s", pid, name);
	return fd_read_all_at(proc_fd, path, text, TEXT_BYTES);
}

int job_proc_open(int *ret_fd, struct strbuf *reason)
{
	cleanup_(fd_closep) int fd = fd_open_dir_at(AT_FDCWD, "/proc");

	*ret_fd = -1;
	if (fd < 0)
		return fd;
	if (!proc_is_own(fd)) {
		strbuf_add_str(reason, "/proc is of another pid namespace");
		return 0;
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int list_threads(int proc_fd, uint32_t pid, struct id_list *ret)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	cleanup_(fd_closep) int task_fd = -1;
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%u/task", pid);
	task_fd = fd_open_dir_at(proc_fd, path);
	return task_fd < 0 ? task_fd : fd_list_ids(task_fd, ret, &scratch);
}

static int add_children(int proc_fd, uint32_t pid, uint32_t tid, struct id_list *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, word;
	char name[PATH_BYTES];
	uint64_t child;
	int r;

	snprintf(name, sizeof(name), "task/%u/children", tid);
	r = read_file(proc_fd, pid, name, &text);
	if (r < 0)
		return r;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_word(&rest, &word))
		if (scan_u64(word.text, word.len, &child) && child <= UINT32_MAX)
			*array_add(ret->ids, ret->count, ret->capacity) = (uint32_t)child;
	return 0;
}

int job_children(int proc_fd, pid_t pid, struct id_list *ret)
{
	cleanup_(id_list_done) struct id_list threads = {0};
	int r = list_threads(proc_fd, (uint32_t)pid, &threads);

	for (size_t i = 0; r == 0 && i < threads.count; i++) {
		r = add_children(proc_fd, (uint32_t)pid, threads.ids[i], ret);
		/* A thread that has ended has no children: another one of its process has them. */
		if (r == -ESRCH || (r == -ENOENT && i > 0))
			r = 0;
	}
	return r;
}

static bool is_in(const struct id_list *list, uint32_t id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->ids[i] == id)
			return true;
	return false;
}

/* Only the children of the root can be others. */
int job_descendants(int proc_fd, pid_t root, const struct id_list *others, struct id_list *ret)
{
	size_t kept = 0;
	int r;

	ret->count = 0;
	r = job_children(proc_fd, root, ret);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ret->count; i++)
		if (!is_in(others, ret->ids[i]))
			ret->ids[kept++] = ret->ids[i];
	ret->count = kept;
	/* One that has ended meanwhile has no children any more. */
	for (size_t i = 0; i < ret->count; i++)
		(void)!job_children(proc_fd, (pid_t)ret->ids[i], ret);
	job_ids_sort(ret);
	return 0;
}

/* The memory of a process; @tid is a thread that has it. */
struct process_memory {
	uint32_t tid;
	double vsz, rss;
};

/* Returns 1; 0 for a thread that has ended, and with it its hold on the memory; or -errno. */
static int read_statm(int proc_fd, uint32_t pid, uint32_t tid, struct process_memory *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const double page = (double)sysconf(_SC_PAGESIZE);
	struct span rest, size_word, resident_word;
	uint64_t size, resident;
	char name[PATH_BYTES];
	int r;

	snprintf(name, sizeof(name), "task/%u/statm", tid);
	r = read_file(proc_fd, pid, tid == pid ? "statm" : name, &text);
	if (r < 0)
		return r;
	rest = (struct span){strbuf_str(&text), text.len};
	if (!scan_word(&rest, &size_word) || !scan_word(&rest, &resident_word) ||
	    !scan_u64(size_word.text, size_word.len, &size) ||
	    !scan_u64(resident_word.text, resident_word.len, &resident) || size == 0)
		return 0;
	*ret = (struct process_memory){tid, (double)size * page, (double)resident * page};
	return 1;
}

/* Returns false for a process that has ended. Another thread has the memory if the leader alone has. */
static bool read_memory(int proc_fd, uint32_t pid, struct process_memory *ret)
{
	cleanup_(id_list_done) struct id_list threads = {0};
	int r = read_statm(proc_fd, pid, pid, ret);

	if (r != 0 || list_threads(proc_fd, pid, &threads) < 0)
		return r > 0;
	for (size_t i = 0; i < threads.count; i++)
		if (threads.ids[i] != pid && read_statm(proc_fd, pid, threads.ids[i], ret) > 0)
			return true;
	return false;
}

void job_memory_read(int proc_fd, const struct id_list *pids, struct job_memory *ret)
{
	struct process_memory memory;

	*ret = (struct job_memory){0};
	for (size_t i = 0; i < pids->count; i++) {
		if (!read_memory(proc_fd, pids->ids[i], &memory))
			continue;
		ret->vsz += memory.vsz;
		ret->rss += memory.rss;
		if (memory.rss > ret->largest_rss)
			ret->largest_rss = memory.rss;
		ret->processes++;
	}
}

/* Finds the number behind "Key:". */
static bool find_number(const struct strbuf *text, const char *wanted, uint64_t *ret)
{
	struct span rest = {strbuf_str(text), text->len}, line, key, value, word;

	while (scan_line(&rest, &line))
		if (scan_pair(line, &key, &value) && span_is(key, wanted))
			return scan_word(&value, &word) && scan_u64(word.text, word.len, ret);
	return false;
}

bool job_pss_read(int proc_fd, const struct id_list *pids, enum job_smaps smaps, double *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct process_memory memory;
	char name[PATH_BYTES];
	double sum = 0;
	uint64_t kib;

	for (size_t i = 0; i < pids->count; i++) {
		if (!read_memory(proc_fd, pids->ids[i], &memory))
			continue;
		if (smaps == JOB_SMAPS_AUTO && (memory.vsz > SMAPS_AUTO_MAPPED_BYTES ||
		                                memory.rss > SMAPS_AUTO_RESIDENT_BYTES))
			return false;
		snprintf(name, sizeof(name), "task/%u/smaps_rollup", memory.tid);
		if (read_file(proc_fd, pids->ids[i],
		              memory.tid == pids->ids[i] ? "smaps_rollup" : name, &text) < 0 ||
		    !find_number(&text, "Pss", &kib)) {
			/* It may have ended meanwhile. */
			if (read_memory(proc_fd, pids->ids[i], &memory))
				return false;
			continue;
		}
		sum += (double)kib * KIB;
	}
	*ret = sum;
	return true;
}

bool job_io_parse(const char *text, size_t len, double ret[JOB_IO_COUNT])
{
	static const char *const keys[JOB_IO_COUNT] = {
	        [JOB_IO_RCHAR] = "rchar",
	        [JOB_IO_WCHAR] = "wchar",
	        [JOB_IO_SYSCR] = "syscr",
	        [JOB_IO_SYSCW] = "syscw",
	        [JOB_IO_READ_BYTES] = "read_bytes",
	        [JOB_IO_WRITE_BYTES] = "write_bytes",
	        [JOB_IO_CANCELLED] = "cancelled_write_bytes",
	};
	struct span rest = {text, len}, line, key, value;
	unsigned found = 0;
	uint64_t number;

	while (scan_line(&rest, &line))
		for (unsigned i = 0; i < JOB_IO_COUNT; i++)
			if (scan_pair(line, &key, &value) && span_is(key, keys[i]) &&
			    scan_u64(value.text, value.len, &number)) {
				ret[i] = (double)number;
				found |= 1U << i;
			}
	return found == (1U << JOB_IO_COUNT) - 1;
}

bool job_io_read(int proc_fd, pid_t pid, double ret[JOB_IO_COUNT])
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	return read_file(proc_fd, (uint32_t)pid, "io", &text) == 0 &&
	       job_io_parse(strbuf_str(&text), text.len, ret);
}

int job_io_open(int proc_fd, pid_t pid)
{
	char path[PATH_BYTES];
	int fd;

	snprintf(path, sizeof(path), "%d/io", (int)pid);
	fd = openat(proc_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool job_io_read_open(int fd, double ret[JOB_IO_COUNT])
{
	char text[4096];
	ssize_t len = fd < 0 ? -1 : pread(fd, text, sizeof(text), 0);

	return len > 0 && job_io_parse(text, (size_t)len, ret);
}

/* Fields of /proc/PID/stat, by their numbers in proc(5). */
enum {
	STAT_MINFLT = 10,
	STAT_CMINFLT,
	STAT_MAJFLT,
	STAT_CMAJFLT,
	STAT_UTIME,
	STAT_STIME,
	STAT_CUTIME,
	STAT_CSTIME,
	STAT_THREADS = 20,
	STAT_START = 22,
};

static double field_of(const struct strbuf *text, unsigned field)
{
	uint64_t value;

	return stat_field(strbuf_str(text), text->len, field, &value) ? (double)value : 0;
}

static bool read_schedstat(int proc_fd, uint32_t pid, uint32_t tid, struct job_counters *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, run_word, wait_word;
	char name[PATH_BYTES];
	uint64_t run_ns, wait_ns;

	snprintf(name, sizeof(name), "task/%u/schedstat", tid);
	if (read_file(proc_fd, pid, name, &text) < 0)
		return false;
	rest = (struct span){strbuf_str(&text), text.len};
	if (!scan_word(&rest, &run_word) || !scan_word(&rest, &wait_word) ||
	    !scan_u64(run_word.text, run_word.len, &run_ns) ||
	    !scan_u64(wait_word.text, wait_word.len, &wait_ns))
		return false;
	ret->run_time = (double)run_ns / NS_PER_SECOND;
	ret->run_queue_wait = (double)wait_ns / NS_PER_SECOND;
	return true;
}

static bool read_switches(int proc_fd, uint32_t pid, uint32_t tid, struct job_counters *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char name[PATH_BYTES];
	uint64_t voluntary, involuntary;

	snprintf(name, sizeof(name), "task/%u/status", tid);
	if (read_file(proc_fd, pid, name, &text) < 0 ||
	    !find_number(&text, "voluntary_ctxt_switches", &voluntary) ||
	    !find_number(&text, "nonvoluntary_ctxt_switches", &involuntary))
		return false;
	ret->voluntary_switches = (double)voluntary;
	ret->involuntary_switches = (double)involuntary;
	return true;
}

/* The file of a thread has nothing of others, unlike that of a process. */
static bool read_thread_io(int proc_fd, uint32_t pid, uint32_t tid, struct job_counters *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char name[PATH_BYTES];

	snprintf(name, sizeof(name), "task/%u/io", tid);
	return read_file(proc_fd, pid, name, &text) == 0 &&
	       job_io_parse(strbuf_str(&text), text.len, ret->io);
}

/* The name is between the first '(' and the last ')'. Returns the state behind it, or 0. */
static char read_name(const struct strbuf *text, char ret[JOB_COMM_BYTES])
{
	const char *begin = strchr(strbuf_str(text), '('), *end = strrchr(strbuf_str(text), ')');
	size_t len;

	if (!begin || !end || end < begin || end[1] != ' ')
		return 0;
	len = (size_t)(end - begin - 1);
	if (len > JOB_COMM_BYTES - 1)
		len = JOB_COMM_BYTES - 1;
	memcpy(ret, begin + 1, len);
	ret[len] = '\0';
	return end[2];
}

/* A leader that has ended is there until its other threads have. */
static bool is_dead(char state)
{
	return state == 'X' || state == 'Z';
}

static void read_thread(int proc_fd, uint32_t pid, uint32_t tid, struct job_live *live)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char name[PATH_BYTES], comm[JOB_COMM_BYTES];
	struct job_thread thread = {.tid = tid};
	struct job_counters *counters = &thread.counters;

	snprintf(name, sizeof(name), "task/%u/stat", tid);
	if (read_file(proc_fd, pid, name, &text) < 0 || is_dead(read_name(&text, comm)) ||
	    !stat_field(strbuf_str(&text), text.len, STAT_START, &thread.start_ticks))
		return;
	thread.start_ticks = boot_clock_start_ticks(thread.start_ticks);
	counters->minor_faults = field_of(&text, STAT_MINFLT);
	counters->major_faults = field_of(&text, STAT_MAJFLT);
	counters->has_schedstat = read_schedstat(proc_fd, pid, tid, counters);
	counters->has_switches = read_switches(proc_fd, pid, tid, counters);
	counters->has_io = read_thread_io(proc_fd, pid, tid, counters);
	*array_add(live->threads, live->thread_count, live->thread_capacity) = thread;
}

/* Returns the CPU time of the process, of which clock ticks have cut off a part of one in each mode. Its clock has all of it, and is not
 * taken for another process that got the number in between. */
static double own_cpu_time(pid_t pid, double by_ticks, double tick)
{
	enum { MODES = 2 };
	const double most = by_ticks + MODES * tick + 1; /* a second between the two readings */
	struct timespec time;
	clockid_t clock;
	double exact;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
		return by_ticks;
	exact = (double)time.tv_sec + (double)time.tv_nsec / NS_PER_SECOND;
	return exact > by_ticks && exact < most ? exact : by_ticks;
}

/* The state is that of the leader, which may have ended while other threads go on. */
static bool is_zombie(char state, double threads)
{
	return state == 'Z' && threads <= 1;
}

bool job_live_read(int proc_fd, pid_t pid, struct job_live *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(id_list_done) struct id_list threads = {0};
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	char state;

	*ret = (struct job_live){.pid = (uint32_t)pid};
	if (read_file(proc_fd, ret->pid, "stat", &text) < 0)
		return false;
	state = read_name(&text, ret->comm);
	if (state == 0 || state == 'X')
		return false;
	ret->is_zombie = is_zombie(state, field_of(&text, STAT_THREADS));
	if (!stat_field(strbuf_str(&text), text.len, STAT_START, &ret->start_ticks))
		return false;
	ret->start_ticks = boot_clock_start_ticks(ret->start_ticks);
	ret->minor_faults = field_of(&text, STAT_MINFLT) + field_of(&text, STAT_CMINFLT);
	ret->major_faults = field_of(&text, STAT_MAJFLT) + field_of(&text, STAT_CMAJFLT);
	ret->user_time = tick * (field_of(&text, STAT_UTIME) + field_of(&text, STAT_CUTIME));
	ret->system_time = tick * (field_of(&text, STAT_STIME) + field_of(&text, STAT_CSTIME));
	ret->cpu_time = own_cpu_time(
	        pid, tick * (field_of(&text, STAT_UTIME) + field_of(&text, STAT_STIME)), tick);
	ret->cpu_time += tick * (field_of(&text, STAT_CUTIME) + field_of(&text, STAT_CSTIME));
	ret->has_io = job_io_read(proc_fd, pid, ret->io);
	if (list_threads(proc_fd, ret->pid, &threads) < 0)
		return false;
	for (size_t i = 0; i < threads.count; i++)
		read_thread(proc_fd, ret->pid, threads.ids[i], ret);
	return true;
}

void job_live_add_up(const struct job_live *live, struct job_counters *ret)
{
	*ret = (struct job_counters){.has_schedstat = true, .has_switches = true, .has_io = true};
	for (size_t i = 0; i < live->thread_count; i++) {
		const struct job_counters *one = &live->threads[i].counters;

		ret->minor_faults += one->minor_faults;
		ret->major_faults += one->major_faults;
		ret->has_schedstat = ret->has_schedstat && one->has_schedstat;
		ret->run_time += one->run_time;
		ret->run_queue_wait += one->run_queue_wait;
		ret->has_switches = ret->has_switches && one->has_switches;
		ret->voluntary_switches += one->voluntary_switches;
		ret->involuntary_switches += one->involuntary_switches;
		ret->has_io = ret->has_io && one->has_io;
		for (unsigned k = 0; k < JOB_IO_COUNT; k++)
			ret->io[k] += one->io[k];
	}
}

void job_live_done(struct job_live *live)
{
	free(live->threads);
	*live = (struct job_live){0};
}

void job_live_stalled(int proc_fd, pid_t pid, struct job_live *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	*ret = (struct job_live){.pid = (uint32_t)pid, .is_stalled = true};
	if (read_file(proc_fd, ret->pid, "comm", &text) < 0)
		return;
	while (text.len > 0 && (text.data[text.len - 1] == '\n' || text.len >= JOB_COMM_BYTES))
		text.len--;
	memcpy(ret->comm, strbuf_str(&text), text.len);
}
