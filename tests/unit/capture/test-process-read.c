// SPDX-License-Identifier: GPL-2.0-or-later
/* Values that a capture reads once for a process: totals with the exited threads in them, and smaps_rollup. */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "capture/process-read.h"
#include "capture/thread-read.h"
#include "captures.h"
#include "proc-tree.h"

static const char io_text[] =
        "rchar: 1001\nwchar: 1002\nsyscr: 1003\nsyscw: 1004\nread_bytes: 1005\n"
        "write_bytes: 1006\ncancelled_write_bytes: 1007\n";
static const char smaps_text[] = "55d0-7fff ---p 00000000 00:00 0    [rollup]\nRss:    400 kB\n"
                                 "Pss:    300 kB\nShared_Clean:   7 kB\n";

/* Fields of /proc/<tgid>/stat that matter here. */
struct stat_spec {
	uint64_t children_minflt, children_majflt, children_utime, children_stime;
	uint64_t mapped_bytes, resident_pages;
	unsigned more_threads; /* beside the leader */
};

static void write_stat(const struct temp_tree *tree, const char *name, struct stat_spec spec)
{
	char text[512];

	snprintf(text, sizeof(text),
	         "7 (a) b) c) S 1 7 7 0 -1 0 500 %llu 60 %llu 900 80 %llu %llu 20 0 %u 0 77 %llu "
	         "%llu "
	         "18446744073709551615\n",
	         (unsigned long long)spec.children_minflt, (unsigned long long)spec.children_majflt,
	         (unsigned long long)spec.children_utime, (unsigned long long)spec.children_stime,
	         1 + spec.more_threads, (unsigned long long)spec.mapped_bytes,
	         (unsigned long long)spec.resident_pages);
	temp_tree_write_text(tree, name, text);
}

/* Process 7 with threads 7 and 8, and all files of its own. */
static void make_tree(const struct temp_tree *tree, struct stat_spec spec)
{
	proc_tree_add(tree, &(struct proc_thread){.tgid = 7, .tid = 7});
	proc_tree_add(tree, &(struct proc_thread){.tgid = 7, .tid = 8});
	write_stat(tree, "7/stat", spec);
	temp_tree_write_text(tree, "7/io", io_text);
	temp_tree_write_text(tree, "7/smaps_rollup", smaps_text);
}

static const struct stat_spec small = {.mapped_bytes = 1 << 20, .resident_pages = 100};

static bool has_total(const struct thread_sample *sample, enum process_total total, uint64_t want)
{
	if (!(sample->process_totals_seen & 1u << total))
		return false;
	assert_int_equal(sample->process_totals[total], want);
	return true;
}

static void test_totals_on_last_row(void **state)
{
	struct captured captured;
	const struct thread_sample *samples;

	make_tree(*state, small);
	captured_tree(&captured, *state);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.copy.count, 2);
	samples = captured.copy.samples;
	assert_true(samples[1].has_process_totals);
	assert_false(samples[0].has_process_totals);
	assert_true(has_total(&samples[1], PROCESS_TOTAL_minflt, 500));
	assert_true(has_total(&samples[1], PROCESS_TOTAL_majflt, 60));
	assert_true(has_total(&samples[1], PROCESS_TOTAL_utime_clock_ticks, 900));
	assert_true(has_total(&samples[1], PROCESS_TOTAL_stime_clock_ticks, 80));
	assert_true(has_total(&samples[1], PROCESS_TOTAL_rchar, 1001));
	assert_true(has_total(&samples[1], PROCESS_TOTAL_cancelled_write_bytes, 1007));
	assert_false(has_total(&samples[1], PROCESS_TOTAL_run_time_ns, 0));
	assert_true(samples[0].has_smaps);
	assert_int_equal(samples[0].smaps_rollup_kib.count, 3);
	assert_string_equal(samples[0].smaps_rollup_kib.entries[0].key, "Rss");
	assert_int_equal(samples[0].smaps_rollup_kib.entries[0].value, 400);
	assert_false(samples[1].has_smaps);
	assert_int_equal(captured.info.tally.sources[SOURCE_smaps_rollup][OUTCOME_read], 1);
	assert_int_equal(captured.info.tally.sources[SOURCE_process_io][OUTCOME_read], 1);
	captured_done(&captured);
}

