/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* helper-guard - keeps helper processes from piling up. A helper that waits for a file system or for a process that never
 * answers cannot be killed, and outlives its parent. As long as one of this user's does, no other one is started.
 *
 * Each user has a file for it: /run/ctprof/helpers for root, /run/user/<uid>/ctprof/helpers for others. Every capture holds
 * two bytes of it by locks of open file descriptions (F_OFD_SETLK, Linux 3.15): one by itself, and one that its helpers
 * hold with it. A byte of helpers without the byte of their parent means that helpers were left behind. The kernel drops
 * the locks when the last process that holds them is gone, so nothing has to be cleaned up. Directory and file must belong
 * to the user and be writable by nobody else: another user can neither pretend that there is a helper nor hide one. Where
 * there is no such place, as for a user without a session, helpers are started without a guard. */
#include <stdbool.h>

#include "ctprof/base/macro.h"

struct helper_guard {
	int parent_fd; /* owned, as the next one; -1: there is none */
	int helper_fd; /* to be kept open by helpers; -1: they are started without a guard */
	bool is_refused;
};

#define HELPER_GUARD_INIT ((struct helper_guard){.parent_fd = -1, .helper_fd = -1})

/* Takes two bytes, where that has not been done. Returns false while a helper that was left behind lives; once refused, it is
 * so until helper_guard_leave(). Waits for at most 200 ms for one that is about to end. */
must_check_ bool helper_guard_enter(struct helper_guard *guard);

/* Gives the bytes back. Helpers that have not ended are left behind from now on. @guard can be entered again. */
void helper_guard_leave(struct helper_guard *guard);

/* Does what helper_guard_enter() does, with the file in an open directory. Tests use it. */
must_check_ bool helper_guard_enter_at(struct helper_guard *guard, int dir_fd);
