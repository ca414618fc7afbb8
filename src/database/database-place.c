// SPDX-License-Identifier: GPL-2.0-or-later
#include "database-place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/output-place.h"

/* A group with the number of its user is that user's own, as pam_umask(8) has it. */
static bool others_may_write(const struct stat *status)
{
	bool own_group = status->st_gid == getegid() && getegid() == geteuid();

	return (status->st_mode & S_IWOTH) != 0 || ((status->st_mode & S_IWGRP) != 0 && !own_group);
}

static bool is_foreign(const struct stat *status)
{
	return status->st_uid != geteuid() && status->st_uid != 0;
}

static int check_place(const struct output_place *place, enum database_use use,
                       struct strbuf *reterr)
{
	if (place->descriptor >= 0)
		strbuf_add_str(reterr, "a database has a name in a directory");
	else if (is_foreign(&place->dir) || others_may_write(&place->dir))
		strbuf_add_str(reterr,
		               "other users may write its directory, which has the journal");
	else if (place->target_fd < 0 && use == DATABASE_READ)
		strbuf_add_str(reterr, strerror(ENOENT));
	else if (place->target_fd >= 0 && !S_ISREG(place->target.st_mode))
		strbuf_add_str(reterr, "it is no regular file");
	else if (place->target_fd >= 0 && is_foreign(&place->target))
		strbuf_add_str(reterr, "it belongs to another user");
	else
		return 0;
	return -EPERM;
}

/* Checks the directories above: a user who may rename one of them decides which file SQLite finds at the path. The entries of a sticky
 * directory are their owners', and the one on the way has been checked. */
static int check_above(int dir_fd, struct strbuf *reterr)
{
	cleanup_(fd_closep) int fd = openat(dir_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat below, status, root;

	if (fd < 0 || fstat(fd, &below) < 0 || stat("/", &root) < 0)
		return -errno;
	for (;;) {
		int above = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (above < 0 || fstat(above, &status) < 0) {
			int error = errno;

			fd_closep(&above);
			return -error;
		}
		fd_closep(&fd);
		fd = above;
		if (status.st_dev == below.st_dev && status.st_ino == below.st_ino)
			return 0;
		if ((is_foreign(&status) && status.st_uid != root.st_uid) ||
		    (others_may_write(&status) && (status.st_mode & S_ISVTX) == 0)) {
			strbuf_add_str(reterr,
			               "other users may rename a directory that it lies in");
			return -EPERM;
		}
		below = status;
	}
}

int database_find_place(const char *path, enum database_use use, struct strbuf *ret_path,
                        struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT;
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	int r = output_place_find(&place, AT_FDCWD, path, reterr);

	if (r == 0)
		r = check_place(&place, use, reterr);
	if (r == 0)
		r = check_above(place.dir_fd, reterr);
	if (r < 0 && reterr->len == 0)
		strbuf_add_str(reterr, strerror(-r));
	if (r < 0)
		return r;
	strbuf_addf(&name, "/proc/self/fd/%d", place.dir_fd);
	r = fd_read_link_at(AT_FDCWD, strbuf_str(&name), ret_path, PATH_MAX);
	if (r < 0) {
		strbuf_add_str(reterr, strerror(-r));
		return r;
	}
	strbuf_addf(ret_path, "%s%s", ret_path->len > 1 ? "/" : "", place.name);
	return 0;
}
