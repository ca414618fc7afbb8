// SPDX-License-Identifier: GPL-2.0-or-later
/* Several walkers must write what one writes, and what the writer's own thread writes where there is no other (0 walkers), byte for
 * byte, and end as it does. */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "capture/cgroup-walk.h"
#include "capture/walk-team.h"
#include "memory-stream.h"
#include "proc-tree.h"

enum { PROCESSES = 150, FIRST = 5000000, LARGE = 40, LARGE_THREADS = 400 };

struct walked {
	int result;
	struct strbuf json;
	struct snapshot_info info;
	struct strbuf error;
	size_t cgroups;
	uint64_t spread_ns;
};

/* A visitor that writes what it is given to a file. */
struct through {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct snapshot_writer *file;
};

static int write_through(struct snapshot_visitor *self, struct thread_sample *sample)
{
	return snapshot_write_thread(((struct through *)self)->file, sample);
}

/* Everything that a snapshot has of its threads is in the bytes, for no compression changes them. */
static void walk_tree(struct walked *walked, int proc_fd, unsigned members, size_t room,
                      bool probes, bool visits)
{
	static const uint64_t boottime_ns = 1000;
	static const struct taskstats_rules rules;
	struct memory_sink sink = memory_sink_make(room);
	struct through through = {
	        .visitor.thread = write_through,
	        .file = snapshot_writer_new(&sink.base, SNAPSHOT_ZSTD_LEVEL),
	};
	struct snapshot_writer *writer =
	        visits ? snapshot_writer_new_visiting(&through.visitor) : through.file;
	struct cgroup_walk cgroups;
	struct jemalloc_files files;
	struct walk_options options = {.proc_fd = proc_fd,
	                               .taskstats_rules = &rules,
	                               .cgroups = &cgroups,
	                               .jemalloc_files = &files,
	                               .tree_boottime_ns = &boottime_ns};
	struct stall_list stalls = {.limit_ns = 0};
	struct walk_files work;
	struct walk_job job = {.options = &options,
	                       .work = &work.work,
	                       .writer = writer,
	                       .stalls = &stalls,
	                       .walkers = members};
	struct walk walk;

	memset(walked, 0, sizeof(*walked));
	cgroup_walk_init(&cgroups);
	jemalloc_files_init(&files, FILE_SYSTEMS_LOCAL);
	walk_init(&walk, &options, walked->info.rules);
	walk.tally = &walked->info.tally;
	if (probes)
		walk.jemalloc.rule = OUTCOME_read;
	walked->result = snapshot_write_begin(through.file, &walked->info);
	if (walked->result == 0 && visits)
		walked->result = snapshot_write_begin(writer, &walked->info);
	if (walked->result == 0)
		walked->result = walk_find(&walk, "tree", &walked->error);
	walk_files_init(&work, &walk.processes);
	if (walked->result == 0)
		walked->result = walk_team_all(&walk, &job, "tree", &walked->error);
	walked->spread_ns = walk.last_read_ns - walk.first_read_ns;
	walked->info.probe = walk.jemalloc.summary;
	if (walked->result == 0)
		walked->result = snapshot_write_end(through.file, &walked->info);
	walked->cgroups = cgroups.v2.count;
	walk_done(&walk);
	stall_list_done(&stalls);
	jemalloc_files_done(&files);
	cgroup_walk_done(&cgroups);
	if (visits)
		snapshot_writer_freep(&writer);
	snapshot_writer_freep(&through.file);
	walked->json = sink.bytes;
}

static void walked_done(struct walked *walked)
{
	strbuf_done(&walked->json);
	strbuf_done(&walked->error);
	snapshot_info_done(&walked->info);
}

static void add_thread(const struct temp_tree *tree, uint32_t tgid, uint32_t tid)
{
	proc_tree_add(tree,
	              &(struct proc_thread){.tgid = tgid, .tid = tid, .utime_clock_ticks = 1});
}

static int setup(void **state)
{
	int r = temp_tree_setup(state);

	for (uint32_t process = 0; process < PROCESSES; process++) {
		uint32_t tgid = FIRST + process * 1000;
		uint32_t threads = process == LARGE ? LARGE_THREADS : 1 + process % 3;

		for (uint32_t thread = 0; thread < threads; thread++)
			add_thread(*state, tgid, tgid + thread);
	}
	return r;
}

static void test_same_bytes(void **state)
{
	const struct temp_tree *tree = *state;
	struct walked alone, team;

	for (int probes = 0; probes < 2; probes++) {
		walk_tree(&alone, tree->fd, 0, SIZE_MAX, probes, false);
		assert_int_equal(alone.result, 0);
		assert_int_equal(alone.info.tally.processes, PROCESSES);
		assert_true(alone.info.tally.threads > LARGE_THREADS + PROCESSES);
		for (unsigned members = 1; members <= 20; members += 3) {
			walk_tree(&team, tree->fd, members, SIZE_MAX, probes, members % 2);
			assert_int_equal(team.result, 0);
			assert_int_equal(team.json.len, alone.json.len);
			assert_memory_equal(team.json.data, alone.json.data, alone.json.len);
			assert_memory_equal(&team.info.tally, &alone.info.tally,
			                    sizeof(alone.info.tally));
			assert_memory_equal(&team.info.probe, &alone.info.probe,
			                    sizeof(alone.info.probe));
			assert_int_equal(team.cgroups, alone.cgroups);
			assert_true(team.spread_ns > 0);
			walked_done(&team);
		}
		walked_done(&alone);
	}
}

static void test_writer_fails(void **state)
{
	const struct temp_tree *tree = *state;
	struct walked walked;

	for (unsigned members = 0; members < 5; members++) {
		walk_tree(&walked, tree->fd, members, 0, true, members > 2);
		assert_int_equal(walked.result, -ENOSPC);
		assert_text(&walked.error, "");
		walked_done(&walked);
	}
}

static void test_no_descriptors(void **state)
{
	const struct temp_tree *tree = *state;
	struct rlimit before, none;
	struct walked walked;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)tree->fd + 2;
	for (unsigned members = 0; members < 5; members++) {
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		walk_tree(&walked, tree->fd, members, SIZE_MAX, true, members > 2);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_int_equal(walked.result, -EMFILE);
		assert_contains(strbuf_str(&walked.error), strerror(EMFILE));
		walked_done(&walked);
	}
}

static void test_empty_tree(void **state)
{
	const struct temp_tree *tree = *state;
	struct walked walked;

	walk_tree(&walked, tree->fd, 2, SIZE_MAX, false, false);
	assert_int_equal(walked.result, -ENOENT);
	assert_contains(strbuf_str(&walked.error), "no process found there");
	walked_done(&walked);
}

/* Those of another system's tree are read by one, whatever there is of them. */
static void test_size(void **state)
{
	struct walk_work work = {.count = 10000};
	struct walk walk = {.tally = NULL};

	(void)state;
	assert_int_equal(walk_team_size(&walk, &work), 1);
	walk.reader.live = true;
	assert_in_range(walk_team_size(&walk, &work), 1, 16);
	work.count = 3;
	assert_int_equal(walk_team_size(&walk, &work), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_same_bytes, setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_writer_fails, setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_no_descriptors, setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_empty_tree, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
