/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* record-wait - waits for the end of a window of a recording, or for a signal. */
#include <stdint.h>

#include "ctprof/base/macro.h"

enum record_event {
	RECORD_TIME, /* the window is over */
	RECORD_STOP, /* SIGINT or SIGTERM */
	RECORD_HUP,  /* SIGHUP */
};

struct record_wait {
	int signal_fd;
};

/* From here on these signals are events; also for threads that are started from here on. Returns 0 or -errno. */
must_check_ int record_wait_init(struct record_wait *wait);

/* Waits until CLOCK_MONOTONIC, which stands still while the host is suspended, is @until_ns, or for a signal. After a
 * RECORD_STOP the next SIGINT or SIGTERM ends the program. Returns 0 or -errno. */
must_check_ int record_wait_next(struct record_wait *wait, uint64_t until_ns,
                                 enum record_event *ret_event);

/* For cleanup_(record_wait_done). */
void record_wait_done(struct record_wait *wait);
