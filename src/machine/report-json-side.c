// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"
#include "json-output.h"
#include "report/report-text.h"
#include "snapshot/reference.h"

void json_output_flush(struct json_output *out, size_t at_least)
{
	if (out->buffer.len <= at_least)
		return;
	fwrite(out->buffer.data, 1, out->buffer.len, out->file);
	strbuf_clear(&out->buffer);
}

void json_output_text(struct json_output *out, const char *text)
{
	strbuf_clear(&out->scratch);
	text_add_replaced(&out->scratch, text, strlen(text));
	json_write_text(&out->writer, strbuf_str(&out->scratch), out->scratch.len);
}

static void write_map(struct json_output *out, const struct host_map *map)
{
	json_write_open(&out->writer, '{');
	for (size_t i = 0; i < map->count; i++) {
		const char *name = map->entries[i].name;

		strbuf_clear(&out->scratch);
		text_add_replaced(&out->scratch, name, strlen(name));
		json_write_key_text(&out->writer, strbuf_str(&out->scratch), out->scratch.len);
		json_output_text(out, map->entries[i].text);
	}
	json_write_close(&out->writer, '}');
}

static void write_labels(struct json_output *out, const struct labels *labels)
{
	if (labels->count == 0)
		return;
	json_write_key(&out->writer, "labels");
	json_write_open(&out->writer, '{');
	for (size_t i = 0; i < labels->count; i++) {
		json_write_key(&out->writer, labels->entries[i].key);
		json_output_text(out, labels->entries[i].value);
	}
	json_write_close(&out->writer, '}');
}

static void write_host(struct json_output *out, const struct host *host)
{
	json_write_key(&out->writer, "host");
	json_write_open(&out->writer, '{');
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		if (!host->seen[i])
			continue;
		json_write_key(&out->writer, host_field_table[i].name);
		if (host_field_table[i].kind == HOST_KIND_NUMBER)
			json_write_u64(&out->writer, host->numbers[i]);
		else if (host_field_table[i].kind == HOST_KIND_MAP)
			write_map(out, &host->maps[i]);
		else
			json_output_text(out, host->texts[i]);
	}
	json_write_close(&out->writer, '}');
}

/* Writes a number; 0 means that the snapshot does not have it. */
static void write_known(struct json_output *out, const char *key, uint64_t number)
{
	json_write_key(&out->writer, key);
	if (number > 0)
		json_write_u64(&out->writer, number);
	else
		json_write_null(&out->writer);
}

static void write_count(struct json_output *out, const char *key, uint64_t number)
{
	json_write_key(&out->writer, key);
	json_write_u64(&out->writer, number);
}

/* Writes the rule of each source, and the threads by their outcomes. */
static void write_sources(struct json_output *out, const struct snapshot_info *info)
{
	json_write_key(&out->writer, "sources");
	json_write_open(&out->writer, '{');
	for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++) {
		if (info->rules[s] == OUTCOME_unneeded)
			continue;
		json_write_key(&out->writer, source_table[s].name);
		json_write_open(&out->writer, '{');
		json_write_key(&out->writer, "rule");
		json_write_str(&out->writer, outcome_table[info->rules[s]].name);
		for (unsigned o = OUTCOME_read; o < OUTCOME_COUNT; o++)
			if (info->tally.sources[s][o] > 0)
				write_count(out, outcome_table[o].name, info->tally.sources[s][o]);
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, '}');
}

/* Writes the counts by metric. */
static void write_impossible(struct json_output *out, const struct snapshot_tally *tally)
{
	json_write_key(&out->writer, "impossible_values");
	json_write_open(&out->writer, '{');
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (tally->impossible[i] > 0)
			write_count(out, metric_table[i].name, tally->impossible[i]);
	json_write_close(&out->writer, '}');
	json_write_key(&out->writer, "impossible_totals");
	json_write_open(&out->writer, '{');
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (tally->impossible_totals[i] > 0)
			write_count(out, metric_table[process_total_table[i].metric].name,
			            tally->impossible_totals[i]);
	json_write_close(&out->writer, '}');
}

