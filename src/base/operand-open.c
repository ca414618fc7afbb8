// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/operand-open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/output-place.h"
#include "base/regular-file.h"

static unsigned kind_of(const struct stat *status)
{
	if (S_ISREG(status->st_mode))
		return OPERAND_FILE;
	return S_ISDIR(status->st_mode) ? OPERAND_DIRECTORY : OPERAND_STREAM;
}

/* Finds the file of a descriptor. It is opened again, from its begin. Those of the caller are open after an exec, which all of our own
 * are not. */
static int find_descriptor(struct output_place *place, const char *path)
{
	int flags = fcntl(place->descriptor, F_GETFD);

	if (flags < 0 || (flags & FD_CLOEXEC))
		return flags < 0 ? -errno : -EBADF;
	place->target_fd = regular_file_find_link(AT_FDCWD, path);
	if (place->target_fd < 0)
		return place->target_fd;
	return fstat(place->target_fd, &place->target) < 0 ? -errno : 0;
}

/* Returns a descriptor or -errno. */
static int reopen(const struct output_place *place, unsigned kinds)
{
	unsigned kind = kind_of(&place->target);
	int fd;

	if ((kinds & kind) == 0)
		return -EMEDIUMTYPE;
	/* Nobody waits for the writer of a pipe that is open. */
	if (kind == OPERAND_STREAM && place->descriptor >= 0) {
		fd = fcntl(place->descriptor, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	/* A lease on a regular file is not waited for. */
	return output_place_reopen(place, kind == OPERAND_FILE ? O_RDONLY | O_NONBLOCK : O_RDONLY);
}

static const char *reason_of(int error, unsigned kinds)
{
	if (error != -EMEDIUMTYPE)
		return strerror(-error);
	return (kinds & OPERAND_FILE) != 0 ? "it is no regular file" : strerror(ENOTDIR);
}

int operand_open(int dir_fd, const char *path, unsigned kinds, struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT_READ;
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	int r = output_place_find(&place, dir_fd, path, &phrase);

	if (r == 0 && place.descriptor >= 0)
		r = find_descriptor(&place, path);
	if (r == 0)
		r = place.target_fd < 0 ? -ENOENT : reopen(&place, kinds);
	if (r < 0)
		strbuf_add_str(reterr, phrase.len > 0 ? strbuf_str(&phrase) : reason_of(r, kinds));
	return r;
}