/* The totals are the process's, whichever row is its last. */
static void test_totals_without_leader(void **state)
{
	struct captured captured;

	make_tree(*state, small);
	temp_tree_remove(*state, "7/task/7");
	captured_tree(&captured, *state);
	assert_int_equal(captured.copy.count, 1);
	assert_int_equal(captured.copy.samples[0].tid, 8);
	assert_true(has_total(&captured.copy.samples[0], PROCESS_TOTAL_minflt, 500));
	assert_false(captured.copy.samples[0].has_smaps);
	captured_done(&captured);
}

/* The kernel adds the I/O of children that were waited for, and their trace is in stat. */
static void test_io_of_children(void **state)
{
	static const struct stat_spec traces[] = {
	        {.children_minflt = 1, .mapped_bytes = 1},
	        {.children_majflt = 1, .mapped_bytes = 1},
	        {.children_utime = 1, .mapped_bytes = 1},
	        {.children_stime = 1, .mapped_bytes = 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
		struct captured captured;

		make_tree(*state, traces[i]);
		captured_tree(&captured, *state);
		assert_false(has_total(&captured.copy.samples[1], PROCESS_TOTAL_wchar, 0));
		assert_true(has_total(&captured.copy.samples[1], PROCESS_TOTAL_minflt, 500));
		assert_int_equal(captured.info.tally.sources[SOURCE_process_io][OUTCOME_off], 1);
		assert_int_equal(captured.copy.samples[1].outcomes[SOURCE_process_io], OUTCOME_off);
		captured_done(&captured);
	}
}

/* Without a stat nobody knows of children. */
static void test_io_without_stat(void **state)
{
	struct captured captured;

	make_tree(*state, small);
	temp_tree_write_text(*state, "7/stat", "7 (a) S 1\n");
	captured_tree(&captured, *state);
	assert_int_equal(captured.copy.count, 2);
	assert_int_equal(captured.copy.samples[1].process_totals_seen, 0);
	captured_done(&captured);
}

static void check_smaps_of_tree(const struct temp_tree *tree, enum capture_smaps smaps,
                                enum source_outcome expected)
{
	struct capture_options options = {.proc_root = tree->path, .smaps = smaps};
	struct captured captured;

	captured_run(&captured, &options);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.copy.samples[0].has_smaps, expected == OUTCOME_read);
	assert_int_equal(captured.info.tally.sources[SOURCE_smaps_rollup][expected],
	                 expected == OUTCOME_unneeded ? 2 : 1);
	assert_int_equal(captured.info.rules[SOURCE_smaps_rollup],
	                 smaps == CAPTURE_SMAPS_OFF ? OUTCOME_skipped : OUTCOME_read);
	captured_done(&captured);
}

static void check_smaps(const struct temp_tree *tree, enum capture_smaps smaps,
                        struct stat_spec spec, enum source_outcome expected)
{
	make_tree(tree, spec);
	check_smaps_of_tree(tree, smaps, expected);
}

/* In a window the first one takes all the time that there is: the second one is left out, unless the user wants all. */
static void test_smaps_time(void **state)
{
	const struct temp_tree *tree = *state;
	const enum source_outcome expected[][2] = {
	        [CAPTURE_SMAPS_AUTO] = {OUTCOME_read, OUTCOME_skipped},
	        [CAPTURE_SMAPS_ALL] = {OUTCOME_read, OUTCOME_read},
	};

	make_tree(tree, small);
	for (unsigned smaps = CAPTURE_SMAPS_AUTO; smaps <= CAPTURE_SMAPS_ALL; smaps++) {
		const struct process_wishes wishes = {.smaps = (enum capture_smaps)smaps,
		                                      .smaps_ns = 1};
		struct taskstats_reader taskstats = {.rule = OUTCOME_skipped};
		struct process_reader reader;

		process_reader_init(&reader, tree->fd, &wishes, &taskstats);
		for (unsigned i = 0; i < ARRAY_SIZE(expected[smaps]); i++) {
			int fd = openat(tree->fd, "7", O_PATH | O_CLOEXEC);

			assert_int_equal(process_read(&reader, fd, 7), 0);
			assert_int_equal(reader.sample.outcomes[SOURCE_smaps_rollup],
			                 expected[smaps][i]);
			assert_int_equal(reader.sample.has_smaps,
			                 expected[smaps][i] == OUTCOME_read);
			close(fd);
		}
		process_reader_done(&reader);
	}
}

