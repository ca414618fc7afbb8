/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* exit-listener - takes note of every thread of the host that exits, on a thread of its own. */
#include <stdbool.h>

#include "cgroup/cgroup-mount.h"
#include "ctprof/base/macro.h"
#include "taskstats/taskstats.h"
#include "window/exit-log.h"

struct exit_listener_options {
	bool live;                    /* the threads are this system's, in our pid namespace */
	struct taskstats_rules rules; /* what the kernel keeps */
	const struct cgroup_mounts
	        *mounts;   /* to name cgroups by; borrowed until the listener has stopped */
	bool without_ends; /* leave the counters at the last switch alone */
};

struct exit_listener;

/* Begins to listen; what happens from the return on is in the log. Never NULL: where nobody can listen, the log says
 * why. */
must_check_ struct exit_listener *exit_listener_start(const struct exit_listener_options *options);

/* Reads what has come so far, in the calling thread. When a record was read is all that is known of the birth of a thread
 * that has one only, so it is called right before a moment that births are compared with: a thread that had exited by
 * then is not taken for one that was born later. */
void exit_listener_catch_up(struct exit_listener *listener);

/* Waits until all ends from before the call are in, stops, fills @ret_log, which the caller frees, and frees the
 * listener. */
void exit_listener_stop(struct exit_listener *listener, struct exit_log *ret_log);
