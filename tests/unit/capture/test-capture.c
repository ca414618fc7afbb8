// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "captures.h"
#include "kernel-ability.h"
#include "memory-stream.h"
#include "proc-tree.h"
#include "seen.h"

static void add(const struct temp_tree *tree, uint32_t tgid, uint32_t tid)
{
	proc_tree_add(tree,
	              &(struct proc_thread){.tgid = tgid, .tid = tid, .utime_clock_ticks = 3});
}

static void remove_file(const struct temp_tree *tree, uint32_t tgid, uint32_t tid, const char *name)
{
	cleanup_(mem_freep) char *path = proc_tree_file(tgid, tid, name);

	temp_tree_remove(tree, path);
}

static void write_file(const struct temp_tree *tree, uint32_t tgid, uint32_t tid, const char *name,
                       const char *text)
{
	cleanup_(mem_freep) char *path = proc_tree_file(tgid, tid, name);

	temp_tree_write_text(tree, path, text);
}

static const struct thread_sample *find(const struct captured *captured, uint32_t tid)
{
	const struct thread_sample *sample = snapshot_copy_find(&captured->copy, tid);

	assert_non_null(sample);
	return sample;
}

/* All that the tree has of a thread. */
static void assert_whole(const struct thread_sample *sample)
{
	assert_int_equal(sample->start_time_clock_ticks, sample->tid + 1000);
	assert_text(&sample->comm, "thread");
	assert_true(sample->has_cgroup);
	assert_seen(sample, state, 'S');
	assert_seen(sample, minflt, sample->tid + 10);
	assert_seen(sample, majflt, 2);
	assert_seen(sample, utime_clock_ticks, 3);
	assert_seen(sample, run_time_ns, 1000 * (uint64_t)sample->tid);
	assert_seen(sample, wait_time_ns, 100 * (uint64_t)sample->tid);
	assert_seen(sample, timeslices, sample->tid);
	assert_seen(sample, nr_migrations, 5);
	assert_seen(sample, voluntary_csw, sample->tid + 20);
	assert_seen(sample, nonvoluntary_csw, 2);
	assert_seen(sample, rchar, sample->tid + 30);
	assert_seen(sample, cancelled_write_bytes, 7);
	assert_int_equal(cpu_mask_count(&sample->cpu_affinity.v), 4);
	assert_int_equal(metric_set_has(&sample->seen, METRIC_nr_threads),
	                 sample->tid == sample->tgid);
	assert_int_equal(count_metrics(&sample->seen), sample->tid == sample->tgid ? 25 : 24);
	assert_int_equal(count_metrics(&sample->malformed), 0);
}

static void test_capture_two_processes(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	add(tree, 7, 7);
	add(tree, 7, 12);
	proc_tree_add(tree,
	              &(struct proc_thread){
	                      .tgid = 20, .tid = 20, .comm = "thread", .utime_clock_ticks = 3});
	temp_tree_make_dir(tree, "self/task/1");
	temp_tree_make_dir(tree, "007/task/7");
	temp_tree_write_text(tree, "uptime", "1.0 1.0\n");
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_text(&captured.error, "");
	assert_int_equal(captured.copy.count, 3);
	for (size_t i = 0; i < 3; i++) {
		static const uint32_t tids[] = {7, 12, 20};

		assert_int_equal(captured.copy.samples[i].tid, tids[i]);
		assert_int_equal(captured.copy.samples[i].tgid, i < 2 ? 7 : 20);
		assert_text(&captured.copy.samples[i].cgroup, i < 2 ? "/group-7" : "/group-20");
		assert_whole(&captured.copy.samples[i]);
	}
	assert_int_equal(captured.info.tally.processes, 2);
	assert_int_equal(captured.info.tally.processes_gone, 0);
	assert_int_equal(captured.info.tally.threads_gone, 0);
	assert_int_equal(captured.info.tally.malformed_values, 0);
	captured_done(&captured);
}

/* A tree may be another system's: no system calls about its threads, no mounts looked for. */
static void test_capture_rules_of_a_tree(void **state)
{
	struct captured captured;

	add(*state, 7, 7);
	captured_tree(&captured, *state);
	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		bool read = s == SOURCE_stat || s == SOURCE_schedstat || s == SOURCE_sched ||
		            s == SOURCE_status || s == SOURCE_io || s == SOURCE_cgroup ||
		            s == SOURCE_exe || s == SOURCE_cwd || s == SOURCE_smaps_rollup ||
		            s == SOURCE_process_stat || s == SOURCE_process_io;

		if (s == SOURCE_synthetic)
			continue;
		assert_int_equal(captured.info.rules[s], read ? OUTCOME_read : OUTCOME_skipped);
	}
	assert_string_equal(host_text(&captured.info.host, HOST_tool_version), CTPROF_VERSION);
	assert_string_equal(host_text(&captured.copy.info.host, HOST_source), "procfs");
	assert_false(captured.info.host.seen[HOST_pid_namespace]);
	assert_false(captured.info.host.seen[HOST_users]);
	assert_false(captured.info.host.seen[HOST_cgroup2_controllers]);
	captured_done(&captured);
}

