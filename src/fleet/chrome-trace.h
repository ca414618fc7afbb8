/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* chrome-trace - windows that follow one another as a trace in Chrome's JSON format, as Perfetto and chrome://tracing show it: each group
 * is a process with a counter for each metric, whose value is the work of a second. The windows themselves, and the times between them,
 * are slices of process 0. */
#include <stdio.h>

#include "fleet/window-rates.h"

struct chrome_trace {
	/* Must stay the first member. A counter has an event where its value changes. */
	struct window_writer writer;
	FILE *file;                      /* borrowed; errors are left in its error flag */
	const struct metric_set *wanted; /* borrowed */
	struct strbuf event;             /* scratch */
	bool has_event;
};

/* Prints the head. All metrics of @wanted are counters. */
void chrome_trace_begin(struct chrome_trace *trace, FILE *file, const struct metric_set *wanted);

/* Prints the end. */
void chrome_trace_end(struct chrome_trace *trace);

/* For cleanup_(chrome_trace_done). */
void chrome_trace_done(struct chrome_trace *trace);
