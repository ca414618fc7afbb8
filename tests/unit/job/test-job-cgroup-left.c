// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-cgroup-left.h"

#include <stdio.h>

#include "base/mem.h"
#include "check.h"
#include "temp-tree.h"

static const char leaves[] = "4:memory:/a/leaf\n2:cpuacct:/leaf\n0::/b/leaf\n";

struct scene {
	struct job_cgroup cgroup;
	struct id_list pids;
};

static void scene_init(struct scene *scene)
{
	static const char *const paths[JOB_LEAF_COUNT] = {
	        [JOB_LEAF_UNIFIED] = "/b/leaf",
	        [JOB_LEAF_MEMORY] = "/a/leaf",
	};

	*scene = (struct scene){0};
	for (unsigned i = 0; i < JOB_LEAF_COUNT; i++) {
		scene->cgroup.leaves[i].fd = scene->cgroup.leaves[i].parent_fd = -1;
		if (!paths[i])
			continue;
		scene->cgroup.leaves[i].used = true;
		strbuf_add_str(&scene->cgroup.leaves[i].path, paths[i]);
	}
	*array_add(scene->pids.ids, scene->pids.count, scene->pids.capacity) = 7;
}

static void scene_done(struct scene *scene)
{
	for (unsigned i = 0; i < JOB_LEAF_COUNT; i++)
		strbuf_done(&scene->cgroup.leaves[i].path);
	id_list_done(&scene->pids);
}

static void put(const struct temp_tree *tree, const char *cgroup, const char *flags)
{
	char stat[128];

	snprintf(stat, sizeof(stat), "7 (a) b) S 1 2 3 4 5 %s 0 0", flags);
	temp_tree_write_text(tree, "7/cgroup", cgroup);
	temp_tree_write_text(tree, "7/stat", stat);
}

static void assert_left(const struct scene *scene, bool unified, bool memory)
{
	assert_int_equal(scene->cgroup.leaves[JOB_LEAF_UNIFIED].was_left, unified);
	assert_int_equal(scene->cgroup.leaves[JOB_LEAF_MEMORY].was_left, memory);
}

static void inside_and_outside(void **state)
{
	static const struct {
		const char *cgroup, *flags;
		bool unified, memory;
	} cases[] = {
	        {leaves, "4194304", false, false},
	        {"4:memory:/a/leaf/deeper\n0::/b/leaf/x/y\n", "0", false, false},
	        {"4:memory:/a\n0::/b/leaf\n", "0", false, true},
	        {"4:memory:/a/leaf2\n0::/b/leaf\n", "0", false, true},
	        {"4:memory:/a/leaf\n0::/\n", "0", true, false},
	        {"4:memory:/\n0::/b/lea\n", "4194304", true, true},
	        /* One that exits seems to be in the root. */
	        {"4:memory:/\n0::/b/leaf\n", "4194308", false, false},
	        /* No line is no proof. */
	        {"", "0", false, false},
	};
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene;

		scene_init(&scene);
		put(tree, cases[i].cgroup, cases[i].flags);
		job_cgroup_check(&scene.cgroup, tree->fd, &scene.pids);
		assert_left(&scene, cases[i].unified, cases[i].memory);
		/* Once is enough. */
		put(tree, leaves, "0");
		job_cgroup_check(&scene.cgroup, tree->fd, &scene.pids);
		assert_left(&scene, cases[i].unified, cases[i].memory);
	}
}

static void a_process_that_is_gone(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(scene_done) struct scene scene;

	scene_init(&scene);
	job_cgroup_check(&scene.cgroup, tree->fd, &scene.pids);
	assert_left(&scene, false, false);
	temp_tree_write_text(tree, "7/cgroup", "4:memory:/\n0::/\n");
	job_cgroup_check(&scene.cgroup, tree->fd, &scene.pids);
	assert_left(&scene, false, false);
}

static void wait_has_more(void **state)
{
	cleanup_(scene_done) struct scene scene;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	scene_init(&scene);
	job_cgroup_check_time(&scene.cgroup, 10, 10.15);
	assert_false(job_cgroup_say_left(&scene.cgroup, true, &text));
	assert_int_equal(text.len, 0);
	job_cgroup_check_time(&scene.cgroup, 10, 10.5);
	assert_left(&scene, true, false);
	assert_true(job_cgroup_say_left(&scene.cgroup, true, &text));
	assert_non_null(strstr(strbuf_str(&text), "wait4"));
	assert_null(strstr(strbuf_str(&text), "memory"));
}

/* The ends of a job with 10 s of CPU time, and what the leaf and wait4(2) have. */
static void ends_have_less(void **state)
{
	static const struct {
		double counted, minor, major, voluntary, involuntary;
		bool left;
	} cases[] = {
	        {10.00005, 500, 4, 30, 20, false}, /* all of them */
	        {0, 0, 0, 0, 0, false},            /* the parents ignore SIGCHLD */
	        {10.001, 500, 4, 30, 20, true},
	        {10, 501, 4, 30, 20, true},
	        {10, 500, 5, 30, 20, true},
	        {10, 500, 4, 31, 20, true},
	        {10, 500, 4, 30, 21, true},
	};
	struct job_values ends = {0}, none = {0};

	(void)state;
	job_set(&ends, JOB_cpu_time, JOB_SOURCE_exits, 10);
	job_set(&ends, JOB_minor_faults, JOB_SOURCE_exits, 500);
	job_set(&ends, JOB_major_faults, JOB_SOURCE_exits, 4);
	job_set(&ends, JOB_voluntary_switches, JOB_SOURCE_exits, 30);
	job_set(&ends, JOB_involuntary_switches, JOB_SOURCE_exits, 20);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct job_tally tally = {.minor_faults = cases[i].minor,
		                                .major_faults = cases[i].major,
		                                .voluntary_switches = cases[i].voluntary,
		                                .involuntary_switches = cases[i].involuntary};
		cleanup_(scene_done) struct scene scene;

		scene_init(&scene);
		/* Ends that are not known say nothing. */
		job_cgroup_check_ends(&scene.cgroup, &none, cases[i].counted, &tally);
		assert_left(&scene, false, false);
		job_cgroup_check_ends(&scene.cgroup, &ends, cases[i].counted, &tally);
		assert_left(&scene, cases[i].left, false);
	}
}

static void nobody_waited(void **state)
{
	cleanup_(scene_done) struct scene scene;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	scene_init(&scene);
	scene.cgroup.leaves[JOB_LEAF_UNIFIED].was_left = true;
	assert_true(job_cgroup_say_left(&scene.cgroup, false, &text));
	assert_non_null(strstr(strbuf_str(&text), "wait4(2) lacks one, so CPU time is not known"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(inside_and_outside, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(a_process_that_is_gone, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test(wait_has_more),
	        cmocka_unit_test(ends_have_less),
	        cmocka_unit_test(nobody_waited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
