/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* helper - what helper processes of ours have in common. */
#include <sys/types.h>

/* In the helper: what is typed at a terminal, or sent to end us politely, is for its parent, with whom it ends. All signals are
 * unblocked. */
void helper_ignore_signals(void);

/* Waits for a helper that has been told to end, or was killed, for at most so many milliseconds: one that hangs in the kernel is
 * left to whoever reaps our own children. */
void helper_reap(pid_t pid, unsigned wait_ms);
