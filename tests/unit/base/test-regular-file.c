// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/regular-file.h"
#include "kernel-ability.h"
#include "procfs/mount-systems.h"
#include "temp-tree.h"

static void test_open_flags(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(fd_closep) int fd = -1;
	char text[8] = {0};

	need_openat2();
	temp_tree_write_text(tree, "usr/file", "text");
	fd = regular_file_open(tree->fd, "/usr/file", FILE_SYSTEMS_LOCAL);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
	assert_int_equal(fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK | O_PATH), O_NONBLOCK);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

/* The directory is the root: absolute links and ".." end there. */
static void test_open_in_root(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(fd_closep) int inside = -1, link = -1;

	need_openat2();
	temp_tree_write_text(tree, "etc/hostname", "inside");
	assert_int_equal(symlinkat("/etc/hostname", tree->fd, "absolute"), 0);
	assert_int_equal(symlinkat("/etc/passwd", tree->fd, "outside"), 0);
	assert_int_equal(symlinkat("/proc/self/fd/0", tree->fd, "magic"), 0);
	link = regular_file_open(tree->fd, "absolute", FILE_SYSTEMS_LOCAL);
	assert_true(link >= 0);
	inside = regular_file_open(tree->fd, "../../etc/hostname", FILE_SYSTEMS_LOCAL);
	assert_true(inside >= 0);
	assert_int_equal(regular_file_open(tree->fd, "outside", FILE_SYSTEMS_LOCAL), -ENOENT);
	assert_int_equal(regular_file_open(tree->fd, "magic", FILE_SYSTEMS_LOCAL), -ENOENT);
	assert_int_equal(regular_file_open(tree->fd, "missing", FILE_SYSTEMS_LOCAL), -ENOENT);
}

static void test_open_others(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(fd_closep) int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), writer = -1;

	need_openat2();
	assert_int_equal(mkfifoat(tree->fd, "fifo", 0600), 0);
	temp_tree_make_dir(tree, "directory");
	assert_int_equal(regular_file_open(tree->fd, "fifo", FILE_SYSTEMS_LOCAL), -EMEDIUMTYPE);
	assert_int_equal(regular_file_open(tree->fd, "directory", FILE_SYSTEMS_LOCAL),
	                 -EMEDIUMTYPE);
	assert_int_equal(regular_file_open(root, "/dev/null", FILE_SYSTEMS_LOCAL), -EMEDIUMTYPE);
	assert_int_equal(regular_file_open_link(AT_FDCWD, "/dev/null", FILE_SYSTEMS_LOCAL),
	                 -EMEDIUMTYPE);
	/* The FIFO had no reader. */
	writer = openat(tree->fd, "fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(writer, -1);
	assert_int_equal(errno, ENXIO);
}

/* A file of /proc is a regular one, on a file system that is not in the list. */
static void test_open_other_system(void **state)
{
	int fd;

	(void)state;
	need_openat2();
	assert_int_equal(regular_file_open_link(AT_FDCWD, "/proc/self/stat", FILE_SYSTEMS_LOCAL),
	                 -EREMOTE);
	fd = regular_file_open_link(AT_FDCWD, "/proc/self/stat", FILE_SYSTEMS_ALL);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(regular_file_open_link(AT_FDCWD, "/dev/null", FILE_SYSTEMS_ALL),
	                 -EMEDIUMTYPE);
}

static void test_kinds(void **state)
{
	static const char *const local[] = {"ext4", "xfs", "btrfs", "tmpfs", "rootfs"};
	static const char *const remote[] = {"fuse", "fuseblk", "fuse.ext4", "nfs",
	                                     "nfs4", "9p",      "virtiofs",  "cifs",
	                                     "ceph", "ext",     "ext44",     ""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(local); i++)
		assert_int_equal(file_system_kind_of_type(local[i], strlen(local[i])),
		                 FILE_SYSTEM_LOCAL);
	assert_int_equal(file_system_kind_of_type("overlay", strlen("overlay")),
	                 FILE_SYSTEM_STACKED);
	for (size_t i = 0; i < ARRAY_SIZE(remote); i++)
		assert_int_equal(file_system_kind_of_type(remote[i], strlen(remote[i])),
		                 FILE_SYSTEM_REMOTE);
}

