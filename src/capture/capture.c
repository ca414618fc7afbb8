// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctprof/fd.h"
#include "ctprof/scan.h"
#include "ctprof/source.h"
#include "thread-read.h"

#ifndef CTPROF_VERSION
#error "CTPROF_VERSION comes from the build"
#endif

enum { COMM_FILE_BYTES = 4096 };

struct walk {
	int proc_fd;
	struct thread_reader reader;
	struct thread_sample sample;
	struct id_list processes;
	struct id_list threads;
	struct strbuf listing;
	struct strbuf pcomm; /* of the process being walked */
	bool has_pcomm;
	struct snapshot_writer *writer;
	struct snapshot_tally *tally;
	const uint64_t
	        *tree_boottime_ns; /* the one time of another system's tree; NULL: our clock */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void count(struct snapshot_tally *tally, const struct thread_sample *sample)
{
	tally->threads++;
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		tally->sources[s][sample->outcomes[s]]++;
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		tally->malformed_values += (unsigned)__builtin_popcountll(
		        sample->malformed.words[i] & ~sample->seen.words[i]);
}

/* The leader is read first and names the process; where it is gone already, the process's own comm does. */
static void set_pcomm(struct walk *walk, int task_fd)
{
	struct thread_sample *sample = &walk->sample;

	if (sample->tid == sample->tgid) {
		strbuf_clear(&walk->pcomm);
		strbuf_add(&walk->pcomm, strbuf_str(&sample->comm), sample->comm.len);
		walk->has_pcomm = true;
	}
	if (!walk->has_pcomm) {
		if (fd_read_all_at(task_fd, "../comm", &walk->pcomm, COMM_FILE_BYTES) < 0)
			strbuf_clear(&walk->pcomm);
		if (walk->pcomm.len > 0 && walk->pcomm.data[walk->pcomm.len - 1] == '\n')
			walk->pcomm.len--;
		walk->has_pcomm = true;
	}
	strbuf_clear(&sample->pcomm);
	strbuf_add(&sample->pcomm, strbuf_str(&walk->pcomm), walk->pcomm.len);
}

/* Returns 1 where the thread was written, 0 where it was not, or the writer's -errno. */
static int walk_thread(struct walk *walk, int task_fd, uint32_t tgid, uint32_t tid,
                       uint64_t boottime_ns)
{
	struct thread_sample *sample = &walk->sample;
	enum source_outcome outcome;
	char name[12];
	int r;

	snprintf(name, sizeof(name), "%u", tid);
	sample_reset(sample);
	sample->tgid = tgid;
	sample->tid = tid;
	sample->read_boottime_ns = boottime_ns;
	outcome = thread_read(&walk->reader, task_fd, name, sample);
	if (walk->reader.fatal < 0)
		return walk->reader.fatal;
	if (outcome == OUTCOME_gone) {
		walk->tally->threads_gone++;
		return 0;
	}
	if (outcome != OUTCOME_read) {
		walk->tally->threads_unreadable++;
		walk->tally->sources[SOURCE_stat][outcome]++;
		return 0;
	}
	set_pcomm(walk, task_fd);
	r = snapshot_write_thread(walk->writer, sample);
	if (r < 0)
		return r;
	count(walk->tally, sample);
	return 1;
}

/* The leader is read first, for its name is the process's. */
static void move_leader_first(struct id_list *threads, uint32_t tgid)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->ids[i] == tgid) {
			memmove(threads->ids + 1, threads->ids, i * sizeof(threads->ids[0]));
			threads->ids[0] = tgid;
			return;
		}
}

static int walk_process(struct walk *walk, uint32_t tgid)
{
	uint64_t unreadable = walk->tally->threads_unreadable;
	uint64_t boottime_ns =
	        walk->tree_boottime_ns ? *walk->tree_boottime_ns : now_ns(CLOCK_BOOTTIME);
	cleanup_(fd_closep) int task_fd = -1;
	char path[32];
	bool any = false;
	int r;

	snprintf(path, sizeof(path), "%u/task", tgid);
	task_fd = fd_open_dir_at(walk->proc_fd, path);
	r = task_fd < 0 ? task_fd : fd_list_ids(task_fd, &walk->threads, &walk->listing);
	switch (-r) {
	case EACCES:
	case EPERM:
		walk->tally->processes_denied++;
		return 0;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return r;
	}
	walk->has_pcomm = false;
	move_leader_first(&walk->threads, tgid);
	for (size_t i = 0; r >= 0 && i < walk->threads.count; i++) {
		r = walk_thread(walk, task_fd, tgid, walk->threads.ids[i], boottime_ns);
		if (r < 0)
			return r;
		any = any || r > 0;
	}
	if (any)
		walk->tally->processes++;
	else if (walk->tally->threads_unreadable > unreadable)
		walk->tally->processes_denied++;
	else
		walk->tally->processes_gone++;
	return 0;
}

