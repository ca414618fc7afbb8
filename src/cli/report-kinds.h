/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-kinds - the pages of ctprof report that are of no snapshot: of an experiment, of a recording's time, and of a job. */
#include "base/memory-stream.h"
#include "ctprof/base/strbuf.h"
#include "query/report-options.h"

struct report_call {
	const char *path;
	const char *chart; /* a file with this chart; NULL: a page */
	const struct report_options *options;
	struct strbuf *out; /* the page is appended */
	/* The window over the range of a recording is written to it, if there is one; NULL: it is not made. */
	struct memory_stream *whole;
};

/* The charts of each kind, ended by NULL. */
extern const char *const report_experiment_charts[];

/* Returns whether the path is a directory of ctprof ab. */
bool report_is_experiment(const char *path);
/* Appends its page or chart. Returns the exit status, with an error printed. */
must_check_ int report_experiment(const struct report_call *call);

extern const char *const report_recording_charts[];

/* Returns whether the path is a recording, or a range of one, or cannot be read to find out. */
bool report_is_recording(const char *path);
/* Appends the section about its time, or a chart of it. */
must_check_ int report_recording(const struct report_call *call);

/* Returns whether the path names the records of a job: those of a series. */
extern const char *const report_job_charts[];
bool report_is_job(const char *path);
/* Appends its page or chart. */
must_check_ int report_job(const struct report_call *call);

/* Appends a blank and the word, as a shell needs it and safe to print. */
void report_add_word(struct strbuf *out, const char *word);
/* Appends the options that make groups, and with them the numbers; with @keys that of the keys as well. */
void report_add_grouping(const struct report_options *options, bool keys, struct strbuf *out);
