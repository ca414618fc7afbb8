/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-exits - the threads that ended in a window, one line each, as the kernel's tool procacct prints them. */
#include <stdio.h>

#include "report/report.h"
#include "snapshot/thread-store.h"

struct report_exits {
	const struct thread_store *ended; /* borrowed */
	const uint32_t *order;            /* rows, by the time of their end; borrowed */
	size_t count;
	size_t shown; /* the first ones */
};

/* Returns the time of day of an end, in nanoseconds since 1970; 0 if that is not known. */
uint64_t report_exit_time(const struct snapshot_info *info, const struct thread_sample *sample);

/* Prints the table. @report has the window and the style. Errors are left in @file's error flag. */
void report_exits_table(FILE *file, const struct report *report, const struct report_exits *exits);

/* The letters of lastcomm(1) for flags of the record, and a name for how the thread ended: "0", "3", "SIGKILL". */
void report_add_exit_flags(uint64_t flags, struct strbuf *out);
void report_add_exit_code(uint64_t code, struct strbuf *out);
