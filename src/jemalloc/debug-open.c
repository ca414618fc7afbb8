// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug-open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "ctprof/base/strbuf.h"

static int open_by_build_id(enum file_systems allowed, int root_fd, const uint8_t *build_id,
                            size_t len)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "/usr/lib/debug/.build-id/%02x/", build_id[0]);
	for (size_t i = 1; i < len; i++)
		strbuf_addf(&path, "%02x", build_id[i]);
	strbuf_add_str(&path, ".debug");
	return regular_file_open(root_fd, strbuf_str(&path), allowed);
}

static int open_by_link(enum file_systems allowed, int root_fd, const char *directory,
                        const char *link)
{
	static const struct {
		const char *before;
		const char *between;
	} places[] = {{"", ""}, {"", "/.debug"}, {"/usr/lib/debug", ""}};
	int fd = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(places) && fd < 0; i++) {
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

		strbuf_addf(&path, "%s%s%s/%s", places[i].before, directory, places[i].between,
		            link);
		fd = regular_file_open(root_fd, strbuf_str(&path), allowed);
	}
	return fd;
}

static int open_in(enum file_systems allowed, int root_fd, const char *directory,
                   const uint8_t *build_id, size_t build_id_len, const char *link)
{
	int fd = -ENOENT;

	if (build_id_len > 1)
		fd = open_by_build_id(allowed, root_fd, build_id, build_id_len);
	if (fd < 0 && directory && link[0] != '\0')
		fd = open_by_link(allowed, root_fd, directory, link);
	return fd;
}

int debug_open(enum file_systems allowed, int root_fd, const char *directory,
               const uint8_t *build_id, size_t build_id_len, const char *link)
{
	cleanup_(fd_closep) int own_root = -1;
	int fd = -ENOENT;

	if (strchr(link, '/'))
		return -EINVAL;
	if (root_fd >= 0)
		fd = open_in(allowed, root_fd, directory, build_id, build_id_len, link);
	if (fd >= 0)
		return fd;
	own_root = fd_open_path_at(AT_FDCWD, "/");
	return own_root < 0 ? own_root
	                    : open_in(allowed, own_root, directory, build_id, build_id_len, link);
}
