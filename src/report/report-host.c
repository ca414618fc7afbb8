// SPDX-License-Identifier: GPL-2.0-or-later
/* The host of a snapshot as a page. */
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "metric/units.h"
#include "report/report-text.h"
#include "settings/settings-table.h"

enum { NAME_COLUMNS = 28 };

static void add_name(const char *name, struct strbuf *out)
{
	strbuf_addf(out, "%-*s ", NAME_COLUMNS, name);
}

static void add_value(const char *text, struct strbuf *out)
{
	text_add_escaped(out, text, strlen(text));
	strbuf_add_char(out, '\n');
}

/* Appends a line for each entry of a map; its name is in the first one. */
static void add_map(const char *name, const struct host_map *map, struct strbuf *out)
{
	for (size_t i = 0; i < map->count; i++) {
		add_name(i == 0 ? name : "", out);
		text_add_escaped(out, map->entries[i].name, strlen(map->entries[i].name));
		strbuf_add_str(out, ": ");
		add_value(map->entries[i].text, out);
	}
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

/* Appends a number as people read it; its name says the unit, which stays as it is where the host's clock is not known. */
static void add_number(const struct host *host, enum host_field field, struct strbuf *out)
{
	const char *name = host_field_table[field].name;
	uint64_t number = host->numbers[field];
	uint64_t per_second = host->seen[HOST_clock_ticks_per_second]
	                              ? host->numbers[HOST_clock_ticks_per_second]
	                              : 0;
	__uint128_t ns = ends_with(name, "_ns") ? number : (__uint128_t)number * NS_PER_SECOND;

	if (ends_with(name, "_clock_ticks") && per_second > 0)
		ns /= per_second;
	if ((ends_with(name, "_ns") || (ends_with(name, "_clock_ticks") && per_second > 0)) &&
	    ns <= UINT64_MAX)
		report_add_duration((uint64_t)ns, out);
	else if (ends_with(name, "_kib") && number <= UINT64_MAX / 1024)
		units_format(UNIT_bytes, quantity_integer(number * 1024), false, out);
	else
		strbuf_addf(out, "%llu", (unsigned long long)number);
	strbuf_add_char(out, '\n');
}

/* Returns whether the field has a table of its own: --cpus and --memory. */
static bool is_table(enum host_field field)
{
	for (size_t i = 0; i < HOST_PAIRS; i++)
		if (field == host_pairs[i].now || field == host_pairs[i].before)
			return true;
	return false;
}

static void add_field(const struct host *host, enum host_field field, struct strbuf *out)
{
	const struct host_field_desc *desc = &host_field_table[field];

	if (!host->seen[field] || is_table(field))
		return;
	if (desc->kind == HOST_KIND_MAP) {
		add_map(desc->name, &host->maps[field], out);
		return;
	}
	add_name(desc->name, out);
	if (desc->kind == HOST_KIND_TEXT)
		add_value(host->texts[field], out);
	else
		add_number(host, field, out);
}

static void add_settings(const struct settings *settings, struct strbuf *out)
{
	size_t counts[SETTINGS_KIND_COUNT] = {0};

	if (!settings->seen) {
		strbuf_add_str(out, "the snapshot has no settings\n");
		return;
	}
	for (size_t i = 0; i < settings->count; i++)
		counts[settings_kind_of(settings->entries[i].name)]++;
	for (unsigned kind = 0; kind < SETTINGS_KIND_COUNT; kind++) {
		if (counts[kind] == 0)
			continue;
		add_name(settings_kind_table[kind].name, out);
		strbuf_addf(out, "%zu of %s\n", counts[kind],
		            settings_kind_table[kind].description);
	}
	if (settings->left_out > 0)
		strbuf_addf(out, "%llu left out\n", (unsigned long long)settings->left_out);
	strbuf_add_str(out, "--settings GLOB prints them\n");
}

static void add_labels(const struct labels *labels, struct strbuf *out)
{
	if (labels->count == 0)
		return;
	strbuf_add_str(out, "## Labels\n");
	for (size_t i = 0; i < labels->count; i++) {
		add_name(labels->entries[i].key, out);
		add_value(labels->entries[i].value, out);
	}
	strbuf_add_char(out, '\n');
}

void report_add_host(const struct report *report, struct strbuf *out)
{
	const struct snapshot_info *info = report->sides[SIDE_BASELINE].info;

	add_labels(&info->labels, out);
	strbuf_add_str(out, "## Host\n");
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		add_field(&info->host, (enum host_field)i, out);
	strbuf_add_str(out, "\n## Settings\n");
	add_settings(&info->settings, out);
	report_add_denied_settings(report, out);
}