static int walk_all(struct walk *walk, struct strbuf *reterr, const char *root)
{
	cleanup_(fd_closep) int list_fd = fd_open_dir_at(walk->proc_fd, ".");
	int r = list_fd < 0 ? list_fd : fd_list_ids(list_fd, &walk->processes, &walk->listing);

	if (r == 0 && walk->processes.count == 0)
		r = -ENOENT;
	if (r < 0) {
		strbuf_addf(reterr, "%s: %s", root,
		            r == -ENOENT ? "no process found there" : strerror(-r));
		return r;
	}
	for (size_t i = 0; i < walk->processes.count; i++) {
		r = walk_process(walk, walk->processes.ids[i]);
		/* The writer's own errors are told by whoever opened its file. */
		if (r == -EMFILE || r == -ENFILE || r == -ENOMEM)
			strbuf_addf(reterr, "%s: %s", root, strerror(-r));
		if (r < 0)
			return r;
	}
	return 0;
}

static void walk_done(struct walk *walk)
{
	thread_reader_done(&walk->reader);
	sample_done(&walk->sample);
	id_list_done(&walk->processes);
	id_list_done(&walk->threads);
	strbuf_done(&walk->listing);
	strbuf_done(&walk->pcomm);
}

/* Opens a root; one that the user named must exist. */
static int open_root(const char *given, const char *fallback, int *ret_fd, struct strbuf *reterr)
{
	int fd = given || fallback ? fd_open_path_at(AT_FDCWD, given ? given : fallback) : -ENOENT;

	if (fd < 0 && given) {
		strbuf_addf(reterr, "%s: %s", given, strerror(-fd));
		return fd;
	}
	*ret_fd = fd;
	return 0;
}

static int open_cgroup_root(const struct capture_options *options, int proc_fd, int *ret_fd,
                            struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf found = STRBUF_INIT;
	bool live = options->proc_root == NULL;
	const char *fallback = NULL;

	if (live && !options->cgroup_root && cgroup2_mount_find(proc_fd, &found) == 0)
		fallback = strbuf_str(&found);
	return open_root(options->cgroup_root, fallback, ret_fd, reterr);
}

/* Whether @proc_fd is the /proc of our own pid namespace: only then do its ids mean to system calls what they
 * mean there. */
static bool is_own_proc(int proc_fd)
{
	char link[16];
	ssize_t len = readlinkat(proc_fd, "self", link, sizeof(link));
	uint64_t pid;

	return len > 0 && scan_u64(link, (size_t)len, &pid) && pid == (uint64_t)getpid();
}

static int read_host(const struct capture_options *options, int proc_fd, struct snapshot_info *info,
                     struct strbuf *reterr)
{
	static const char version[] = CTPROF_VERSION, source[] = "procfs";
	cleanup_(fd_closep) int sys_fd = -1;
	cleanup_(fd_closep) int cgroup_fd = -1;
	bool live = options->proc_root == NULL;
	int r;

	r = open_root(options->sys_root, live ? "/sys" : NULL, &sys_fd, reterr);
	if (r == 0)
		r = open_cgroup_root(options, proc_fd, &cgroup_fd, reterr);
	if (r < 0)
		return r;
	info->captured_at_unix_ns = now_ns(CLOCK_REALTIME);
	info->captured_boottime_ns = now_ns(CLOCK_BOOTTIME);
	host_set_text(&info->host, HOST_tool_version, version, strlen(version));
	host_set_text(&info->host, HOST_source, source, strlen(source));
	host_read(proc_fd, sys_fd, cgroup_fd, live, options->anonymous, &info->host);
	if (!live)
		info->captured_boottime_ns = info->host.numbers[HOST_uptime_ns];
	return 0;
}

int capture_run(const struct capture_options *options, struct snapshot_writer *writer,
                struct snapshot_info *ret_info, struct strbuf *reterr)
{
	const char *root = options->proc_root ? options->proc_root : "/proc";
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(AT_FDCWD, root);
	struct walk walk = {.writer = writer, .tally = &ret_info->tally};
	int r;

	memset(ret_info, 0, sizeof(*ret_info));
	if (proc_fd < 0) {
		strbuf_addf(reterr, "%s: %s", root, strerror(-proc_fd));
		return proc_fd;
	}
	r = read_host(options, proc_fd, ret_info, reterr);
	if (r < 0)
		return r;

	walk.proc_fd = proc_fd;
	if (options->proc_root)
		walk.tree_boottime_ns = &ret_info->captured_boottime_ns;
	thread_reader_init(&walk.reader, proc_fd, !options->proc_root && is_own_proc(proc_fd));
	memcpy(ret_info->rules, walk.reader.rules, sizeof(ret_info->rules));
	r = snapshot_write_begin(writer, ret_info);
	if (r == 0)
		r = walk_all(&walk, reterr, root);
	if (r == 0)
		r = snapshot_write_end(writer, ret_info);
	walk_done(&walk);
	return r;
}
