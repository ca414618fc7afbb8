/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-rates - windows of one host that follow one another, as the work of a second of each group and metric; and who writes them. */
#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "fleet/fleet-groups.h"

/* A group. It stays when it has no threads any more: then it does no work. */
struct rate_group {
	uint64_t number;           /* from 1 on, in the order of their first windows */
	double now[METRIC_COUNT];  /* the work of a second of the window; NaN: not seen */
	double last[METRIC_COUNT]; /* of the writer; NaN at first */
	struct metric_set known;   /* those that some window has seen */
	struct metric_set partial; /* those of @now that lack some threads */
	uint64_t written;          /* of the writer; 0 at first */
	bool is_known;             /* the same; false at first */
	bool has_now;              /* the last window has it */
	bool is_changing;          /* it is in the list of these */
};

struct window_rates {
	struct strmap groups; /* from names to struct rate_group, owned */
	/* Places of the groups that the last window has, or the one before it: all others did no work in both. Owned. */
	size_t *changing;
	size_t changing_count, changing_capacity;
	struct strbuf host; /* the name of the first window's host; empty if it has none */
	uint64_t begin_ns,
	        end_ns; /* of the last window, since 1970; it begins where the one before ended, if it followed at once */
	uint64_t length_ns; /* its own, by which its work is divided */
	uint64_t gap_ns;    /* from the end of the window before it; 0 for the first one */
	bool has_window;
	/* Values that were not seen in a window, and were not written, and those without some of the threads; of the writer. */
	size_t unseen, partial;
};

/* Takes a window: @info and @groups, which are finished, are of the same one. Returns NULL, or a phrase that says why it cannot follow
 * the others: it is none, it is of another host, or it begins before the one before has ended. */
must_check_ const char *window_rates_add(struct window_rates *rates,
                                         const struct snapshot_info *info,
                                         const struct fleet_groups *groups);

/* Counts a value of the last window that is to be written. Returns whether it was seen. */
bool window_rates_count(struct window_rates *rates, const struct rate_group *group,
                        enum metric_id metric);

/* For cleanup_(window_rates_done). */
void window_rates_done(struct window_rates *rates);

/* Writes windows somewhere. */
struct window_writer {
	struct window_rates rates;
	/* Writes the last window of the rates. Returns 0 or -errno; then @reterr may have a sentence. */
	int (*write)(struct window_writer *self, struct strbuf *reterr);
};