void json_output_between(struct json_output *out, const struct snapshot_info *interval)
{
	json_write_key(&out->writer, "between");
	if (!interval) {
		json_write_null(&out->writer);
		return;
	}
	json_write_open(&out->writer, '{');
	write_count(out, "length_ns", interval->window.numbers[WINDOW_length_ns]);
	write_impossible(out, &interval->tally);
	json_write_close(&out->writer, '}');
}

static void write_tally(struct json_output *out, const struct snapshot_tally *tally)
{
	json_write_key(&out->writer, "tally");
	json_write_open(&out->writer, '{');
	write_count(out, "processes_gone", tally->processes_gone);
	write_count(out, "processes_denied", tally->processes_denied);
	write_count(out, "processes_stalled", tally->processes_stalled);
	write_count(out, "threads_gone", tally->threads_gone);
	write_count(out, "threads_unreadable", tally->threads_unreadable);
	write_count(out, "malformed_values", tally->malformed_values);
	write_impossible(out, tally);
	write_count(out, "cgroups", tally->cgroups);
	write_count(out, "cgroups_gone", tally->cgroups_gone);
	write_count(out, "cgroups_denied", tally->cgroups_denied);
	write_count(out, "cgroups_outside", tally->cgroups_outside);
	json_write_close(&out->writer, '}');
}

static void write_tags(struct json_output *out, const char *key, const uint64_t *counts)
{
	json_write_key(&out->writer, key);
	json_write_open(&out->writer, '{');
	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		if (counts[i] > 0)
			write_count(out, probe_tag_table[i].name, counts[i]);
	json_write_close(&out->writer, '}');
}

/* Writes the summary as the snapshot has it; null if jemalloc was not looked for. */
static void write_probe(struct json_output *out, const struct probe_summary *probe)
{
	enum probe_tag dominant = probe_summary_dominant(probe);

	json_write_key(&out->writer, "probe");
	if (!probe->seen) {
		json_write_null(&out->writer);
		return;
	}
	json_write_open(&out->writer, '{');
	write_count(out, "tgids_walked", probe->tgids_walked);
	write_count(out, "jemalloc_detected", probe->jemalloc_detected);
	write_count(out, "probed_ok", probe->probed_ok);
	write_count(out, "failed", probe->failed);
	json_write_key(&out->writer, "dominant_failure");
	if (dominant == PROBE_TAG_ok)
		json_write_null(&out->writer);
	else
		json_write_str(&out->writer, probe_tag_table[dominant].name);
	json_write_key(&out->writer, "privilege_dominant");
	json_write_bool(&out->writer, probe_summary_is_about_rights(probe));
	write_tags(out, "processes", probe->processes);
	write_tags(out, "threads", probe->threads);
	json_write_close(&out->writer, '}');
}

/* Writes what could not be read of the settings; the others are rows. null where the snapshot has none. */
static void write_settings(struct json_output *out, const struct settings *settings)
{
	json_write_key(&out->writer, "settings");
	if (!settings->seen) {
		json_write_null(&out->writer);
		return;
	}
	json_write_open(&out->writer, '{');
	write_count(out, "read", settings->count);
	json_write_key(&out->writer, "denied");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < settings->denied_count; i++)
		json_output_text(out, settings->denied[i]);
	json_write_close(&out->writer, ']');
	write_count(out, "left_out", settings->left_out);
	json_write_close(&out->writer, '}');
}

/* An older snapshot does not have its cost. */
static void write_cost(struct json_output *out, const struct report_side *side)
{
	json_write_key(&out->writer, "cost");
	json_write_open(&out->writer, '{');
	for (unsigned i = 0; i < COST_COUNT; i++)
		if (side->info->cost_seen[i])
			write_count(out, capture_cost_table[i].name, side->info->cost[i]);
	if (side->file_bytes > 0)
		write_count(out, "file_bytes", side->file_bytes);
	json_write_close(&out->writer, '}');
}

