// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "input/job-files.h"
#include "page/page-job.h"
#include "report-kinds.h"

const char *const report_job_charts[] = {"processes", NULL};

static bool exists(const char *path, const char *between, const char *end)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct stat status;

	strbuf_addf(&name, "%s%s%s", path, between, end);
	return stat(strbuf_str(&name), &status) == 0;
}

/* A job is named by its files, or by a directory or a prefix that has them. */
bool report_is_job(const char *path)
{
	const char *const ends[] = {job_end_usage, job_end_usage_old, job_end_info};
	struct stat status;

	if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
			if (job_prefix_len(path, ends[i]) >= 0)
				return true;
		return false;
	}
	for (size_t i = 0; i + 1 < ARRAY_SIZE(ends); i++)
		if (exists(path, "", ends[i]) || exists(path, "/", ends[i]))
			return true;
	return false;
}

static int draw(const struct report_call *call, const struct plot *plot)
{
	cleanup_(strbuf_done) struct strbuf command = STRBUF_INIT;

	strbuf_add_str(&command, "ctprof plot");
	report_add_word(&command, call->path);
	if (!call->chart)
		page_add_job(plot, strbuf_str(&command), call->out);
	else if (!page_add_processes_svg(plot, call->out)) {
		cli_error("%s: there is no process to draw", call->path);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

int report_job(const struct report_call *call)
{
	cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
	cleanup_(job_info_done) struct job_info info = {0};
	cleanup_(series_done) struct series series = {0};
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	struct plot plot = {.series = &series, .info = &info};
	size_t bad;
	int r;

	mem_limit(call->options->limits.memory);
	if (job_usage_open(call->path, &source, &path, &info) < 0)
		return EXIT_FAILED;
	r = series_read(&series, &source.source, SERIES_CPU_LIFETIME);
	if (r < 0) {
		cli_error("%s: %s", strbuf_str(&path),
		          r == -EFBIG ? "a line is longer than 32 MiB" : strerror(-r));
		return EXIT_FAILED;
	}
	if (series.count == 0) {
		cli_error("%s: there is no record", strbuf_str(&path));
		return EXIT_FAILED;
	}
	bad = series.bad_lines + series.is_torn;
	if (bad > 0)
		cli_error("%s: %zu %s, and left out", strbuf_str(&path), bad,
		          bad == 1 ? "line is no record" : "lines are no records");
	plot.name = strbuf_str(&path);
	plot_show_default(plot.shown);
	return draw(call, &plot);
}
