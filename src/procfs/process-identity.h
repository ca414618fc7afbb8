/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* process-identity - tells a process that executed another program from the one that it was. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

/* One and the same program in one and the same process has the same. Addresses are 0 or 1 where this user may not know
 * them. */
struct process_identity {
	uint64_t start_time;
	uint64_t start_code;
	uint64_t start_stack;
};

/* Reads it from /proc/<tgid>/stat; false where the process is gone. */
must_check_ bool process_identity_read(uint32_t tgid, struct process_identity *ret_identity);
