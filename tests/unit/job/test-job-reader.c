// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes whose file is a FIFO that nobody writes to hold up the thread that opens it. */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/watch.h"
#include "job/job-reader.h"
#include "temp-tree.h"

enum { PIDS = 40 };

struct counting {
	struct job_reading base; /* must stay the first member */
	int proc_fd;
	pid_t caller;
	atomic_uint tried[PIDS + 1];
	unsigned read[PIDS + 1], left_out[PIDS + 1];
	bool is_in_thread; /* all of them were read in another one */
};

static void open_file(struct job_reading *self, uint32_t pid)
{
	struct counting *counting = (struct counting *)self;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "%u/file", pid);
	counting->tried[pid]++;
	watch_enter();
	fd = openat(counting->proc_fd, name, O_RDONLY | O_CLOEXEC);
	watch_leave();
	assert_true(fd >= 0);
	close(fd);
	counting->read[pid]++;
	counting->is_in_thread = counting->is_in_thread && gettid() != counting->caller;
}

static void count_left_out(struct job_reading *self, uint32_t pid)
{
	struct counting *counting = (struct counting *)self;

	assert_int_equal(gettid(), counting->caller);
	counting->left_out[pid]++;
}

static struct counting counting_of(const struct temp_tree *tree, enum stall_avoids kind)
{
	return (struct counting){.base = {kind, open_file, count_left_out},
	                         .proc_fd = tree->fd,
	                         .caller = gettid(),
	                         .is_in_thread = true};
}

/* Makes the processes 1 to PIDS, of which the first ones stall. */
static struct id_list make_processes(const struct temp_tree *tree, uint32_t stalling)
{
	static uint32_t ids[PIDS];
	char name[32];

	for (uint32_t pid = 1; pid <= PIDS; pid++) {
		ids[pid - 1] = pid;
		snprintf(name, sizeof(name), "%u", pid);
		temp_tree_make_dir(tree, name);
		snprintf(name, sizeof(name), "%u/file", pid);
		if (pid <= stalling)
			assert_int_equal(mkfifoat(tree->fd, name, 0600), 0);
		else
			temp_tree_write_text(tree, name, "");
	}
	return (struct id_list){.ids = ids, .count = PIDS};
}

static void assert_counts(const struct counting *counting, uint32_t from, unsigned read,
                          unsigned left_out)
{
	for (uint32_t pid = from; pid <= PIDS; pid++) {
		assert_int_equal(counting->read[pid], read);
		assert_int_equal(counting->left_out[pid], left_out);
	}
}

static void test_all_are_read(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(job_reader_done) struct job_reader reader = {.proc_fd = tree->fd};
	struct id_list pids = make_processes(tree, 0), none = {0};
	struct counting counting = counting_of(tree, AVOIDS_ALL);

	job_reader_read(&reader, &counting.base, &pids);
	job_reader_read(&reader, &counting.base, &none);
	assert_counts(&counting, 1, 1, 0);
	assert_true(counting.is_in_thread);
	assert_int_equal(reader.stalled.count, 0);
}

/* Waits until the thread that the process holds up has ended. */
static void let_back(struct job_reader *reader, uint32_t pid)
{
	uint64_t until_ns = clock_now_ns(CLOCK_MONOTONIC) + 10 * NS_PER_SECOND;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "%u/file", pid);
	fd = openat(reader->proc_fd, name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	while (reader->stalls.thread_count > 0 && clock_now_ns(CLOCK_MONOTONIC) < until_ns) {
		usleep(1000);
		stall_begin(&reader->stalls, reader->proc_fd);
	}
	close(fd);
	assert_int_equal(reader->stalls.thread_count, 0);
}

/* The others are read, and the process is not tried again before the thread is back. */
static void test_one_stalls(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(job_reader_done) struct job_reader reader = {.proc_fd = tree->fd};
	struct id_list pids = make_processes(tree, 1);
	struct counting counting = counting_of(tree, AVOIDS_ALL),
	                memory = counting_of(tree, AVOIDS_MEMORY);
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);

	for (unsigned i = 1; i <= 10; i++) {
		job_reader_read(&reader, &counting.base, &pids);
		assert_counts(&counting, 2, i, 0);
		assert_int_equal(counting.left_out[1], i);
	}
	assert_true(clock_now_ns(CLOCK_MONOTONIC) - begin_ns < 10 * NS_PER_SECOND);
	assert_int_equal(counting.tried[1], 1);
	assert_int_equal(reader.stalls.thread_count, 1);
	job_reader_read(&reader, &memory.base, &pids);
	assert_int_equal(memory.tried[1], 0);
	assert_int_equal(reader.stalled.count, 1);
	assert_int_equal(reader.stalled.ids[0], 1);

	let_back(&reader, 1);
	assert_int_equal(counting.read[1], 0);
	job_reader_read(&reader, &counting.base, &pids);
	assert_int_equal(counting.tried[1], 2);
	assert_int_equal(reader.stalled.count, 1);
	let_back(&reader, 1);
}

/* A reading of less that stalls does not keep readings of more from being tried. */
static void test_kinds(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(job_reader_done) struct job_reader reader = {.proc_fd = tree->fd};
	struct id_list pids = make_processes(tree, 1);
	struct counting counting = counting_of(tree, AVOIDS_ALL),
	                memory = counting_of(tree, AVOIDS_MEMORY);

	for (unsigned i = 0; i < 2; i++) {
		job_reader_read(&reader, &memory.base, &pids);
		job_reader_read(&reader, &counting.base, &pids);
	}
	assert_int_equal(memory.tried[1], 1);
	assert_int_equal(counting.tried[1], 1);
	assert_int_equal(reader.stalls.thread_count, 2);
	let_back(&reader, 1);
}

/* Many of them end a reading, and the next one goes on behind them. */
static void test_many_stall(void **state)
{
	enum { STALLING = 18, AT_ONCE = 16 };
	const struct temp_tree *tree = *state;
	cleanup_(job_reader_done) struct job_reader reader = {.proc_fd = tree->fd};
	struct id_list pids = make_processes(tree, STALLING);
	struct counting counting = counting_of(tree, AVOIDS_ALL);

	job_reader_read(&reader, &counting.base, &pids);
	assert_counts(&counting, 1, 0, 1);
	assert_int_equal(reader.stalled.count, AT_ONCE);
	job_reader_read(&reader, &counting.base, &pids);
	assert_counts(&counting, STALLING + 1, 1, 1);
	assert_int_equal(reader.stalled.count, STALLING);
	for (uint32_t pid = 1; pid <= STALLING; pid++) {
		assert_int_equal(counting.tried[pid], 1);
		assert_int_equal(counting.left_out[pid], 2);
	}
}

/* A thread that is held up keeps no pipe of ours open. */
static void test_descriptors(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(job_reader_done) struct job_reader reader = {.proc_fd = tree->fd};
	struct id_list pids = make_processes(tree, 1);
	struct counting counting = counting_of(tree, AVOIDS_ALL);
	int ends[2];
	char byte;

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	job_reader_read(&reader, &counting.base, &pids);
	assert_int_equal(reader.stalls.thread_count, 1);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	let_back(&reader, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_all_are_read, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_one_stalls, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_kinds, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_many_stall, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_descriptors, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
