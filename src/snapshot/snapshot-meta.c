// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-meta.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ctprof/base/macro.h"
#include "json/json-tree.h"

/* One for each CPU that there can be. */
enum { HOST_MAP_NAMES = CPU_MASK_CPUS };

void snapshot_info_done(struct snapshot_info *info)
{
	labels_done(&info->labels);
	host_done(&info->host);
	sched_ext_done(&info->sched_ext);
	settings_done(&info->settings);
}

static json_t *map_value(const struct host_map *map)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	json_t *object = tree_new();

	for (size_t i = 0; i < map->count; i++) {
		strbuf_clear(&name);
		text_add_replaced(&name, map->entries[i].name, strlen(map->entries[i].name));
		tree_set(object, strbuf_str(&name), tree_text(map->entries[i].text));
	}
	return object;
}

static json_t *host_value(const struct host *host, unsigned field)
{
	switch (host_field_table[field].kind) {
	case HOST_KIND_TEXT:
		return tree_text(host->texts[field]);
	case HOST_KIND_NUMBER:
		return tree_number(host->numbers[field]);
	case HOST_KIND_MAP:
		return map_value(&host->maps[field]);
	}
	return NULL;
}

/* A number beyond the integers of the format is left out, rather than changed. */
static bool is_writable(const struct host *host, unsigned field)
{
	return host->seen[field] && (host_field_table[field].kind != HOST_KIND_NUMBER ||
	                             host->numbers[field] <= INT64_MAX);
}

void snapshot_meta_add_host(const struct snapshot_info *info, struct strbuf *out)
{
	json_auto_t *object = tree_new();

	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		if (is_writable(&info->host, i))
			tree_set(object, host_field_table[i].name, host_value(&info->host, i));
	tree_add_json(object, out);
}

static json_t *exits_also_value(unsigned exits_also)
{
	json_t *array = json_array();

	for (unsigned i = WINDOW_EXITS_UNKNOWN + 1; i < WINDOW_EXITS_COUNT; i++)
		if (exits_also >> i & 1)
			tree_append(array, tree_text(window_exits_names[i]));
	return array;
}

void snapshot_meta_add_window(const struct snapshot_info *info, struct strbuf *out)
{
	const struct snapshot_window *window = &info->window;
	json_auto_t *object = tree_new();

	if (window->exits != WINDOW_EXITS_UNKNOWN)
		tree_set(object, "exits", tree_text(window_exits_names[window->exits]));
	if (window->exits_also != 0)
		tree_set(object, "exits_also", exits_also_value(window->exits_also));
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		if (window->seen[i])
			tree_set(object, window_number_table[i].name,
			         tree_number(window->numbers[i]));
	tree_add_json(object, out);
}

void snapshot_meta_add_sources(const struct snapshot_info *info, struct strbuf *out)
{
	json_auto_t *object = tree_new();

	for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++) {
		json_t *source = tree_new();

		tree_set(source, "rule", tree_text(outcome_table[info->rules[s]].name));
		for (unsigned o = OUTCOME_unneeded + 1; o < OUTCOME_COUNT; o++)
			if (info->tally.sources[s][o] > 0)
				tree_set(source, outcome_table[o].name,
				         tree_number(info->tally.sources[s][o]));
		tree_set(object, source_table[s].name, source);
	}
	tree_add_json(object, out);
}

/* Returns the readings of a source that failed for another reason than the host's rule for it. */
static uint64_t failures_of(const struct snapshot_info *info, unsigned source)
{
	const struct snapshot_tally *tally = &info->tally;

	if (info->rules[source] != OUTCOME_read)
		return 0;
	return tally->sources[source][OUTCOME_denied] + tally->sources[source][OUTCOME_malformed] +
	       tally->sources[source][OUTCOME_stalled];
}

