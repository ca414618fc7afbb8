// SPDX-License-Identifier: GPL-2.0-or-later
#include "knob/knob-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/output-place.h"
#include "base/trust.h"

/* Not in every <linux/magic.h>. */
#define RESCTRL_MAGIC 0x7655821
#define CONFIGFS_MAGIC_NUMBER 0x62656570

static int find_store(int fd, enum knob_store *ret)
{
	struct statfs system;
	struct stat status;

	if (fstat(fd, &status) < 0 || fstatfs(fd, &system) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EMEDIUMTYPE;
	*ret = KNOB_STORE_DISK;
	switch ((unsigned long)system.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case RESCTRL_MAGIC:
	case CONFIGFS_MAGIC_NUMBER:
		*ret = KNOB_STORE_KERNEL;
		break;
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
		*ret = KNOB_STORE_MEMORY;
		break;
	default:
		break;
	}
	return 0;
}

/* A file of the kernel's may belong to others, as those of a cgroup do; the way to it may not. */
static int check_trust(const struct output_place *place, enum knob_store store,
                       struct strbuf *reterr)
{
	int r;

	if (store == KNOB_STORE_KERNEL)
		return 0;
	r = trust_check_directory(place->dir_fd, reterr);
	return r == 0 ? trust_check_file(place->target_fd, reterr) : r;
}

int knob_file_find(const char *path, struct strbuf *ret_place, enum knob_store *ret,
                   struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place found = OUTPUT_PLACE_INIT;
	cleanup_(strbuf_done) struct strbuf place = STRBUF_INIT;
	char link[sizeof("/proc/self/fd/") + 10];
	int r = output_place_find(&found, AT_FDCWD, path, reterr);

	if (r == -EACCES && reterr->len > 0)
		return -EPERM;
	if (r < 0)
		return r == -EISDIR ? -EMEDIUMTYPE : r;
	if (found.target_fd < 0)
		return found.descriptor >= 0 ? -EMEDIUMTYPE : -ENOENT;
	r = find_store(found.target_fd, ret);
	if (r == 0)
		r = check_trust(&found, *ret, reterr);
	if (r < 0)
		return r;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", found.target_fd);
	r = fd_read_link_at(AT_FDCWD, link, &place, PATH_MAX);
	if (r == 0 && place.data[0] != '/')
		r = -ENOENT;
	if (r == 0)
		strbuf_add(ret_place, place.data, place.len);
	return r;
}

/* The file at a place may have been replaced since it was found, but not by a link. */
static int find_place(const char *place)
{
	struct open_how how = {
	        .flags = O_PATH | O_CLOEXEC,
	        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, AT_FDCWD, place, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		fd = open(place, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* Opens a regular file only: to open a device may do something. Returns the descriptor or -errno. */
static int open_place(const char *place, int flags, enum knob_store *ret)
{
	cleanup_(fd_closep) int path_fd = find_place(place);
	char link[sizeof("/proc/self/fd/") + 10];
	int r = path_fd < 0 ? path_fd : find_store(path_fd, ret);

	if (r < 0)
		return r;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	r = open(link, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return r < 0 ? -errno : r;
}

int knob_file_read(const char *place, struct strbuf *out)
{
	enum knob_store store;
	cleanup_(fd_closep) int fd = open_place(place, O_RDONLY, &store);
	ssize_t len;

	strbuf_clear(out);
	if (fd < 0)
		return fd;
	do {
		char *space = strbuf_reserve(out, KNOB_FILE_BYTES);

		len = read(fd, space, KNOB_FILE_BYTES);
		if (len > 0)
			out->len += (size_t)len;
	} while ((len > 0 && out->len <= KNOB_FILE_BYTES) || (len < 0 && errno == EINTR));
	if (len < 0)
		return -errno;
	strbuf_add(out, "", 0);
	return out->len > KNOB_FILE_BYTES ? -EFBIG : 0;
}

static int write_once(int fd, const void *bytes, size_t len)
{
	ssize_t written;

	do {
		written = write(fd, bytes, len);
	} while (written < 0 && errno == EINTR);
	return written < 0 ? -errno : (size_t)written == len ? 0 : -EIO;
}

int knob_file_write(const char *place, const void *bytes, size_t len)
{
	enum knob_store store;
	cleanup_(fd_closep) int fd = open_place(place, O_WRONLY, &store);
	int r;

	if (fd < 0)
		return fd;
	/* To the kernel nothing written is no value, and an empty line is an empty one. */
	if (store == KNOB_STORE_KERNEL)
		return len > 0 ? write_once(fd, bytes, len) : write_once(fd, "\n", 1);
	if (ftruncate(fd, 0) < 0)
		return -errno;
	r = len > 0 ? write_once(fd, bytes, len) : 0;
	return r < 0 ? r : fsync(fd) < 0 ? -errno : 0;
}
