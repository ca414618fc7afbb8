// SPDX-License-Identifier: GPL-2.0-or-later
#include "series-text.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

void series_text_done(struct series_text *text)
{
	strbuf_done(&text->key);
	strbuf_done(&text->group);
	strbuf_done(&text->metric);
	strbuf_done(&text->unit);
}

/* A name in the file may hold any bytes. */
static void set_utf8(struct strbuf *out, const char *bytes)
{
	strbuf_clear(out);
	text_add_replaced(out, bytes, strlen(bytes));
}

void series_text_set(struct series_text *text, struct database *database,
                     const struct database_list *list, size_t metric, int64_t group)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT, name = STRBUF_INIT;
	const char *metric_name = list->metrics[metric];
	enum metric_id id;

	strbuf_clear(&text->unit);
	text->unit_id = UNIT_none;
	text->is_rate = true;
	if (metric_find(metric_name, strlen(metric_name), &id)) {
		text->unit_id = metric_unit(id);
		text->is_rate = metric_is_counter(id);
	}
	if (database_add_group(database, group, &key, &name) < 0) {
		strbuf_clear(&key);
		strbuf_clear(&name);
	}
	set_utf8(&text->key, strbuf_str(&key));
	set_utf8(&text->group, strbuf_str(&name));
	set_utf8(&text->metric, metric_name);
	strbuf_addf(&text->unit, "%s%s", unit_table[text->unit_id].name, text->is_rate ? "/s" : "");
}

void series_text_add_value(const struct series_text *text, double value, struct strbuf *out)
{
	units_format(text->unit_id, quantity_real(value), true, out);
	if (text->is_rate && !isnan(value))
		strbuf_add_str(out, "/s");
}
