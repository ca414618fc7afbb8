/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-process - a process of a job at a moment, in the terms of ps(1). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum { DUCT_STATE_BYTES = 8, DUCT_COMM_BYTES = 16 };

struct duct_process {
	uint32_t pid;
	uint64_t start_ticks; /* since the boot; with the pid, it is one process */
	double age;           /* seconds; never too small */
	double cpu_time,
	        waited_time; /* of it, and of its children that were waited for; never too large */
	double vsz, rss;     /* bytes */
	unsigned threads;
	char state
	        [DUCT_STATE_BYTES]; /* as ps has it: "Ss", "Rl+"; without L, for pages that are locked */
	char comm[DUCT_COMM_BYTES];
};

/* Parses /proc/PID/stat. @boot_ns is CLOCK_BOOTTIME when it was read, or later. Returns false for a text that is none. */
must_check_ bool duct_process_parse(const char *text, size_t len, uint64_t boot_ns,
                                    struct duct_process *ret);

/* Reads it. Returns false if the process is not there. */
must_check_ bool duct_process_read(int proc_fd, uint32_t pid, struct duct_process *ret);

/* Appends the first @most bytes of the arguments of the process with blanks between them, and "..." if there are more; or "[comm]"
 * if it has none. Control characters become "?", a newline a blank. */
void duct_process_command(int proc_fd, const struct duct_process *process, size_t most,
                          struct strbuf *out);
/* Appends "[comm]" in the same way. */
void duct_process_name(const struct duct_process *process, struct strbuf *out);

/* Appends the time since a start as [[DD-]HH:]MM:SS. */
void duct_etime_add(double seconds, struct strbuf *out);
