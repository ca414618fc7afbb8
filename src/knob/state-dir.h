/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* state-dir - the directory that outlives ctprof, and the lock in it. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Returns the path: @wanted, or the first of $STATE_DIRECTORY, or root's; NULL where this user has none. In a program with more rights
 * than its user the variable does not count. Borrowed until the environment changes. */
const char *state_dir_path(const char *wanted, struct strbuf *scratch);

/* Opens it. It must belong to this user, others must not have any right in it, and nobody else may exchange it or a directory above, or
 * have put a link on the way to it: the journal must be found again. With @make, it is made where it is missing.
 * Returns a descriptor or -errno, with a phrase if one of these is the reason. */
must_check_ int state_dir_open(const char *path, bool make, struct strbuf *reterr);

/* Takes the lock. It holds as long as this process, or one that it forked, has the descriptor. Returns it, or -EBUSY, or
 * another -errno. */
must_check_ int state_dir_lock(int dir_fd);

/* Returns whether some process holds the lock. */
bool state_dir_is_locked(int dir_fd);
