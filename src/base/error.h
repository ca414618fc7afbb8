/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* error - what a -errno says about its cause. */
#include <errno.h>
#include <stdbool.h>

/* Returns whether ctprof itself has run out of descriptors or of memory: no process that is read is the cause, and a
 * reading that went on would lack values without a reason. */
static inline bool error_is_own(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

/* Returns whether this user may not do it. */
static inline bool error_is_denied(int r)
{
	return r == -EACCES || r == -EPERM;
}
