// SPDX-License-Identifier: GPL-2.0-or-later
/* The mounts of this process, which change, and those of another one, which are a text. */
#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "procfs/mount-table.h"
#include "temp-tree.h"

static uint64_t id_of(int dir_fd, const char *name)
{
	struct statx status;

	assert_int_equal(statx(dir_fd, name, 0, STATX_MNT_ID, &status), 0);
	return status.stx_mnt_id;
}

static void mounts_of_another_process(void **state)
{
	static const char text[] =
	        "4000000001 1 0:55 / / rw shared:1 - tmpfs x rw\n"
	        "4000000002 1 0:56 / /a\\040b rw,nosuid master:2 shared:3 - fuse.sshfs x rw\n"
	        "4000000003 1 8:1 / /c rw - overlay x rw\n"
	        "4000000004 1 8:1 / /d rw\n"
	        "40000000055 1 8:1 / /e rw - ext4 x rw\n";
	static const struct {
		uint64_t id;
		bool is_found;
		enum file_system_kind kind;
		uint32_t major, minor;
	} rows[] = {
	        {4000000001, true, FILE_SYSTEM_LOCAL, 0, 55},
	        {4000000002, true, FILE_SYSTEM_REMOTE, 0, 56},
	        {4000000003, true, FILE_SYSTEM_STACKED, 8, 1},
	        {4000000004, false, FILE_SYSTEM_UNKNOWN, 0, 0},
	        {4000000005, false, FILE_SYSTEM_UNKNOWN, 0, 0},
	};
	const struct temp_tree *tree = *state;
	cleanup_(mount_table_done) struct mount_table table = MOUNT_TABLE_INIT;

	temp_tree_write_text(tree, "mountinfo", text);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mount_line line = {0};

		assert_int_equal(mount_table_find(&table, tree->fd, rows[i].id, UINT64_MAX, &line),
		                 rows[i].is_found);
		assert_int_equal(line.kind, rows[i].kind);
		assert_int_equal(line.device.major, rows[i].major);
		assert_int_equal(line.device.minor, rows[i].minor);
		assert_false(mount_table_find(&table, tree->fd, rows[i].id, 1, &line));
	}
}

/* A mount is known as soon as it is there, and no longer than that: its id may be another one's then. */
static void own_mounts(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mount_table_done) struct mount_table table = MOUNT_TABLE_INIT;
	char *place = temp_tree_path(tree, "place");
	struct mount_line line;

	assert_true(mount_table_find(&table, tree->fd, id_of(AT_FDCWD, "/proc/self"), UINT64_MAX,
	                             &line));
	assert_int_equal(line.kind, FILE_SYSTEM_REMOTE);
	temp_tree_make_dir(tree, "place");
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		print_message("skipped: this user may not have mounts of its own\n");
	else if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	         mount("ctprof", place, "tmpfs", 0, NULL) == 0) {
		cleanup_(mount_table_done) struct mount_table own = MOUNT_TABLE_INIT;
		uint64_t id = id_of(AT_FDCWD, place), next;

		assert_true(mount_table_find(&own, tree->fd, id, UINT64_MAX, &line));
		assert_int_equal(line.kind, FILE_SYSTEM_LOCAL);
		assert_int_equal(umount(place), 0);
		assert_false(mount_table_find(&own, tree->fd, id, UINT64_MAX, &line));
		assert_int_equal(mount("ctprof", place, "ramfs", 0, NULL), 0);
		next = id_of(AT_FDCWD, place);
		assert_true(mount_table_find(&own, tree->fd, next, UINT64_MAX, &line));
		assert_int_equal(umount(place), 0);
	}
	free(place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(mounts_of_another_process, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(own_mounts, temp_tree_setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
