// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/trust-open.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/output-place.h"
#include "base/regular-file.h"
#include "base/trust.h"

/* Returns an O_PATH descriptor of the file at the place, or -errno. */
static int find_target(struct output_place *place, const char *path, struct strbuf *reterr)
{
	int r;

	if (place->descriptor >= 0)
		return regular_file_find_link(AT_FDCWD, path);
	if (place->target_fd < 0)
		return -ENOENT;
	r = trust_check_directory(place->dir_fd, reterr);
	if (r == 0) {
		r = place->target_fd;
		place->target_fd = -1;
	}
	return r;
}

int trust_open(const char *path, struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT;
	cleanup_(fd_closep) int path_fd = -1;
	int r = output_place_find(&place, AT_FDCWD, path, reterr);

	if (r < 0)
		return r;
	path_fd = find_target(&place, path, reterr);
	if (path_fd < 0)
		return path_fd;
	r = trust_check_file(path_fd, reterr);
	if (r < 0)
		return r;
	return regular_file_reopen(path_fd,
	                           geteuid() == 0 ? FILE_SYSTEMS_LOCAL : FILE_SYSTEMS_ADMINISTERED);
}
