// SPDX-License-Identifier: GPL-2.0-or-later
#include "state-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/output-place.h"
#include "base/trust.h"

static const char lock_name[] = "changes.lock";

const char *state_dir_path(const char *wanted, struct strbuf *scratch)
{
	const char *variable = secure_getenv("STATE_DIRECTORY");

	if (wanted)
		return wanted;
	if (variable && variable[0] == '/') {
		strbuf_clear(scratch);
		strbuf_add(scratch, variable, strcspn(variable, ":"));
		return strbuf_str(scratch);
	}
	return geteuid() == 0 ? "/var/lib/ctprof" : NULL;
}

static bool is_private(int fd, mode_t type)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
	       trust_is_own_user(status.st_uid) && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* A journal in a directory that a crash loses is lost. */
static int sync_directory(int dir_fd)
{
	cleanup_(fd_closep) int fd = fd_open_dir_at(dir_fd, ".");

	return fd < 0 ? fd : fsync(fd) < 0 ? -errno : 0;
}

/* Makes the directory where the place is empty. Returns 0 or -errno. */
static int make_in_place(struct output_place *place)
{
	if (place->target_fd < 0 && mkdirat(place->dir_fd, place->name, 0700) < 0 &&
	    errno != EEXIST)
		return -errno;
	if (place->target_fd < 0)
		place->target_fd = openat(place->dir_fd, place->name,
		                          O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return place->target_fd < 0 ? -errno : sync_directory(place->dir_fd);
}

/* Looks at it with O_PATH before anything in it is opened. */
int state_dir_open(const char *path, bool make, struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT;
	int r = output_place_find_directory(&place, AT_FDCWD, path, reterr);

	if (r == 0 && make)
		r = make_in_place(&place);
	if (r == 0 && place.target_fd < 0)
		r = -ENOENT;
	if (r < 0)
		return r;
	if (!is_private(place.target_fd, S_IFDIR)) {
		strbuf_add_str(
		        reterr,
		        "it must belong to this user, and nobody else may have rights in it");
		return -EPERM;
	}
	r = trust_check_directory(place.target_fd, reterr);
	return r < 0 ? r : fd_open_dir_at(place.target_fd, ".");
}

static int open_lock(int dir_fd, int flags)
{
	int fd = openat(dir_fd, lock_name,
	                flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (!is_private(fd, S_IFREG)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int state_dir_lock(int dir_fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open_lock(dir_fd, O_CREAT);

	if (fd < 0)
		return fd;
	if (fcntl(fd, F_OFD_SETLK, &whole) < 0) {
		int error = errno;

		close(fd);
		return error == EAGAIN || error == EACCES ? -EBUSY : -error;
	}
	return fd;
}

bool state_dir_is_locked(int dir_fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	cleanup_(fd_closep) int fd = open_lock(dir_fd, 0);

	return fd >= 0 && fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}
