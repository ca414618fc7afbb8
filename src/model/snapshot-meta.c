// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-meta.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/mem.h"
#include "ctprof/text.h"

void snapshot_info_done(struct snapshot_info *info)
{
	host_done(&info->host);
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

void snapshot_meta_add_host(const struct snapshot_info *info, struct strbuf *out)
{
	json_auto_t *object = new_object();

	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		const struct host_field_desc *field = &host_field_table[i];

		if (info->host.seen[i])
			set(object, field->name,
			    field->is_number ? number_value(info->host.numbers[i])
			                     : text_value(info->host.texts[i]));
	}
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
static uint64_t failures_of(const struct snapshot_tally *tally, unsigned source)
{
	return tally->sources[source][OUTCOME_denied] + tally->sources[source][OUTCOME_malformed];
}

void snapshot_meta_add_parse_summary(const struct snapshot_tally *tally, struct strbuf *out)
{
	json_auto_t *object = new_object();
	json_t *by_file = new_object();
	const char *dominant = NULL;
	uint64_t total = 0, most = 0;

	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		uint64_t failures = failures_of(tally, s);

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
	add_json(object, out);
}

static json_t *load(const struct strbuf *json, const char *what, struct strbuf *reterr)
{
	json_error_t error;
	json_t *value = json_loadb(strbuf_str(json), json->len, 0, &error);

	if (value && json_is_object(value))
		return value;
	json_decref(value);
	strbuf_addf(reterr, "%s: an object was expected", what);
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

static int read_host_field(const json_t *object, unsigned field, struct host *host,
                           struct strbuf *reterr)
{
	const char *name = host_field_table[field].name;
	const json_t *value = json_object_get(object, name);

	if (host_field_table[field].is_number)
		return read_number(object, name, "host", &host->numbers[field], &host->seen[field],
		                   reterr);
	if (!value)
		return 0;
	if (!json_is_string(value)) {
		strbuf_addf(reterr, "host.%s: a string was expected", name);
		return -EBADMSG;
	}
	host_set_text(host, (enum host_field)field, json_string_value(value),
	              json_string_length(value));
	return 0;
}

int snapshot_meta_read_host(const struct strbuf *json, struct snapshot_info *info,
                            struct strbuf *reterr)
{
	json_auto_t *object = load(json, "host", reterr);
	int r = object ? 0 : -EBADMSG;

	for (unsigned i = 0; r == 0 && i < HOST_FIELD_COUNT; i++)
		r = read_host_field(object, i, &info->host, reterr);
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
	static const char what[] = "parse_summary";
	json_auto_t *object = load(json, what, reterr);
	struct snapshot_tally *tally = &info->tally;
	uint64_t walked = 0;
	int r = object ? 0 : -EBADMSG;

	if (r == 0)
		r = read_number(object, "tgids_walked", what, &walked, NULL, reterr);
	if (r == 0)
		r = read_number(object, "tgids_gone", what, &tally->processes_gone, NULL, reterr);
	if (r == 0)
		r = read_number(object, "tgids_denied", what, &tally->processes_denied, NULL,
		                reterr);
	if (r == 0)
		r = read_number(object, "tids_gone", what, &tally->threads_gone, NULL, reterr);
	if (r == 0)
		r = read_number(object, "tids_unreadable", what, &tally->threads_unreadable, NULL,
		                reterr);
	if (r == 0)
		r = read_number(object, "malformed_values", what, &tally->malformed_values, NULL,
		                reterr);
	if (walked >= tally->processes_gone)
		tally->processes = walked - tally->processes_gone;
	return r;
}
