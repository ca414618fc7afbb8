/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* measure - the window of a unit, by a child process: the memory and the CPU time of the capture are its own, and it can be ended at
 * any time. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"
#include "guards.h"
#include "work-marks.h"

enum { MEASURE_REASON_BYTES = 1024 };

struct measure_result {
	int error; /* 0 or -errno */
	uint64_t start_unix_ns, length_ns;
	struct guard_values guards;
	char reason[MEASURE_REASON_BYTES];
};

struct measure {
	pid_t pid; /* 0: there is none */
	int result_fd, control_fd;
	/* The number of readings that have begun: the window begins with the first one, and ends with the second one. */
	unsigned readings;
	uint64_t end_ns;          /* CLOCK_MONOTONIC when the second one began */
	bool ready;               /* the first reading is complete, and the window runs */
	bool ended;               /* the result follows */
	bool done;                /* @result is there */
	struct work_marks *marks; /* owned; set before a reading begins */
	size_t got;
	struct measure_result result;
};

#define MEASURE_INIT ((struct measure){.result_fd = -1, .control_fd = -1})

/* The place of a window: the file @name in a directory; and the output of the workload that is marked at its begin and at its end, -1:
 * none. */
struct measure_place {
	int dir_fd, output_fd;
	const char *name;
};

/* Starts a window of @length_ns, or, with 0, until measure_stop(). @place and @labels are borrowed until the return. Returns 0 or -errno. */
must_check_ int measure_begin(struct measure *measure, const struct measure_place *place,
                              uint64_t length_ns, const struct labels *labels);

/* To be called when result_fd is readable: sets @readings, @ready and @done. Returns 0, or -errno: -EPIPE if the child has ended without a
 * result. */
must_check_ int measure_read(struct measure *measure);

/* Ends a window: its second reading begins. */
void measure_stop(struct measure *measure);

/* Waits for the child, which is killed where it has not ended. Its file is written whole or not at all. For
 * cleanup_(measure_done). */
void measure_done(struct measure *measure);
