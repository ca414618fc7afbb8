// SPDX-License-Identifier: GPL-2.0-or-later
#include "run-records.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "command/command.h"
#include "duct/duct-info.h"
#include "duct/duct-prefix.h"

static void report(const struct run_records *records, enum duct_file_id id, const char *reason)
{
	const char *path = records->files.files[id].path;
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	text_add_escaped(&name, path, strlen(path));
	cli_error("%s: %s", strbuf_str(&name), reason);
}

static void write_info(struct run_records *records, const struct duct_summary *summary)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const struct duct_info info = {
	        .command = strbuf_str(&records->command),
	        .working_directory = records->directory,
	        .message = "",
	        .files = &records->files,
	        .summary = summary,
	};

	/* A disk that was full at the begin of the job is so at its end. */
	if (duct_info_write(&info, &reason) < 0 && !records->info_failed) {
		report(records, DUCT_INFO, strbuf_str(&reason));
		records->info_failed = true;
	}
}

/* Files of earlier runs are emptied only for a command that runs. */
static void started(struct job_watcher *self, pid_t pid, uint64_t start_ns)
{
	static const bool wanted[DUCT_FILE_COUNT] = {[DUCT_USAGE] = true, [DUCT_INFO] = true};
	struct run_records *records = (struct run_records *)self;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)pid;
	(void)start_ns;
	records->is_open = duct_files_open(&records->files, wanted, true, &reason) == 0;
	if (!records->is_open) {
		cli_error("%s", strbuf_str(&reason));
		return;
	}
	records->recorder.file = &records->files.files[DUCT_USAGE];
	write_info(records, NULL);
}

static void sample(struct job_watcher *self, const struct job_moment *moment,
                   struct job_memory *ret)
{
	struct run_records *records = (struct run_records *)self;

	duct_recorder_sample(&records->recorder, moment, ret);
}

int run_records_init(struct run_records *records, const char *prefix, char *const *argv,
                     uint64_t report_ns, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf expanded = STRBUF_INIT;
	int r;

	*records = (struct run_records){.watcher = {.started = started, .sample = sample}};
	duct_recorder_init(&records->recorder, NULL, report_ns);
	r = duct_prefix_expand(prefix, getenv("HOME"), time(NULL), getpid(), &expanded, reterr);
	if (r < 0)
		return r;
	duct_files_init(&records->files, strbuf_str(&expanded));
	duct_command_add(argv, &records->command);
	records->directory = getcwd(NULL, 0);
	if (!records->directory)
		records->directory = mem_copy("", 0);
	return 0;
}

void run_records_finish(struct run_records *records, const struct job_result *result)
{
	const struct duct_recorded *recorded = &records->recorder.recorded;
	struct duct_summary summary;

	if (!records->is_open)
		return;
	duct_summary_make(&summary,
	                  &(struct duct_run_facts){
	                          .command = strbuf_str(&records->command),
	                          .prefix = records->files.prefix,
	                          .working_directory = records->directory,
	                          .recorded = *recorded,
	                  },
	                  result);
	write_info(records, &summary);
	if (recorded->error < 0)
		report(records, DUCT_USAGE, strerror(-recorded->error));
}

void run_records_done(struct run_records *records)
{
	duct_recorder_done(&records->recorder);
	duct_files_done(&records->files);
	strbuf_done(&records->command);
	free(records->directory);
}
