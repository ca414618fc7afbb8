/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* process-identity - distinguishes a process that executed another program from its former self. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

/* Stays the same as long as a process runs the same program. Addresses are 0 or 1 if this user may not see them. */
struct process_identity {
	uint64_t start_time;
	uint64_t start_code;
	uint64_t start_stack;
};

/* Reads it from /proc/<tgid>/stat. Returns false if the process is gone. */
must_check_ bool process_identity_read(uint32_t tgid, struct process_identity *ret_identity);
