/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* own-directory - the directory where ctprof keeps files of this user until the next boot: /run/ctprof for root,
 * /run/user/<uid>/ctprof for others. It and the directory above belong to the user and can be written by nobody else, so
 * that no other user decides what is in its files. */
#include <stdbool.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

/* Returns whether the open file is of this type (S_IFREG, S_IFDIR), belongs to this user and can be written by nobody else. */
bool fd_is_own(int fd, mode_t type);

/* Opens the directory, and makes it where there is none. Returns a descriptor (O_PATH), or -1. */
must_check_ int own_directory_open(void);
