/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window - makes one snapshot of the time between two lifetime snapshots of one boot. Threads are joined by their
 * identity (tgid, tid, birth), and those that ended in between by their exit records. A counter becomes its increase; a
 * peak stays if it rose, a floor if it fell; everything else is as at the end. Unknown values are left out and counted:
 * see ctprof-snapshot(5). */
#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"
#include "ctprof/snapshot/snapshot.h"
#include "window/exit-log.h"

struct window_input {
	struct byte_source *source; /* of a file; NULL: there is none */
	const char *name;           /* for error messages */
};

/* Fills info->cost, at the end of the work; the others are the two readings'. */
struct window_meter {
	void (*measure)(struct window_meter *self, const struct snapshot_info *first,
	                const struct snapshot_info *last, struct snapshot_info *info);
};

/* CPU time of less than a tick of threads that were born or ended, by pcomm; negative if their rows have more. */
struct window_rest {
	int64_t user_ns, system_ns;
	uint64_t all_user_ns, all_system_ns; /* of all threads that have the time by mode */
	uint64_t user_hits, system_hits;     /* short threads that a tick met in the mode */
};

struct window_rests {
	struct strmap places;        /* pcomm to the place among the entries, plus one */
	struct window_rest *entries; /* owned */
	size_t count, capacity;
};

/* For cleanup_(window_rests_done). */
void window_rests_done(struct window_rests *rests);

/* The common part of two windows that follow one another. */
struct window_next {
	struct window_reading
	        *reading; /* the last reading, which is the first one of the next window */
	/* The exits that are the next window's: of threads that the last reading has, and of threads that were born after it
	 * began. The next log is added to them. */
	struct exit_log *exits;
	/* The parts of ticks that such threads have used and that are in no row: of the window before, and then of this one. NULL: none. */
	struct window_rests *rests;
};

struct window_options {
	struct window_input first, last;
	const struct snapshot_limits *limits; /* of each of the two files */
	const struct exit_log *exits;         /* borrowed; NULL: there was no listener */
	struct window_meter *meter;           /* borrowed; NULL: the cost is not known */
	uint64_t asked_length_ns;             /* 0: no length was requested */
	/* Snapshots that do not say of which boot they are make a window, too, where some thread that was not born while the host was
	 * booting is in both, and the second one is later. Their clock is that of the births of threads. */
	bool infer_boot;
	struct window_next
	        *next; /* what the window behind this one begins with; NULL: none follows */
	/* Source of the names of users and containers, which are moved to the window; NULL: those of the last one. */
	struct host *names;
};

/* Reads both files, joins them, and writes a snapshot of kind window. Both are in memory meanwhile, at some 200 bytes a
 * thread. Returns 0; or -errno, with a sentence appended to @reterr if an input cannot be read, or if the two have no
 * window between them (-EINVAL), and without one if the writer failed. @ret_info is the window's; snapshot_info_done()
 * it in any case. */
must_check_ int window_make(const struct window_options *options, struct snapshot_writer *writer,
                            struct snapshot_info *ret_info, struct strbuf *reterr);

/* Does so with two readings in memory (window-reading.h), which are filled, and are empty afterwards; where options->next is
 * set, its two empty members are filled if that succeeds. The sources and
 * the limits of @options are ignored. */
struct window_reading;
must_check_ int window_of_readings(struct window_reading *first, struct window_reading *last,
                                   const struct window_options *options,
                                   struct snapshot_writer *writer, struct snapshot_info *ret_info,
                                   struct strbuf *reterr);