/* Returns the counts by metric; the rows have the values. */
static json_t *impossible_values(const struct snapshot_tally *tally)
{
	json_t *object = tree_new();

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (tally->impossible[i] > 0)
			tree_set(object, metric_table[i].name, tree_number(tally->impossible[i]));
	return object;
}

static json_t *impossible_totals(const struct snapshot_tally *tally)
{
	json_t *object = tree_new();

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (tally->impossible_totals[i] > 0)
			tree_set(object, metric_table[process_total_table[i].metric].name,
			         tree_number(tally->impossible_totals[i]));
	return object;
}

void snapshot_meta_add_parse_summary(const struct snapshot_info *info, struct strbuf *out)
{
	const struct snapshot_tally *tally = &info->tally;
	json_auto_t *object = tree_new();
	json_t *by_file = tree_new();
	const char *dominant = NULL;
	uint64_t total = 0, most = 0;

	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		uint64_t failures = failures_of(info, s);

		total += failures;
		if (failures > 0)
			tree_set(by_file, source_table[s].name, tree_number(failures));
		if (failures > most ||
		    (failures == most && most > 0 && strcmp(source_table[s].name, dominant) < 0)) {
			most = failures;
			dominant = source_table[s].name;
		}
	}
	tree_set(object, "processes_walked", tree_number(tally->processes + tally->processes_gone));
	tree_set(object, "processes_gone", tree_number(tally->processes_gone));
	tree_set(object, "processes_denied", tree_number(tally->processes_denied));
	tree_set(object, "threads_walked",
	         tree_number(tally->threads + tally->threads_gone + tally->threads_unreadable));
	tree_set(object, "threads_gone", tree_number(tally->threads_gone));
	tree_set(object, "threads_unreadable", tree_number(tally->threads_unreadable));
	tree_set(object, "read_failures", tree_number(total));
	tree_set(object, "read_failures_by_file", by_file);
	tree_set(object, "dominant_read_failure", dominant ? json_string(dominant) : json_null());
	tree_set(object, "malformed_values", tree_number(tally->malformed_values));
	if (tally->processes_stalled > 0)
		tree_set(object, "processes_stalled", tree_number(tally->processes_stalled));
	if (snapshot_tally_impossible(tally) > 0)
		tree_set(object, "impossible_values", impossible_values(tally));
	if (snapshot_tally_impossible_totals(tally) > 0)
		tree_set(object, "impossible_totals", impossible_totals(tally));
	tree_set(object, "cgroups", tree_number(tally->cgroups));
	tree_set(object, "cgroup_ancestors", tree_number(tally->cgroup_ancestors));
	tree_set(object, "cgroups_gone", tree_number(tally->cgroups_gone));
	tree_set(object, "cgroups_denied", tree_number(tally->cgroups_denied));
	tree_set(object, "cgroups_outside", tree_number(tally->cgroups_outside));
	tree_add_json(object, out);
}

/* Writes null if nothing was requested. */
void snapshot_meta_add_taskstats_summary(const struct snapshot_info *info, struct strbuf *out)
{
	const uint64_t *tally = info->tally.sources[SOURCE_taskstats];
	uint64_t other = tally[OUTCOME_malformed];
	json_auto_t *object = NULL;

	if (tally[OUTCOME_read] + tally[OUTCOME_denied] + tally[OUTCOME_gone] + other == 0) {
		strbuf_add_str(out, "null");
		return;
	}
	object = tree_new();
	other += tally[OUTCOME_off] + tally[OUTCOME_skipped];
	tree_set(object, "ok_count", tree_number(tally[OUTCOME_read]));
	tree_set(object, "eperm_count", tree_number(tally[OUTCOME_denied]));
	tree_set(object, "esrch_count", tree_number(tally[OUTCOME_gone]));
	tree_set(object, "other_err_count", tree_number(other));
	tree_add_json(object, out);
}