static void test_capture_other_roots(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *proc = temp_tree_path(tree, "proc");
	cleanup_(mem_freep) char *sys = temp_tree_path(tree, "sys");
	cleanup_(mem_freep) char *cgroup = temp_tree_path(tree, "cg");
	struct capture_options options = {
	        .proc_root = proc, .sys_root = sys, .cgroup_root = cgroup};
	struct captured captured;

	temp_tree_write_text(tree, "proc/1/task/1/stat",
	                     "1 (init) S 0 1 1 0 -1 0 1 0 0 0 0 0 0 0 20 0 1 0 5\n");
	temp_tree_write_text(tree, "proc/sys/kernel/hostname", "secret\n");
	temp_tree_write_text(tree, "proc/cmdline", "quiet\n");
	temp_tree_write_text(tree, "proc/uptime", "12.50 3.00\n");
	temp_tree_write_text(tree, "sys/devices/system/cpu/online", "0-1\n");
	temp_tree_write_text(tree, "cg/cgroup.controllers", "cpu io\n");
	captured_run(&captured, &options);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.info.host.numbers[HOST_online_cpus], 2);
	assert_string_equal(host_text(&captured.copy.info.host, HOST_cgroup2_controllers),
	                    "cpu io");
	assert_string_equal(host_text(&captured.copy.info.host, HOST_hostname), "secret");
	/* The time is that of the tree's system. */
	assert_int_equal(captured.copy.info.captured_boottime_ns, 12500000000);
	assert_int_equal(captured.copy.samples[0].read_boottime_ns, 12500000000);
	captured_done(&captured);

	options.anonymous = true;
	captured_run(&captured, &options);
	assert_int_equal(captured.result, 0);
	assert_null(host_text(&captured.copy.info.host, HOST_hostname));
	assert_null(host_text(&captured.copy.info.host, HOST_kernel_cmdline));
	captured_done(&captured);
}

/* On our own system: the test itself, and its user. */
static void test_capture_exe_and_users(void **state)
{
	struct capture_options options = {.smaps = CAPTURE_SMAPS_OFF};
	const struct passwd *user = getpwuid(geteuid());
	cleanup_(mem_freep) char *own = realpath("/proc/self/exe", NULL), *dir = getcwd(NULL, 0);
	const struct thread_sample *sample;
	struct captured captured;
	char id[12];

	(void)state;
	need_own_process();
	snprintf(id, sizeof(id), "%u", geteuid());
	captured_run(&captured, &options);
	assert_int_equal(captured.result, 0);
	sample = find(&captured, (uint32_t)getpid());
	assert_non_null(own);
	assert_true(sample->has_exe);
	assert_text(&sample->exe, own);
	assert_non_null(dir);
	assert_true(sample->has_cwd);
	assert_text(&sample->cwd, dir);
	assert_true(sample->has_uid);
	assert_int_equal(sample->uid, geteuid());
	if (user)
		assert_string_equal(host_map_get(&captured.copy.info.host, HOST_users, id),
		                    user->pw_name);
	captured_done(&captured);

	options.anonymous = true;
	captured_run(&captured, &options);
	assert_int_equal(captured.result, 0);
	sample = find(&captured, (uint32_t)getpid());
	assert_false(sample->has_exe);
	assert_true(sample->has_uid);
	assert_false(captured.copy.info.host.seen[HOST_users]);
	assert_int_equal(captured.info.rules[SOURCE_exe], OUTCOME_skipped);
	assert_int_equal(captured.info.rules[SOURCE_cwd], OUTCOME_skipped);
	for (size_t i = 0; i < captured.copy.count; i++)
		assert_false(captured.copy.samples[i].has_exe || captured.copy.samples[i].has_cwd);
	captured_done(&captured);
}

