// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-meta.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/macro.h"
#include "ctprof/mem.h"
#include "ctprof/text.h"

/* One for each CPU that there can be. */
enum { HOST_MAP_NAMES = CPU_MASK_CPUS };

void snapshot_info_done(struct snapshot_info *info)
{
	host_done(&info->host);
	sched_ext_done(&info->sched_ext);
}

static json_t *new_object(void)
{
	json_t *object = json_object();

	if (!object)
		mem_exhausted();
	return object;
}

/* Takes over @value. */
static void set(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value) < 0)
		mem_exhausted();
}

static json_t *text_value(const char *text)
{
	cleanup_(strbuf_done) struct strbuf valid = STRBUF_INIT;

	text_add_replaced(&valid, text, strlen(text));
	return json_stringn(strbuf_str(&valid), valid.len);
}

/* Tallies and times stay far below 2^63; a larger one would be a lie anyway. */
static json_t *number_value(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

static int add_bytes(const char *bytes, size_t len, void *out)
{
	strbuf_add(out, bytes, len);
	return 0;
}

static void add_json(const json_t *json, struct strbuf *out)
{
	if (json_dump_callback(json, add_bytes, out, JSON_COMPACT) < 0)
		mem_exhausted();
}

static json_t *map_value(const struct host_map *map)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	json_t *object = new_object();

	for (size_t i = 0; i < map->count; i++) {
		strbuf_clear(&name);
		text_add_replaced(&name, map->entries[i].name, strlen(map->entries[i].name));
		set(object, strbuf_str(&name), text_value(map->entries[i].text));
	}
	return object;
}

static json_t *host_value(const struct host *host, unsigned field)
{
	switch (host_field_table[field].kind) {
	case HOST_KIND_TEXT:
		return text_value(host->texts[field]);
	case HOST_KIND_NUMBER:
		return number_value(host->numbers[field]);
	case HOST_KIND_MAP:
		return map_value(&host->maps[field]);
	}
	return NULL;
}

/* A number that no JSON integer of the format holds makes no sense, and is no other number. */
static bool is_writable(const struct host *host, unsigned field)
{
	return host->seen[field] && (host_field_table[field].kind != HOST_KIND_NUMBER ||
	                             host->numbers[field] <= INT64_MAX);
}

void snapshot_meta_add_host(const struct snapshot_info *info, struct strbuf *out)
{
	json_auto_t *object = new_object();

	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		if (is_writable(&info->host, i))
			set(object, host_field_table[i].name, host_value(&info->host, i));
	add_json(object, out);
}

void snapshot_meta_add_window(const struct snapshot_info *info, struct strbuf *out)
{
	const struct snapshot_window *window = &info->window;
	json_auto_t *object = new_object();

	if (window->exits != WINDOW_EXITS_UNKNOWN)
		set(object, "exits", text_value(window_exits_names[window->exits]));
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		if (window->seen[i])
			set(object, window_number_table[i].name, number_value(window->numbers[i]));
	add_json(object, out);
}

void snapshot_meta_add_sources(const struct snapshot_info *info, struct strbuf *out)
{
	json_auto_t *object = new_object();

	for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++) {
		json_t *source = new_object();

		set(source, "rule", text_value(outcome_table[info->rules[s]].name));
		for (unsigned o = OUTCOME_unneeded + 1; o < OUTCOME_COUNT; o++)
			if (info->tally.sources[s][o] > 0)
				set(source, outcome_table[o].name,
				    number_value(info->tally.sources[s][o]));
		set(object, source_table[s].name, source);
	}
	add_json(object, out);
}

/* Readings of a source that gave nothing for a reason other than the host's rule for it. */
static uint64_t failures_of(const struct snapshot_info *info, unsigned source)
{
	const struct snapshot_tally *tally = &info->tally;

	if (info->rules[source] != OUTCOME_read)
		return 0;
	return tally->sources[source][OUTCOME_denied] + tally->sources[source][OUTCOME_malformed];
}

