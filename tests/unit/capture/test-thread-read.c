// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads that exit while they are being read, and files that cannot be: the linker puts functions of this
 * file in front of the readers. */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "capture/thread-read.h"
#include "captures.h"
#include "proc-tree.h"
#include "seen.h"

enum { READS = 6 };
static const char *const names[READS] = {"stat", "schedstat", "sched", "io", "cgroup", "status"};
static const enum metric_source sources[READS] = {SOURCE_stat, SOURCE_schedstat, SOURCE_sched,
                                                  SOURCE_io,   SOURCE_cgroup,    SOURCE_status};

static struct {
	const struct temp_tree *tree;
	uint32_t tgid, tid;  /* whose files; 0: everybody's */
	unsigned at;         /* which of that thread's reads, from 0 on; UINT32_MAX: any */
	const char *name;    /* which file; NULL: any */
	int error;           /* what it fails with, or 0 */
	bool vanishes;       /* the thread's files are gone from here on */
	const char *listing; /* the list of threads that cannot be opened */
	int listing_error;
	int list_ids_error;
	unsigned reads;      /* of that thread */
	struct strbuf trace; /* what was read of it */
} faults;

/* Returns whether a directory is that of the thread that the faults are about. */
static bool is_thread(int dir_fd)
{
	char link[64], path[4096], tail[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", dir_fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	snprintf(tail, sizeof(tail), "/%u/task/%u", faults.tgid, faults.tid);
	if (faults.tid == 0)
		return strstr(path, "/task/") != NULL;
	return (size_t)len >= strlen(tail) && strcmp(path + len - strlen(tail), tail) == 0;
}

/* Takes the files of a thread away, or puts them back. */
static void move_files(bool away)
{
	for (size_t i = 0; i < READS; i++) {
		cleanup_(mem_freep) char *there = proc_tree_file(faults.tgid, faults.tid, names[i]);
		const char *kept = names[i];

		renameat(faults.tree->fd, away ? there : kept, faults.tree->fd,
		         away ? kept : there);
	}
}

/* The result of reading the file: 0, or -errno. */
static int fault_of_read(int dir_fd, const char *name)
{
	unsigned at;

	if (strchr(name, '/') || !is_thread(dir_fd))
		return 0;
	at = faults.reads++;
	strbuf_addf(&faults.trace, "%s ", name);
	if ((faults.at != UINT32_MAX && faults.at != at) ||
	    (faults.name && strcmp(faults.name, name) != 0))
		return 0;
	if (faults.vanishes)
		move_files(true);
	return faults.vanishes ? 0 : -faults.error;
}

int __real_fd_read_all_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);
int __wrap_fd_read_all_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);
int __wrap_fd_read_all_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes)
{
	int r = fault_of_read(dir_fd, name);

	return r < 0 ? r : __real_fd_read_all_at(dir_fd, name, out, max_bytes);
}

int __real_fd_read_record_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);
int __wrap_fd_read_record_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);
int __wrap_fd_read_record_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes)
{
	int r = fault_of_read(dir_fd, name);

	return r < 0 ? r : __real_fd_read_record_at(dir_fd, name, out, max_bytes);
}

int __real_fd_open_dir_at(int dir_fd, const char *name);
int __wrap_fd_open_dir_at(int dir_fd, const char *name);
int __wrap_fd_open_dir_at(int dir_fd, const char *name)
{
	char link[32], path[4096];
	ssize_t len;

	if (faults.listing && faults.listing_error != 0) {
		snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", dir_fd);
		len = readlink(link, path, sizeof(path) - 64);
		assert_true(len > 0);
		snprintf(path + len, 64, "/%s", name);
		len = (ssize_t)strlen(path) - (ssize_t)strlen(faults.listing);
		if (len > 0 && path[len - 1] == '/' && strcmp(path + len, faults.listing) == 0)
			return -faults.listing_error;
	}
	return __real_fd_open_dir_at(dir_fd, name);
}

int __real_fd_list_ids(int dir_fd, struct id_list *list, struct strbuf *scratch);
int __wrap_fd_list_ids(int dir_fd, struct id_list *list, struct strbuf *scratch);
int __wrap_fd_list_ids(int dir_fd, struct id_list *list, struct strbuf *scratch)
{
	int r = __real_fd_list_ids(dir_fd, list, scratch);

	/* The threads of a process, not the processes. */
	if (r == 0 && faults.list_ids_error != 0 && list->count == 2)
		return -faults.list_ids_error;
	return r;
}

