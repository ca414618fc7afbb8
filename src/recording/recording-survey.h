/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-survey - what a recording has: its hours with the load of the host in each, its gaps, and the windows that something
 * triggered. All windows are read, one after the other, and none is kept. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"

/* Labels of windows: what a dense one was triggered by, and why there is none before this one. */
#define RECORDING_LABEL_TRIGGER "trigger"
#define RECORDING_LABEL_GAP "gap"

enum recording_amount_id {
	RECORDING_cpu_ns,  /* of all threads, exited ones included, and of interrupts */
	RECORDING_wait_ns, /* of threads, in run queues: of each wait no more than is in the hour */
	RECORDING_read_bytes,  /* from storage, by threads */
	RECORDING_write_bytes, /* to storage */
	RECORDING_cpu_some_ns, /* totals of the host's pressure */
	RECORDING_cpu_full_ns,
	RECORDING_memory_some_ns,
	RECORDING_memory_full_ns,
	RECORDING_io_some_ns,
	RECORDING_io_full_ns,
	RECORDING_AMOUNT_COUNT,
};
extern const char *const recording_amount_names[RECORDING_AMOUNT_COUNT];

/* A sum over those windows that have the value. */
struct recording_amount {
	uint64_t sum;
	uint64_t length_ns; /* of these windows; 0: none has it */
	bool partial;       /* see recording_amount_is_partial() */
	bool began_before;  /* see recording_amount_began_before() */
};

struct recording_hour {
	uint64_t begin_unix_ns, end_unix_ns; /* of its first and its last window */
	uint64_t windows, length_ns, bytes;
	uint64_t gaps, gap_ns; /* in front of its windows */
	struct recording_amount amounts[RECORDING_AMOUNT_COUNT];
};

enum recording_gap_reason {
	RECORDING_GAP_NONE_RAN,    /* the window behind it begins a file */
	RECORDING_GAP_BOOT,        /* that one is of another boot */
	RECORDING_GAP_NOT_WRITTEN, /* the recorder went on: the window behind has the error */
};

struct recording_gap {
	uint64_t begin_unix_ns, end_unix_ns;
	uint64_t length_ns; /* by the clock of the boot, if it is one */
	enum recording_gap_reason reason;
	char *text; /* of the error; NULL: not known; owned */
};

/* Windows in a row with the same trigger. */
struct recording_dense {
	uint64_t begin_unix_ns, end_unix_ns;
	uint64_t windows;
	char *text; /* owned */
};

struct recording_survey {
	struct recording_hour *hours; /* in the order of the files; owned, as are the next two */
	size_t hour_count, hour_capacity;
	struct recording_gap *gaps;
	size_t gap_count, gap_capacity;
	struct recording_dense *dense;
	size_t dense_count, dense_capacity;
	uint64_t files, bytes; /* of its files; of their whole windows: those of the hours */
	uint64_t windows, length_ns, gap_ns;
	uint64_t cost_cpu_ns;  /* of the recorder, in all windows */
	uint64_t last_unix_ns; /* end of the last window */
};

/* Reads all files of the directory. Returns 0 or -errno, with a sentence where the contents are to blame. @survey is zeroed. */
must_check_ int recording_survey_read(int dir_fd, const struct snapshot_limits *limits,
                                      struct recording_survey *survey, struct strbuf *reterr);

/* Returns an amount of the hour per second: of times a ratio, 1.0 for one CPU. NaN where it is not known. */
double recording_amount_rate(const struct recording_hour *hour, enum recording_amount_id id);

/* Returns whether the hour has the amount, without some of the threads. */
bool recording_amount_is_partial(const struct recording_hour *hour, enum recording_amount_id id);

/* Returns whether the hour has the amount, with the part of waits that began before it. */
bool recording_amount_began_before(const struct recording_hour *hour, enum recording_amount_id id);

/* For cleanup_(recording_survey_done). */
void recording_survey_done(struct recording_survey *survey);
