// SPDX-License-Identifier: GPL-2.0-or-later
/* The mounts of the cgroup hierarchies: by mountinfo, by a libcgroup of our own making, in a directory. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <libcgroup.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"
#include "cgroup/cgroup-mount.h"
#include "temp-tree.h"

enum { CPUACCT, CPU, MEMORY, PIDS }; /* in the order of registry/cgroup.def */

/* The answers of the fake libcgroup. */
static struct {
	int init_result;
	struct cgroup_mount_point points[4];
	long types[4];
	size_t count, next;
	unsigned inits;
} library;

/* The answers of statx(2) about mounts: without a row here it has no ids. */
static struct {
	const char *point;
	uint64_t id;
} mount_ids[2];

int __wrap_cgroup_init(void);
int __wrap_cgroup_get_controller_begin(void **handle, struct cgroup_mount_point *info);
int __wrap_cgroup_get_controller_next(void **handle, struct cgroup_mount_point *info);
int __wrap_cgroup_get_controller_end(void **handle);
int __wrap_statfs(const char *path, struct statfs *status);
int __wrap_statfs64(const char *path, struct statfs *status);
int __wrap_statx(int dir_fd, const char *path, int flags, unsigned mask, struct statx *status);

int __wrap_cgroup_init(void)
{
	library.inits++;
	return library.init_result;
}

int __wrap_cgroup_get_controller_next(void **handle, struct cgroup_mount_point *info)
{
	(void)handle;
	if (library.next == library.count)
		return ECGEOF;
	*info = library.points[library.next++];
	return 0;
}

int __wrap_cgroup_get_controller_begin(void **handle, struct cgroup_mount_point *info)
{
	library.next = 0;
	return __wrap_cgroup_get_controller_next(handle, info);
}

int __wrap_cgroup_get_controller_end(void **handle)
{
	(void)handle;
	return 0;
}

int __wrap_statfs(const char *path, struct statfs *status)
{
	for (size_t i = 0; i < library.count; i++)
		if (strcmp(library.points[i].path, path) == 0) {
			*status = (struct statfs){.f_type = library.types[i]};
			return 0;
		}
	errno = ENOENT;
	return -1;
}

int __wrap_statfs64(const char *path, struct statfs *status)
{
	return __wrap_statfs(path, status);
}

int __wrap_statx(int dir_fd, const char *path, int flags, unsigned mask, struct statx *status)
{
	assert_int_equal(dir_fd, AT_FDCWD);
	assert_true((flags & AT_SYMLINK_NOFOLLOW) == 0 && mask == STATX_MNT_ID);
	*status = (struct statx){.stx_mask = STATX_BASIC_STATS};
	for (size_t i = 0; i < ARRAY_SIZE(mount_ids) && mount_ids[0].point; i++) {
		if (!mount_ids[i].point || strcmp(mount_ids[i].point, path) != 0)
			continue;
		*status = (struct statx){.stx_mask = STATX_MNT_ID, .stx_mnt_id = mount_ids[i].id};
		return 0;
	}
	errno = ENOSYS;
	return mount_ids[0].point ? -1 : 0;
}

static void library_says(const char *name, const char *path, long type)
{
	struct cgroup_mount_point *point = &library.points[library.count];

	snprintf(point->name, sizeof(point->name), "%s", name);
	snprintf(point->path, sizeof(point->path), "%s", path);
	library.types[library.count++] = type;
}

static int setup(void **state)
{
	memset(&library, 0, sizeof(library));
	memset(mount_ids, 0, sizeof(mount_ids));
	return temp_tree_setup(state);
}

static struct cgroup_mounts mounts;

static int teardown(void **state)
{
	cgroup_mounts_done(&mounts);
	return temp_tree_teardown(state);
}