static void test_smaps_sizes(void **state)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t resident = CAPTURE_SMAPS_AUTO_RESIDENT_BYTES / page;
	const uint64_t mapped = CAPTURE_SMAPS_AUTO_MAPPED_BYTES;
	const struct temp_tree *tree = *state;

	check_smaps(tree, CAPTURE_SMAPS_AUTO,
	            (struct stat_spec){.mapped_bytes = mapped, .resident_pages = resident},
	            OUTCOME_read);
	check_smaps(tree, CAPTURE_SMAPS_AUTO,
	            (struct stat_spec){.mapped_bytes = mapped + 1, .resident_pages = 1},
	            OUTCOME_skipped);
	check_smaps(tree, CAPTURE_SMAPS_AUTO,
	            (struct stat_spec){.mapped_bytes = mapped, .resident_pages = resident + 1},
	            OUTCOME_skipped);
	check_smaps(tree, CAPTURE_SMAPS_AUTO,
	            (struct stat_spec){.mapped_bytes = UINT64_MAX, .resident_pages = UINT64_MAX},
	            OUTCOME_skipped);
	check_smaps(tree, CAPTURE_SMAPS_ALL,
	            (struct stat_spec){.mapped_bytes = mapped + 1, .resident_pages = resident + 1},
	            OUTCOME_read);
	check_smaps(tree, CAPTURE_SMAPS_OFF, small, OUTCOME_skipped);
	/* Kernel threads have no memory, and nothing is missing. */
	check_smaps(tree, CAPTURE_SMAPS_AUTO, (struct stat_spec){0}, OUTCOME_unneeded);
	check_smaps(tree, CAPTURE_SMAPS_ALL, (struct stat_spec){0}, OUTCOME_unneeded);
}

/* A leader that has exited shows no memory, but its threads have it, as long as they do not exit as well. */
static void test_smaps_without_leader(void **state)
{
	const struct temp_tree *tree = *state;
	const struct stat_spec large = {.mapped_bytes = CAPTURE_SMAPS_AUTO_MAPPED_BYTES + 1};

	check_smaps(tree, CAPTURE_SMAPS_ALL, (struct stat_spec){.more_threads = 1},
	            OUTCOME_unneeded);
	temp_tree_remove(tree, "7/smaps_rollup");
	write_stat(tree, "7/task/8/stat", small);
	check_smaps_of_tree(tree, CAPTURE_SMAPS_AUTO, OUTCOME_off);
	temp_tree_write_text(tree, "7/task/8/smaps_rollup", smaps_text);
	check_smaps_of_tree(tree, CAPTURE_SMAPS_AUTO, OUTCOME_read);
	check_smaps_of_tree(tree, CAPTURE_SMAPS_OFF, OUTCOME_skipped);
	write_stat(tree, "7/task/8/stat", large);
	check_smaps_of_tree(tree, CAPTURE_SMAPS_AUTO, OUTCOME_skipped);
	check_smaps_of_tree(tree, CAPTURE_SMAPS_ALL, OUTCOME_read);
	/* More than are tried: one of the others may have it. */
	write_stat(tree, "7/task/8/stat", (struct stat_spec){0});
	for (uint32_t tid = 9; tid < 80; tid++)
		proc_tree_add(tree, &(struct proc_thread){.tgid = 7, .tid = tid});
	check_smaps_of_tree(tree, CAPTURE_SMAPS_ALL, OUTCOME_off);
}