void snapshot_meta_add_parse_summary(const struct snapshot_info *info, struct strbuf *out)
{
	const struct snapshot_tally *tally = &info->tally;
	json_auto_t *object = new_object();
	json_t *by_file = new_object();
	const char *dominant = NULL;
	uint64_t total = 0, most = 0;

	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		uint64_t failures = failures_of(info, s);

		total += failures;
		if (failures > 0)
			set(by_file, source_table[s].name, number_value(failures));
		if (failures > most ||
		    (failures == most && most > 0 && strcmp(source_table[s].name, dominant) < 0)) {
			most = failures;
			dominant = source_table[s].name;
		}
	}
	set(object, "tgids_walked", number_value(tally->processes + tally->processes_gone));
	set(object, "tgids_gone", number_value(tally->processes_gone));
	set(object, "tgids_denied", number_value(tally->processes_denied));
	set(object, "tids_walked",
	    number_value(tally->threads + tally->threads_gone + tally->threads_unreadable));
	set(object, "tids_gone", number_value(tally->threads_gone));
	set(object, "tids_unreadable", number_value(tally->threads_unreadable));
	set(object, "read_failures", number_value(total));
	set(object, "read_failures_by_file", by_file);
	set(object, "dominant_read_failure", dominant ? json_string(dominant) : json_null());
	set(object, "malformed_values", number_value(tally->malformed_values));
	set(object, "cgroups", number_value(tally->cgroups));
	set(object, "cgroups_gone", number_value(tally->cgroups_gone));
	set(object, "cgroups_denied", number_value(tally->cgroups_denied));
	set(object, "cgroups_outside", number_value(tally->cgroups_outside));
	add_json(object, out);
}

/* null where nobody was asked. */
void snapshot_meta_add_taskstats_summary(const struct snapshot_info *info, struct strbuf *out)
{
	const uint64_t *tally = info->tally.sources[SOURCE_taskstats];
	uint64_t other = tally[OUTCOME_malformed];
	json_auto_t *object = NULL;

	if (tally[OUTCOME_read] + tally[OUTCOME_denied] + tally[OUTCOME_gone] + other == 0) {
		strbuf_add_str(out, "null");
		return;
	}
	object = new_object();
	other += tally[OUTCOME_off] + tally[OUTCOME_skipped];
	set(object, "ok_count", number_value(tally[OUTCOME_read]));
	set(object, "eperm_count", number_value(tally[OUTCOME_denied]));
	set(object, "esrch_count", number_value(tally[OUTCOME_gone]));
	set(object, "other_err_count", number_value(other));
	add_json(object, out);
}

void snapshot_meta_add_sched_ext(const struct snapshot_info *info, struct strbuf *out)
{
	const struct sched_ext *sched_ext = &info->sched_ext;
	json_auto_t *object = NULL;

	if (!sched_ext->present) {
		strbuf_add_str(out, "null");
		return;
	}
	object = new_object();
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++) {
		const struct fact_value *value = &sched_ext->values[i];

		if (value->state == FACT_TEXT)
			set(object, sched_ext_table[i].name, text_value(value->text));
		else if (value->state == FACT_NUMBER)
			set(object, sched_ext_table[i].name, json_integer(value->number));
	}
	add_json(object, out);
}

void snapshot_meta_add_cost(const struct snapshot_info *info, struct strbuf *out)
{
	json_auto_t *object = new_object();

	for (unsigned i = 0; i < COST_COUNT; i++)
		if (info->cost_seen[i])
			set(object, capture_cost_table[i].name, number_value(info->cost[i]));
	add_json(object, out);
}

static json_t *load(const struct strbuf *json, const char *what, struct strbuf *reterr)
{
	json_error_t error;
	json_t *value = json_loadb(strbuf_str(json), json->len, 0, &error);

	if (value && json_is_object(value))
		return value;
	/* It is JSON; what the library says of what it does not take has a piece of the file in it. */
	strbuf_addf(reterr, "%s: %s", what,
	            json->len > 0 && json->data[0] == '{' ? "it holds a number above 2^63-1"
	                                                  : "an object was expected");
	json_decref(value);
	return NULL;
}

static int read_number(const json_t *object, const char *key, const char *what,
                       uint64_t *ret_number, bool *ret_seen, struct strbuf *reterr)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0) {
		strbuf_addf(reterr, "%s.%s: a number from 0 on was expected", what, key);
		return -EBADMSG;
	}
	*ret_number = (uint64_t)json_integer_value(value);
	if (ret_seen)
		*ret_seen = true;
	return 0;
}

static int read_map(const json_t *value, enum host_field field, struct host *host,
                    struct strbuf *reterr)
{
	const char *name = host_field_table[field].name, *key;
	json_t *text;

