/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* outcome - the meaning of an error that a reading returned. */
#include "ctprof/base/macro.h"
#include "ctprof/metric/metric.h"

/* The kind of thing that was read; it decides the meaning of an error. */
enum error_policy {
	ERROR_OF_THREAD, /* a file of a thread: ENOENT means that the thread has ended */
	ERROR_OF_FEATURE, /* a file of a thread or process that some kernels lack: ENOENT means just that */
	ERROR_OF_KERNEL, /* a feature of the kernel: whatever is not denied is not provided */
};

/* Returns the outcome of a reading that returned @r, 0 or -errno: read for 0, denied for EACCES and EPERM, gone for
 * ESRCH, off for what the kernel does not have, malformed for anything else. */
must_check_ enum source_outcome outcome_of_error(enum error_policy policy, int r);
