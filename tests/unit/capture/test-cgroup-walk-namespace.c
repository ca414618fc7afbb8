// SPDX-License-Identifier: GPL-2.0-or-later
/* Cgroups of version 1 above the root of our cgroup namespace, which each hierarchy has in another place. */
#include "check.h"

#include "capture/cgroup-walk.h"
#include "temp-tree.h"

struct writing {
	struct cgroup_sink sink; /* must stay the first member */
	struct strbuf text;
};

static int add(struct cgroup_sink *self, const struct cgroup_stats *stats)
{
	static const struct {
		enum cgroup_value_id id;
		const char *name;
	} values[] = {{CGROUP_VALUE_cpu_v1_quota_us, "quota"}, {CGROUP_VALUE_pids_v1_max, "pids"}};
	struct writing *writing = (struct writing *)self;

	strbuf_addf(&writing->text, "%s", strbuf_str(&stats->path));
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (stats->values[values[i].id].state == FACT_NUMBER)
			strbuf_addf(&writing->text, " %s=%ld", values[i].name,
			            (long)stats->values[values[i].id].number);
	strbuf_add_char(&writing->text, '\n');
	return 0;
}

/* Lets the namespace begin with @name, so many levels below the mounts of the controllers. */
static void begin_namespace(struct cgroup_mounts *mounts, const char *controller, const char *root,
                            const char *name)
{
	struct cgroup_v1_controllers controllers;

	cgroup_v1_controllers_init(&controllers);
	for (size_t i = 0; i < controllers.count; i++) {
		struct cgroup_mount *mount = &mounts->v1[i];

		if (strcmp(controllers.names[i], controller) != 0)
			continue;
		strbuf_clear(&mount->root);
		strbuf_add_str(&mount->root, root);
		mount->namespace_known = *name != '\0';
		strbuf_add_str(&mount->namespace_root, name);
	}
}

static void check_read(struct cgroup_mounts *mounts, const char *note, const char *expected)
{
	struct writing writing = {.sink = {add}};
	struct snapshot_tally tally = {0};
	struct cgroup_walk walk;

	cgroup_walk_init(&walk);
	cgroup_walk_note(&walk, note, strlen(note));
	assert_int_equal(cgroup_walk_read(&walk, mounts, &writing.sink, &tally), 0);
	assert_text(&writing.text, expected);
	strbuf_done(&writing.text);
	cgroup_walk_done(&walk);
}

/* Above the root each hierarchy shows as many cgroups as it has there. The one of version 2 has none, or is not mounted. */
static void test_hierarchies(void **state)
{
	const struct temp_tree *tree = *state;
	struct cgroup_mounts mounts = {0};

	temp_tree_write_text(tree, "cpu/cpu.cfs_quota_us", "1\n");
	temp_tree_write_text(tree, "cpu/b/cpu.cfs_quota_us", "20000\n");
	temp_tree_write_text(tree, "cpu/b/mid/cpu.cfs_quota_us", "30000\n");
	temp_tree_write_text(tree, "cpu/b/mid/leaf/cpu.cfs_quota_us", "40000\n");
	temp_tree_write_text(tree, "pids/pids.max", "5\n");
	temp_tree_write_text(tree, "pids/c/pids.max", "6\n");
	temp_tree_write_text(tree, "pids/c/leaf/pids.max", "7\n");
	temp_tree_make_dir(tree, "memory/leaf");
	cgroup_mounts_from_directory(tree->path, &mounts);
	begin_namespace(&mounts, "cpu", "/../..", "b/mid");
	begin_namespace(&mounts, "pids", "/..", "c");
	check_read(&mounts, "3:cpu:/leaf\n2:pids:/leaf\n1:memory:/leaf\n",
	           "/ quota=30000 pids=6\n/.. quota=20000 pids=5\n/../.. quota=1\n"
	           "/leaf quota=40000 pids=7\n");
	check_read(&mounts, "1:memory:/leaf\n", "/\n/leaf\n");
	temp_tree_write_text(tree, "unified/cgroup.controllers", "\n");
	cgroup_mounts_done(&mounts);
	cgroup_mounts_from_directory(tree->path, &mounts);
	begin_namespace(&mounts, "cpu", "/../..", "b/mid");
	check_read(&mounts, "3:cpu:/leaf\n",
	           "/ quota=30000\n/.. quota=20000\n/../.. quota=1\n/leaf quota=40000\n");
	cgroup_mounts_done(&mounts);
}

/* A cgroup that the mount of version 2 shows is none of version 1. */
static void test_only_version_2(void **state)
{
	const struct temp_tree *tree = *state;
	struct cgroup_mounts mounts = {0};

	temp_tree_write_text(tree, "cpu/cpu.cfs_quota_us", "1\n");
	temp_tree_make_dir(tree, "cpu/leaf");
	temp_tree_write_text(tree, "unified/cgroup.controllers", "\n");
	cgroup_mounts_from_directory(tree->path, &mounts);
	strbuf_clear(&mounts.unified.root);
	strbuf_add_str(&mounts.unified.root, "/..");
	check_read(&mounts, "3:cpu:/leaf\n", "/ quota=1\n/leaf\n");
	cgroup_mounts_done(&mounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_hierarchies, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_only_version_2, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
