// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup/cgroup-share.h"

/* In version 2, threads of a process can be in different cgroups only in a threaded subtree. Its root and members have
 * that in cgroup.type; the root of all has no such file, and may have one below it. In version 1 each thread can be in
 * any cgroup, but there is only one if the hierarchy has a root and nothing below it. */

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "cgroup/cgroup-open.h"
#include "cgroup/cgroup.h"
#include "ctprof/base/strbuf.h"

enum { TYPE_BYTES = 64 };

static int mount_open(const struct cgroup_mount *mount)
{
	return mount->found ? fd_open_path_at(AT_FDCWD, strbuf_str(&mount->point)) : -1;
}

void cgroup_share_init(struct cgroup_share *share, const struct cgroup_mounts *mounts)
{
	*share = (struct cgroup_share){.mounts = mounts};
	cgroup_v1_controllers_init(&share->controllers);
	share->unified_fd = mount_open(&mounts->unified);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++) {
		int fd = mount_open(&mounts->v1[i]);

		/* Only the true root has this file; a namespace shows another cgroup as root. */
		if (fd >= 0 && faccessat(fd, "cgroup.sane_behavior", F_OK, 0) < 0)
			fd_closep(&fd);
		share->v1_fds[i] = fd;
	}
}

void cgroup_share_done(struct cgroup_share *share)
{
	/* The structure may be zeroed without initialisation. */
	if (!share->mounts)
		return;
	fd_closep(&share->unified_fd);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		fd_closep(&share->v1_fds[i]);
	share->mounts = NULL;
}

static bool has_children(int fd)
{
	enum { LINKS_OF_LEAF = 2 };
	struct stat status;

	return fstat(fd, &status) < 0 || status.st_nlink != LINKS_OF_LEAF;
}

static bool unified_holds(const struct cgroup_share *share, struct span path)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT, type = STRBUF_INIT;
	cleanup_(fd_closep) int fd = -1;

	if (cgroup_path_is_cut(path))
		return false;
	strbuf_add(&name, path.text, path.len);
	fd = cgroup_walk_open(share->unified_fd, &share->mounts->unified, &name);
	return fd >= 0 && fd_read_record_at(fd, "cgroup.type", &type, TYPE_BYTES) == 0 &&
	       strcmp(strbuf_str(&type), "domain\n") == 0;
}

static bool v1_holds(const struct cgroup_share *share, uint32_t controllers, struct span path)
{
	int fd = controllers == 0 ? -1 : share->v1_fds[__builtin_ctz(controllers)];

	return fd >= 0 && span_is(path, "/") && !has_children(fd);
}

bool cgroup_share_holds(const struct cgroup_share *share, const char *text, size_t len)
{
	struct span rest = {text, len};
	struct cgroup_line line;

	while (cgroup_next_line(&share->controllers, &rest, &line)) {
		if (line.is_v2 ? !unified_holds(share, line.path)
		               : !v1_holds(share, line.controllers, line.path))
			return false;
	}
	return len > 0;
}
