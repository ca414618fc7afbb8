// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-process.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "check.h"
#include "temp-tree.h"

static void write_statm(const struct temp_tree *proc, const char *name, unsigned size, unsigned rss)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %u 0 0 0 0 0\n", size, rss);
	temp_tree_write_text(proc, name, text);
}

static void test_descendants(void **state)
{
	const struct temp_tree *proc = *state;
	cleanup_(id_list_done) struct id_list list = {0};
	const struct id_list none = {0}, others = {.ids = &(uint32_t){30}, .count = 1};

	temp_tree_write_text(proc, "10/task/10/children", "20 ");
	temp_tree_write_text(proc, "10/task/11/children", "30 ");
	temp_tree_write_text(proc, "20/task/20/children", "40 50 ");
	temp_tree_write_text(proc, "30/task/30/children", "60 ");
	/* 40 has ended meanwhile; 50 has none. */
	temp_tree_write_text(proc, "50/task/50/children", "");
	temp_tree_write_text(proc, "60/task/60/children", "");
	assert_int_equal(job_descendants(proc->fd, 10, &none, &list), 0);
	assert_int_equal(list.count, 5);
	assert_int_equal(list.ids[0], 20);
	assert_int_equal(list.ids[4], 60);
	assert_int_equal(job_descendants(proc->fd, 10, &others, &list), 0);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.ids[2], 50);
	assert_true(job_descendants(proc->fd, 99, &none, &list) < 0);
}

static void test_memory(void **state)
{
	const struct temp_tree *proc = *state;
	const struct id_list list = {.ids = (uint32_t[]){1, 2, 3, 4}, .count = 4};
	const double page = (double)sysconf(_SC_PAGESIZE);
	struct job_memory memory;
	double pss;

	write_statm(proc, "1/statm", 100, 10);
	write_statm(proc, "2/statm", 50, 5);
	/* A zombie has no memory, and 4 has gone. */
	write_statm(proc, "3/statm", 0, 0);
	job_memory_read(proc->fd, &list, &memory);
	assert_float_equal(memory.vsz, (150 * page), 0);
	assert_float_equal(memory.rss, (15 * page), 0);
	assert_float_equal(memory.largest_rss, (10 * page), 0);
	assert_int_equal(memory.processes, 2);

	temp_tree_write_text(proc, "1/smaps_rollup",
	                     "00400000-7ff000000000 ---p 00000000 00:00 0 [rollup]\n"
	                     "Rss:       40 kB\nPss:       12 kB\nPss_Anon:  3 kB\n");
	/* One that is there and cannot be read: the sum is not known. */
	assert_false(job_pss_read(proc->fd, &list, JOB_SMAPS_AUTO, &pss));
	temp_tree_write_text(proc, "2/smaps_rollup", "Rss:       20 kB\nPss:       8 kB\n");
	assert_true(job_pss_read(proc->fd, &list, JOB_SMAPS_AUTO, &pss));
	assert_float_equal(pss, (20 * 1024), 0);
	/* A leader that has ended: its threads have the memory. */
	write_statm(proc, "3/task/3/statm", 0, 0);
	write_statm(proc, "3/task/31/statm", 0, 0);
	write_statm(proc, "3/task/32/statm", 70, 7);
	temp_tree_write_text(proc, "3/task/32/smaps_rollup", "Rss:       28 kB\nPss:       9 kB\n");
	job_memory_read(proc->fd, &list, &memory);
	assert_float_equal(memory.vsz, (220 * page), 0);
	assert_float_equal(memory.rss, (22 * page), 0);
	assert_int_equal(memory.processes, 3);
	assert_true(job_pss_read(proc->fd, &list, JOB_SMAPS_AUTO, &pss));
	assert_float_equal(pss, (29 * 1024), 0);
	/* Too large for auto. */
	write_statm(proc, "2/statm", 2u << 20, 1u << 21);
	assert_false(job_pss_read(proc->fd, &list, JOB_SMAPS_AUTO, &pss));
	assert_true(job_pss_read(proc->fd, &list, JOB_SMAPS_ALL, &pss));
}

static const char io_text[] = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"
                              "write_bytes: 6\ncancelled_write_bytes: 7\n";

static void test_io(void **state)
{
	const struct temp_tree *proc = *state;
	double io[JOB_IO_COUNT];

	assert_true(job_io_parse(io_text, strlen(io_text), io));
	for (unsigned i = 0; i < JOB_IO_COUNT; i++)
		assert_float_equal(io[i], (i + 1), 0);
	assert_false(job_io_parse(io_text, strlen(io_text) - 30, io));
	assert_false(job_io_parse("", 0, io));
	assert_false(job_io_read(proc->fd, 5, io));
	assert_false(job_io_read_open(-1, io));
}

static void read_again(const struct temp_tree *proc, struct job_live *live)
{
	job_live_done(live);
	assert_true(job_live_read(proc->fd, 5, live));
}

