/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* exit-listener - notes every thread of the host that exits, in a thread of its own. */
#include <stdbool.h>

#include "cgroup/cgroup-mount.h"
#include "ctprof/base/macro.h"
#include "taskstats/taskstats.h"
#include "window/exit-log.h"

struct exit_listener_options {
	bool live;                    /* the threads are this system's, in our pid namespace */
	struct taskstats_rules rules; /* the settings of the kernel */
	const struct cgroup_mounts
	        *mounts; /* for names of cgroups; borrowed until the listener has stopped */
	const struct cpu_mask
	        *cpus;         /* records of these alone; NULL: of all; borrowed during the call */
	uint64_t buffer_bytes; /* as for taskstats_exits_open() */
	uint64_t log_bytes;    /* the most memory that each log takes, about; 0: 1 GiB */
	bool without_ends;     /* do not read the counters at the last switch */
	/* Threads in this cgroup of version 2 and below it alone, by the inode of its directory; 0: all. The log has their ends, and
	 * no names of cgroups. */
	uint64_t only_cgroup;
};

struct exit_listener;

/* Begins to listen; the log has the exits from the return on. Never NULL: if listening is not possible, the log has the
 * reason. */
must_check_ struct exit_listener *exit_listener_start(const struct exit_listener_options *options);

/* Reads the records and ends so far, in the calling thread. A thread with a record only has no other birth than the
 * time of reading the record, less its life. So this is called right before a moment that births are compared with: a
 * thread that had exited by then cannot appear as one that was born later. */
void exit_listener_catch_up(struct exit_listener *listener);

/* Notes that the settings of the kernel have become others: records that come from here on are read by them. Without the call they are
 * those of the options. */
void exit_listener_set_rules(struct exit_listener *listener,
                             const struct taskstats_rules *host_rules);

/* Waits a moment for the ends from before the call, and moves the log so far to @ret_log, which the caller frees. The listening
 * goes on: what is not in this log is in the next one, and nothing is in both. An end that is very late, as that of a process
 * whose memory takes seconds to free, is in a later log. */
void exit_listener_split(struct exit_listener *listener, struct exit_log *ret_log);

/* Waits until all ends from before the call have arrived, stops, fills @ret_log, which the caller frees, and frees the
 * listener. */
void exit_listener_stop(struct exit_listener *listener, struct exit_log *ret_log);
