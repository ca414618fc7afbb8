// SPDX-License-Identifier: GPL-2.0-or-later
/* series: any bytes are records of a job, its description, and a condition. Pictures of the records can be drawn, and what is
 * refused has a reason. The byte in front chooses among them. */
#include <string.h>

#include "base/memory-stream.h"
#include "fuzz.h"
#include "plot/plot.h"
#include "runs/run-where.h"
#include "runs/runs.h"

static void draw(const struct series *series, uint8_t choice)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct job_info info = {0};
	struct plot plot = {.series = series,
	                    .info = &info,
	                    .name = "usage.jsonl",
	                    .ascii = choice & 4,
	                    .color = choice & 8,
	                    .width = 80,
	                    .height = 24};

	plot_show_default(plot.shown);
	plot_text(&plot, &text);
	plot_svg(&plot, &text);
	plot_csv(&plot, &text);
	require(!memchr(text.data, '\0', text.len), "a text");
	require(!strstr(text.data, "nan") && !strstr(text.data, "inf"), "numbers");
}

static void read_records(const uint8_t *data, size_t size, uint8_t choice)
{
	cleanup_(memory_stream_done) struct memory_stream stream = memory_stream_make();
	cleanup_(series_done) struct series series = {0};

	strbuf_add(&stream.bytes, data, size);
	if (series_read(&series, &stream.source,
	                choice & 2 ? SERIES_CPU_INTERVAL : SERIES_CPU_LIFETIME) == 0 &&
	    series.count > 0)
		draw(&series, choice);
	require(series.bad_lines == 0 || series.first_bad.len > 0, "a reason");
}

/* The condition is up to the first newline, and the description behind it. */
static void read_info(const uint8_t *data, size_t size)
{
	cleanup_(job_info_done) struct job_info info = {0};
	cleanup_(runs_done) struct runs runs = {0};
	cleanup_(strbuf_done) struct strbuf condition = STRBUF_INIT, reason = STRBUF_INIT;
	cleanup_(run_where_freep) struct run_where *where = NULL;
	const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t len = line ? (size_t)(line - data) : size;
	int r;

	strbuf_add(&condition, data, len);
	where = run_where_parse(strbuf_str(&condition), &reason);
	require((where != NULL) == (reason.len == 0), "a condition or a reason");
	strbuf_clear(&reason);
	r = job_info_read(&info, (const char *)data + len, size - len, &reason);
	require((r < 0) == (reason.len > 0), "a description or a reason");
	if (r != 0)
		return;
	runs_add(&runs, &info, "x", 1);
	if (where)
		(void)run_where_holds(where, &runs.entries[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] & 1)
		read_info(data + 1, size - 1);
	else
		read_records(data + 1, size - 1, data[0]);
	return 0;
}