/* The leader names the process, even where its id is not the smallest. */
static void test_capture_leader_names_process(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	proc_tree_add(tree, &(struct proc_thread){.tgid = 50, .tid = 50, .comm = "leader\n\xff"});
	proc_tree_add(tree, &(struct proc_thread){.tgid = 50, .tid = 9, .comm = "other"});
	proc_tree_add(tree, &(struct proc_thread){.tgid = 50, .tid = 60, .comm = ") ("});
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.copy.count, 3);
	assert_int_equal(captured.copy.samples[0].tid, 50);
	assert_int_equal(captured.copy.samples[1].tid, 9);
	assert_int_equal(captured.copy.samples[2].tid, 60);
	for (size_t i = 0; i < 3; i++) {
		assert_text(&captured.copy.samples[i].pcomm, "leader\n\xff");
		assert_int_equal(captured.copy.samples[i].read_boottime_ns,
		                 captured.copy.samples[0].read_boottime_ns);
	}
	assert_text(&find(&captured, 9)->comm, "other");
	assert_text(&find(&captured, 60)->comm, ") (");
	/* This tree tells no uptime, and the running system's clock is not its own. */
	assert_int_equal(captured.info.captured_boottime_ns, 0);
	assert_int_equal(captured.copy.samples[0].read_boottime_ns, 0);
	captured_done(&captured);
}

/* Then the process's own file does. */
static void test_capture_leader_gone(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	add(tree, 7, 8);
	add(tree, 7, 9);
	temp_tree_write_text(tree, "7/comm", "name of\nprocess\n");
	add(tree, 30, 31);
	temp_tree_remove(tree, "30/comm");
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_text(&find(&captured, 8)->pcomm, "name of\nprocess");
	assert_text(&find(&captured, 9)->pcomm, "name of\nprocess");
	assert_text(&find(&captured, 31)->pcomm, "");
	assert_whole(find(&captured, 8));
	captured_done(&captured);
}

/* A leader that is listed, but gone when it is read. */
static void test_capture_leader_vanished(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	add(tree, 7, 8);
	temp_tree_make_dir(tree, "7/task/7");
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.copy.count, 1);
	assert_text(&find(&captured, 8)->pcomm, "process");
	assert_int_equal(captured.info.tally.threads_gone, 1);
	assert_int_equal(captured.info.tally.processes, 1);
	captured_done(&captured);
}

static void test_capture_processes_gone(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	add(tree, 7, 7);
	temp_tree_make_dir(tree, "40/task/40"); /* an empty thread */
	temp_tree_make_dir(tree, "41/task");    /* no threads */
	temp_tree_make_dir(tree, "42");         /* no list of threads */
	temp_tree_write_text(tree, "43", "not a directory");
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.copy.count, 1);
	assert_whole(find(&captured, 7));
	assert_int_equal(captured.info.tally.processes, 1);
	assert_int_equal(captured.info.tally.processes_gone, 4);
	assert_int_equal(captured.info.tally.threads_gone, 1);
	captured_done(&captured);
}

static void test_capture_no_process(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	temp_tree_make_dir(tree, "self");
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, -ENOENT);
	assert_contains(strbuf_str(&captured.error), tree->path);
	assert_contains(strbuf_str(&captured.error), "no process");
	captured_done(&captured);
}

static void check_root_fails(struct capture_options options, const char *named, int expected)
{
	struct captured captured;

	captured_run(&captured, &options);
	assert_int_equal(captured.result, expected);
	assert_contains(strbuf_str(&captured.error), named);
	captured_done(&captured);
}

/* A root that was asked for must be there; the sentence names it. */
static void test_capture_root_missing(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *missing = temp_tree_path(tree, "missing");
	cleanup_(mem_freep) char *file = temp_tree_path(tree, "file");

	add(tree, 7, 7);
	temp_tree_write_text(tree, "file", "");
	check_root_fails((struct capture_options){.proc_root = missing}, missing, -ENOENT);
	check_root_fails((struct capture_options){.proc_root = file}, file, -ENOTDIR);
	check_root_fails((struct capture_options){.proc_root = tree->path, .sys_root = missing},
	                 missing, -ENOENT);
	check_root_fails((struct capture_options){.proc_root = tree->path, .cgroup_root = missing},
	                 missing, -ENOENT);
}