static void find(const struct temp_tree *tree, const char *mountinfo)
{
	temp_tree_write_text(tree, "self/mountinfo", mountinfo);
	cgroup_mounts_done(&mounts);
	cgroup_mounts_find(tree->fd, false, &mounts);
	assert_true(mounts.searched && mounts.is_system);
	assert_int_equal(library.inits, 0);
}

static void check_mount(const struct cgroup_mount *mount, const char *point, const char *root)
{
	assert_true(mount->found);
	assert_text(&mount->point, point);
	assert_text(&mount->root, root);
}

static void check_mode(enum cgroup_mode mode, const char *name)
{
	struct host host = {0};

	assert_int_equal(cgroup_mounts_mode(&mounts), mode);
	cgroup_mounts_set_host(&mounts, &host);
	assert_string_equal(host_text(&host, HOST_cgroup_mode), name);
	host_done(&host);
}

static void test_mount_v2(void **state)
{
	find(*state, "25 30 0:23 / /sys rw shared:7 - sysfs sysfs rw\n"
	             "33 25 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 "
	             "rw,nsdelegate,memory_recursiveprot\n");
	check_mount(&mounts.unified, "/sys/fs/cgroup", "/");
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		assert_false(mounts.v1[i].found);
	check_mode(CGROUP_MODE_V2, "v2");
}

static void test_mount_hybrid(void **state)
{
	find(*state,
	     "35 31 0:32 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
	     "36 31 0:33 / /sys/fs/cgroup2-not rw - tmpfs cgroup2 rw,memory\n"
	     "37 31 0:34 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	     "38 31 0:35 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
	     "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:7 master:2 - cgroup2 none rw\n"
	     "42 31 0:38 / /later rw - cgroup2 none rw\n");
	check_mount(&mounts.unified, "/sys/fs/cgroup/unified", "/");
	check_mount(&mounts.v1[CPU], "/sys/fs/cgroup/cpu,cpuacct", "/");
	check_mount(&mounts.v1[CPUACCT], "/sys/fs/cgroup/cpu,cpuacct", "/");
	check_mount(&mounts.v1[MEMORY], "/sys/fs/cgroup/memory", "/");
	assert_false(mounts.v1[PIDS].found);
	check_mode(CGROUP_MODE_HYBRID, "hybrid");
}

static void test_mount_v1(void **state)
{
	find(*state, "36 31 0:33 / /cg/pids rw - cgroup pids rw,pids\n");
	check_mount(&mounts.v1[PIDS], "/cg/pids", "/");
	assert_false(mounts.unified.found);
	check_mode(CGROUP_MODE_V1, "v1");
	find(*state, "36 31 0:33 / /cg/s rw - cgroup s rw,name=systemd\n");
	check_mode(CGROUP_MODE_V1, "v1");
}

/* If there are several mounts, the one with most of our own paths is used. */
static void test_mount_roots(void **state)
{
	find(*state, "41 31 0:38 /../.. /out rw - cgroup2 c rw\n"
	             "42 31 0:38 /gone//deleted /gone rw - cgroup2 c rw\n");
	check_mount(&mounts.unified, "/out", "/../..");
	find(*state, "41 31 0:38 /docker/a\\040b /sys/fs/cgroup rw - cgroup2 c rw\n"
	             "42 31 0:38 /../.. /out rw - cgroup2 c rw\n");
	check_mount(&mounts.unified, "/sys/fs/cgroup", "/docker/a b");
	find(*state, "41 31 0:38 /docker/x /part rw - cgroup2 c rw\n"
	             "42 31 0:38 / /all rw - cgroup2 c rw\n"
	             "43 31 0:38 / /again rw - cgroup2 c rw\n"
	             "44 31 0:39 /x /part rw - cgroup c rw,memory\n"
	             "45 31 0:39 / /m rw - cgroup c rw,memory\n");
	check_mount(&mounts.unified, "/all", "/");
	check_mount(&mounts.v1[MEMORY], "/m", "/");
}

