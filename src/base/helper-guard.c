// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/helper-guard.h"
#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

enum {
	SLOTS = 64, /* more captures of one user at a time find no place and start no helpers */
	WAIT_MS = 200,
	LOOK_EVERY_MS = 10,
};

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

static bool is_ours_alone(int fd, mode_t type)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
	       status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int open_file(int dir_fd)
{
	int fd = openat(dir_fd, "helpers",
	                O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

	if (fd >= 0 && !is_ours_alone(fd, S_IFREG))
		fd_closep(&fd);
	return fd;
}

/* Below directories that only root can write, or only this user. */
static int open_directory(void)
{
	const char *parent = "/run", *name = "ctprof";
	cleanup_(fd_closep) int parent_fd = -1;
	char own[64];
	int fd;

	if (geteuid() != 0) {
		snprintf(own, sizeof(own), "/run/user/%u", (unsigned)geteuid());
		parent = own;
	}
	parent_fd = open(parent, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (parent_fd < 0 || !is_ours_alone(parent_fd, S_IFDIR))
		return -1;
	(void)mkdirat(parent_fd, name, 0700);
	fd = openat(parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !is_ours_alone(fd, S_IFDIR))
		fd_closep(&fd);
	return fd;
}

static bool take_slot(struct helper_guard *guard)
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

bool helper_guard_enter_at(struct helper_guard *guard, int dir_fd)
{
	if (guard->parent_fd >= 0 || guard->is_refused)
		return !guard->is_refused;
	guard->parent_fd = open_file(dir_fd);
	guard->helper_fd = guard->parent_fd < 0 ? -1 : open_file(dir_fd);
	if (guard->helper_fd < 0) {
		helper_guard_leave(guard);
		return true;
	}
	if (!does_any_stay(guard->parent_fd) && take_slot(guard))
		return true;
	helper_guard_leave(guard);
	guard->is_refused = true;
	return false;
}

bool helper_guard_enter(struct helper_guard *guard)
{
	cleanup_(fd_closep) int dir_fd = guard->parent_fd < 0 ? open_directory() : -1;

	return dir_fd < 0 || helper_guard_enter_at(guard, dir_fd);
}

void helper_guard_leave(struct helper_guard *guard)
{
	fd_closep(&guard->helper_fd);
	fd_closep(&guard->parent_fd);
	guard->is_refused = false;
}
