/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* chrome-trace - windows that follow one another as a trace in Chrome's JSON format, as Perfetto and chrome://tracing show it: each group
 * is a process with a counter for each metric, whose value is the work of a second. The windows themselves, and the times between them,
 * are slices of process 0. */
#include <stdio.h>

#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "fleet/fleet-groups.h"

struct chrome_trace {
	FILE *file;                      /* borrowed; errors are left in its error flag */
	const struct metric_set *wanted; /* borrowed */
	struct strmap tracks;            /* from names of groups to struct chrome_track, owned */
	struct strbuf event;             /* scratch */
	struct strbuf host; /* the name of the first window's host; empty if it has none */
	uint64_t end_ns;    /* of the last window, since 1970 */
	bool has_event;
	bool has_window;
	size_t unseen; /* values that were not seen in a window, and have no event */
};

/* Prints the head. All metrics of @wanted are counters. */
void chrome_trace_begin(struct chrome_trace *trace, FILE *file, const struct metric_set *wanted);

/* Prints the events of a window: @info and @groups, which are finished, are of the same one. A counter has an event where its value
 * changes; a group without any thread in a window has done no work in it. Returns NULL, or a phrase that says why the window cannot be
 * added: it is none, it is of another host, or it begins before the one before has ended. */
must_check_ const char *chrome_trace_add(struct chrome_trace *trace,
                                         const struct snapshot_info *info,
                                         const struct fleet_groups *groups);

/* Prints the end. */
void chrome_trace_end(struct chrome_trace *trace);

/* For cleanup_(chrome_trace_done). */
void chrome_trace_done(struct chrome_trace *trace);