/* A file that the kernel does not have is off, and not tried again. */
static void test_capture_file_absent(void **state)
{
	static const struct {
		const char *name;
		enum metric_source source;
	} files[] = {{"schedstat", SOURCE_schedstat},
	             {"sched", SOURCE_sched},
	             {"io", SOURCE_io},
	             {"cgroup", SOURCE_cgroup},
	             {"status", SOURCE_status}};
	const struct temp_tree *tree = *state;

	add(tree, 7, 7);
	add(tree, 7, 8);
	add(tree, 9, 9);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct captured captured;

		remove_file(tree, 7, 7, files[i].name);
		captured_tree(&captured, tree);
		assert_int_equal(captured.result, 0);
		assert_int_equal(captured.copy.count, 3);
		for (size_t j = 0; j <= i; j++) {
			enum metric_source source = files[j].source;

			/* Only the thread that lacks it: the next one may have it. */
			assert_int_equal(captured.info.tally.sources[source][OUTCOME_off], 1);
			assert_int_equal(find(&captured, 7)->outcomes[source], OUTCOME_off);
			assert_int_not_equal(find(&captured, 9)->outcomes[source], OUTCOME_off);
		}
		assert_seen(find(&captured, 8), minflt, 18);
		assert_int_equal(captured.info.tally.threads_gone, 0);
		captured_done(&captured);
	}
}

/* Zeros from a thread that has run are no measurement; from one that has not, they are. */
static void test_capture_schedstat_zero(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	add(tree, 1, 1);
	proc_tree_add(tree,
	              &(struct proc_thread){
	                      .tgid = 7, .tid = 7, .schedstat = "0 0 0\n", .utime_clock_ticks = 1});
	proc_tree_add(tree, &(struct proc_thread){.tgid = 8, .tid = 8, .schedstat = "0 0 0\n"});
	captured_tree(&captured, tree);
	assert_int_equal(captured.info.rules[SOURCE_schedstat], OUTCOME_read);
	assert_unseen(find(&captured, 7), run_time_ns);
	assert_unseen(find(&captured, 7), timeslices);
	assert_int_equal(sample_reason(find(&captured, 7), METRIC_run_time_ns), OUTCOME_off);
	assert_int_equal(find(&captured, 7)->outcomes[SOURCE_schedstat], OUTCOME_off);
	assert_seen(find(&captured, 8), run_time_ns, 0);
	assert_seen(find(&captured, 8), timeslices, 0);
	assert_seen(find(&captured, 1), run_time_ns, 1000);
	assert_int_equal(captured.info.tally.sources[SOURCE_schedstat][OUTCOME_off], 1);
	assert_int_equal(captured.info.tally.sources[SOURCE_schedstat][OUTCOME_read], 2);
	captured_done(&captured);
}

/* The first process has run for certain. */
static void test_capture_schedstat_off_for_all(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	proc_tree_add(tree, &(struct proc_thread){.tgid = 1, .tid = 1, .schedstat = "0 0 0\n"});
	proc_tree_add(tree, &(struct proc_thread){.tgid = 8, .tid = 8, .schedstat = "0 0 0\n"});
	temp_tree_write_text(tree, "1/schedstat", "0 0 0\n");
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_int_equal(captured.info.rules[SOURCE_schedstat], OUTCOME_off);
	assert_unseen(find(&captured, 1), run_time_ns);
	assert_unseen(find(&captured, 8), run_time_ns);
	assert_int_equal(captured.info.tally.sources[SOURCE_schedstat][OUTCOME_off], 2);
	/* The rule of the host is not repeated for each thread. */
	assert_int_equal(find(&captured, 8)->outcomes[SOURCE_schedstat], OUTCOME_unneeded);
	captured_done(&captured);
}

/* One value that makes no sense costs itself; a file that makes none costs its own values. */
static void test_capture_malformed(void **state)
{
	const struct temp_tree *tree = *state;
	struct captured captured;

	add(tree, 7, 7);
	add(tree, 8, 8);
	add(tree, 9, 9);
	write_file(tree, 7, 7, "io", "rchar: -1\nwchar: 2\nsyscr: x\n");
	write_file(tree, 8, 8, "sched", "no dashes here\n");
	write_file(tree, 9, 9, "schedstat", "1 2\n");
	/* A value from another file is not malformed. */
	write_file(tree, 9, 9, "sched", "x (9)\n-------------------\nnr_voluntary_switches : x\n");
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_malformed(find(&captured, 7), rchar);
	assert_malformed(find(&captured, 7), syscr);
	assert_seen(find(&captured, 7), wchar, 2);
	assert_int_equal(sample_reason(find(&captured, 8), METRIC_nr_migrations),
	                 OUTCOME_malformed);
	assert_seen(find(&captured, 8), voluntary_csw, 999); /* from status */
	assert_int_equal(sample_reason(find(&captured, 9), METRIC_run_time_ns), OUTCOME_malformed);
	assert_seen(find(&captured, 9), voluntary_csw, 999);
	assert_int_equal(captured.info.tally.malformed_values, 2);
	assert_int_equal(captured.info.tally.sources[SOURCE_sched][OUTCOME_malformed], 1);
	assert_int_equal(captured.info.tally.sources[SOURCE_schedstat][OUTCOME_malformed], 1);
	captured_done(&captured);
}