static int setup(void **state)
{
	static const uint32_t threads[][2] = {{1, 1}, {7, 7}, {7, 8}, {9, 9}};
	int r = temp_tree_setup(state);

	strbuf_done(&faults.trace);
	memset(&faults, 0, sizeof(faults));
	faults.tree = *state;
	faults.at = UINT32_MAX;
	faults.tid = UINT32_MAX;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		proc_tree_add(*state, &(struct proc_thread){.tgid = threads[i][0],
		                                            .tid = threads[i][1],
		                                            .utime_clock_ticks = 1});
	return r;
}

static int teardown(void **state)
{
	strbuf_done(&faults.trace);
	return temp_tree_teardown(state);
}

/* The same thread in two captures, but for the time of the reading. */
static void assert_same(const struct captured *whole, const struct captured *captured, uint32_t tid)
{
	static const enum source_outcome no_rules[SOURCE_COUNT];
	const struct thread_sample *a = snapshot_copy_find(&whole->copy, tid);
	const struct thread_sample *b = snapshot_copy_find(&captured->copy, tid);
	struct thread_sample expected = *a;

	assert_non_null(b);
	expected.read_boottime_ns = b->read_boottime_ns;
	/* Totals of the process are with its last thread, whichever that is. */
	for (unsigned s = SOURCE_process_stat; s <= SOURCE_process_taskstats; s++)
		expected.outcomes[s] = b->outcomes[s];
	assert_true(sample_survives(&expected, b, no_rules));
}

/* Whenever it exits: the thread is in the snapshot whole, or it is not there and counted. */
static void check_exits(const struct captured *whole, uint32_t tgid, uint32_t tid, bool vanishes)
{
	for (unsigned at = 0; at <= READS + 1; at++) {
		struct captured captured;
		bool gone = at < READS;

		faults.tgid = tgid;
		faults.tid = tid;
		faults.at = at;
		faults.reads = 0;
		faults.vanishes = vanishes;
		faults.error = ESRCH;
		captured_tree(&captured, faults.tree);
		if (vanishes)
			move_files(false);
		assert_int_equal(captured.result, 0);
		assert_int_equal(captured.info.tally.threads_gone, gone);
		assert_int_equal(captured.info.tally.threads, gone ? 3 : 4);
		assert_int_equal(captured.info.tally.processes_gone, gone && tgid == 9);
		assert_int_equal(captured.info.tally.processes, gone && tgid == 9 ? 2 : 3);
		assert_int_equal(faults.reads, gone ? at + 1 : READS);
		for (size_t i = 0; i < whole->copy.count; i++) {
			uint32_t other = whole->copy.samples[i].tid;

			if (other != tid || !gone)
				assert_same(whole, &captured, other);
			else
				assert_null(snapshot_copy_find(&captured.copy, other));
		}
		captured_done(&captured);
	}
}

static void test_thread_exits_at_any_read(void **state)
{
	struct captured whole;

	captured_tree(&whole, *state);
	assert_int_equal(whole.info.tally.threads, 4);
	check_exits(&whole, 7, 8, false);
	check_exits(&whole, 7, 8, true);
	check_exits(&whole, 9, 9, false);
	check_exits(&whole, 9, 9, true);
	captured_done(&whole);
}

/* The others keep the process's name, for it is not the leader's alone. */
static void test_leader_exits_at_any_read(void **state)
{
	for (unsigned at = 0; at < READS; at++) {
		struct captured captured;

		faults.tgid = faults.tid = 7;
		faults.at = at;
		faults.reads = 0;
		faults.error = ESRCH;
		captured_tree(&captured, *state);
		assert_null(snapshot_copy_find(&captured.copy, 7));
		assert_text(&snapshot_copy_find(&captured.copy, 8)->pcomm, "process");
		assert_int_equal(captured.info.tally.threads_gone, 1);
		assert_int_equal(captured.info.tally.processes, 3);
		captured_done(&captured);
	}
}

/* Its own file only: the values of it are missing, with the reason; the rest is there. */
static void check_fails(const struct temp_tree *tree, size_t file, int error,
                        enum source_outcome expected)
{
	struct captured captured;

	faults.tgid = 7;
	faults.tid = 8;
	faults.name = names[file];
	faults.error = error;
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.info.tally.threads, 4);
	assert_int_equal(captured.info.tally.threads_gone, 0);
	for (size_t i = 0; i < captured.copy.count; i++) {
		const struct thread_sample *sample = &captured.copy.samples[i];
		bool failed = sample->tid == 8;

		for (size_t j = 1; j < READS; j++)
			assert_int_equal(sample->outcomes[sources[j]],
			                 failed && j == file ? expected : OUTCOME_unneeded);
		for (unsigned m = 0; m < METRIC_COUNT; m++)
			if (failed && metric_table[m].source == sources[file])
				assert_int_equal(sample_reason(sample, (enum metric_id)m),
				                 expected);
		assert_seen(sample, minflt, sample->tid + 10);
		assert_int_equal(sample->has_cgroup, !failed || sources[file] != SOURCE_cgroup);
		/* Context switches are in sched and in status. */
		if (failed && sources[file] == SOURCE_sched)
			assert_seen(sample, voluntary_csw, 999);
		else
			assert_seen(sample, voluntary_csw, sample->tid + 20);
	}
	for (size_t j = 1; j < READS; j++) {
		const uint64_t *tally = captured.info.tally.sources[sources[j]];

		assert_int_equal(tally[expected], j == file);
		assert_int_equal(tally[OUTCOME_read], j == file ? 3 : 4);
	}
	captured_done(&captured);
}