	if (!json_is_object(value) || json_object_size(value) > HOST_MAP_NAMES) {
		strbuf_addf(reterr, "host.%s: an object of at most %d names was expected", name,
		            HOST_MAP_NAMES);
		return -EBADMSG;
	}
	host->seen[field] = true;
	json_object_foreach((json_t *)value, key, text)
	{
		if (!json_is_string(text)) {
			strbuf_addf(reterr, "host.%s: a string for each name was expected", name);
			return -EBADMSG;
		}
		host_map_set(host, field, key, json_string_value(text), json_string_length(text));
	}
	return 0;
}

static int read_host_field(const json_t *object, enum host_field field, struct host *host,
                           struct strbuf *reterr)
{
	const char *name = host_field_table[field].name;
	const json_t *value = json_object_get(object, name);

	if (!value)
		return 0;
	switch (host_field_table[field].kind) {
	case HOST_KIND_NUMBER:
		return read_number(object, name, "host", &host->numbers[field], &host->seen[field],
		                   reterr);
	case HOST_KIND_MAP:
		return read_map(value, field, host, reterr);
	case HOST_KIND_TEXT:
		break;
	}
	if (!json_is_string(value)) {
		strbuf_addf(reterr, "host.%s: a string was expected", name);
		return -EBADMSG;
	}
	/* No boot: two empty ones are not the same. */
	if (field == HOST_boot_id && json_string_length(value) == 0)
		return 0;
	host_set_text(host, field, json_string_value(value), json_string_length(value));
	return 0;
}

int snapshot_meta_read_host(const struct strbuf *json, struct snapshot_info *info,
                            struct strbuf *reterr)
{
	json_auto_t *object = load(json, "host", reterr);
	int r = object ? 0 : -EBADMSG;

	for (unsigned i = 0; r == 0 && i < HOST_FIELD_COUNT; i++)
		r = read_host_field(object, (enum host_field)i, &info->host, reterr);
	/* As ktstr ctprof called it at first. */
	if (r == 0 && !info->host.seen[HOST_total_memory_kib])
		r = read_number(object, "total_memory_kb", "host",
		                &info->host.numbers[HOST_total_memory_kib],
		                &info->host.seen[HOST_total_memory_kib], reterr);
	return r;
}

/* What a later version has invented is unknown. */
static int read_exits(const json_t *object, struct snapshot_window *window, struct strbuf *reterr)
{
	const json_t *value = json_object_get(object, "exits");

	if (value && !json_is_string(value)) {
		strbuf_add_str(reterr, "window.exits: a string was expected");
		return -EBADMSG;
	}
	for (unsigned i = WINDOW_EXITS_UNKNOWN + 1; value && i < WINDOW_EXITS_COUNT; i++)
		if (strcmp(json_string_value(value), window_exits_names[i]) == 0)
			window->exits = (enum window_exits)i;
	return 0;
}

int snapshot_meta_read_window(const struct strbuf *json, struct snapshot_info *info,
                              struct strbuf *reterr)
{
	static const char what[] = "window";
	struct snapshot_window *window = &info->window;
	json_auto_t *object = load(json, what, reterr);
	int r = object ? read_exits(object, window, reterr) : -EBADMSG;

	for (unsigned i = 0; r == 0 && i < WINDOW_NUMBER_COUNT; i++)
		r = read_number(object, window_number_table[i].name, what, &window->numbers[i],
		                &window->seen[i], reterr);
	return r;
}

static int read_source(const json_t *object, unsigned source, struct snapshot_info *info,
                       struct strbuf *reterr)
{
	const json_t *value = json_object_get(object, source_table[source].name);
	const json_t *rule = json_object_get(value, "rule");
	int r = 0;

	if (value && !json_is_object(value)) {
		strbuf_addf(reterr, "sources.%s: an object was expected",
		            source_table[source].name);
		return -EBADMSG;
	}
	if (rule && !json_is_string(rule)) {
		strbuf_addf(reterr, "sources.%s.rule: a string was expected",
		            source_table[source].name);
		return -EBADMSG;
	}
	if (rule)
		/* A reason that a later version invented counts as "skipped". */
		if (!outcome_find(json_string_value(rule), json_string_length(rule),
		                  &info->rules[source]))
			info->rules[source] = OUTCOME_skipped;
	for (unsigned o = OUTCOME_unneeded + 1; r == 0 && value && o < OUTCOME_COUNT; o++)
		r = read_number(value, outcome_table[o].name, source_table[source].name,
		                &info->tally.sources[source][o], NULL, reterr);
	return r;
}

