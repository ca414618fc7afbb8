// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug-open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "ctprof/base/strbuf.h"
#include "debug-place.h"

static int open_in(enum file_systems allowed, const struct local_root *root,
                   const struct debug_wanted *wanted)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	int fd = -ENOENT;

	for (unsigned i = 0; i < DEBUG_PLACES && fd < 0; i++)
		if (debug_place_path(wanted, i, &path))
			fd = local_path_open(root, strbuf_str(&path), allowed);
	return fd;
}

int debug_open(enum file_systems allowed, const struct local_root *root, const char *directory,
               const uint8_t *build_id, size_t build_id_len, const char *link)
{
	const struct debug_wanted wanted = {.build_id = build_id,
	                                    .build_id_len = build_id_len,
	                                    .directory = directory,
	                                    .link = link};
	cleanup_(strbuf_done) struct strbuf mounts = STRBUF_INIT;
	cleanup_(fd_closep) int own_root = -1;
	int fd = -ENOENT;

	if (strchr(link, '/'))
		return -EINVAL;
	if (root->fd >= 0)
		fd = open_in(allowed, root, &wanted);
	if (fd >= 0)
		return fd;
	own_root = fd_open_path_at(AT_FDCWD, "/");
	fd = own_root < 0 ? own_root : local_mounts_read("/proc/self/mountinfo", &mounts);
	return fd < 0 ? fd
	              : open_in(allowed, &(struct local_root){own_root, &mounts, true}, &wanted);
}