static void test_thread_file_denied(void **state)
{
	for (size_t file = 1; file < READS; file++) {
		check_fails(*state, file, EACCES, OUTCOME_denied);
		check_fails(*state, file, EPERM, OUTCOME_denied);
	}
}

static void test_thread_file_broken(void **state)
{
	for (size_t file = 1; file < READS; file++) {
		check_fails(*state, file, EIO, OUTCOME_malformed);
		check_fails(*state, file, EFBIG, OUTCOME_malformed);
	}
}

/* Without its stat a thread has no identity. */
static void test_thread_stat_denied(void **state)
{
	struct captured captured;

	faults.tgid = 7;
	faults.tid = 8;
	faults.name = "stat";
	faults.error = EACCES;
	captured_tree(&captured, *state);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.copy.count, 3);
	assert_null(snapshot_copy_find(&captured.copy, 8));
	assert_int_equal(captured.info.tally.threads_unreadable, 1);
	assert_int_equal(captured.info.tally.threads_gone, 0);
	captured_done(&captured);
}

/* All threads of another user. */
static void test_thread_file_denied_for_all(void **state)
{
	struct captured captured;

	faults.tid = 0;
	faults.name = "io";
	faults.error = EACCES;
	captured_tree(&captured, *state);
	assert_int_equal(captured.info.tally.sources[SOURCE_io][OUTCOME_denied], 4);
	assert_int_equal(captured.info.tally.sources[SOURCE_io][OUTCOME_read], 0);
	assert_int_equal(captured.info.rules[SOURCE_io], OUTCOME_read);
	captured_done(&captured);
}

/* A file that is not there while its thread is: off, and asked for again at the next thread. */
static void test_thread_file_not_in_this_kernel(void **state)
{
	for (size_t file = 1; file < READS; file++) {
		struct captured captured;

		faults.tid = 0;
		faults.name = names[file];
		faults.error = ENOENT;
		faults.reads = 0;
		captured_tree(&captured, *state);
		assert_int_equal(captured.info.tally.threads, 4);
		assert_int_equal(captured.info.tally.threads_gone, 0);
		assert_int_equal(captured.info.tally.sources[sources[file]][OUTCOME_off], 4);
		assert_int_equal(faults.reads, 4 * READS);
		captured_done(&captured);
	}
}

/* Wherever we run out of descriptors or memory, the capture fails and says so. */
static void test_thread_file_without_descriptors(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, ENOMEM};

	for (size_t file = 0; file < READS; file++)
		for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
			struct captured captured;

			faults.tgid = 7;
			faults.tid = 8;
			faults.name = names[file];
			faults.error = errors[i];
			captured_tree(&captured, *state);
			assert_int_equal(captured.result, -errors[i]);
			assert_contains(strbuf_str(&captured.error), strerror(errors[i]));
			captured_done(&captured);
		}
}

/* A process whose threads cannot be read has not exited. */
static void test_process_unreadable(void **state)
{
	struct captured captured;

	faults.tgid = faults.tid = 9;
	faults.name = "stat";
	faults.error = EACCES;
	captured_tree(&captured, *state);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.info.tally.processes, 2);
	assert_int_equal(captured.info.tally.processes_denied, 1);
	assert_int_equal(captured.info.tally.processes_gone, 0);
	assert_int_equal(captured.info.tally.threads_unreadable, 1);
	assert_int_equal(captured.info.tally.sources[SOURCE_stat][OUTCOME_denied], 1);
	captured_done(&captured);
}

static void test_process_listing_denied(void **state)
{
	static const struct {
		int error;
		bool denied;
	} cases[] = {{EACCES, true}, {EPERM, true}, {ENOENT, false}, {ESRCH, false}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct captured captured;

		faults.listing = "7/task";
		faults.listing_error = cases[i].error;
		captured_tree(&captured, *state);
		assert_int_equal(captured.result, 0);
		assert_int_equal(captured.info.tally.processes, 2);
		assert_int_equal(captured.info.tally.threads, 2);
		assert_int_equal(captured.info.tally.processes_denied, cases[i].denied);
		assert_int_equal(captured.info.tally.processes_gone, !cases[i].denied);
		assert_int_equal(captured.copy.info.tally.processes_denied, cases[i].denied);
		captured_done(&captured);
	}
}

