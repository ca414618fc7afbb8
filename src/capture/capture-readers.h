/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture-readers - the tools of the readings of one window or of many, made once. */
#include "capture-roots.h"
#include "capture-run.h"
#include "capture/capture.h"
#include "capture/exit-listener.h"
#include "window/window-reading.h"

struct capture_readers {
	struct exit_listener *listener; /* NULL if there is no listener */
	struct capture_tools tools;
	uint64_t length_ns; /* of the window */
};

/* Begins to listen to threads that exit, if that is wanted; else returns NULL. */
struct exit_listener *capture_readers_listen(const struct capture_options *options,
                                             enum capture_exits exits,
                                             const struct capture_roots *roots);

/* Does the slow work that is no reading: names of users and containers, and finding the files that have jemalloc. The time for new
 * ones during the readings is limited. */
void capture_readers_prepare(const struct capture_options *capture,
                             const struct capture_roots *roots, struct capture_readers *readers,
                             struct host *names);

/* Reads into an initialised reading. Result as that of capture_run(). */
must_check_ int capture_readers_read(const struct capture_options *options,
                                     const struct capture_readers *readers,
                                     struct window_reading *reading, struct strbuf *reterr);

/* Readings that wait for a process must not make the window much longer than it is to be. */
uint64_t capture_stall_limit_ns(uint64_t length_ns);

/* Fills the cost of a window from its readings', but for what @cost measures: from its begin to now. */
void capture_readers_cost(const struct cost_meter *cost, const struct snapshot_info *first,
                          const struct snapshot_info *last, struct snapshot_info *info);
