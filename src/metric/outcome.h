/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* outcome - what an error of a reading means. */
#include "ctprof/base/macro.h"
#include "ctprof/metric/metric.h"

/* The thing that was read when an error came; it decides what the error means. */
enum error_policy {
	ERROR_OF_THREAD, /* a file of a thread: that it is not there means that the thread has ended */
	ERROR_OF_FEATURE, /* what some kernels lack, for a thread or a process: that it is not there means just that */
	ERROR_OF_KERNEL, /* what the kernel provides at all: whatever is not denied is not provided */
};

/* The outcome of a reading that returned @r, 0 or -errno: read where it is 0, denied for EACCES and EPERM, gone for ESRCH,
 * off for what the kernel does not have, malformed for anything else. */
must_check_ enum source_outcome outcome_of_error(enum error_policy policy, int r);
