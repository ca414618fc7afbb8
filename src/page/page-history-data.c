// SPDX-License-Identifier: GPL-2.0-or-later
/* The amounts of a heat map for the script of the page. The last row of each aspect is that of the groups without one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/markup.h"
#include "heat.h"
#include "page-history-part.h"
#include "json/json-write.h"

/* Three digits are what is shown, of means. */
static void write_number(struct json_writer *writer, double number)
{
	char text[32];

	if (isnan(number)) {
		json_write_null(writer);
		return;
	}
	snprintf(text, sizeof(text), "%.6g", number);
	json_write_raw(writer, text, strlen(text));
}

static void write_columns(const struct history *history, struct json_writer *writer)
{
	json_write_key(writer, "columns");
	json_write_open(writer, '[');
	for (size_t i = 0; i < history->column_count; i++) {
		const struct history_column *column = &history->columns[i];

		json_write_open(writer, '[');
		json_write_double(writer, (double)column->begin_ns / (double)NS_PER_SECOND);
		json_write_double(writer, (double)column->end_ns / (double)NS_PER_SECOND);
		json_write_double(writer, (double)column->length_ns / (double)NS_PER_SECOND);
		json_write_close(writer, ']');
	}
	json_write_close(writer, ']');
}

static void write_host(const struct heat *heat, struct json_writer *writer)
{
	json_write_key(writer, "host");
	json_write_open(writer, '[');
	for (size_t i = 0; i < heat->history->column_count; i++) {
		const struct overview_value *value = &heat->history->columns[i].host[heat->aspect];

		write_number(writer, value->seen ? value->amount : NAN);
	}
	json_write_close(writer, ']');
}

/* The columns in which a row has a mark, as ranges: [[first, last], ...]. */
static void write_marked(const struct heat *heat, size_t row, enum history_mark mark,
                         struct json_writer *writer)
{
	size_t count = heat->history->column_count, last;

	json_write_open(writer, '[');
	for (size_t i = 0; i < count; i = last + 1) {
		last = i;
		if (!(heat_marks(heat, row, i) & mark))
			continue;
		while (last + 1 < count && (heat_marks(heat, row, last + 1) & mark))
			last++;
		json_write_open(writer, '[');
		json_write_u64(writer, i);
		json_write_u64(writer, last);
		json_write_close(writer, ']');
	}
	json_write_close(writer, ']');
}

/* Those of all rows, the last of which are the host's, and of the means over all the time. */
static void write_mark(const struct heat *heat, enum history_mark mark, const char *name,
                       const char *of_means, struct json_writer *writer)
{
	json_write_key(writer, name);
	json_write_open(writer, '[');
	for (size_t row = 0; row <= heat->groups; row++)
		write_marked(heat, row, mark, writer);
	json_write_close(writer, ']');
	json_write_key(writer, of_means);
	json_write_open(writer, '[');
	for (size_t row = 0; row < heat->groups; row++)
		json_write_bool(writer, heat_extent(heat, row).mean_marks & mark);
	json_write_bool(writer, heat->history->means_marks[heat->aspect] & mark);
	json_write_close(writer, ']');
}

/* Means over all the time, of the groups and of the host. Those of columns are not quite the same: each thread is read at times of its
 * own. */
static void write_means(const struct heat *heat, struct json_writer *writer)
{
	json_write_key(writer, "means");
	json_write_open(writer, '[');
	for (size_t row = 0; row < heat->groups; row++)
		write_number(writer, heat_extent(heat, row).mean);
	json_write_close(writer, ']');
	json_write_key(writer, "host_mean");
	write_number(writer, heat->history->has_means ? heat->history->means[heat->aspect] : NAN);
}

static void write_rows(const struct heat *heat, struct json_writer *writer)
{
	json_write_key(writer, aspect_table[heat->aspect].name);
	json_write_open(writer, '{');
	json_write_key(writer, "heading");
	json_write_str(writer, aspect_table[heat->aspect].heading);
	json_write_key(writer, "bytes");
	json_write_bool(writer, aspect_table[heat->aspect].kind == ASPECT_KIND_BYTES);
	json_write_key(writer, "rows");
	json_write_open(writer, '[');
	for (size_t row = 0; row <= heat->groups; row++) {
		json_write_open(writer, '[');
		for (size_t i = 0; i < heat->history->column_count; i++)
			write_number(writer, heat->values[row][i]);
		json_write_close(writer, ']');
	}
	json_write_close(writer, ']');
	write_host(heat, writer);
	write_means(heat, writer);
	write_mark(heat, HISTORY_PARTIAL, "partial", "means_partial", writer);
	write_mark(heat, HISTORY_BEGAN_BEFORE, "began_before", "means_began_before", writer);
	json_write_close(writer, '}');
}

void page_add_history_data(const struct history *history,
                           const struct page_history_commands *commands, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&json);
	size_t groups =
	        history->group_count < HISTORY_GROUPS ? history->group_count : HISTORY_GROUPS;

	json_write_open(&writer, '{');
	json_write_key(&writer, "command");
	json_write_str(&writer, commands->range);
	json_write_key(&writer, "command_host");
	json_write_str(&writer, commands->range_host);
	write_columns(history, &writer);
	json_write_key(&writer, "groups");
	json_write_open(&writer, '[');
	for (size_t i = 0; i < groups; i++)
		json_write_str(&writer, history->groups[i].label);
	json_write_close(&writer, ']');
	json_write_key(&writer, "aspects");
	json_write_open(&writer, '{');
	for (size_t i = 0; i < HEAT_ASPECTS; i++) {
		struct heat heat;

		heat_init(history, heat_aspects[i], &heat);
		if (heat.largest > 0)
			write_rows(&heat, &writer);
		heat_done(&heat);
	}
	json_write_close(&writer, '}');
	json_write_close(&writer, '}');
	strbuf_add_str(out, "<script type=\"application/json\" id=\"history\">");
	markup_add_json(out, json.data, json.len);
	strbuf_add_str(out, "</script>\n");
}
