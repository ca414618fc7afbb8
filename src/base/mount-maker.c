// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/mount-maker.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mount-words.h"
#include "base/scan.h"

enum { TABLE_BYTES = 16 << 20 };

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000
#endif

static bool forbids_set_id(int fd)
{
	enum { BOTH = ST_NOSUID | ST_NODEV };
	struct statfs status;

	return fstatfs(fd, &status) == 0 && (status.f_flags & BOTH) == BOTH;
}

static bool find_mount(const struct strbuf *table, uint64_t id, struct mount_words *ret)
{
	struct span rest = {strbuf_str(table), table->len}, line;

	while (scan_line(&rest, &line))
		if (mount_words_scan(line, ret) && ret->id == id)
			return true;
	return false;
}

/* Returns whether the device is mounted at this point. */
static bool is_mounted_at(const struct strbuf *table, struct span device, struct span point)
{
	struct span rest = {strbuf_str(table), table->len}, line;
	struct mount_words mount;

	while (scan_line(&rest, &line))
		if (mount_words_scan(line, &mount) && span_equal(mount.device, device) &&
		    span_equal(mount.point, point))
			return true;
	return false;
}

static bool begins(struct span span, const char *text)
{
	return span.len >= strlen(text) && memcmp(span.text, text, strlen(text)) == 0;
}

/* Returns whether one of the options, which commas separate, is of a mount for a user. */
static bool is_for_user(struct span options)
{
	while (options.len > 0) {
		const char *comma = memchr(options.text, ',', options.len);
		size_t len = comma ? (size_t)(comma - options.text) + 1 : options.len;

		if (begins(options, "uhelper=") || begins(options, "user="))
			return true;
		options = (struct span){options.text + len, options.len - len};
	}
	return false;
}

/* Returns whether libmount has mounted the device for a user: SRC=... TARGET=... ROOT=... OPTS=..., with the escapes of mountinfo. */
static bool is_noted(const struct strbuf *table, struct span device)
{
	static const char target[] = "TARGET=", options[] = "OPTS=";
	cleanup_(strbuf_done) struct strbuf notes = STRBUF_INIT;
	struct span rest, line, word;

	if (fd_read_all_at(AT_FDCWD, "/run/mount/utab", &notes, TABLE_BYTES) < 0)
		return false;
	rest = (struct span){strbuf_str(&notes), notes.len};
	while (scan_line(&rest, &line)) {
		struct span point = {0};
		bool for_user = false;

		while (scan_word(&line, &word))
			if (begins(word, target))
				point = (struct span){word.text + strlen(target),
				                      word.len - strlen(target)};
			else if (begins(word, options))
				for_user = is_for_user((struct span){word.text + strlen(options),
				                                     word.len - strlen(options)});
		if (for_user && point.len > 0 && is_mounted_at(table, device, point))
			return true;
	}
	return false;
}

/* Opens the block device at the path of mountinfo by O_PATH. Returns a descriptor, or -1 where there is none. */
static int find_device(struct span source, dev_t *ret_device)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	struct stat status;
	int fd;

	strbuf_add(&path, source.text, source.len);
	if (path.data[0] != '/')
		return -1;
	fd = open(path.data, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISBLK(status.st_mode)))
		fd_closep(&fd);
	if (fd >= 0)
		*ret_device = status.st_rdev;
	return fd;
}

/* Reads the path of the file behind a loop device, or behind the one that it is a partition of. */
static bool read_backing_path(dev_t device, struct strbuf *ret_path)
{
	static const char *const places[] = {"", "/.."};
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u%s/loop/backing_file",
		         major(device), minor(device), places[i]);
		if (fd_read_all_at(AT_FDCWD, path, ret_path, TABLE_BYTES) == 0 && ret_path->len > 1)
			return true;
	}
	return false;
}

/* Asks the loop device which file it has. */
static bool ask_device(int path_fd, struct loop_info64 *ret)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	cleanup_(fd_closep) int fd = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, ret) == 0;
}

/* The kernel has the path as the mounts of the file's user are, so the file of that path here may be another one. */
static enum mount_maker find_image(struct span source, int *ret_image_fd)
{
	cleanup_(strbuf_done) struct strbuf backing = STRBUF_INIT;
	cleanup_(fd_closep) int device_fd = -1, image_fd = -1;
	struct loop_info64 info;
	struct stat status;
	dev_t device = 0;

	device_fd = find_device(source, &device);
	if (device_fd < 0 || !read_backing_path(device, &backing))
		return MOUNT_BY_SYSTEM;
	strbuf_cut(&backing, backing.len - 1);
	if (!ask_device(device_fd, &info))
		return MOUNT_BY_USER;
	image_fd = open(strbuf_str(&backing), O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (image_fd < 0 || fstat(image_fd, &status) < 0 || status.st_ino != info.lo_inode ||
	    major(status.st_dev) != major(info.lo_device) ||
	    minor(status.st_dev) != minor(info.lo_device))
		return MOUNT_BY_USER;
	*ret_image_fd = image_fd;
	image_fd = -1;
	return MOUNT_OF_IMAGE;
}

enum mount_maker mount_maker_of(int fd, int *ret_image_fd)
{
	cleanup_(strbuf_done) struct strbuf table = STRBUF_INIT;
	struct statx status;
	struct mount_words mount;

	if (!forbids_set_id(fd) ||
	    statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) < 0 ||
	    (status.stx_mask & STATX_MNT_ID) == 0 ||
	    fd_read_all_at(AT_FDCWD, "/proc/self/mountinfo", &table, TABLE_BYTES) < 0 ||
	    !find_mount(&table, status.stx_mnt_id, &mount) || !begins(mount.source, "/dev/"))
		return MOUNT_BY_SYSTEM;
	return is_noted(&table, mount.device) ? MOUNT_BY_USER
	                                      : find_image(mount.source, ret_image_fd);
}
