// SPDX-License-Identifier: GPL-2.0-or-later
/* Readings that never end: the linker puts a function of this file in front of the readers. A walk ends in time, has everything
 * else, and says what is missing. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/watch.h"
#include "capture/cgroup-walk.h"
#include "capture/walk-team.h"
#include "memory-stream.h"
#include "proc-tree.h"

enum { PROCESSES = 40, FIRST = 5000000, STALLED = 20, THREADS = 2 };
#define LIMIT_NS (30 * NS_PER_MS)

static int never[2]; /* a pipe that nobody writes to */
static atomic_uint stalls;
static struct {
	const char *name; /* of the file */
	bool of_process;  /* else of its first thread */
	uint32_t first, last;
} stalled;

static bool is_stalled(int dir_fd, const char *name)
{
	char link[64], path[4096], tail[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", dir_fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0 || !stalled.name || strcmp(name, stalled.name) != 0)
		return false;
	path[len] = '\0';
	for (uint32_t tgid = stalled.first; tgid <= stalled.last; tgid++) {
		snprintf(tail, sizeof(tail), stalled.of_process ? "/%u" : "/%u/task/%u", tgid,
		         tgid);
		if ((size_t)len >= strlen(tail) && strcmp(path + len - strlen(tail), tail) == 0)
			return true;
	}
	return false;
}

int __real_fd_read_record_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);
int __wrap_fd_read_record_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);
int __wrap_fd_read_record_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes)
{
	char byte;

	if (is_stalled(dir_fd, name)) {
		stalls++;
		watch_enter();
		assert_int_equal(read(never[0], &byte, 1), 1);
		watch_leave();
	}
	return __real_fd_read_record_at(dir_fd, name, out, max_bytes);
}

struct walked {
	struct snapshot_info info;
	uint64_t took_ns;
};

static void walk_tree(struct walked *walked, int proc_fd, unsigned walkers, struct stall_list *list)
{
	static const uint64_t boottime_ns = 1000;
	static const struct taskstats_rules rules;
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, SNAPSHOT_ZSTD_LEVEL);
	struct cgroup_walk cgroups;
	struct walk_options options = {.proc_fd = proc_fd,
	                               .process.smaps = CAPTURE_SMAPS_ALL,
	                               .taskstats_rules = &rules,
	                               .cgroups = &cgroups,
	                               .tree_boottime_ns = &boottime_ns};
	struct walk_files work;
	struct walk_job job = {.options = &options,
	                       .work = &work.work,
	                       .writer = writer,
	                       .stalls = list,
	                       .walkers = walkers};
	struct walk walk;

	memset(walked, 0, sizeof(*walked));
	cgroup_walk_init(&cgroups);
	walk_init(&walk, &options, walked->info.rules);
	walk.tally = &walked->info.tally;
	assert_int_equal(snapshot_write_begin(writer, &walked->info), 0);
	assert_int_equal(walk_find(&walk, "tree", &error), 0);
	walk_files_init(&work, &walk.processes);
	walked->took_ns = clock_now_ns(CLOCK_MONOTONIC);
	assert_int_equal(walk_team_all(&walk, &job, "tree", &error), 0);
	walked->took_ns = clock_now_ns(CLOCK_MONOTONIC) - walked->took_ns;
	assert_int_equal(snapshot_write_end(writer, &walked->info), 0);
	walk_done(&walk);
	cgroup_walk_done(&cgroups);
	snapshot_writer_freep(&writer);
	strbuf_done(&sink.bytes);
}

static int setup(void **state)
{
	int r = temp_tree_setup(state);

	stalls = 0;
	assert_int_equal(pipe(never), 0);
	for (uint32_t tgid = FIRST; tgid < FIRST + PROCESSES; tgid++)
		for (uint32_t thread = 0; thread < THREADS; thread++)
			proc_tree_add(*state, &(struct proc_thread){.tgid = tgid,
			                                            .tid = tgid + thread * 1000});
	return r;
}

static void stall(const char *name, bool of_process, uint32_t count)
{
	stalled.name = name;
	stalled.of_process = of_process;
	stalled.first = FIRST + STALLED;
	stalled.last = FIRST + STALLED + count - 1;
}

static uint64_t outcome(const struct walked *walked, enum metric_source source)
{
	return walked->info.tally.sources[source][OUTCOME_stalled];
}

