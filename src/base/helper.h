/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* helper - what helper processes of ours have in common. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In the helper: what is typed at a terminal, or sent to end us politely, is for its parent, with whom it ends. All signals are
 * unblocked. */
void helper_ignore_signals(void);

/* In the helper: closes all descriptors but two. Either may be -1. */
void helper_close_others(int kept, int also_kept);

/* In the helper: gives up supplementary groups and takes @id as all its user and group ids. Without the right to (EPERM), or where the user
 * namespace has no such id (EINVAL), the process keeps those that it has; any other failure ends it. */
void helper_become(uint32_t id);

/* In the helper: gives up all capabilities but those in @kept, a set of bits 1 << CAP_... (see <linux/capability.h>), of
 * which only those are kept that are there. No program that it may execute gets any (PR_SET_NO_NEW_PRIVS). Ends the helper
 * where that fails. */
void helper_keep_capabilities(uint64_t kept);

/* The same for a helper that opens files of others. It also becomes a user and a group that nobody else is, so that it owns
 * no file and no other user's process may send it signals; that is for root, and whoever is not root stays who it is. */
void helper_become_stranger(uint64_t kept);

/* In the helper: it ends with the thread that started it, in the process @parent. To be called behind the two above, for
 * with a change of rights the kernel forgets it. */
void helper_end_with(pid_t parent);

/* Waits for a helper that has been told to end, or was killed, for at most so many milliseconds. Returns false where it has
 * not ended: it hangs in the kernel, and is left to whoever reaps our own children. */
bool helper_reap(pid_t pid, unsigned wait_ms);
