// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which files of a cgroup are read. test-cgroup-walk.c tests which cgroups are. */
#include "check.h"

#include "cgroup/cgroup-read.h"
#include "temp-tree.h"

static bool has_value(const struct cgroup_reader *reader, enum cgroup_value_id id)
{
	return reader->stats.values[id].state != FACT_UNSEEN;
}

/* A controller that the root lacks is in no cgroup, so its files are not asked for; those of a given tree are. */
static void test_controllers_of_root(void **state)
{
	const struct temp_tree *tree = *state;
	struct cgroup_v1_controllers controllers;
	struct cgroup_mounts mounts = {0};

	temp_tree_write_text(tree, "cgroup.controllers", "cpu memory\n");
	temp_tree_write_text(tree, "in/cpu.stat", "usage_usec 3\n");
	temp_tree_write_text(tree, "in/memory.current", "1\n");
	temp_tree_write_text(tree, "in/pids.current", "2\n");
	cgroup_v1_controllers_init(&controllers);
	cgroup_mounts_from_directory(tree->path, &mounts);
	for (int is_system = 0; is_system < 2; is_system++) {
		cleanup_(cgroup_reader_done) struct cgroup_reader reader;

		mounts.is_system = is_system;
		cgroup_reader_init(&reader, &mounts, &controllers, NULL);
		assert_int_equal(cgroup_read_v2(&reader, (struct span){"/in", 3}),
		                 CGROUP_READ_DONE);
		assert_true(has_value(&reader, CGROUP_VALUE_cpu_usage_usec));
		assert_true(has_value(&reader, CGROUP_VALUE_memory_current));
		assert_int_equal(has_value(&reader, CGROUP_VALUE_pids_current), !is_system);
	}
	cgroup_mounts_done(&mounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_controllers_of_root, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
