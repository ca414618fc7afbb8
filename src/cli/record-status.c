// SPDX-License-Identifier: GPL-2.0-or-later
#include "record-status.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "cli/command.h"
#include "recording/recording-status.h"
#include "when/local-time.h"

#define MIB (1024.0 * 1024)

static double seconds_of(uint64_t ns)
{
	return (double)ns / (double)NS_PER_SECOND;
}

static void add_time(const char *before, uint64_t unix_s, struct strbuf *out)
{
	strbuf_add_str(out, before);
	local_time_add((time_t)unix_s, out);
}

static void add_windows(const struct recording_status *status, struct strbuf *out)
{
	strbuf_addf(out, "windows   %llu in %llu %s of %.1f MiB",
	            (unsigned long long)status->windows, (unsigned long long)status->files,
	            status->files == 1 ? "file" : "files", (double)status->bytes / MIB);
	if (status->files > 0)
		add_time(", since ", status->first_unix_s, out);
	strbuf_add_char(out, '\n');
}

/* The numbers of the newest file. */
static void add_newest(const struct recording_status *status, struct strbuf *out)
{
	double count = (double)status->newest_windows;
	double rate = (double)status->newest_bytes / seconds_of(status->length_ns);

	add_time("newest    from ", status->begin_unix_ns / NS_PER_SECOND, out);
	add_time(" to ", status->end_unix_ns / NS_PER_SECOND, out);
	strbuf_addf(out, ": %llu windows, %llu %s", (unsigned long long)status->newest_windows,
	            (unsigned long long)status->gaps, status->gaps == 1 ? "gap" : "gaps");
	if (status->gaps > 0)
		strbuf_addf(out, " of %.1f s", seconds_of(status->gap_ns));
	strbuf_addf(out,
	            "\ncost      %.1f ms of CPU time and %.1f KiB a window, %.3f %% of one CPU\n",
	            (double)status->cpu_ns / (double)NS_PER_MS / count,
	            (double)status->newest_bytes / 1024 / count,
	            100.0 * (double)status->cpu_ns / (double)status->length_ns);
	strbuf_addf(out, "disk      %.1f MiB free, for %.1f hours at this rate\n",
	            (double)status->free_bytes / MIB, (double)status->free_bytes / rate / 3600);
}

int record_status_print(const char *directory)
{
	cleanup_(fd_closep) int fd = fd_open_dir_at(AT_FDCWD, directory);
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT, out = STRBUF_INIT;
	struct recording_status status;
	int r = fd < 0 ? fd : recording_status_read(fd, &snapshot_default_limits, &status, &reason);

	if (r < 0) {
		cli_error("%s: %s", directory, reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
		return r;
	}
	if (status.recorder > 0)
		strbuf_addf(&out, "recorder  process %d\n", (int)status.recorder);
	else
		strbuf_add_str(&out, "recorder  none runs\n");
	add_windows(&status, &out);
	if (status.newest_windows > 0 && status.length_ns > 0)
		add_newest(&status, &out);
	fputs(strbuf_str(&out), stdout);
	return 0;
}
