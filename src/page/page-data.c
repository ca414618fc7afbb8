// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/markup.h"
#include "base/text.h"
#include "page-section.h"
#include "json/json-write.h"

static void write_row(const struct overview *overview, const struct overview_row *row,
                      struct json_writer *writer)
{
	json_write_open(writer, '{');
	json_write_key(writer, "group");
	json_write_str(writer, row->group->label);
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		if (!overview->seen[a])
			continue;
		json_write_key(writer, aspect_table[a].name);
		json_write_open(writer, '[');
		for (unsigned side = 0; side < overview->sides; side++)
			if (row->values[a][side].seen)
				json_write_double(writer, row->values[a][side].amount);
			else
				json_write_null(writer);
		json_write_close(writer, ']');
	}
	json_write_close(writer, '}');
}

void page_add_data(const struct overview *overview, size_t rows, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&json);

	json_write_open(&writer, '[');
	for (size_t i = 0; i < rows; i++)
		write_row(overview, &overview->rows[i], &writer);
	json_write_close(&writer, ']');
	strbuf_add_str(out, "<script type=\"application/json\" id=\"rows\">");
	markup_add_json(out, json.data, json.len);
	strbuf_add_str(out, "</script>\n");
}
