/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* helper-guard - keeps helper processes from piling up. A helper that waits for a file system or for a process that never
 * answers cannot be killed, and outlives its parent. No other one is started as long as one of this user's does.
 *
 * Each user has a file for it, "helpers", in the first of these directories that can be had:
 *   /run/ctprof                for root
 *   /run/user/<uid>/ctprof     for others, where they have a session
 *   /dev/shm/ctprof.<random>   for everybody else: cron, services, su, containers that cannot write /run
 * Every capture holds two bytes of the file by locks of open file descriptions (F_OFD_SETLK, Linux 3.15): one by itself, and
 * one that its helpers hold with it. A byte of helpers without the byte of their parent means that helpers were left behind. The kernel drops
 * the locks when the last process that holds them is gone, so nothing has to be cleaned up. Directory and file must belong
 * to the user and be writable by nobody else: another user can neither pretend that there is a helper nor hide one. In
 * /dev/shm, which is sticky, nobody else can remove the directory, and its name is random, so nobody can take it before. It is found
 * again by its owner. Without such a directory no helper is started. */
#include "ctprof/base/macro.h"

struct helper_guard {
	int parent_fd; /* owned, as the next one; -1: there is none */
	int helper_fd; /* to be kept open by helpers */
	int refusal;   /* -errno of helper_guard_enter(); 0: it was not refused */
};

#define HELPER_GUARD_INIT ((struct helper_guard){.parent_fd = -1, .helper_fd = -1})

/* Takes two bytes, where that has not been done. Returns 0 when helpers may be started; -EBUSY while a helper that was left
 * behind lives; -ENOLCK where there is no directory for the file. A refusal stands until helper_guard_leave(). Waits for at most
 * 200 ms for a helper that is about to end. */
must_check_ int helper_guard_enter(struct helper_guard *guard);

/* Gives the bytes back. Helpers that have not ended are left behind from now on. @guard can be entered again. */
void helper_guard_leave(struct helper_guard *guard);

/* Does what helper_guard_enter() does, with the file in an open directory; -1: there is none. Tests use it. */
must_check_ int helper_guard_enter_at(struct helper_guard *guard, int dir_fd);

/* Opens this user's directory in one that all users may write, and makes it where there is none. @shared_fd must be sticky.
 * Returns a descriptor (O_PATH) or -1. */
must_check_ int helper_guard_open_shared(int shared_fd);
