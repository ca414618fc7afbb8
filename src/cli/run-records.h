/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run-records - the files of 'run --records': what the command uses over its time, and the description of the run. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "duct/duct-files.h"
#include "duct/duct-recorder.h"
#include "job/job-run.h"

struct run_records {
	struct job_watcher watcher; /* for the job; must stay the first member */
	struct duct_recorder recorder;
	struct duct_files files;
	struct strbuf command;
	char *directory; /* owned */
	bool is_open;
	bool info_failed; /* and was reported */
};

/* Makes the names of the files. @argv is borrowed until the return. Returns 0, or -EINVAL with a sentence if the prefix is
 * not valid. @records keeps its place, and is done whatever is returned. */
must_check_ int run_records_init(struct run_records *records, const char *prefix, char *const *argv,
                                 uint64_t report_ns, struct strbuf *reterr);

/* Completes the description when the job has ended. Errors are reported on standard error. */
void run_records_finish(struct run_records *records, const struct job_result *result);

/* For cleanup_(run_records_done). */
void run_records_done(struct run_records *records);