static const char mountinfo[] = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
                                "28 27 0:77 / /a\\040b rw shared:1 master:2 - fuse.ext4 ext4 rw\n"
                                "29 27 0:78 / /c rw - overlay overlay rw,lowerdir=/a\n"
                                "30 27 0:79 / /d rw - tmpfs none rw\n"
                                "31 27 0:79 / /e rw - nfs none rw\n"
                                "32 27 0:79 / /f rw - tmpfs none rw\n"
                                "broken\n"
                                "33 27 x:y / /g rw - fuse none rw\n"
                                "34 27 0:80 / /h rw -\n";

static enum file_system_kind find(struct mount_systems *systems, const char *device)
{
	return mount_systems_find(systems, -1, (struct span){device, strlen(device)}, UINT64_MAX);
}

/* An overlay is known by our own mounts alone, wherever else it is. */
static void test_overlays(void **state)
{
	static const char ours[] = "27 1 254:0 / / rw - ext4 x rw\n"
	                           "28 27 0:77 / /fuse rw - fuse x rw\n"
	                           "29 27 0:78 / /a rw - overlay x rw,lowerdir=/x\n"
	                           "30 27 0:79 / /b rw - overlay x rw,lowerdir=/fuse/x\n";
	static const char others[] = "27 1 0:78 / / rw - overlay x rw,lowerdir=/x\n"
	                             "28 27 0:79 / /a rw - overlay x rw,lowerdir=/x\n"
	                             "29 27 0:80 / /b rw - overlay x rw,lowerdir=/x\n"
	                             "30 27 0:81 / /c rw - tmpfs x rw\n";
	cleanup_(mount_systems_done) struct mount_systems systems = MOUNT_SYSTEMS_INIT;

	(void)state;
	mount_systems_add(&systems, others, sizeof(others) - 1, false);
	assert_int_equal(find(&systems, "00:4e"), FILE_SYSTEM_REMOTE);
	mount_systems_add(&systems, ours, sizeof(ours) - 1, true);
	mount_systems_add(&systems, others, sizeof(others) - 1, false);
	assert_int_equal(find(&systems, "00:4e"), FILE_SYSTEM_STACKED);
	assert_int_equal(find(&systems, "00:4f"), FILE_SYSTEM_REMOTE);
	assert_int_equal(find(&systems, "00:50"), FILE_SYSTEM_REMOTE);
	assert_int_equal(find(&systems, "00:51"), FILE_SYSTEM_LOCAL);
}

/* Mounts are read to their end, or nothing is known of them. */
static void test_mounts_in_time(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mount_systems_done) struct mount_systems systems = MOUNT_SYSTEMS_INIT;
	const struct span device = {"00:4d", 5};

	temp_tree_write(tree, "mountinfo", mountinfo, sizeof(mountinfo) - 1);
	assert_int_equal(mount_systems_find(&systems, tree->fd, device, 1), FILE_SYSTEM_UNKNOWN);
	assert_int_equal(mount_systems_find(&systems, tree->fd, device, UINT64_MAX),
	                 FILE_SYSTEM_REMOTE);
	assert_int_equal(mount_systems_find(&systems, tree->fd, device, 1), FILE_SYSTEM_REMOTE);
}

static void test_mount_systems(void **state)
{
	cleanup_(mount_systems_done) struct mount_systems systems = MOUNT_SYSTEMS_INIT;

	(void)state;
	mount_systems_add(&systems, mountinfo, sizeof(mountinfo) - 1, true);
	assert_int_equal(find(&systems, "fe:00"), FILE_SYSTEM_LOCAL);
	assert_int_equal(find(&systems, "00:4d"), FILE_SYSTEM_REMOTE);
	assert_int_equal(find(&systems, "00:4e"), FILE_SYSTEM_STACKED);
	assert_int_equal(find(&systems, "00:4f"), FILE_SYSTEM_REMOTE);
	assert_int_equal(find(&systems, "00:50"), FILE_SYSTEM_UNKNOWN);
	assert_int_equal(find(&systems, "0"), FILE_SYSTEM_UNKNOWN);
	assert_int_equal(find(&systems, "00:4e:00"), FILE_SYSTEM_UNKNOWN);
	assert_int_equal(find(&systems, ""), FILE_SYSTEM_UNKNOWN);
	assert_int_equal(find(&systems, "1000000000000:4e"), FILE_SYSTEM_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_open_flags, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_open_in_root, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_open_others, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test(test_open_other_system),
	        cmocka_unit_test(test_kinds),
	        cmocka_unit_test(test_mount_systems),
	        cmocka_unit_test(test_overlays),
	        cmocka_unit_test_setup_teardown(test_mounts_in_time, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
