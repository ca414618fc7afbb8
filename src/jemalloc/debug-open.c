// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug-open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "ctprof/base/strbuf.h"
#include "debug-place.h"

static int open_in(enum file_systems allowed, int root_fd, const struct debug_wanted *wanted)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	int fd = -ENOENT;

	for (unsigned i = 0; i < DEBUG_PLACES && fd < 0; i++)
		if (debug_place_path(wanted, i, &path))
			fd = regular_file_open(root_fd, strbuf_str(&path), allowed);
	return fd;
}

int debug_open(enum file_systems allowed, int root_fd, const char *directory,
               const uint8_t *build_id, size_t build_id_len, const char *link)
{
	const struct debug_wanted wanted = {.build_id = build_id,
	                                    .build_id_len = build_id_len,
	                                    .directory = directory,
	                                    .link = link};
	cleanup_(fd_closep) int own_root = -1;
	int fd = -ENOENT;

	if (strchr(link, '/'))
		return -EINVAL;
	if (root_fd >= 0)
		fd = open_in(allowed, root_fd, &wanted);
	if (fd >= 0)
		return fd;
	own_root = fd_open_path_at(AT_FDCWD, "/");
	return own_root < 0 ? own_root : open_in(allowed, own_root, &wanted);
}
