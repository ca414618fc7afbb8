// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup/cgroup-open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

/* Returns whether the path has ".." behind the part that the mount's root has as well. In that part ".." may stand, as
 * a namespace shows the cgroups above it. */
static bool has_parent(const char *path)
{
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += len;
		path += strspn(path, "/");
	}
	return false;
}

static int open_beneath(int fd, const char *path)
{
	struct open_how how = {
	        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
	                   RESOLVE_NO_XDEV,
	};
	long opened = syscall(SYS_openat2, fd, path, &how, sizeof(how));

	return opened < 0 ? -errno : (int)opened;
}

/* Returns whether another mount below ours shows another cgroup under this name. That is unknown without mount ids
 * (before 5.8). */
static bool is_other_mount(int mount_fd, int fd)
{
	struct statx ours, there;

	return statx(mount_fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &ours) == 0 &&
	       statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &there) == 0 &&
	       (ours.stx_mask & there.stx_mask & STATX_MNT_ID) != 0 &&
	       ours.stx_mnt_id != there.stx_mnt_id;
}

/* Opens the path part by part if openat2(2) fails: seccomp filters of some containers refuse it, with ENOSYS or with
 * EPERM. */
static int open_by_parts(int mount_fd, const char *path)
{
	cleanup_(mem_freep) char *copy = mem_copy_text(path);
	int fd = fd_open_path_at(mount_fd, ".");
	char *rest = NULL;

	for (char *part = strtok_r(copy, "/", &rest); part && fd >= 0;
	     part = strtok_r(NULL, "/", &rest)) {
		int next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int r = next < 0 ? -errno : next;

		fd_closep(&fd);
		fd = r;
	}
	if (fd >= 0 && is_other_mount(mount_fd, fd)) {
		fd_closep(&fd);
		return -EXDEV;
	}
	return fd;
}

/* Stores the place of the cgroup below the mount in @located. */
static bool locate(const struct cgroup_mount *mount, const struct strbuf *path,
                   struct strbuf *located)
{
	return mount->found && strlen(strbuf_str(path)) == path->len &&
	       cgroup_mount_locate(mount, strbuf_str(path), located) &&
	       !has_parent(strbuf_str(located));
}

bool cgroup_is_below(const struct cgroup_mount *mount, const struct strbuf *path)
{
	cleanup_(strbuf_done) struct strbuf located = STRBUF_INIT;

	return locate(mount, path, &located);
}

int cgroup_walk_open(int mount_fd, const struct cgroup_mount *mount, const struct strbuf *path)
{
	cleanup_(strbuf_done) struct strbuf located = STRBUF_INIT;
	const char *below;
	int fd;

	if (!locate(mount, path, &located))
		return -EXDEV;
	below = strbuf_str(&located);
	if (mount_fd < 0)
		return mount_fd;
	fd = open_beneath(mount_fd, below);
	if (fd == -ENOSYS || fd == -EPERM || fd == -EAGAIN || fd == -ENAMETOOLONG)
		fd = open_by_parts(mount_fd, below);
	return fd;
}
