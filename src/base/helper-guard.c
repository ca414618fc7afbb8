// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/helper-guard.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/own-directory.h"

enum {
	SLOTS = 64, /* more captures of one user at a time find no place and start no helpers */
	WAIT_MS = 200,
	LOOK_EVERY_MS = 10,
	NAME_BYTES = sizeof("ctprof.0123456789abcdef"),
	ENTRIES_MAX = 20000, /* in a directory that others fill */
};

static const char prefix[] = "ctprof.";

static struct flock byte_at(unsigned slot, bool is_helpers)
{
	return (struct flock){.l_type = F_WRLCK,
	                      .l_whence = SEEK_SET,
	                      .l_start = 2 * (off_t)slot + is_helpers,
	                      .l_len = 1};
}

static bool take(int fd, unsigned slot, bool is_helpers)
{
	struct flock byte = byte_at(slot, is_helpers);

	return fcntl(fd, F_OFD_SETLK, &byte) == 0;
}

static bool is_held(int fd, unsigned slot, bool is_helpers)
{
	struct flock byte = byte_at(slot, is_helpers);

	return fcntl(fd, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

/* The helpers' byte is looked at first: a parent takes its own byte before it takes theirs. */
static bool is_any_left(int fd)
{
	for (unsigned slot = 0; slot < SLOTS; slot++)
		if (is_held(fd, slot, true) && !is_held(fd, slot, false))
			return true;
	return false;
}

/* Helpers whose parent was killed need a moment to end. */
static bool does_any_stay(int fd)
{
	static const struct timespec nap = {.tv_nsec = LOOK_EVERY_MS * NS_PER_MS};

	for (int waited = 0; waited < WAIT_MS; waited += LOOK_EVERY_MS) {
		if (!is_any_left(fd))
			return false;
		(void)nanosleep(&nap, NULL);
	}
	return is_any_left(fd);
}

/* Opens a directory in one that others can write. Mounts there are not entered: a server need not answer, and can report any
 * owner. Fails on kernels, and under filters, without openat2(2) (Linux 5.6). */
static int open_own_beneath(int shared_fd, const char *name)
{
	struct open_how how = {
	        .flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	int fd = (int)syscall(SYS_openat2, shared_fd, name, &how, sizeof(how));

	if (fd >= 0 && !fd_is_own(fd, S_IFDIR))
		fd_closep(&fd);
	return fd;
}

static int open_file(int dir_fd)
{
	int fd = openat(dir_fd, "helpers",
	                O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

	if (fd >= 0 && !fd_is_own(fd, S_IFREG))
		fd_closep(&fd);
	return fd;
}

/* Finds the first directory of ours in @shared_fd, by name. Returns 1, 0 where there is none, or -errno where that could not be
 * found out. */
static int find_own(int shared_fd, char ret_name[NAME_BYTES])
{
	int list_fd = fd_open_dir_at(shared_fd, ".");
	DIR *list = list_fd < 0 ? NULL : fdopendir(list_fd);
	const struct dirent *entry;
	unsigned entries = 0;
	bool is_found = false;
	int r = list_fd;

	if (!list) {
		fd_closep(&list_fd);
		return r < 0 ? r : -ENOMEM;
	}
	while (r >= 0 && (entry = readdir(list))) {
		cleanup_(fd_closep) int fd = -1;

		/* Ours may be behind those that another user has filled it with. */
		if (entries++ == ENTRIES_MAX)
			r = -E2BIG;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
		    strlen(entry->d_name) != NAME_BYTES - 1 ||
		    (is_found && strcmp(entry->d_name, ret_name) > 0))
			continue;
		errno = 0;
		fd = open_own_beneath(shared_fd, entry->d_name);
		if (fd < 0) {
			r = error_is_own(-errno) ? -errno : r;
			continue;
		}
		memcpy(ret_name, entry->d_name, NAME_BYTES);
		is_found = true;
	}
	closedir(list);
	return r < 0 ? r : is_found;
}

int helper_guard_open_shared(int shared_fd)
{
	char name[NAME_BYTES];
	struct stat status;
	uint64_t random;
	int found;

	/* Nobody but its owner may rename or remove what is in such a directory. */
	if (fstat(shared_fd, &status) < 0 || !(status.st_mode & S_ISVTX))
		return -1;
	found = find_own(shared_fd, name);
	if (found < 0)
		return -1;
	if (found == 0) {
		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
			return -1;
		snprintf(name, sizeof(name), "%s%016" PRIx64, prefix, random);
		/* Another capture may have made one meanwhile. */
		if (mkdirat(shared_fd, name, 0700) < 0 || find_own(shared_fd, name) <= 0)
			return -1;
	}
	return open_own_beneath(shared_fd, name);
}

static int open_directory(void)
{
	cleanup_(fd_closep) int shared_fd = -1;
	int fd;

	errno = 0;
	fd = own_directory_open();
	/* Without descriptors there is no other place. */
	if (fd >= 0 || error_is_own(-errno))
		return fd;
	shared_fd = open("/dev/shm", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return shared_fd < 0 ? -1 : helper_guard_open_shared(shared_fd);
}

static bool lock_slot(struct helper_guard *guard)
{
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		if (!take(guard->parent_fd, slot, false))
			continue;
		if (take(guard->helper_fd, slot, true))
			return true;
		/* Somebody left helpers behind in this one since it was looked at. */
		return false;
	}
	return false;
}

static int refuse(struct helper_guard *guard, int error)
{
	helper_guard_leave(guard);
	guard->refusal = error;
	return error;
}

int helper_guard_enter_at(struct helper_guard *guard, int dir_fd)
{
	if (guard->parent_fd >= 0 || guard->refusal < 0)
		return guard->refusal;
	guard->parent_fd = dir_fd < 0 ? -1 : open_file(dir_fd);
	guard->helper_fd = guard->parent_fd < 0 ? -1 : open_file(dir_fd);
	if (guard->helper_fd < 0)
		return refuse(guard, -ENOLCK);
	if (!does_any_stay(guard->parent_fd) && lock_slot(guard))
		return 0;
	return refuse(guard, -EBUSY);
}

int helper_guard_enter(struct helper_guard *guard)
{
	bool is_answered = guard->parent_fd >= 0 || guard->refusal < 0;
	cleanup_(fd_closep) int dir_fd = is_answered ? -1 : open_directory();

	return helper_guard_enter_at(guard, dir_fd);
}

void helper_guard_leave(struct helper_guard *guard)
{
	fd_closep(&guard->helper_fd);
	fd_closep(&guard->parent_fd);
	guard->refusal = 0;
}
