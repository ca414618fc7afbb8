// SPDX-License-Identifier: GPL-2.0-or-later
/* A window that is captured and the window of two files that were captured at its begin and at its end are the same. */
#include "check.h"

#include <stdio.h>

#include "base/mem.h"
#include "capture/capture.h"
#include "memory-stream.h"
#include "proc-tree.h"
#include "windows.h"

enum { PROCESSES = 12, THREADS = 4, FIRST = 100 };

static void write_number(const struct temp_tree *tree, const char *name, const char *before,
                         unsigned number, const char *behind)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s%u%s", before, number, behind);
	temp_tree_write_text(tree, name, text.data);
	strbuf_done(&text);
}

static void write_broken(const struct temp_tree *tree, uint32_t tgid, uint32_t tid)
{
	cleanup_(mem_freep) char *io = proc_tree_file(tgid, tid, "io");
	cleanup_(mem_freep) char *sched = proc_tree_file(tgid, tid, "sched");

	temp_tree_write_text(tree, io, "rchar: 99999999999999999999\nwchar: x\n");
	temp_tree_remove(tree, sched);
}

/* The threads of a process rise, go back, break, come and go from @time to @time, each in its own way. */
static void write_process(const struct temp_tree *tree, unsigned process, unsigned time)
{
	static const char *const names[] = {"worker", "\xff\"\\", "a b", "\xe6\xbc\xa2"};
	uint32_t tgid = FIRST + process * 10;

	for (uint32_t thread = 0; thread < THREADS; thread++) {
		uint64_t ticks = (process * 7 + thread * 3) % 11 * (time + 1);
		struct strbuf schedstat = STRBUF_INIT;

		/* Some run for longer than they have lived, and some go back. */
		strbuf_addf(&schedstat, "%llu %u00 %u\n",
		            (unsigned long long)ticks * (thread == 3 ? 1000000000 : 1000), tgid,
		            thread == 2 ? 100 - time : time);
		proc_tree_add(tree,
		              &(struct proc_thread){.tgid = tgid,
		                                    .tid = tgid + thread + (thread == 1 ? time : 0),
		                                    .comm = names[(process + thread * time) % 4],
		                                    .schedstat = schedstat.data,
		                                    .utime_clock_ticks = ticks});
		if (process % 3 == time && thread == 2)
			write_broken(tree, tgid, tgid + thread);
		strbuf_done(&schedstat);
	}
	write_number(tree, "uptime", "1", time, ".25 1.0\n");
}

static void write_tree(const struct temp_tree *tree, unsigned time)
{
	for (unsigned process = 0; process < PROCESSES; process++) {
		struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "%u", FIRST + process * 10);
		if (process == 5 && time > 0)
			temp_tree_remove(tree, name.data);
		else if (process != 6 || time > 0)
			write_process(tree, process, time);
		strbuf_done(&name);
	}
	temp_tree_write_text(tree, "sys/kernel/random/boot_id", "boot\n");
	write_number(tree, "stat", "cpu  ", time + 1, "00 2 3 4 5 6 7 8\nprocesses 100\n");
	temp_tree_write_text(tree, "cgroup/cgroup.controllers", "cpu io memory\n");
	write_number(tree, "cgroup/group-100/cpu.stat", "usage_usec ", time + 2,
	             "00\nuser_usec 5\n");
	write_number(tree, "cgroup/group-120/memory.current", "", time, "00\n");
}

/* A process with memory. */
static void write_memory(const struct temp_tree *tree, uint32_t tgid)
{
	char name[32], text[128];

	snprintf(name, sizeof(name), "%u/stat", tgid);
	snprintf(text, sizeof(text),
	         "%u (a) S 1 7 7 0 -1 0 5 6 7 8 9 10 11 12 20 0 2 0 4711 8192 3 0 1 2 3 0\n", tgid);
	temp_tree_write_text(tree, name, text);
	snprintf(name, sizeof(name), "%u/smaps_rollup", tgid);
	temp_tree_write_text(tree, name, "0-1 ---p 0 0:0 0 [rollup]\nRss: 12 kB\n");
}

static struct capture_options options_of(const char *proc, const char *cgroups)
{
	return (struct capture_options){.proc_root = proc, .cgroup_root = cgroups};
}

static void capture_file(const struct capture_options *options, struct strbuf *ret)
{
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, SNAPSHOT_ZSTD_LEVEL);
	struct snapshot_info info;
	struct strbuf error = STRBUF_INIT;

	assert_int_equal(capture_run(options, writer, &info, &error), 0);
	snapshot_writer_freep(&writer);
	snapshot_info_done(&info);
	*ret = sink.bytes;
}

struct changing {
	struct capture_wait wait; /* must stay the first member */
	const struct temp_tree *tree;
	unsigned readings;
};

static void count_reading(struct capture_wait *self)
{
	((struct changing *)self)->readings++;
}

/* The window has begun, and its end has not. */
static int change(struct capture_wait *self, uint64_t begin_ns, uint64_t end_ns)
{
	assert_true(begin_ns < end_ns);
	assert_int_equal(((struct changing *)self)->readings, 1);
	write_tree(((struct changing *)self)->tree, 1);
	return 0;
}