static void check_exe(const struct temp_tree *tree, struct stat_spec spec,
                      enum source_outcome expected)
{
	struct captured captured;

	make_tree(tree, spec);
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	/* That a process has none is known, too. */
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(captured.copy.samples[i].has_exe,
		                 expected == OUTCOME_read || expected == OUTCOME_unneeded);
		assert_int_equal(captured.copy.samples[i].exe.len > 0, expected == OUTCOME_read);
	}
	/* The process is counted, in its first row, and not its threads. */
	assert_int_equal(captured.info.tally.sources[SOURCE_exe][expected],
	                 expected == OUTCOME_unneeded ? 2 : 1);
	assert_int_equal(captured.copy.samples[1].outcomes[SOURCE_exe], OUTCOME_unneeded);
	captured_done(&captured);
}

static void check_title(const struct temp_tree *tree, bool asked, const char *expected,
                        enum source_outcome outcome)
{
	struct captured captured;
	struct capture_options options = {.proc_root = tree->path, .titles = asked};

	captured_run(&captured, &options);
	assert_int_equal(captured.result, 0);
	for (size_t i = 0; i < captured.copy.count; i++) {
		assert_int_equal(captured.copy.samples[i].has_title, expected != NULL);
		if (expected)
			assert_text(&captured.copy.samples[i].title, expected);
	}
	assert_int_equal(captured.info.tally.sources[SOURCE_title][outcome], 1);
	captured_done(&captured);
}

/* Every row has it; only who asks for it gets it. */
static void test_titles(void **state)
{
	const struct temp_tree *tree = *state;

	make_tree(tree, small);
	check_title(tree, true, NULL, OUTCOME_off);
	temp_tree_write(tree, "7/cmdline", "nginx: worker process\0\0", 23);
	check_title(tree, true, "nginx: worker process", OUTCOME_read);
	check_title(tree, false, NULL, OUTCOME_skipped);
	temp_tree_write(tree, "7/cmdline", "mysql\0-psecret word\0", 20);
	check_title(tree, true, "", OUTCOME_read);
}

/* Every row has it, byte for byte, also where the leader is gone. */
static void test_exe_on_every_row(void **state)
{
	static const char *const targets[] = {"/bin/a", "/a b\n\xff (deleted)",
	                                      "/memfd:x (deleted)"};
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		struct captured captured;

		make_tree(tree, small);
		assert_int_equal(symlinkat(targets[i], tree->fd, "7/exe"), 0);
		assert_int_equal(symlinkat(targets[i], tree->fd, "7/cwd"), 0);
		captured_tree(&captured, tree);
		for (size_t row = 0; row < 2; row++) {
			assert_true(captured.copy.samples[row].has_exe);
			assert_text(&captured.copy.samples[row].exe, targets[i]);
			assert_true(captured.copy.samples[row].has_cwd);
			assert_text(&captured.copy.samples[row].cwd, targets[i]);
		}
		assert_int_equal(captured.info.tally.sources[SOURCE_exe][OUTCOME_read], 1);
		assert_int_equal(captured.info.tally.sources[SOURCE_cwd][OUTCOME_read], 1);
		captured_done(&captured);
		temp_tree_remove(tree, "7/task/7");
		captured_tree(&captured, tree);
		assert_int_equal(captured.copy.count, 1);
		assert_text(&captured.copy.samples[0].exe, targets[i]);
		assert_int_equal(captured.info.tally.sources[SOURCE_exe][OUTCOME_read], 1);
		captured_done(&captured);
		temp_tree_remove(tree, "7/exe");
		temp_tree_remove(tree, "7/cwd");
	}
}