/* Writes the metrics of @families without those of @others. */
static void write_metrics(struct json_output *out, const char *key, uint32_t families,
                          uint32_t others)
{
	struct metric_set metrics = {{0}}, left_out = {{0}};

	reference_add_metrics(families, &metrics);
	reference_add_metrics(others, &left_out);
	json_write_key(&out->writer, key);
	json_write_open(&out->writer, '[');
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(&metrics, (enum metric_id)i) &&
		    !metric_set_has(&left_out, (enum metric_id)i))
			json_write_str(&out->writer, metric_table[i].name);
	json_write_close(&out->writer, ']');
}

/* Writes the meaning of the zeros in another tool's snapshot. */
static void write_origin(struct json_output *out, const struct snapshot_info *info)
{
	if (info->origin != ORIGIN_ktstr)
		return;
	json_write_key(&out->writer, "origin");
	json_write_str(&out->writer, "ktstr");
	write_metrics(out, "ambiguous", info->ambiguous, info->forgotten);
	write_metrics(out, "forgotten", info->forgotten, 0);
}

static void write_exits_also(struct json_output *out, unsigned exits_also)
{
	json_write_key(&out->writer, "exits_also");
	json_write_open(&out->writer, '[');
	for (unsigned i = WINDOW_EXITS_UNKNOWN + 1; i < WINDOW_EXITS_COUNT; i++)
		if (exits_also >> i & 1)
			json_write_str(&out->writer, window_exits_names[i]);
	json_write_close(&out->writer, ']');
}

static void write_window(struct json_output *out, const struct snapshot_info *info)
{
	const struct snapshot_window *window = &info->window;

	json_write_key(&out->writer, "kind");
	json_write_str(&out->writer, snapshot_kind_names[info->kind]);
	if (info->kind != KIND_window)
		return;
	json_write_key(&out->writer, "window");
	json_write_open(&out->writer, '{');
	json_write_key(&out->writer, "exits");
	if (window->exits == WINDOW_EXITS_UNKNOWN)
		json_write_null(&out->writer);
	else
		json_write_str(&out->writer, window_exits_names[window->exits]);
	if (window->exits_also != 0)
		write_exits_also(out, window->exits_also);
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		if (window->seen[i])
			write_count(out, window_number_table[i].name, window->numbers[i]);
	json_write_close(&out->writer, '}');
}

void json_output_side(struct json_output *out, const char *name, const struct report_side *side)
{
	json_write_key(&out->writer, name);
	json_write_open(&out->writer, '{');
	json_write_key(&out->writer, "path");
	json_output_text(out, side->path);
	write_origin(out, side->info);
	write_window(out, side->info);
	write_known(out, "captured_at_unix_ns", side->info->captured_at_unix_ns);
	write_known(out, "captured_boottime_ns", side->info->captured_boottime_ns);
	json_write_key(&out->writer, "threads");
	json_write_u64(&out->writer, side->info->tally.threads);
	/* A window has rows of threads that ended in it, too. */
	write_known(out, "processes",
	            side->info->kind == KIND_window ? 0 : side->info->tally.processes);
	write_labels(out, &side->info->labels);
	write_host(out, &side->info->host);
	write_settings(out, &side->info->settings);
	write_sources(out, side->info);
	write_probe(out, &side->info->probe);
	write_tally(out, &side->info->tally);
	write_cost(out, side);
	json_write_close(&out->writer, '}');
}

static void write_text_or_null(struct json_output *out, const char *key, const char *text)
{
	json_write_key(&out->writer, key);
	if (text)
		json_output_text(out, text);
	else
		json_write_null(&out->writer);
}

void json_output_differs(struct json_output *out, const struct report *report)
{
	cleanup_(differences_done) struct difference_list list = {0};

	differences_find(report, false, &list);
	json_write_key(&out->writer, "also_differs");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < list.count; i++) {
		json_write_open(&out->writer, '{');
		write_text_or_null(out, "field", list.entries[i].field);
		write_text_or_null(out, "baseline", list.entries[i].texts[SIDE_BASELINE]);
		write_text_or_null(out, "candidate", list.entries[i].texts[SIDE_CANDIDATE]);
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, ']');
}
