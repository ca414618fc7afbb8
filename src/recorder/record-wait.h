/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* record-wait - waits for the end of a window of a recording, for a signal, or for a trigger. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "trigger/trigger.h"

enum { RECORD_TRIGGERS_MAX = 16 };

enum record_event {
	RECORD_TIME,  /* the window is over */
	RECORD_STOP,  /* SIGINT or SIGTERM */
	RECORD_HUP,   /* SIGHUP */
	RECORD_FIRED, /* a trigger */
};

struct record_wait {
	int signal_fd;
	struct trigger *triggers; /* open; borrowed */
	unsigned trigger_count;
	uint32_t fired; /* a bit for each trigger that fired; the caller clears it */
	uint32_t gone;  /* the same of those whose cgroup was removed */
};

/* From here on SIGINT, SIGTERM and SIGHUP are events; also for threads that are started from here on. Returns 0 or -errno. */
must_check_ int record_wait_init(struct record_wait *wait);

/* Waits until CLOCK_MONOTONIC, which stands still while the host is suspended, is @until_ns, or for a signal, or @for_triggers for one
 * of them; those that fire meanwhile are noted in any case. After a RECORD_STOP the next SIGINT or SIGTERM ends the program. Returns
 * 0 or -errno. */
must_check_ int record_wait_next(struct record_wait *wait, uint64_t until_ns, bool for_triggers,
                                 enum record_event *ret_event);

/* For cleanup_(record_wait_done). */
void record_wait_done(struct record_wait *wait);