static void test_mount_last_newline_missing(void **state)
{
	find(*state, "41 31 0:38 / /cg rw - cgroup2 cgroup2 rw");
	check_mount(&mounts.unified, "/cg", "/");
	find(*state, "41 31 0:38 / /cg rw - cgroup2");
	check_mount(&mounts.unified, "/cg", "/");
}

/* The kernel writes blanks, tabs, newlines and backslashes as three octal digits. */
static void test_mount_escapes(void **state)
{
	static const struct {
		const char *written, *path;
	} cases[] = {
	        {"/a\\040b", "/a b"},
	        {"/\\011\\012\\134\\043", "/\t\n\\#"},
	        {"/end\\040", "/end "},
	        {"/\\134040", "/\\040"},
	        {"/\\377", "/\xff"},
	        {"/-", "/-"},
	        {"/caf\xc3\xa9", "/caf\xc3\xa9"},
	        {"/short\\04", "/short\\04"},
	        {"/short\\", "/short\\"},
	        {"/not\\989octal", "/not\\989octal"},
	};
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&line);
		strbuf_addf(&line, "41 31 0:38 / %s rw - cgroup2 cgroup2 rw\n", cases[i].written);
		find(*state, line.data);
		check_mount(&mounts.unified, cases[i].path, "/");
	}
	strbuf_done(&line);
}

static void test_mount_none(void **state)
{
	static const char *const texts[] = {
	        "",
	        "\n",
	        "22 27 0:21 / /proc rw - proc proc rw\n",
	        "41 31 0:38 / /cg rw cgroup2 cgroup2 rw\n",
	        "41 31 0:38 / /cg rw -\n",
	        "41 31 0:38 / - cgroup2 cgroup2 rw\n",
	        "- cgroup2 cgroup2 rw\n",
	        "41 31 0:38 / /cg rw - cgroup22 cgroup rw\n",
	};
	struct host host = {0};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		find(*state, texts[i]);
		assert_false(mounts.unified.found);
		check_mode(CGROUP_MODE_NONE, "none");
	}
	cgroup_mounts_done(&mounts);
	cgroup_mounts_set_host(&mounts, &host);
	assert_null(host_text(&host, HOST_cgroup_mode));
	cgroup_mounts_find(-1, false, &mounts);
	assert_false(mounts.searched);
}

/* If mountinfo cannot be read, libcgroup is used. */
static void test_mount_libcgroup_alone(void **state)
{
	const struct temp_tree *tree = *state;

	library_says("memory", "/lib/v2", CGROUP2_SUPER_MAGIC);
	library_says("pids", "/lib/pids", CGROUP_SUPER_MAGIC);
	library_says("freezer", "/lib/freezer", CGROUP_SUPER_MAGIC);
	library_says("cpu", "/lib/stale", TMPFS_MAGIC);
	cgroup_mounts_find(tree->fd, true, &mounts);
	assert_int_equal(library.inits, 1);
	check_mount(&mounts.unified, "/lib/v2", "/");
	check_mount(&mounts.v1[PIDS], "/lib/pids", "/");
	assert_false(mounts.v1[CPU].found);
	assert_false(mounts.v1[MEMORY].found);
	check_mode(CGROUP_MODE_HYBRID, "hybrid");
}

static void test_mount_libcgroup_fails(void **state)
{
	const struct temp_tree *tree = *state;

	library_says("memory", "/lib/v2", CGROUP2_SUPER_MAGIC);
	library.init_result = ECGROUPNOTMOUNTED;
	cgroup_mounts_find(tree->fd, true, &mounts);
	assert_int_equal(library.inits, 1);
	check_mode(CGROUP_MODE_NONE, "none");
}

/* A line of mountinfo for a directory of the tree, with that directory's device or with another one. */
static void add_line(struct strbuf *out, const char *point, bool visible, const char *type,
                     const char *options)
{
	struct stat status;

	assert_int_equal(stat(point, &status), 0);
	strbuf_addf(out, "41 31 %u:%u / %s rw - %s none %s\n", major(status.st_dev),
	            minor(status.st_dev) + !visible, point, type, options);
}