/* Without its stat a thread has no identity. */
static void test_capture_malformed_stat(void **state)
{
	static const char *const stats[] = {"", "7 (x) S 1 2 3\n", "garbage\n"};
	const struct temp_tree *tree = *state;

	add(tree, 7, 7);
	add(tree, 8, 8);
	for (size_t i = 0; i < ARRAY_SIZE(stats); i++) {
		struct captured captured;

		write_file(tree, 7, 7, "stat", stats[i]);
		captured_tree(&captured, tree);
		assert_int_equal(captured.result, 0);
		assert_int_equal(captured.copy.count, 1);
		assert_int_equal(captured.info.tally.threads_unreadable, 1);
		assert_int_equal(captured.info.tally.threads_gone, 0);
		assert_whole(find(&captured, 8));
		captured_done(&captured);
	}
}

/* A file too large to be what it says it is. */
static void test_capture_oversized_file(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *name = proc_tree_file(7, 7, "io");
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);
	struct captured captured;

	add(tree, 7, 7);
	add(tree, 8, 8);
	assert_int_equal(truncate(path, 5 << 20), 0);
	captured_tree(&captured, tree);
	assert_int_equal(captured.result, 0);
	assert_int_equal(find(&captured, 7)->outcomes[SOURCE_io], OUTCOME_malformed);
	assert_unseen(find(&captured, 7), rchar);
	assert_whole(find(&captured, 8));
	captured_done(&captured);
}

/* Wherever the disk is full, the capture says so. */
static void test_capture_sink_fails(void **state)
{
	const struct temp_tree *tree = *state;
	const struct capture_options options = {.proc_root = tree->path};

	add(tree, 7, 7);
	for (size_t room = 0; room < 4; room++) {
		struct memory_sink sink = memory_sink_make(room * 100);
		struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
		struct strbuf error = STRBUF_INIT;
		struct snapshot_info info;

		assert_int_equal(capture_run(&options, writer, &info, &error), -ENOSPC);
		assert_text(&error, "");
		snapshot_info_done(&info);
		snapshot_writer_freep(&writer);
		strbuf_done(&sink.bytes);
		strbuf_done(&error);
	}
}

/* The /proc of this system has us in it. */
static void capture_this_system(const struct capture_options *options, uint64_t most_threads)
{
	const struct thread_sample *us;
	struct captured captured;
	cpu_set_t cpus;

	captured_run(&captured, options);
	assert_int_equal(captured.result, 0);
	us = find(&captured, (uint32_t)getpid());
	assert_int_equal(us->tgid, getpid());
	assert_text(&us->comm, "test-capture");
	assert_text(&us->pcomm, "test-capture");
	assert_true(metric_set_has(&us->seen, METRIC_nr_threads));
	assert_in_range(us->nr_threads.v, 1, most_threads);
	assert_true(us->minflt.v > 0);
	assert_int_equal(captured.info.rules[SOURCE_affinity], OUTCOME_read);
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	assert_int_equal(cpu_mask_count(&us->cpu_affinity.v), CPU_COUNT(&cpus));
	assert_true(captured.info.tally.processes <= captured.info.tally.threads);
	assert_int_equal(captured.copy.count, captured.info.tally.threads);
	captured_done(&captured);
}

/* On a host with many threads, the compressing thread has started by then, and those that walk /proc. */
static void test_capture_this_system(void **state)
{
	(void)state;
	need_own_process();
	capture_this_system(&(struct capture_options){.source = CAPTURE_SOURCE_PROCFS}, 2 + 16);
	capture_this_system(&(struct capture_options){.source = CAPTURE_SOURCE_AUTO}, 2 + 16);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_capture_two_processes),
	        in_tree(test_capture_rules_of_a_tree),
	        in_tree(test_capture_other_roots),
	        cmocka_unit_test(test_capture_exe_and_users),
	        in_tree(test_capture_leader_names_process),
	        in_tree(test_capture_leader_gone),
	        in_tree(test_capture_leader_vanished),
	        in_tree(test_capture_processes_gone),
	        in_tree(test_capture_no_process),
	        in_tree(test_capture_root_missing),
	        in_tree(test_capture_file_absent),
	        in_tree(test_capture_schedstat_zero),
	        in_tree(test_capture_schedstat_off_for_all),
	        in_tree(test_capture_malformed),
	        in_tree(test_capture_malformed_stat),
	        in_tree(test_capture_oversized_file),
	        in_tree(test_capture_sink_fails),
	        cmocka_unit_test(test_capture_this_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