void snapshot_meta_add_sched_ext(const struct snapshot_info *info, struct strbuf *out)
{
	const struct sched_ext *sched_ext = &info->sched_ext;
	json_auto_t *object = NULL;

	if (!sched_ext->present) {
		strbuf_add_str(out, "null");
		return;
	}
	object = tree_new();
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++) {
		const struct fact_value *value = &sched_ext->values[i];

		if (value->state == FACT_TEXT)
			tree_set(object, sched_ext_table[i].name, tree_text(value->text));
		else if (value->state == FACT_NUMBER)
			tree_set(object, sched_ext_table[i].name, json_integer(value->number));
	}
	tree_add_json(object, out);
}

void snapshot_meta_add_cost(const struct snapshot_info *info, struct strbuf *out)
{
	json_auto_t *object = tree_new();

	for (unsigned i = 0; i < COST_COUNT; i++)
		if (info->cost_seen[i])
			tree_set(object, capture_cost_table[i].name, tree_number(info->cost[i]));
	tree_add_json(object, out);
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
		return tree_read_number(object, name, "host", &host->numbers[field],
		                        &host->seen[field], reterr);
	case HOST_KIND_MAP:
		return read_map(value, field, host, reterr);
	case HOST_KIND_TEXT:
		break;
	}
	if (!json_is_string(value)) {
		strbuf_addf(reterr, "host.%s: a string was expected", name);
		return -EBADMSG;
	}
	/* An empty id is no boot: two empty ones are not the same. */
	if (field == HOST_boot_id && json_string_length(value) == 0)
		return 0;
	host_set_text(host, field, json_string_value(value), json_string_length(value));
	return 0;
}

int snapshot_meta_read_host(const struct strbuf *json, struct snapshot_info *info,
                            struct strbuf *reterr)
{
	json_auto_t *object = tree_load(json, "host", reterr);
	int r = object ? 0 : -EBADMSG;

	for (unsigned i = 0; r == 0 && i < HOST_FIELD_COUNT; i++)
		r = read_host_field(object, (enum host_field)i, &info->host, reterr);
	/* The first name of the key in ktstr ctprof. */
	if (r == 0 && !info->host.seen[HOST_total_memory_kib])
		r = tree_read_number(object, "total_memory_kb", "host",
		                     &info->host.numbers[HOST_total_memory_kib],
		                     &info->host.seen[HOST_total_memory_kib], reterr);
	return r;
}

/* A word of a later version is unknown. */
static enum window_exits exits_of(const json_t *word)
{
	for (unsigned i = WINDOW_EXITS_UNKNOWN + 1; i < WINDOW_EXITS_COUNT; i++)
		if (strcmp(json_string_value(word), window_exits_names[i]) == 0)
			return (enum window_exits)i;
	return WINDOW_EXITS_UNKNOWN;
}

static int expected_of_exits(const char *what, struct strbuf *reterr)
{
	strbuf_addf(reterr, "window.%s was expected", what);
	return -EBADMSG;
}

static int read_exits(const json_t *object, struct snapshot_window *window, struct strbuf *reterr)
{
	const json_t *value = json_object_get(object, "exits");
	const json_t *others = json_object_get(object, "exits_also");

	if (value && !json_is_string(value))
		return expected_of_exits("exits: a string", reterr);
	if (value)
		window->exits = exits_of(value);
	if (others && !json_is_array(others))
		return expected_of_exits("exits_also: an array of strings", reterr);
	for (size_t i = 0; i < json_array_size(others); i++) {
		const json_t *other = json_array_get(others, i);

		if (!json_is_string(other))
			return expected_of_exits("exits_also: an array of strings", reterr);
		window->exits_also |= 1u << exits_of(other);
	}
	window->exits_also &= ~(1u << window->exits | 1u << WINDOW_EXITS_UNKNOWN);
	return 0;
}

int snapshot_meta_read_window(const struct strbuf *json, struct snapshot_info *info,
                              struct strbuf *reterr)
{
	static const char what[] = "window";
	struct snapshot_window *window = &info->window;
	json_auto_t *object = tree_load(json, what, reterr);
	int r = object ? read_exits(object, window, reterr) : -EBADMSG;

