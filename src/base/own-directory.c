// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/own-directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/trust.h"

bool fd_is_own(int fd, mode_t type)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
	       trust_is_own_user(status.st_uid) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int own_directory_open(void)
{
	cleanup_(fd_closep) int parent_fd = -1;
	char parent[64];
	int fd;

	if (geteuid() == 0)
		snprintf(parent, sizeof(parent), "/run");
	else
		snprintf(parent, sizeof(parent), "/run/user/%u", (unsigned)geteuid());
	parent_fd = open(parent, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (parent_fd < 0 || !fd_is_own(parent_fd, S_IFDIR))
		return -1;
	(void)mkdirat(parent_fd, "ctprof", 0700);
	fd = openat(parent_fd, "ctprof", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !fd_is_own(fd, S_IFDIR))
		fd_closep(&fd);
	return fd;
}
