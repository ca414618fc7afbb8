// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "cgroup/cgroup-id.h"

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

/* Names come from the root down; the mount may show a part of the hierarchy as its root, as in a cgroup namespace. */
static void test_added_names(void **state)
{
	struct cgroup_mounts any = {.unified = {.found = true}};
	cleanup_(cgroup_ids_freep) struct cgroup_ids *ids = NULL;
	uint64_t root = number_of("/tmp"), other = root + 1000;

	(void)state;
	strbuf_add_str(&any.unified.point, "/tmp");
	strbuf_add_str(&any.unified.root, "/");
	ids = cgroup_ids_new(&any);
	/* Not found, so far. */
	assert_null(cgroup_ids_path(ids, other + 2));
	cgroup_ids_add(ids, other, 0, "above");
	cgroup_ids_add(ids, root, other, "ours");
	cgroup_ids_add(ids, other + 1, root, "a b");
	cgroup_ids_add(ids, other + 2, other + 1, "c");
	assert_null(cgroup_ids_path(ids, other));
	assert_text(cgroup_ids_path(ids, root), "/");
	assert_text(cgroup_ids_path(ids, other + 1), "/a b");
	assert_text(cgroup_ids_path(ids, other + 2), "/a b/c");
	/* The first answer stays. */
	cgroup_ids_add(ids, other + 2, root, "d");
	assert_text(cgroup_ids_path(ids, other + 2), "/a b/c");
	/* Beside what the mount shows. */
	cgroup_ids_add(ids, other + 3, other, "beside");
	assert_null(cgroup_ids_path(ids, other + 3));
	cgroup_mounts_done(&any);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_no_mount),
	        cmocka_unit_test(test_paths),
	        cmocka_unit_test(test_added_names),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
