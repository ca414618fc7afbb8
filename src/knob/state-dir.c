// SPDX-License-Identifier: GPL-2.0-or-later
#include "state-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
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
static int sync_parent(const char *path)
{
	cleanup_(strbuf_done) struct strbuf parent = STRBUF_INIT;
	cleanup_(fd_closep) int fd = -1;

	strbuf_addf(&parent, "%s/..", path);
	fd = fd_open_dir_at(AT_FDCWD, parent.data);
	return fd < 0 ? fd : fsync(fd) < 0 ? -errno : 0;
}

/* Looks at it with O_PATH before anything in it is opened. */
int state_dir_open(const char *path, bool make)
{
	cleanup_(fd_closep) int path_fd = -1;
	int fd;

	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (make) {
		int r = sync_parent(path);

		if (r < 0)
			return r;
	}
	path_fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (path_fd < 0)
		return -errno;
	if (!is_private(path_fd, S_IFDIR))
		return -EPERM;
	fd = openat(path_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
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
