/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* helper - what helper processes of ours have in common. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In the helper: what is typed at a terminal, or sent to end us politely, is for its parent, with whom it ends. All signals are
 * unblocked. */
void helper_ignore_signals(void);

/* In the helper: gives up all capabilities but those in @kept, a set of bits 1 << CAP_... (see <linux/capability.h>), of
 * which only those are kept that are there. No program that it may execute gets any (PR_SET_NO_NEW_PRIVS). Ends the helper
 * where that fails. */
void helper_keep_capabilities(uint64_t kept);

/* In the helper: does what helper_keep_capabilities() does, and takes a user id and a group id that no other process has, without
 * supplementary groups. The helper then owns no file, and processes of other users cannot send it signals. A process without
 * CAP_SETUID and CAP_SETGID keeps its ids, and so does one whose user namespace does not map these ids (EINVAL). Any other
 * failure ends the helper. It is not dumpable afterwards. */
void helper_become_stranger(uint64_t kept);

/* In the helper: it ends with the thread that started it, in the process @parent. To be called behind the two above, for
 * with a change of rights the kernel forgets it. */
void helper_end_with(pid_t parent);

/* Does so by another signal than SIGKILL. */
void helper_end_with_by(pid_t parent, int signal);

/* Waits for a helper that was asked to end, or was killed, for at most so many milliseconds. Returns false if it has not
 * ended: it hangs in the kernel, and the process that reaps our own children gets it. */
bool helper_reap(pid_t pid, unsigned wait_ms);
