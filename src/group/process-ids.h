/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* process-ids - the ids of a process, as the rows of its threads have them. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/sample.h"

struct process_ids {
	uint64_t start_clock_ticks; /* or PROCESS_START_UNKNOWN */
	uint32_t tgid, ppid, pgrp, session;
	uint64_t host_hash; /* of the row's host and boot; 0 if it has neither */
	bool is_known;
	bool has_parent;  /* the ppid is known */
	bool has_session; /* the process group and the session are known */
};

/* Returns what the row of a thread says. The leader alone has more than the tgid and the start of the process. One that ended in the
 * window has its parent from the record of its end, which has neither process group nor session. */
struct process_ids process_ids_of(const struct thread_sample *sample, uint64_t host_hash);

/* Returns whether both are of one process: tgid, start, host and boot. */
bool process_ids_are_same(const struct process_ids *a, const struct process_ids *b);