/* The other files of the process are read, after the first time limit. */
static void test_file_of_process(void **state)
{
	static const struct {
		const char *name;
		uint64_t io, process_io, smaps;
	} cases[] = {{"io", THREADS, 1, 1}, {"smaps_rollup", 0, 0, 1}};
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned walkers = 1; walkers <= 3; walkers++) {
			struct stall_list list = {.limit_ns = LIMIT_NS};
			struct walked walked;

			stall(cases[i].name, true, 1);
			walk_tree(&walked, tree->fd, walkers, &list);
			assert_in_range(walked.took_ns, LIMIT_NS, LIMIT_NS + 10 * NS_PER_SECOND);
			assert_int_equal(walked.info.tally.threads, PROCESSES * THREADS);
			assert_int_equal(walked.info.tally.processes, PROCESSES);
			assert_int_equal(walked.info.tally.processes_stalled, 1);
			assert_int_equal(outcome(&walked, SOURCE_io), cases[i].io);
			assert_int_equal(outcome(&walked, SOURCE_process_io), cases[i].process_io);
			assert_int_equal(outcome(&walked, SOURCE_smaps_rollup), cases[i].smaps);
			assert_int_equal(outcome(&walked, SOURCE_stat), 0);
			assert_int_equal(list.count, 1);
			assert_int_equal(list.processes[0].tgid, FIRST + STALLED);
			stall_list_done(&list);
		}
}

/* Without its stat nobody knows who a thread is. The second reading does not try again. */
static void test_stat(void **state)
{
	const struct temp_tree *tree = *state;

	for (int of_process = 0; of_process < 2; of_process++) {
		struct stall_list list = {.limit_ns = LIMIT_NS};
		struct walked walked;
		unsigned tried = 0;

		stall("stat", of_process, 1);
		for (int reading = 0; reading < 2; reading++) {
			tried = stalls;
			walk_tree(&walked, tree->fd, 2, &list);
			assert_int_equal(walked.info.tally.threads, (PROCESSES - 1) * THREADS);
			assert_int_equal(walked.info.tally.processes, PROCESSES - 1);
			assert_int_equal(walked.info.tally.processes_stalled, 1);
			assert_int_equal(walked.info.tally.threads_unreadable, THREADS);
			assert_int_equal(outcome(&walked, SOURCE_stat), THREADS);
			assert_int_equal(list.count, 1);
		}
		assert_int_equal(stalls, tried);
		stall_list_done(&list);
	}
}

/* Lets one thread that stalls go on, and waits until it is joined. */
static void let_one_back(struct stall_list *list, int proc_fd)
{
	uint64_t until_ns = clock_now_ns(CLOCK_MONOTONIC) + 10 * NS_PER_SECOND;
	size_t before = list->thread_count;

	assert_int_equal(write(never[1], "", 1), 1);
	while (list->thread_count == before && clock_now_ns(CLOCK_MONOTONIC) < until_ns) {
		usleep(1000);
		stall_begin(list, proc_fd);
	}
	assert_int_equal(list->thread_count, before - 1);
}

/* One thread waits for a process that stalls all the time, and no other reading of the series tries it. When the thread comes back it
 * is joined, and the process is read as all others are; a third reading has forgotten it. */
static void test_series(void **state)
{
	enum { READINGS = 20 };
	const struct temp_tree *tree = *state;
	struct stall_list list = {.limit_ns = LIMIT_NS};
	struct walked walked;

	stall("io", true, 1);
	for (int reading = 0; reading < READINGS; reading++) {
		walk_tree(&walked, tree->fd, 2, &list);
		assert_int_equal(walked.info.tally.threads, PROCESSES * THREADS);
		assert_int_equal(walked.info.tally.processes_stalled, 1);
		assert_int_equal(outcome(&walked, SOURCE_process_io), 1);
		assert_int_equal(outcome(&walked, SOURCE_smaps_rollup), 1);
		assert_int_equal(list.thread_count, 1);
	}
	assert_int_equal(stalls, 1);
	let_one_back(&list, tree->fd);
	for (int reading = 1; reading < 3; reading++) {
		walk_tree(&walked, tree->fd, 2, &list);
		assert_int_equal(walked.info.tally.processes_stalled, 1);
		assert_int_equal(stalls, 1 + reading);
		assert_int_equal(list.thread_count, 1);
		let_one_back(&list, tree->fd);
	}
	stalled.name = NULL;
	for (int reading = 0; reading < 2; reading++) {
		walk_tree(&walked, tree->fd, 2, &list);
		assert_int_equal(walked.info.tally.processes_stalled, 0);
		assert_int_equal(outcome(&walked, SOURCE_process_io), 0);
	}
	assert_int_equal(list.count, 0);
	stall_list_done(&list);
}

