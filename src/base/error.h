/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* error - the cause of a -errno. */
#include <errno.h>
#include <stdbool.h>

/* Returns whether ctprof itself has run out of descriptors or of memory: the process that is read is not the cause, and
 * a reading that continued would lack values without a reason. */
static inline bool error_is_own(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

/* Returns whether the user lacks the permission. */
static inline bool error_is_denied(int r)
{
	return r == -EACCES || r == -EPERM;
}
