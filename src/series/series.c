// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "series-record.h"
#include "series/python-json.h"

enum { LINE_BYTES_MAX = 32 * 1024 * 1024, READ_BYTES = 64 * 1024 };

struct reading {
	struct series *series;
	enum series_cpu cpu;
	enum series_offsets offsets;
	size_t line; /* the number of the line, from 1 on */
};

static bool is_blank(const char *text, size_t len)
{
	while (len > 0 && strchr(" \t\r\n", text[len - 1]) && text[len - 1] != '\0')
		len--;
	return len == 0;
}

static void note_bad(struct series *series, size_t line, const char *reason)
{
	if (series->bad_lines++ > 0)
		return;
	series->first_bad_line = line;
	strbuf_add_str(&series->first_bad, reason);
}

/* @is_whole: an end of line is behind it. */
static void read_line(struct reading *reading, const char *text, size_t len, bool is_whole)
{
	static const char mark[] = "\xef\xbb\xbf"; /* U+FEFF, which some editors put first */
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	cleanup_(python_json_freep) struct json_t *json = NULL;
	const char *reason;

	reading->line++;
	if (reading->line == 1 && len >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0) {
		text += strlen(mark);
		len -= strlen(mark);
	}
	if (is_blank(text, len))
		return;
	json = python_json_parse(text, len, &error);
	if (!json && !is_whole) {
		reading->series->is_torn = true;
		return;
	}
	reason = json ? series_add_record(reading->series, json, reading->cpu, &reading->offsets)
	              : strbuf_str(&error);
	if (reason)
		note_bad(reading->series, reading->line, reason);
}

/* Reads the whole lines of the buffer and leaves the rest in it. Nothing before @from has an end of line. */
static void read_lines(struct reading *reading, struct strbuf *buffer, size_t from)
{
	size_t begin = 0;
	const char *end;

	while ((end = memchr(buffer->data + from, '\n', buffer->len - from)) != NULL) {
		size_t at = (size_t)(end - buffer->data);

		read_line(reading, buffer->data + begin, at - begin, true);
		begin = from = at + 1;
	}
	memmove(buffer->data, buffer->data + begin, buffer->len - begin);
	buffer->len -= begin;
}

static int read_all(struct reading *reading, struct byte_source *source)
{
	cleanup_(strbuf_done) struct strbuf buffer = STRBUF_INIT;
	size_t len, from;

	for (;;) {
		char *at = strbuf_reserve(&buffer, READ_BYTES);
		int r = source->read(source, at, READ_BYTES, &len);

		if (r < 0)
			return r;
		if (len == 0)
			break;
		from = buffer.len;
		buffer.len += len;
		read_lines(reading, &buffer, from);
		if (buffer.len > LINE_BYTES_MAX)
			return -EFBIG;
	}
	if (buffer.len > 0)
		read_line(reading, buffer.data, buffer.len, false);
	return 0;
}

static int compare_records(const void *a, const void *b)
{
	int64_t at = ((const struct series_record *)a)->time_ns;
	int64_t bt = ((const struct series_record *)b)->time_ns;

	return at < bt ? -1 : at > bt;
}

static int compare_points(const void *a, const void *b)
{
	int64_t at = ((const struct series_point *)a)->time_ns;
	int64_t bt = ((const struct series_point *)b)->time_ns;

	return at < bt ? -1 : at > bt;
}

/* Sorts by time, and makes times relative to the first record. */
static void order_by_time(struct series *series)
{
	int64_t first;

	if (series->count == 0)
		return;
	qsort(series->records, series->count, sizeof(series->records[0]), compare_records);
	first = series->records[0].time_ns;
	for (size_t i = 0; i < series->count; i++)
		series->records[i].time_ns -= first;
	for (size_t i = 0; i < series->process_count; i++) {
		struct series_process *process = &series->processes[i];

		for (size_t k = 0; k < process->count; k++)
			process->points[k].time_ns -= first;
		if (process->count > 1)
			qsort(process->points, process->count, sizeof(process->points[0]),
			      compare_points);
	}
}

int series_read(struct series *series, struct byte_source *source, enum series_cpu cpu)
{
	struct reading reading = {.series = series, .cpu = cpu};
	int r = read_all(&reading, source);

	if (r == 0)
		order_by_time(series);
	return r;
}

void series_done(struct series *series)
{
	for (size_t i = 0; i < series->process_count; i++)
		free(series->processes[i].points);
	free(series->processes);
	free(series->records);
	strmap_done(&series->pids);
	strmap_done(&series->commands);
	strbuf_done(&series->first_bad);
	*series = (struct series){0};
}

bool series_has(const struct series *series, enum series_id id)
{
	for (size_t i = 0; i < series->count; i++)
		if (!isnan(series->records[i].values[id]))
			return true;
	return false;
}