/* Many are waited for at the same time. */
static void test_many(void **state)
{
	enum { MANY = 10 };
	const struct temp_tree *tree = *state;
	struct stall_list list = {.limit_ns = 10 * LIMIT_NS};
	struct walked walked;

	stall("io", true, MANY);
	walk_tree(&walked, tree->fd, 2, &list);
	assert_in_range(walked.took_ns, 10 * LIMIT_NS, MANY / 2 * 10 * LIMIT_NS);
	assert_int_equal(walked.info.tally.threads, PROCESSES * THREADS);
	assert_int_equal(walked.info.tally.processes_stalled, MANY);
	assert_int_equal(list.given_up, MANY);
	stall_list_done(&list);
}

static void *end(void *context)
{
	return context;
}

static const struct stalled_thread *ended(void)
{
	static struct stalled_thread thread = {.done = free};

	assert_int_equal(pthread_create(&thread.id, NULL, end, NULL), 0);
	return &thread;
}

static void test_limit(void **state)
{
	struct stall_list list = {.limit_ns = 0};

	(void)state;
	assert_int_equal(stall_limit_ns(&list, 1), STALL_LIMIT_NS);
	list.limit_ns = LIMIT_NS;
	assert_int_equal(stall_limit_ns(&list, 1), LIMIT_NS);
	stall_add(&list, -1, 1, 0, AVOIDS_LOCKED, ended());
	stall_add(&list, -1, 1, 0, AVOIDS_MEMORY, ended());
	assert_int_equal(list.count, 1);
	assert_int_equal(stall_find(&list, 1)->avoids, AVOIDS_LOCKED);
	assert_int_equal(stall_limit_ns(&list, 1), STALL_SHORT_LIMIT_NS);
	assert_int_equal(stall_limit_ns(&list, 2), LIMIT_NS);
	list.given_up = STALL_PATIENT_THREADS;
	assert_int_equal(stall_limit_ns(&list, 2), STALL_SHORT_LIMIT_NS);
	while (list.thread_count > 0)
		stall_begin(&list, -1);
	assert_int_equal(stall_limit_ns(&list, 2), LIMIT_NS);
	stall_list_done(&list);
}

static void *wait_for_byte(void *context)
{
	char byte;

	return read(never[0], &byte, 1) == 1 ? context : NULL;
}

/* Another process that has got the number is not known, although a thread is held up still. */
static void test_other_process(void **state)
{
	const struct temp_tree *tree = *state;
	struct stall_list list = {.limit_ns = LIMIT_NS};
	struct stalled_thread thread = {.done = free};
	char name[12], away[16];

	assert_int_equal(pthread_create(&thread.id, NULL, wait_for_byte, NULL), 0);
	stall_add(&list, tree->fd, FIRST, 3, AVOIDS_ALL, &thread);
	stall_begin(&list, tree->fd);
	stall_begin(&list, tree->fd);
	assert_int_equal(stall_find(&list, FIRST)->avoids, AVOIDS_ALL);
	assert_int_equal(stall_find(&list, FIRST)->threads, 3);
	snprintf(name, sizeof(name), "%d", FIRST);
	snprintf(away, sizeof(away), "old-%d", FIRST);
	assert_int_equal(renameat(tree->fd, name, tree->fd, away), 0);
	assert_int_equal(mkdirat(tree->fd, name, 0755), 0);
	stall_begin(&list, tree->fd);
	assert_null(stall_find(&list, FIRST));
	assert_int_equal(list.thread_count, 1);
	let_one_back(&list, tree->fd);
	stall_list_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_file_of_process, setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_stat, setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_series, setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_many, setup, temp_tree_teardown),
	        cmocka_unit_test(test_limit),
	        cmocka_unit_test_setup_teardown(test_other_process, setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