	for (unsigned i = 0; r == 0 && i < WINDOW_NUMBER_COUNT; i++)
		r = tree_read_number(object, window_number_table[i].name, what, &window->numbers[i],
		                     &window->seen[i], reterr);
	return r;
}

int snapshot_meta_read_unchanged(const struct strbuf *json, struct snapshot_info *info,
                                 struct strbuf *reterr)
{
	static const char what[] = "unchanged";
	struct snapshot_unchanged *unchanged = &info->unchanged;
	json_auto_t *object = tree_load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	unchanged->seen = object != NULL;
	if (r == 0)
		r = tree_read_number(object, "threads", what, &unchanged->threads, NULL, reterr);
	if (r == 0)
		r = tree_read_number(object, "cgroups", what, &unchanged->cgroups, NULL, reterr);
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
		r = tree_read_number(value, outcome_table[o].name, source_table[source].name,
		                     &info->tally.sources[source][o], NULL, reterr);
	return r;
}

int snapshot_meta_read_sources(const struct strbuf *json, struct snapshot_info *info,
                               struct strbuf *reterr)
{
	json_auto_t *object = tree_load(json, "sources", reterr);
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
	        /* The names that these had at first, and have in files of ktstr ctprof. */
	        {"tgids_walked", &walked},
	        {"tgids_gone", &tally->processes_gone},
	        {"tgids_denied", &tally->processes_denied},
	        {"tids_gone", &tally->threads_gone},
	        {"tids_unreadable", &tally->threads_unreadable},
	        {"processes_walked", &walked},
	        {"processes_gone", &tally->processes_gone},
	        {"processes_denied", &tally->processes_denied},
	        {"threads_gone", &tally->threads_gone},
	        {"threads_unreadable", &tally->threads_unreadable},
	        {"processes_stalled", &tally->processes_stalled},
	        {"malformed_values", &tally->malformed_values},
	        {"cgroups", &tally->cgroups},
	        {"cgroup_ancestors", &tally->cgroup_ancestors},
	        {"cgroups_gone", &tally->cgroups_gone},
	        {"cgroups_denied", &tally->cgroups_denied},
	        {"cgroups_outside", &tally->cgroups_outside},
	};
	static const char what[] = "parse_summary";
	json_auto_t *object = tree_load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(numbers); i++)
		r = tree_read_number(object, numbers[i].key, what, numbers[i].number, NULL, reterr);
	if (walked >= tally->processes_gone)
		tally->processes = walked - tally->processes_gone;
	return r;
}

int snapshot_meta_read_parse_reference(const struct strbuf *json, struct reference_summary *summary,
                                       struct strbuf *reterr)
{
	static const char what[] = "parse_summary";
	json_auto_t *object = tree_load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	if (r == 0)
		r = tree_read_number(object, "tids_walked", what, &summary->tids_walked, NULL,
		                     reterr);
	if (r == 0)
		r = tree_read_number(object, "negative_dotted_values", what,
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
	json_auto_t *object = tree_load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	summary->has_taskstats = true;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(numbers); i++)
		r = tree_read_number(object, numbers[i].key, what, numbers[i].number, NULL, reterr);
	return r;
}

int snapshot_meta_read_sched_ext(const struct strbuf *json, struct snapshot_info *info,
                                 struct strbuf *reterr)
{
	json_auto_t *object = tree_load(json, "sched_ext", reterr);

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
	json_auto_t *object = tree_load(json, "cost", reterr);
	int r = object ? 0 : -EBADMSG;

	for (unsigned i = 0; r == 0 && i < COST_COUNT; i++)
		r = tree_read_number(object, capture_cost_table[i].name, "cost", &info->cost[i],
		                     &info->cost_seen[i], reterr);
	return r;
}
