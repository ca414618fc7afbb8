// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "picture.h"
#include "json/json-write.h"

static void add_number(double number, struct strbuf *out)
{
	struct json_writer writer = JSON_WRITER_INIT(out);

	if (!isnan(number))
		json_write_double(&writer, number);
}

void plot_csv(const struct plot *plot, struct strbuf *out)
{
	bool drawn[SERIES_COUNT];

	strbuf_add_str(out, "elapsed_s");
	for (unsigned i = 0; i < SERIES_COUNT; i++) {
		drawn[i] = plot->shown[i] && series_has(plot->series, (enum series_id)i);
		if (drawn[i])
			strbuf_addf(out, ",%s", series_rows[i].id);
	}
	strbuf_add_char(out, '\n');
	for (size_t r = 0; r < plot->series->count; r++) {
		add_number(picture_seconds(&plot->series->records[r]), out);
		for (unsigned i = 0; i < SERIES_COUNT; i++) {
			if (!drawn[i])
				continue;
			strbuf_add_char(out, ',');
			add_number(plot->series->records[r].values[i], out);
		}
		strbuf_add_char(out, '\n');
	}
}