static void test_live(void **state)
{
	const struct temp_tree *proc = *state;
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	cleanup_(job_live_done) struct job_live live = {0};
	struct job_counters own;

	temp_tree_write_text(proc, "5/stat",
	                     "5 (a) (b) S 1 5 5 0 -1 0 100 20 3 4 50 60 7 8 20 0 2 0 99\n");
	temp_tree_write_text(proc, "5/io", io_text);
	temp_tree_write_text(proc, "5/task/5/stat",
	                     "5 (x) S 1 5 5 0 -1 0 60 0 1 0 5 5 0 0 20 0 2 0 9\n");
	temp_tree_write_text(proc, "5/task/5/schedstat", "1500000000 500000000 7\n");
	temp_tree_write_text(
	        proc, "5/task/5/status",
	        "Name:\tx\nvoluntary_ctxt_switches:\t11\nnonvoluntary_ctxt_switches:\t2\n");
	temp_tree_write_text(proc, "5/task/6/stat",
	                     "6 (x) S 1 5 5 0 -1 0 30 0 2 0 5 5 0 0 20 0 2 0 9\n");
	temp_tree_write_text(proc, "5/task/5/io", io_text);
	temp_tree_write_text(proc, "5/task/6/schedstat", "500000000 1 7\n");
	temp_tree_write_text(proc, "5/task/6/io",
	                     "rchar: 3\nwchar: 0\nsyscr: 0\nsyscw: 0\nread_bytes: 0\n"
	                     "write_bytes: 0\ncancelled_write_bytes: 0\n");
	temp_tree_write_text(proc, "5/task/6/status",
	                     "voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t1\n");
	assert_true(job_live_read(proc->fd, 5, &live));
	assert_string_equal(live.comm, "a) (b");
	assert_int_equal(live.start_ticks, 99);
	assert_float_equal(live.minor_faults, 120, 0);
	assert_float_equal(live.major_faults, 7, 0);
	assert_float_equal(live.user_time, (57 * tick), 1e-9);
	assert_float_equal(live.system_time, (68 * tick), 1e-9);
	assert_float_equal(live.cpu_time, (125 * tick), 1e-9);
	assert_true(live.has_io);
	assert_int_equal(live.thread_count, 2);
	assert_int_equal(live.threads[1].tid, 6);
	assert_int_equal(live.threads[1].start_ticks, 9);
	job_live_add_up(&live, &own);
	assert_float_equal(own.minor_faults, 90, 0);
	assert_true(own.has_schedstat);
	assert_float_equal(own.run_time, 2, 1e-9);
	assert_float_equal(own.run_queue_wait, .500000001, 1e-12);
	assert_true(own.has_switches);
	assert_float_equal(own.voluntary_switches, 12, 0);
	assert_true(own.has_io);
	assert_float_equal(own.io[JOB_IO_RCHAR], 4, 0);

	/* A thread without the file: nobody knows the sum. */
	temp_tree_remove(proc, "5/task/6/schedstat");
	temp_tree_remove(proc, "5/task/6/io");
	read_again(proc, &live);
	job_live_add_up(&live, &own);
	assert_false(own.has_schedstat);
	assert_false(own.has_io);
	/* A leader that has ended is no thread that goes on: its end has its counters. */
	temp_tree_write_text(proc, "5/task/5/stat",
	                     "5 (x) Z 1 5 5 0 -1 0 60 0 1 0 5 5 0 0 20 0 2 0 9\n");
	read_again(proc, &live);
	assert_int_equal(live.thread_count, 1);
	assert_int_equal(live.threads[0].tid, 6);
	job_live_done(&live);
	temp_tree_write_text(proc, "5/stat", "5 (a) X 1 5 5 0 -1 0 100 20 3 4 50 60 7 8 20\n");
	assert_false(job_live_read(proc->fd, 5, &live));
}

static void test_zombies_and_stalled(void **state)
{
	const struct temp_tree *proc = *state;
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	cleanup_(job_live_done) struct job_live live = {0};

	temp_tree_write_text(proc, "5/task/5/stat",
	                     "5 (x) S 1 5 5 0 -1 0 60 0 1 0 5 5 0 0 20 0 2 0 9\n");
	/* Zombies have one thread, or none. */
	temp_tree_write_text(proc, "5/stat",
	                     "5 (a) Z 1 5 5 0 -1 0 100 20 3 4 50 60 7 8 20 0 1 0 20\n");
	read_again(proc, &live);
	assert_true(live.is_zombie);
	assert_float_equal(live.cpu_time, (125 * tick), 1e-9);
	temp_tree_write_text(proc, "5/stat",
	                     "5 (a) Z 1 5 5 0 -1 0 100 20 3 4 50 60 7 8 20 0 2 0 20\n");
	read_again(proc, &live);
	assert_false(live.is_zombie);
	assert_float_equal(live.user_time, (57 * tick), 1e-9);
	job_live_done(&live);
	assert_false(job_live_read(proc->fd, 77, &live));
	temp_tree_write_text(proc, "5/comm", "a) (b\n");
	job_live_stalled(proc->fd, 5, &live);
	assert_true(live.is_stalled);
	assert_string_equal(live.comm, "a) (b");
	temp_tree_write_text(proc, "5/comm", "a name of more than 15 bytes\n");
	job_live_stalled(proc->fd, 5, &live);
	assert_string_equal(live.comm, "a name of more ");
	job_live_stalled(proc->fd, 77, &live);
	assert_string_equal(live.comm, "");
}

static double cpu_clock(void)
{
	struct timespec time;

	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The CPU time of a process that lives is not cut off to clock ticks. */
static void test_own_cpu_time(void **state)
{
	cleanup_(fd_closep) int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	cleanup_(job_live_done) struct job_live live = {0};

	(void)state;
	assert_true(proc_fd >= 0);
	for (double end = cpu_clock() + tick / 4, before; cpu_clock() < end;) {
		before = cpu_clock();
		job_live_done(&live);
		assert_true(job_live_read(proc_fd, getpid(), &live));
		assert_true(live.cpu_time >= before);
		assert_true(live.cpu_time <= cpu_clock());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_own_cpu_time),
	        cmocka_unit_test_setup_teardown(test_descendants, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_memory, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_io, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_live, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_zombies_and_stalled, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
