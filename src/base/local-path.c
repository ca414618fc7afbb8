// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/local-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/mount-words.h"

enum { MOUNTINFO_BYTES = 64 << 20, CROSSINGS_MOST = 8 };

int local_mounts_read(const char *name, struct strbuf *ret_mounts)
{
	strbuf_clear(ret_mounts);
	return fd_read_all_at(AT_FDCWD, name, ret_mounts, MOUNTINFO_BYTES);
}

static bool is_local(const struct mount_words *mount)
{
	enum file_system_kind kind = file_system_kind_of_type(mount->type.text, mount->type.len);

	return kind == FILE_SYSTEM_LOCAL || kind == FILE_SYSTEM_STACKED;
}

/* Returns whether the descriptor is of a mount of the table that is local. The kernel knows the mount, and no server is asked. */
static bool is_on_local_mount(const struct strbuf *mounts, int fd)
{
	struct span rest = {strbuf_str(mounts), mounts->len}, line;
	struct mount_words mount;
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) < 0 ||
	    !(status.stx_mask & STATX_MNT_ID))
		return false;
	while (scan_line(&rest, &line))
		if (mount_words_scan(line, &mount) && mount.id == status.stx_mnt_id)
			return is_local(&mount);
	return false;
}

enum known { KNOWN_NOT, KNOWN_LOCAL, KNOWN_REMOTE };

/* Returns what the table says of the last mount at this path below the root, which may lead over symbolic links that the table does not
 * have. */
static enum known find_mount_at(const struct strbuf *mounts, const char *path, size_t len)
{
	struct span rest = {strbuf_str(mounts), mounts->len}, line;
	struct mount_words mount;
	enum known known = KNOWN_NOT;

	while (scan_line(&rest, &line))
		if (mount_words_scan(line, &mount) && mount.point.len == len + 1 &&
		    mount.point.text[0] == '/' && memcmp(mount.point.text + 1, path, len) == 0)
			known = is_local(&mount) ? KNOWN_LOCAL : KNOWN_REMOTE;
	return known;
}

/* Cuts @path behind the first part of it that is on another mount. */
static void cut_at_mount(int fd, char *path)
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		int found;

		*slash = '\0';
		found = regular_file_find_on_mount(fd, path);
		if (found == -EXDEV)
			return;
		fd_closep(&found);
		*slash = '/';
	}
}

/* Returns the root of the mount at @path. A network file system asks its server where a walk ends on its root, so that the table is asked
 * before; what it does not have is looked for in the kernel's memory alone. */
static int enter(const struct strbuf *mounts, int fd, const char *path, enum known known)
{
	int entered = -EREMOTE;

	if (known == KNOWN_LOCAL)
		entered = regular_file_find(fd, path);
	else if (known == KNOWN_NOT)
		entered = regular_file_find_cached(fd, path);
	if (entered >= 0 && !is_on_local_mount(mounts, entered)) {
		fd_closep(&entered);
		return -EREMOTE;
	}
	return entered;
}

int local_path_find(const struct local_root *root, const char *path)
{
	cleanup_(mem_freep) char *copy = NULL;
	cleanup_(fd_closep) int own = -1;
	const char *whole = path + strspn(path, "/");
	int fd = root->fd;

	if (!root->is_own && !is_on_local_mount(root->mounts, fd))
		return -EREMOTE;
	for (int i = 0; i < CROSSINGS_MOST; i++) {
		enum known known;
		int found;

		path += strspn(path, "/");
		found = regular_file_find_on_mount(fd, *path ? path : ".");
		if (found != -EXDEV)
			return found;
		free(copy);
		copy = mem_copy_text(path);
		cut_at_mount(fd, copy);
		path += strlen(copy);
		known = find_mount_at(root->mounts, whole, (size_t)(path - whole));
		found = enter(root->mounts, fd, copy, known);
		if (found < 0)
			return found;
		fd_closep(&own);
		fd = own = found;
	}
	return -ELOOP;
}

int local_path_open(const struct local_root *root, const char *path, enum file_systems allowed)
{
	cleanup_(fd_closep) int path_fd = -1;

	if (allowed == FILE_SYSTEMS_ALL)
		return regular_file_open(root->fd, path, allowed);
	path_fd = local_path_find(root, path);
	return path_fd < 0 ? path_fd : regular_file_reopen(path_fd, allowed);
}