int snapshot_meta_read_sources(const struct strbuf *json, struct snapshot_info *info,
                               struct strbuf *reterr)
{
	json_auto_t *object = load(json, "sources", reterr);
	int r = object ? 0 : -EBADMSG;

	for (unsigned s = 0; r == 0 && s < SOURCE_COUNT; s++)
		r = read_source(object, s, info, reterr);
	return r;
}

int snapshot_meta_read_parse_summary(const struct strbuf *json, struct snapshot_info *info,
                                     struct strbuf *reterr)
{
	struct snapshot_tally *tally = &info->tally;
	uint64_t walked = 0;
	const struct {
		const char *key;
		uint64_t *number;
	} numbers[] = {
	        {"tgids_walked", &walked},
	        {"tgids_gone", &tally->processes_gone},
	        {"tgids_denied", &tally->processes_denied},
	        {"tids_gone", &tally->threads_gone},
	        {"tids_unreadable", &tally->threads_unreadable},
	        {"malformed_values", &tally->malformed_values},
	        {"cgroups", &tally->cgroups},
	        {"cgroups_gone", &tally->cgroups_gone},
	        {"cgroups_denied", &tally->cgroups_denied},
	        {"cgroups_outside", &tally->cgroups_outside},
	};
	static const char what[] = "parse_summary";
	json_auto_t *object = load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(numbers); i++)
		r = read_number(object, numbers[i].key, what, numbers[i].number, NULL, reterr);
	if (walked >= tally->processes_gone)
		tally->processes = walked - tally->processes_gone;
	return r;
}

int snapshot_meta_read_parse_reference(const struct strbuf *json, struct reference_summary *summary,
                                       struct strbuf *reterr)
{
	static const char what[] = "parse_summary";
	json_auto_t *object = load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	if (r == 0)
		r = read_number(object, "tids_walked", what, &summary->tids_walked, NULL, reterr);
	if (r == 0)
		r = read_number(object, "negative_dotted_values", what,
		                &summary->negative_dotted_values, NULL, reterr);
	return r;
}

int snapshot_meta_read_taskstats_reference(const struct strbuf *json,
                                           struct reference_summary *summary, struct strbuf *reterr)
{
	const struct {
		const char *key;
		uint64_t *number;
	} numbers[] = {
	        {"ok_count", &summary->ok_count},
	        {"eperm_count", &summary->eperm_count},
	        {"esrch_count", &summary->esrch_count},
	        {"other_err_count", &summary->other_err_count},
	};
	static const char what[] = "taskstats_summary";
	json_auto_t *object = load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	summary->has_taskstats = true;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(numbers); i++)
		r = read_number(object, numbers[i].key, what, numbers[i].number, NULL, reterr);
	return r;
}

int snapshot_meta_read_sched_ext(const struct strbuf *json, struct snapshot_info *info,
                                 struct strbuf *reterr)
{
	json_auto_t *object = load(json, "sched_ext", reterr);

	if (!object)
		return -EBADMSG;
	info->sched_ext.present = true;
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++) {
		bool is_text = sched_ext_table[i].form == FORM_TEXT;
		const json_t *value = json_object_get(object, sched_ext_table[i].name);

		if (!value)
			continue;
		if (is_text ? !json_is_string(value) : !json_is_integer(value)) {
			strbuf_addf(reterr, "sched_ext.%s: %s was expected",
			            sched_ext_table[i].name, is_text ? "a string" : "an integer");
			return -EBADMSG;
		}
		if (is_text)
			fact_set_text(&info->sched_ext.values[i], json_string_value(value),
			              json_string_length(value));
		else
			fact_set_number(&info->sched_ext.values[i], json_integer_value(value));
	}
	return 0;
}

int snapshot_meta_read_cost(const struct strbuf *json, struct snapshot_info *info,
                            struct strbuf *reterr)
{
	json_auto_t *object = load(json, "cost", reterr);
	int r = object ? 0 : -EBADMSG;

	for (unsigned i = 0; r == 0 && i < COST_COUNT; i++)
		r = read_number(object, capture_cost_table[i].name, "cost", &info->cost[i],
		                &info->cost_seen[i], reterr);
	return r;
}