static void capture_live(const struct capture_options *options, uint64_t length_ns,
                         const struct temp_tree *tree,
                         int (*until)(struct capture_wait *self, uint64_t begin_ns,
                                      uint64_t end_ns),
                         struct snapshot_copy *ret)
{
	struct changing changing = {{until, count_reading}, tree, 0};
	struct capture_window_options window = {
	        .capture = *options,
	        .length_ns = length_ns,
	        .wait = &changing.wait,
	};
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_int_equal(capture_window(&window, writer, &info, &error), 0);
	assert_int_equal(changing.readings, 2);
	snapshot_writer_freep(&writer);
	snapshot_copy_read(ret, sink.bytes.data, sink.bytes.len, NULL);
	assert_int_equal(ret->result, 0);
	strbuf_done(&sink.bytes);
}

/* The threads of process 5 leave their cgroup. */
static int leave(struct capture_wait *self, uint64_t begin_ns, uint64_t end_ns)
{
	const struct temp_tree *tree = ((struct changing *)self)->tree;

	assert_true(begin_ns < end_ns);
	write_tree(tree, 1);
	temp_tree_write_text(tree, "cgroup/group-150/cpu.stat", "usage_usec 900\n");
	return 0;
}

/* Values that a file cannot have: the clocks, and the cost. */
static void forget_stamps(struct snapshot_info *info)
{
	info->captured_at_unix_ns = 0;
	info->window.numbers[WINDOW_begin_unix_ns] = 0;
	info->window.numbers[WINDOW_asked_length_ns] = 0;
	info->window.seen[WINDOW_asked_length_ns] = false;
	info->window.numbers[WINDOW_read_skew_ns] = 0;
	memset(info->cost, 0, sizeof(info->cost));
	memset(info->cost_seen, 0, sizeof(info->cost_seen));
}

static void test_live_window_is_that_of_the_files(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *cgroups = temp_tree_path(tree, "cgroup");
	struct capture_options options = options_of(tree->path, cgroups);
	struct snapshot_copy live, filed;
	struct strbuf files[2];
	uint64_t impossible = 0, cgroup_values = 0;

	write_tree(tree, 0);
	capture_file(&options, &files[0]);
	capture_live(&options, SECONDS(1), tree, change, &live);
	capture_file(&options, &files[1]);
	window_of_bytes(&files[0], &files[1], NULL, NULL, &filed);
	assert_int_equal(filed.result, 0);
	forget_stamps(&live.info);
	forget_stamps(&filed.info);
	assert_true(snapshot_copies_equal(&live, &filed));
	/* There is something to compare. */
	assert_in_range(live.count, 40, 60);
	for (size_t i = 0; i < live.count; i++)
		impossible += !metric_set_is_empty(&live.samples[i].impossible);
	assert_true(impossible > 0 && live.info.tally.malformed_values > 0);
	for (size_t i = 0; i < live.cgroup_count; i++)
		for (unsigned v = 0; v < CGROUP_VALUE_COUNT; v++)
			cgroup_values += live.cgroups[i].values[v].state != FACT_UNSEEN;
	assert_true(cgroup_values > 0);
	assert_true(live.info.window.numbers[WINDOW_values_went_back] > 0);
	assert_true(live.info.window.numbers[WINDOW_threads_lost] > 0);
	snapshot_copy_done(&live);
	snapshot_copy_done(&filed);
	strbuf_done(&files[0]);
	strbuf_done(&files[1]);
}

static const struct cgroup_stats *find_cgroup(const struct snapshot_copy *copy, const char *path)
{
	for (size_t i = 0; i < copy->cgroup_count; i++)
		if (strcmp(strbuf_str(&copy->cgroups[i].path), path) == 0)
			return &copy->cgroups[i];
	return NULL;
}

/* The last reading has the cgroups of the first one, also those that have no threads any more. */
static void test_live_window_has_cgroups_that_were_left(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *cgroups = temp_tree_path(tree, "cgroup");
	struct capture_options options = options_of(tree->path, cgroups);
	const struct cgroup_stats *stats;
	struct snapshot_copy live;

	write_tree(tree, 0);
	temp_tree_write_text(tree, "cgroup/group-150/cpu.stat", "usage_usec 100\n");
	capture_live(&options, SECONDS(1), tree, leave, &live);
	stats = find_cgroup(&live, "/group-150");
	assert_non_null(stats);
	assert_false(stats->is_gone);
	assert_int_equal(stats->values[CGROUP_VALUE_cpu_usage_usec].state, FACT_NUMBER);
	assert_int_equal(stats->values[CGROUP_VALUE_cpu_usage_usec].number, 800);
	assert_int_equal(live.info.window.numbers[WINDOW_cgroups_lost], 0);
	snapshot_copy_done(&live);
}

/* Smaps are read with the threads, and take a part of the window's length at most: here the first one takes all of it. */
static void test_smaps_of_a_short_window(void **state)
{
	static const uint64_t lengths_ns[] = {40, SECONDS(100)};
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *cgroups = temp_tree_path(tree, "cgroup");
	struct capture_options options = options_of(tree->path, cgroups);

	for (size_t i = 0; i < ARRAY_SIZE(lengths_ns); i++) {
		const uint64_t *counts;
		struct snapshot_copy live;

		write_tree(tree, 0);
		for (unsigned process = 0; process < PROCESSES; process++)
			write_memory(tree, FIRST + process * 10);
		capture_live(&options, lengths_ns[i], tree, change, &live);
		counts = live.info.tally.sources[SOURCE_smaps_rollup];
		assert_true(counts[OUTCOME_read] > 0);
		assert_int_equal(counts[OUTCOME_skipped] > 0, i == 0);
		snapshot_copy_done(&live);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_live_window_is_that_of_the_files,
	                                        temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_live_window_has_cgroups_that_were_left,
	                                        temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_smaps_of_a_short_window, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