/* mountinfo decides; libcgroup only between mounts of equal worth, and a hidden mount is none. */
static void test_mount_both(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *hidden = temp_tree_path(tree, "hidden");
	cleanup_(mem_freep) char *one = temp_tree_path(tree, "one");
	cleanup_(mem_freep) char *two = temp_tree_path(tree, "two");
	cleanup_(mem_freep) char *three = temp_tree_path(tree, "three");
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	temp_tree_make_dir(tree, "hidden");
	temp_tree_make_dir(tree, "one");
	temp_tree_make_dir(tree, "two");
	temp_tree_make_dir(tree, "three");
	add_line(&text, hidden, false, "cgroup2", "rw");
	add_line(&text, one, true, "cgroup2", "rw");
	add_line(&text, two, true, "cgroup2", "rw");
	add_line(&text, three, true, "cgroup", "rw,memory");
	strbuf_add_str(&text, "42 31 0:38 / /nowhere/at/all rw - cgroup none rw,pids\n");
	temp_tree_write_text(tree, "self/mountinfo", strbuf_str(&text));

	cgroup_mounts_find(tree->fd, true, &mounts);
	check_mount(&mounts.unified, one, "/");

	cgroup_mounts_done(&mounts);
	library_says("memory", two, CGROUP2_SUPER_MAGIC);
	library_says("cpu", "/lib/cpu", CGROUP_SUPER_MAGIC);
	cgroup_mounts_find(tree->fd, true, &mounts);
	check_mount(&mounts.unified, two, "/");
	check_mount(&mounts.v1[MEMORY], three, "/");
	assert_false(mounts.v1[CPU].found);
	assert_false(mounts.v1[PIDS].found);
}

static void add_stacked(struct strbuf *out, const char *point, const char *type,
                        const char *roots[2])
{
	struct stat status;

	assert_int_equal(stat(point, &status), 0);
	for (unsigned i = 0; i < 2; i++)
		strbuf_addf(out, "%u 31 %u:%u %s %s rw - %s none rw,memory\n", 41 + i,
		            major(status.st_dev), minor(status.st_dev), roots[i], point, type);
}

/* @first and @second are roots, mounted in this order at the same directory; one such pair for each version. @id is
 * that of the mount that is seen, 0 where the kernel does not say. */
static void find_stacked(const struct temp_tree *tree, const char *first, const char *second,
                         uint64_t id)
{
	cleanup_(mem_freep) char *unified = temp_tree_path(tree, "unified");
	cleanup_(mem_freep) char *memory = temp_tree_path(tree, "memory");
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *roots[2] = {first, second};

	temp_tree_make_dir(tree, "unified");
	temp_tree_make_dir(tree, "memory");
	add_stacked(&text, unified, "cgroup2", roots);
	add_stacked(&text, memory, "cgroup", roots);
	temp_tree_write_text(tree, "self/mountinfo", strbuf_str(&text));
	if (id != 0) {
		mount_ids[0].point = unified;
		mount_ids[1].point = memory;
		mount_ids[0].id = mount_ids[1].id = id;
	}
	cgroup_mounts_done(&mounts);
	cgroup_mounts_find(tree->fd, true, &mounts);
	memset(mount_ids, 0, sizeof(mount_ids));
}

/* A bind mount of a part of the hierarchy over all of it has the same device. */
static void test_mount_hidden_by_bind(void **state)
{
	find_stacked(*state, "/", "/part", 42);
	assert_string_equal(strbuf_str(&mounts.unified.root), "/part");
	assert_string_equal(strbuf_str(&mounts.v1[MEMORY].root), "/part");
	find_stacked(*state, "/part", "/", 42);
	assert_string_equal(strbuf_str(&mounts.unified.root), "/");
	find_stacked(*state, "/", "/part", 41);
	assert_string_equal(strbuf_str(&mounts.unified.root), "/");
	find_stacked(*state, "/", "/part", 43);
	assert_false(mounts.unified.found);
	assert_false(mounts.v1[MEMORY].found);
}

