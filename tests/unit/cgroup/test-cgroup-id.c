// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "cgroup/cgroup-id.h"
#include "temp-tree.h"

static struct cgroup_mounts mounts;

static int setup(void **state)
{
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");

	(void)state;
	cgroup_mounts_find(proc_fd, true, &mounts);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cgroup_mounts_done(&mounts);
	return 0;
}

/* Without a mount, or with one that shows a part only, there are no paths. */
static void test_no_mount(void **state)
{
	struct cgroup_mounts none = {0}, part = {.unified = {.found = true}};
	cleanup_(cgroup_ids_freep) struct cgroup_ids *nothing = cgroup_ids_new(NULL);
	cleanup_(cgroup_ids_freep) struct cgroup_ids *without = cgroup_ids_new(&none);
	cleanup_(cgroup_ids_freep) struct cgroup_ids *partly = NULL;

	(void)state;
	strbuf_add_str(&part.unified.point, "/sys/fs/cgroup");
	strbuf_add_str(&part.unified.root, "/docker/x");
	partly = cgroup_ids_new(&part);
	assert_null(cgroup_ids_path(nothing, 1));
	assert_null(cgroup_ids_path(without, 1));
	assert_null(cgroup_ids_path(partly, 1));
	cgroup_mounts_done(&part);
}

static uint64_t number_of(const char *directory)
{
	struct stat status;

	assert_int_equal(stat(directory, &status), 0);
	return status.st_ino;
}

/* Against the running kernel, as root; a blank and "(deleted)" belong to the name. */
static void test_paths(void **state)
{
	cleanup_(cgroup_ids_freep) struct cgroup_ids *ids = NULL;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	const char *name = "/ctprof test (deleted)";
	const struct strbuf *found;
	uint64_t root, number;

	(void)state;
	if (!mounts.unified.found || strcmp(strbuf_str(&mounts.unified.root), "/") != 0)
		skip();
	ids = cgroup_ids_new(&mounts);
	root = number_of(strbuf_str(&mounts.unified.point));
	found = cgroup_ids_path(ids, root);
	if (!found && geteuid() != 0)
		skip();
	assert_non_null(found);
	assert_text(found, "/");
	strbuf_addf(&path, "%s%s", strbuf_str(&mounts.unified.point), name);
	if (mkdir(strbuf_str(&path), 0755) < 0 && errno != EEXIST)
		skip();
	number = number_of(strbuf_str(&path));
	found = cgroup_ids_path(ids, number);
	assert_int_equal(rmdir(strbuf_str(&path)), 0);
	assert_non_null(found);
	assert_text(found, name);
	/* It is remembered, where another look would find nothing. */
	assert_ptr_equal(cgroup_ids_path(ids, number), found);
	cgroup_ids_freep(&ids);
	ids = cgroup_ids_new(&mounts);
	assert_null(cgroup_ids_path(ids, number));
	assert_null(cgroup_ids_path(ids, UINT64_MAX));
	assert_null(cgroup_ids_path(ids, UINT64_MAX));
}

static void add(struct cgroup_ids *ids, uint64_t id, const char *text)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	strbuf_add_str(&path, text);
	cgroup_ids_add(ids, id, &path);
}

/* The mount is a directory with directories of this test. */
static struct cgroup_ids *ids_below(const struct temp_tree *tree)
{
	struct cgroup_mounts any = {.unified = {.found = true}};
	struct cgroup_ids *ids;

	strbuf_add_str(&any.unified.point, tree->path);
	strbuf_add_str(&any.unified.root, "/");
	ids = cgroup_ids_new(&any);
	cgroup_mounts_done(&any);
	return ids;
}

static uint64_t number_in(const struct temp_tree *tree, const char *name)
{
	struct stat status;

	assert_int_equal(fstatat(tree->fd, name, &status, 0), 0);
	return status.st_ino;
}

static void test_added_paths(void **state)
{
	cleanup_(cgroup_ids_freep) struct cgroup_ids *ids = ids_below(*state);
	uint64_t root = number_in(*state, "."), other = root + 1000;

	assert_true(cgroup_ids_is_root(ids, root));
	assert_false(cgroup_ids_is_root(ids, other));
	assert_false(cgroup_ids_is_root(ids, 0));
	/* Not found, so far. */
	assert_null(cgroup_ids_path(ids, other));
	add(ids, other, "/a b/c");
	assert_text(cgroup_ids_path(ids, other), "/a b/c");
	/* The first path stays. */
	add(ids, other, "/d");
	assert_text(cgroup_ids_path(ids, other), "/a b/c");
}

/* A path is there for at least as long as from one call to the next, and for no longer than to the one after that. */
static void test_forget(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(cgroup_ids_freep) struct cgroup_ids *ids = ids_below(tree);
	uint64_t root = number_in(tree, "."), gone = root + 1000, stays, left;

	temp_tree_make_dir(tree, "stays");
	temp_tree_make_dir(tree, "left");
	stays = number_in(tree, "stays");
	left = number_in(tree, "left");
	add(ids, root, "/");
	add(ids, stays, "/stays");
	add(ids, left, "/left");
	add(ids, gone, "/gone");
	/* Another cgroup of the same name. */
	add(ids, gone + 1, "/stays");
	for (int call = 0; call < 3; call++) {
		bool is_known = call == 0;

		cgroup_ids_forget(ids);
		assert_text(cgroup_ids_path(ids, root), "/");
		assert_text(cgroup_ids_path(ids, stays), "/stays");
		if (is_known) {
			assert_text(cgroup_ids_path(ids, gone), "/gone");
			assert_text(cgroup_ids_path(ids, gone + 1), "/stays");
		} else {
			assert_null(cgroup_ids_path(ids, gone));
			assert_null(cgroup_ids_path(ids, gone + 1));
		}
	}
	temp_tree_remove(tree, "left");
	cgroup_ids_forget(ids);
	assert_text(cgroup_ids_path(ids, left), "/left");
	cgroup_ids_forget(ids);
	assert_null(cgroup_ids_path(ids, left));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_no_mount),
	        cmocka_unit_test(test_paths),
	        cmocka_unit_test_setup_teardown(test_added_paths, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_forget, temp_tree_setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