/* Nothing of a process is left for the next one. */
static void test_exe_of_several(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	make_tree(tree, small);
	for (uint32_t tgid = 20; tgid < 22; tgid++)
		proc_tree_add(tree, &(struct proc_thread){.tgid = tgid, .tid = tgid});
	temp_tree_write_text(tree, "7/task/7/status", "Uid:\t1\t2\t3\t4\n");
	temp_tree_write_text(tree, "21/task/21/status", "Uid:\t0\t0\t0\t0\n");
	write_stat(tree, "20/stat", (struct stat_spec){0});
	assert_int_equal(symlinkat("/a", tree->fd, "7/exe"), 0);
	assert_int_equal(symlinkat("/b", tree->fd, "21/exe"), 0);
	captured_tree(&captured, tree);
	assert_int_equal(captured.copy.count, 4);
	for (size_t row = 0; row < 2; row++) {
		assert_text(&captured.copy.samples[row].exe, "/a");
		assert_true(captured.copy.samples[row].has_uid);
		assert_int_equal(captured.copy.samples[row].uid, 2);
	}
	assert_true(captured.copy.samples[2].has_exe);
	assert_int_equal(captured.copy.samples[2].exe.len, 0);
	assert_false(captured.copy.samples[2].has_uid);
	assert_int_equal(captured.copy.samples[2].outcomes[SOURCE_exe], OUTCOME_unneeded);
	assert_text(&captured.copy.samples[3].exe, "/b");
	assert_true(captured.copy.samples[3].has_uid);
	assert_int_equal(captured.copy.samples[3].uid, 0);
	captured_done(&captured);
}

static void test_exe_missing(void **state)
{
	const struct temp_tree *tree = *state;

	check_exe(tree, small, OUTCOME_off);
	temp_tree_write_text(tree, "7/exe", "no link");
	check_exe(tree, small, OUTCOME_malformed);
	temp_tree_remove(tree, "7/exe");
	assert_int_equal(symlinkat("/a", tree->fd, "7/exe"), 0);
	check_exe(tree, small, OUTCOME_read);
	/* The link of a process without memory is not even tried: for others than root it is denied. */
	check_exe(tree, (struct stat_spec){0}, OUTCOME_unneeded);
	check_exe(tree, (struct stat_spec){.more_threads = 1}, OUTCOME_off);
}

static void test_process_files_missing(void **state)
{
	static const char *const names[] = {"7/smaps_rollup", "7/io", "7/stat"};
	struct captured captured;

	make_tree(*state, small);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		temp_tree_remove(*state, names[i]);
	captured_tree(&captured, *state);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.copy.count, 2);
	assert_int_equal(captured.copy.samples[1].process_totals_seen, 0);
	assert_false(captured.copy.samples[0].has_smaps);
	captured_done(&captured);
}

/* Flags are field 9; 4 says that the thread is on its way out, until its state says that it is dead. */
static void test_exiting(void **state)
{
	static const struct {
		const char *text;
		bool exiting;
	} cases[] = {
	        {"8 (a) S 1 7 7 0 -1 4 0 0 0 0 1 1 0 0 20 0 2 0 77 1 1\n", true},
	        {"8 (a) b) R 1 7 7 0 -1 4194564 0 0 0 0 1 1 0 0 20 0 2 0 77 1 1\n", true},
	        {"8 (a) S 1 7 7 0 -1 4194560 0 0 0 0 1 1 0 0 20 0 2 0 77 1 1\n", false},
	        {"8 (a) Z 1 7 7 0 -1 4 0 0 0 0 1 1 0 0 20 0 2 0 77 0 0\n", false},
	        {"8 (a) X 1 7 7 0 -1 4 0 0 0 0 1 1 0 0 20 0 2 0 77 0 0\n", false},
	        {"8 (a) S 1 7 7 0 -1\n", false},
	};
	const struct temp_tree *tree = *state;
	struct thread_reader reader;

	thread_reader_init(&reader, tree->fd, false, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		temp_tree_write_text(tree, "8/stat", cases[i].text);
		if (thread_is_exiting(&reader, tree->fd, "8") != cases[i].exiting)
			fail_msg("%s", cases[i].text);
	}
	assert_false(thread_is_exiting(&reader, tree->fd, "9"));
	thread_reader_done(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_totals_on_last_row, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_totals_without_leader, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_io_of_children, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_io_without_stat, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_smaps_without_leader, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_smaps_time, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_smaps_sizes, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_titles, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_exe_on_every_row, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_exe_of_several, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_exe_missing, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_exiting, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_process_files_missing, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