/* Before Linux 5.8 the last one at a point is the one that is seen. */
static void test_mount_without_ids(void **state)
{
	find_stacked(*state, "/", "/part", 0);
	assert_string_equal(strbuf_str(&mounts.unified.root), "/part");
	assert_string_equal(strbuf_str(&mounts.v1[MEMORY].root), "/part");
	find_stacked(*state, "/part", "/", 0);
	assert_string_equal(strbuf_str(&mounts.unified.root), "/");
}

/* A mount with @root at the directory "cg" of the tree, for a capture whose own cgroup file is @own. */
static void find_around(const struct temp_tree *tree, const char *root, const char *own)
{
	cleanup_(mem_freep) char *point = temp_tree_path(tree, "cg");
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "41 31 0:38 %s %s rw - cgroup2 none rw\n", root, point);
	strbuf_addf(&text, "42 31 0:39 %s %s rw - cgroup none rw,pids\n", root, point);
	temp_tree_write_text(tree, "self/cgroup", own);
	find(tree, strbuf_str(&text));
	assert_true(mounts.unified.found && mounts.v1[PIDS].found);
}

static void write_processes(const struct temp_tree *tree, const char *name, bool with_us)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "1\n%d\n", with_us ? (int)getpid() : 2);
	temp_tree_write_text(tree, name, strbuf_str(&text));
}

static void check_located(const struct cgroup_mount *mount, const char *path, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf located = STRBUF_INIT;

	assert_int_equal(cgroup_mount_locate(mount, path, &located), expected != NULL);
	assert_string_equal(strbuf_str(&located), expected ? expected : "");
}

/* In a cgroup namespace, with the mounts of the one around it. */
static void test_mount_namespace(void **state)
{
	const struct temp_tree *tree = *state;
	const struct cgroup_mount *mount = &mounts.unified;

	write_processes(tree, "cg/a/b c/own/x/cgroup.procs", true);
	write_processes(tree, "cg/a/b c/cgroup.procs", false);
	write_processes(tree, "cg/a/other/own/x/cgroup.procs", false);
	write_processes(tree, "cg/second/b/own/cgroup.procs", false);
	find_around(tree, "/../..", "3:pids:/\n0::/own/x\n");
	assert_true(mount->namespace_known);
	assert_text(&mount->namespace_root, "a/b c");
	assert_false(mounts.v1[PIDS].namespace_known);
	check_located(mount, "/", "a/b c");
	check_located(mount, "/own", "a/b c/own");
	check_located(mount, "/own/x", "a/b c/own/x");
	check_located(mount, "/..", "a");
	check_located(mount, "/../sibling", "a/sibling");
	check_located(mount, "/../..", ".");
	check_located(mount, "/../../z", "z");
	check_located(mount, "/..name", "a/b c/..name");
	check_located(mount, "/../../..", NULL);
	check_located(mount, "/../../../z", NULL);
	check_located(mount, "relative", NULL);

	write_processes(tree, "cg/a/b c/cgroup.procs", true);
	find_around(tree, "/../..", "3:pids:/\n0::/elsewhere\n");
	assert_false(mount->namespace_known);
	assert_text(&mounts.v1[PIDS].namespace_root, "a/b c");
	check_located(mount, "/", NULL);
	check_located(mount, "/../..", ".");
	check_located(mount, "/../../z", "z");
	check_located(mount, "/../z", NULL);
}

