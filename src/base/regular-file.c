// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"

enum { OVERLAY_MAGIC = 0x794c7630 };

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

/* Types of file systems by their names in mountinfo and their numbers in statfs(2). Several types may share one magic
 * number. Stacked file systems are left out, since the one below them is unknown; the exception is overlay, which every
 * container uses. */
static const struct {
	const char *type;
	uint32_t magic;
} local_systems[] = {
        {"bcachefs", 0xca451a4e},   {"btrfs", 0x9123683e},  {"cramfs", 0x28cd3d45},
        {"devtmpfs", 0x01021994},   {"erofs", 0xe0f5e1e2},  {"exfat", 0x2011bab0},
        {"ext2", 0xef53},           {"ext3", 0xef53},       {"ext4", 0xef53},
        {"f2fs", 0xf2f52010},       {"hfs", 0x4244},        {"hfsplus", 0x482b},
        {"hugetlbfs", 0x958458f6},  {"iso9660", 0x9660},    {"jfs", 0x3153464a},
        {"minix", 0x138f},          {"nilfs2", 0x3434},     {"ntfs3", 0x7366746e},
        {"overlay", OVERLAY_MAGIC}, {"ramfs", 0x858458f6},  {"reiserfs", 0x52654973},
        {"romfs", 0x7275},          {"rootfs", 0x858458f6}, {"squashfs", 0x73717368},
        {"tmpfs", 0x01021994},      {"udf", 0x15013346},    {"vfat", 0x4d44},
        {"msdos", 0x4d44},          {"xfs", 0x58465342},    {"zfs", 0x2fc12fc1},
};

enum file_system_kind file_system_kind_of_type(const char *type, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(local_systems); i++)
		if (strlen(local_systems[i].type) == len &&
		    memcmp(local_systems[i].type, type, len) == 0)
			return local_systems[i].magic == OVERLAY_MAGIC ? FILE_SYSTEM_STACKED
			                                               : FILE_SYSTEM_LOCAL;
	return FILE_SYSTEM_REMOTE;
}

/* Remote and stacked file systems. A user can mount none of them where others see it. */
static const uint32_t remote_systems[] = {
        0x6969,     /* nfs */
        0x517b,     /* smb */
        0xff534d42, /* cifs */
        0xfe534d42, /* smb3 */
        0x00c36400, /* ceph */
        0x0bd00bd0, /* lustre */
        0x47504653, /* gpfs */
        0x19830326, /* beegfs */
        0x5346414f, /* afs */
        0x6b414653, /* afs of the kernel */
        0x7461636f, /* ocfs2 */
        0x01161970, /* gfs2 */
        0x01021997, /* 9p */
        0x786f4256, /* vboxsf */
        0xf15f,     /* ecryptfs */
        0x61756673, /* aufs */
        0x0187,     /* autofs */
};

/* File systems of the kernel's own. Reading a file there can have an effect. */
static const uint32_t kernel_systems[] = {
        0x62656572, /* sysfs */
        0x64626720, /* debugfs */
        0x74726163, /* tracefs */
        0x0027e0eb, /* cgroup */
        0x63677270, /* cgroup2 */
        0x07655821, /* resctrl */
        0x62656570, /* configfs */
        0x1cd1,     /* devpts */
};

/* fusermount(1) sets both flags for everybody but root. */
static bool is_mounted_by_root(const struct statfs *status)
{
	enum { VALID = 0x20 }; /* ST_VALID of the kernel: there are flags */

	return status->f_type == FUSE_SUPER_MAGIC && (status->f_flags & VALID) != 0 &&
	       (status->f_flags & (ST_NOSUID | ST_NODEV)) != (ST_NOSUID | ST_NODEV);
}

static bool has_magic(const uint32_t *magics, size_t count, const struct statfs *status)
{
	for (size_t i = 0; i < count; i++)
		if ((uint32_t)status->f_type == magics[i])
			return true;
	return false;
}

/* statfs(2) asks some servers, which may not answer; callers that can learn the type from mountinfo do so before. */
int file_system_check(int fd, enum file_systems allowed)
{
	struct statfs status;

	if (allowed == FILE_SYSTEMS_ALL)
		return 0;
	if (fstatfs(fd, &status) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(local_systems); i++)
		if ((uint32_t)status.f_type == local_systems[i].magic)
			return 0;
	if (allowed == FILE_SYSTEMS_LOCAL)
		return -EREMOTE;
	if (has_magic(remote_systems, ARRAY_SIZE(remote_systems), &status))
		return 0;
	if (allowed == FILE_SYSTEMS_ADMINISTERED &&
	    has_magic(kernel_systems, ARRAY_SIZE(kernel_systems), &status))
		return 0;
	return is_mounted_by_root(&status) ? 0 : -EREMOTE;
}

/* The type of a file never changes, so the kernel's cached value will do, and no server is asked. */
static int check_type(int path_fd)
{
	struct statx status;

	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) < 0)
		return -errno;
	return S_ISREG(status.stx_mode) ? 0 : -EMEDIUMTYPE;
}

int regular_file_reopen(int path_fd, enum file_systems allowed)
{
	char name[32];
	int r = check_type(path_fd), fd;

	if (r == 0)
		r = file_system_check(path_fd, allowed);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
	fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int find(int root_fd, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {
	        .flags = (__u64)(O_PATH | O_CLOEXEC | flags),
	        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve,
	};
	int fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

int regular_file_find_cached(int root_fd, const char *path)
{
	return find(root_fd, path, 0, RESOLVE_CACHED);
}

int regular_file_find_on_mount(int root_fd, const char *path)
{
	return find(root_fd, path, 0, RESOLVE_NO_XDEV);
}

int regular_file_find(int root_fd, const char *path)
{
	return find(root_fd, path, 0, 0);
}

int regular_file_find_link(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int regular_file_open(int root_fd, const char *path, enum file_systems allowed)
{
	cleanup_(fd_closep) int path_fd = find(root_fd, path, 0, 0);

	return path_fd < 0 ? path_fd : regular_file_reopen(path_fd, allowed);
}

int regular_file_open_link(int dir_fd, const char *path, enum file_systems allowed)
{
	cleanup_(fd_closep) int path_fd = regular_file_find_link(dir_fd, path);

	return path_fd < 0 ? path_fd : regular_file_reopen(path_fd, allowed);
}

int regular_file_open_beside(int dir_fd, const char *name)
{
	cleanup_(fd_closep) int path_fd = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	return path_fd < 0 ? -errno : regular_file_reopen(path_fd, FILE_SYSTEMS_ALL);
}
