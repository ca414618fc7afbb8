/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* record-status - prints what there is of a recording, and what records it. */
#include "ctprof/base/macro.h"

/* Prints to standard output. Returns 0 or -errno; errors are printed. */
must_check_ int record_status_print(const char *directory);
