// SPDX-License-Identifier: GPL-2.0-or-later
/* Cgroups that lie below many others. */
#include "check.h"

#include "capture/cgroup-walk.h"
#include "temp-tree.h"

enum { DEEP = 300 };

struct counting {
	struct cgroup_sink sink; /* must stay the first member */
	size_t count, longest;
};

static int count(struct cgroup_sink *self, const struct cgroup_stats *stats)
{
	struct counting *counting = (struct counting *)self;

	counting->count++;
	if (stats->path.len > counting->longest)
		counting->longest = stats->path.len;
	return 0;
}

/* Reads a cgroup of so many levels, "/a/a/a" for 3. */
static struct counting read_depth(const struct temp_tree *tree, unsigned depth,
                                  struct snapshot_tally *tally)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct cgroup_mounts mounts = {0};
	struct cgroup_walk walk;
	struct counting counting = {.sink = {count}};

	strbuf_add_str(&text, "0::");
	for (unsigned i = 0; i < depth; i++)
		strbuf_add_str(&text, "/a");
	strbuf_add_char(&text, '\n');
	cgroup_mounts_from_directory(tree->path, &mounts);
	cgroup_walk_init(&walk);
	cgroup_walk_note(&walk, text.data, text.len);
	assert_int_equal(cgroup_walk_read(&walk, &mounts, &counting.sink, tally), 0);
	cgroup_walk_done(&walk);
	cgroup_mounts_done(&mounts);
	return counting;
}

/* The cgroup itself is read however deep it is; those above it are, and the root, up to the limit. */
static void test_depth(void **state)
{
	static const struct {
		unsigned depth;
		size_t read;
	} cases[] = {{3, 4},
	             {CGROUP_DEPTH_MAX, CGROUP_DEPTH_MAX + 1},
	             {CGROUP_DEPTH_MAX + 1, CGROUP_DEPTH_MAX + 2},
	             {DEEP, CGROUP_DEPTH_MAX + 2}};
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	temp_tree_write_text(tree, "cgroup.controllers", "memory\n");
	for (unsigned i = 0; i < DEEP; i++)
		strbuf_add_str(&path, i == 0 ? "a" : "/a");
	temp_tree_make_dir(tree, strbuf_str(&path));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_tally tally = {0};
		struct counting counting = read_depth(tree, cases[i].depth, &tally);

		assert_int_equal(counting.count, cases[i].read);
		assert_int_equal(counting.longest, 2 * cases[i].depth);
		assert_int_equal(tally.cgroups, 1);
		assert_int_equal(tally.cgroup_ancestors, cases[i].read - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_depth, temp_tree_setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
