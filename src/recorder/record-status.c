// SPDX-License-Identifier: GPL-2.0-or-later
#include "recorder/record-status.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/operand-open.h"
#include "command/command.h"
#include "recorder/recording-list.h"
#include "recording/recording-status.h"
#include "when/local-time.h"

static double seconds_of(uint64_t ns)
{
	return (double)ns / (double)NS_PER_SECOND;
}

static void add_recorder(const struct recording_owner *recorder, struct strbuf *out)
{
	if (recorder->pid > 0)
		strbuf_addf(out, "recorder  process %d", (int)recorder->pid);
	else if (recorder->pid < 0)
		strbuf_add_str(out, "recorder  a process of another pid namespace");
	else
		strbuf_add_str(out, "recorder  none runs");
	if (recorder->since_unix_ns > 0) {
		strbuf_add_str(out, " since ");
		local_time_add((time_t)(recorder->since_unix_ns / NS_PER_SECOND), out);
	}
	strbuf_add_char(out, '\n');
}

static void add_windows(const struct recording_survey *survey, struct strbuf *out)
{
	strbuf_addf(out, "windows   %llu in %llu %s of ", (unsigned long long)survey->windows,
	            (unsigned long long)survey->files, survey->files == 1 ? "file" : "files");
	recording_list_add_size(survey->bytes, out);
	if (survey->hour_count > 0)
		recording_list_add_span(" from ", survey->hours[0].begin_unix_ns,
		                        survey->last_unix_ns, out);
	strbuf_add_char(out, '\n');
}

static void add_gaps(const struct recording_survey *survey, struct strbuf *out)
{
	const struct recording_gap *last;

	strbuf_addf(out, "gaps      %zu", survey->gap_count);
	if (survey->gap_count > 0) {
		last = &survey->gaps[survey->gap_count - 1];
		strbuf_addf(out, " of %.1f s, the last one", seconds_of(survey->gap_ns));
		recording_list_add_span(" from ", last->begin_unix_ns, last->end_unix_ns, out);
	}
	strbuf_add_char(out, '\n');
}

/* The cost of all windows, and the disk at the rate of the last hour. */
static void add_cost(const struct recording_status *status, struct strbuf *out)
{
	const struct recording_survey *survey = &status->survey;
	double count = (double)survey->windows, rate = recording_status_byte_rate(status);
	uint64_t bytes = 0;

	for (size_t i = 0; i < survey->hour_count; i++)
		bytes += survey->hours[i].bytes;
	strbuf_addf(out,
	            "cost      %.1f ms of CPU time and %.1f KiB a window, %.3f %% of one CPU\n",
	            (double)survey->cost_cpu_ns / (double)NS_PER_MS / count,
	            (double)bytes / 1024 / count,
	            100.0 * (double)survey->cost_cpu_ns / (double)survey->length_ns);
	strbuf_add_str(out, "disk      ");
	recording_list_add_size(status->free_bytes, out);
	strbuf_add_str(out, " free");
	if (rate > 0)
		strbuf_addf(out, ", for %.1f hours at the rate of the last one",
		            (double)status->free_bytes / rate / 3600);
	strbuf_add_char(out, '\n');
}

int record_status_print(const char *directory)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT, out = STRBUF_INIT;
	cleanup_(fd_closep) int fd = operand_open(AT_FDCWD, directory, OPERAND_DIRECTORY, &reason);
	cleanup_(recording_status_done) struct recording_status status = {0};
	int r = fd;

	mem_limit(snapshot_default_limits.memory);
	if (r >= 0)
		r = recording_status_read(fd, &snapshot_default_limits, &status, &reason);
	if (r < 0) {
		cli_error("%s: %s", directory, reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
		return r;
	}
	add_recorder(&status.recorder, &out);
	add_windows(&status.survey, &out);
	add_gaps(&status.survey, &out);
	if (status.survey.windows > 0 && status.survey.length_ns > 0)
		add_cost(&status, &out);
	fputs(strbuf_str(&out), stdout);
	return 0;
}