/* Trouble of our own must not pass for a host without threads. */
static void test_capture_without_descriptors(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, ENOMEM};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct captured captured;

		faults.listing = "7/task";
		faults.listing_error = errors[i];
		captured_tree(&captured, *state);
		assert_int_equal(captured.result, -errors[i]);
		captured_done(&captured);

		faults.listing = NULL;
		faults.tid = 0;
		faults.name = "io";
		faults.error = errors[i];
		captured_tree(&captured, *state);
		assert_int_equal(captured.result, -errors[i]);
		captured_done(&captured);
		faults.name = NULL;
		faults.error = 0;
	}
}

/* The directory opens and then cannot be read. */
static void test_process_listing_fails(void **state)
{
	struct captured captured;

	faults.list_ids_error = ESRCH;
	captured_tree(&captured, *state);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.info.tally.processes_gone, 1);
	assert_int_equal(captured.info.tally.threads, 2);
	captured_done(&captured);
	faults.list_ids_error = EPERM;
	captured_tree(&captured, *state);
	assert_int_equal(captured.info.tally.processes_denied, 1);
	captured_done(&captured);
}

static void test_root_listing_fails(void **state)
{
	struct captured captured;

	faults.listing = ".";
	faults.listing_error = EMFILE;
	captured_tree(&captured, *state);
	assert_int_equal(captured.result, -EMFILE);
	assert_contains(strbuf_str(&captured.error), faults.tree->path);
	assert_contains(strbuf_str(&captured.error), strerror(EMFILE));
	captured_done(&captured);
}

/* The dearest file is only read where something is left for it. */
static void test_thread_status_only_when_needed(void **state)
{
	struct thread_sample sample = {0};
	struct thread_reader reader;
	int proc_fd = fd_open_path_at(-1, "/proc"),
	    task_fd = fd_open_path_at(-1, "/proc/self/task");
	char name[16];

	(void)state;
	snprintf(name, sizeof(name), "%d", getpid());
	sample_reset(&sample);
	sample.tid = sample.tgid = (uint32_t)getpid();
	faults.tid = faults.tgid = sample.tid;
	thread_reader_init(&reader, proc_fd, true, NULL);
	strbuf_clear(&faults.trace);
	assert_int_equal(thread_read(&reader, task_fd, name, &sample), OUTCOME_read);
	assert_text(&faults.trace, "stat sched io cgroup schedstat ");
	assert_true(metric_set_has(&sample.seen, METRIC_cpu_affinity));

	faults.name = "sched";
	faults.error = EACCES;
	strbuf_clear(&faults.trace);
	sample_reset(&sample);
	sample.tid = sample.tgid = (uint32_t)getpid();
	assert_int_equal(thread_read(&reader, task_fd, name, &sample), OUTCOME_read);
	assert_text(&faults.trace, "stat sched io cgroup schedstat status ");
	assert_true(metric_set_has(&sample.seen, METRIC_voluntary_csw));
	assert_unseen(&sample, nr_migrations);

	thread_reader_done(&reader);
	sample_done(&sample);
	fd_closep(&proc_fd);
	fd_closep(&task_fd);
}

static void test_thread_directory_missing(void **state)
{
	struct thread_sample sample = {0};
	struct thread_reader reader;
	int task_fd = fd_open_path_at(faults.tree->fd, "7/task");

	(void)state;
	sample_reset(&sample);
	thread_reader_init(&reader, faults.tree->fd, false, NULL);
	assert_int_equal(thread_read(&reader, task_fd, "99", &sample), OUTCOME_gone);
	assert_int_equal(thread_read(&reader, task_fd, "7/stat", &sample), OUTCOME_malformed);
	assert_int_equal(count_metrics(&sample.seen), 0);
	thread_reader_done(&reader);
	sample_done(&sample);
	fd_closep(&task_fd);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_thread_exits_at_any_read),
	        in_tree(test_leader_exits_at_any_read),
	        in_tree(test_thread_file_denied),
	        in_tree(test_thread_file_broken),
	        in_tree(test_thread_stat_denied),
	        in_tree(test_thread_file_denied_for_all),
	        in_tree(test_thread_file_not_in_this_kernel),
	        in_tree(test_thread_file_without_descriptors),
	        in_tree(test_process_unreadable),
	        in_tree(test_process_listing_denied),
	        in_tree(test_capture_without_descriptors),
	        in_tree(test_process_listing_fails),
	        in_tree(test_root_listing_fails),
	        in_tree(test_thread_status_only_when_needed),
	        in_tree(test_thread_directory_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
