/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* wait - where a thread waits: /proc/<tgid>/task/<tid>/wchan and syscall. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/strbuf.h"
#include "ctprof/metric/metric.h"

/* Appends the function of the kernel that wchan names; nothing for "0": the thread waits in none, or this user has no right to see it. Returns
 * OUTCOME_read or OUTCOME_malformed. */
must_check_ enum source_outcome wchan_parse(const char *text, size_t len, struct strbuf *out);

struct syscall_number {
	bool has_number; /* the thread waits in a system call */
	bool is_narrow;  /* of the 32-bit table, as far as its stack says */
	uint32_t number;
};

/* Parses syscall: "running", "-1" with a stack and a place, or a number with six arguments as well, which are passed over. A thread
 * of the kernel has a zero in each of them. Returns OUTCOME_read or OUTCOME_malformed. */
must_check_ enum source_outcome syscall_parse(const char *text, size_t len,
                                              struct syscall_number *ret);