/* Nothing is guessed. */
static void test_mount_namespace_unknown(void **state)
{
	const struct temp_tree *tree = *state;

	write_processes(tree, "cg/a/cgroup.procs", true);
	find_around(tree, "/..", "0::/\n");
	assert_text(&mounts.unified.namespace_root, "a");
	find_around(tree, "/..", "0::/../b\n");
	assert_false(mounts.unified.namespace_known);
	find_around(tree, "/../b", "0::/\n");
	assert_false(mounts.unified.namespace_known);
	find_around(tree, "/", "0::/\n");
	assert_false(mounts.unified.namespace_known);
	find_around(tree, "/../..", "0::/\n");
	assert_false(mounts.unified.namespace_known);
	temp_tree_remove(tree, "cg/a");
	assert_int_equal(symlinkat(".", tree->fd, "cg/a"), 0);
	write_processes(tree, "cg/cgroup.procs", true);
	find_around(tree, "/..", "0::/\n");
	assert_false(mounts.unified.namespace_known);
}

static void take(const struct temp_tree *tree)
{
	cgroup_mounts_done(&mounts);
	cgroup_mounts_from_directory(tree->path, &mounts);
	assert_true(mounts.searched && !mounts.is_system);
}

static void test_mount_directory(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *unified = temp_tree_path(tree, "unified");
	cleanup_(mem_freep) char *both = temp_tree_path(tree, "cpu,cpuacct");
	cleanup_(mem_freep) char *cpu = temp_tree_path(tree, "cpu");

	take(tree);
	check_mode(CGROUP_MODE_NONE, "none");
	temp_tree_write_text(tree, "memory", "a file is no mount\n");
	temp_tree_make_dir(tree, "init.scope");
	take(tree);
	check_mode(CGROUP_MODE_NONE, "none");
	temp_tree_make_dir(tree, "cpu,cpuacct");
	take(tree);
	check_mode(CGROUP_MODE_V1, "v1");
	check_mount(&mounts.v1[CPU], both, "/");
	temp_tree_make_dir(tree, "unified");
	temp_tree_make_dir(tree, "cpu");
	take(tree);
	check_mode(CGROUP_MODE_HYBRID, "hybrid");
	check_mount(&mounts.unified, unified, "/");
	check_mount(&mounts.v1[CPU], cpu, "/");
	check_mount(&mounts.v1[CPUACCT], both, "/");
	assert_false(mounts.v1[MEMORY].found);
	temp_tree_write_text(tree, "cgroup.controllers", "");
	take(tree);
	check_mode(CGROUP_MODE_V2, "v2");
	check_mount(&mounts.unified, tree->path, "/");
}

/* A host whose files cannot be read is not a host without cgroups. */
static void test_mount_unreadable(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(host_done) struct host host = {0};

	assert_int_equal(symlinkat("cgroup.controllers", tree->fd, "cgroup.controllers"), 0);
	cgroup_mounts_done(&mounts);
	cgroup_mounts_from_directory(tree->path, &mounts);
	assert_false(mounts.searched);
	cgroup_mounts_set_host(&mounts, &host);
	assert_false(host.seen[HOST_cgroup_mode]);

	temp_tree_make_dir(tree, "self/mountinfo");
	cgroup_mounts_done(&mounts);
	cgroup_mounts_find(tree->fd, false, &mounts);
	assert_false(mounts.searched);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_mount_v2),
	        in_tree(test_mount_hybrid),
	        in_tree(test_mount_v1),
	        in_tree(test_mount_roots),
	        in_tree(test_mount_last_newline_missing),
	        in_tree(test_mount_escapes),
	        in_tree(test_mount_none),
	        in_tree(test_mount_libcgroup_alone),
	        in_tree(test_mount_libcgroup_fails),
	        in_tree(test_mount_both),
	        in_tree(test_mount_hidden_by_bind),
	        in_tree(test_mount_without_ids),
	        in_tree(test_mount_namespace),
	        in_tree(test_mount_namespace_unknown),
	        in_tree(test_mount_directory),
	        in_tree(test_mount_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
