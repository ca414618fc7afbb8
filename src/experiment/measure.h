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
	bool ready; /* the first reading is complete, and the window runs */
	bool ended; /* the result follows */
	bool done;  /* @result is there */
	size_t got;
	struct measure_result result;
};

#define MEASURE_INIT ((struct measure){.result_fd = -1, .control_fd = -1})

/* Starts a window that is written to the file @name in the directory @dir_fd, of @length_ns, or, with 0, until measure_stop(). @labels are
 * borrowed until the return. Returns 0 or -errno. */
must_check_ int measure_begin(struct measure *measure, int dir_fd, const char *name,
                              uint64_t length_ns, const struct labels *labels);

/* To be called when result_fd is readable: sets @ready and @done. Returns 0, or -errno: -EPIPE if the child has ended without a
 * result. */
must_check_ int measure_read(struct measure *measure);

/* Ends a window: its second reading begins. */
void measure_stop(struct measure *measure);

/* Waits for the child, which is killed where it has not ended. Its file is written whole or not at all. For
 * cleanup_(measure_done). */
void measure_done(struct measure *measure);
