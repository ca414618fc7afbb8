// SPDX-License-Identifier: GPL-2.0-or-later
/* The schema describes the files that capture writes. A reader ignores unknown keys, so objects with keys of their own
 * choice are left open; those whose keys come from the registry are closed. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "json-schema.h"
#include "registry-print.h"
#include "registry-schema-facts.h"
#include "json/json-tree.h"

enum thread_row_identity {
#define IDENTITY(id_, json_type_, text_) IDENTITY_##id_,
#include "identity.def"
#undef IDENTITY
};

/* jansson's integers end at 2^63-1, so this stands for 2^64-1 until the schema is printed. */
#define U64_MAX_MARK "u64 maximum"

/* Returns a number that snapshot-meta.c writes; it stops at what jansson can hold. */
static json_t *tally(int64_t low)
{
	return schema_integer(low, INT64_MAX);
}

/* Returns the sources a capture can read, and the reasons it can give. */
static json_t *source_names(void)
{
	json_t *names = json_array();

	for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++)
		tree_append(names, json_string(source_table[s].name));
	return names;
}

static json_t *outcome_names(unsigned first)
{
	json_t *names = json_array();

	for (unsigned o = first; o < OUTCOME_COUNT; o++)
		tree_append(names, json_string(outcome_table[o].name));
	return names;
}

static bool is_written(enum metric_id metric)
{
	return metric_table[metric].source != SOURCE_synthetic;
}

static json_t *names_of(const char *const *texts, size_t count)
{
	json_t *names = json_array();

	for (size_t i = 0; i < count; i++)
		tree_append(names, json_string(texts[i]));
	return names;
}

static json_t *text_of(int64_t longest)
{
	json_t *schema = schema_type("string");

	tree_set(schema, "minLength", json_integer(1));
	tree_set(schema, "maxLength", json_integer(longest));
	return schema;
}

static json_t *text_matching(const char *pattern)
{
	json_t *schema = schema_type("string");

	tree_set(schema, "pattern", json_string(pattern));
	return schema;
}

static json_t *cpu_array(void)
{
	json_t *schema = schema_type("array");

	tree_set(schema, "items", schema_integer(0, CPU_MASK_CPUS - 1));
	tree_set(schema, "minItems", json_integer(1));
	tree_set(schema, "uniqueItems", json_true());
	return schema;
}

static json_t *value_schema(enum metric_representation representation)
{
	switch (representation) {
	case REPRESENTATION_U64:
		return schema_reference("u64", NULL);
	case REPRESENTATION_I32:
		return schema_integer(INT32_MIN, INT32_MAX);
	case REPRESENTATION_U32:
		return schema_reference("u32", NULL);
	case REPRESENTATION_TEXT:
		return text_of(LABEL_TEXT_BYTES - 1);
	case REPRESENTATION_LETTER:
		return text_matching("^[!-~]$");
	case REPRESENTATION_FLAG:
		return schema_type("boolean");
	case REPRESENTATION_CPUS:
		return cpu_array();
	}
	return NULL;
}

/* Returns the reasons of single values: they were malformed, or BPF does not carry them. */
static json_t *metric_reasons(void)
{
	json_t *names = json_array();

	tree_append(names, json_string(outcome_table[OUTCOME_malformed].name));
	tree_append(names, json_string(outcome_table[OUTCOME_skipped].name));
	return names;
}

/* Reasons by source, and by metric. */
static json_t *missing_schema(void)
{
	json_t *properties = tree_new();
	json_t *schema;

	for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++)
		tree_set(properties, source_table[s].name,
		         schema_enum(outcome_names(OUTCOME_read + 1)));
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (is_written((enum metric_id)i))
			tree_set(properties, metric_table[i].name, schema_enum(metric_reasons()));
	schema = schema_properties(properties, NULL, false);
	tree_set(schema, "minProperties", json_integer(1));
	return schema;
}

/* Numbers of those metrics that have a bound. */
static json_t *impossible_schema(void)
{
	json_t *properties = tree_new();
	json_t *schema;

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (is_written((enum metric_id)i) && metric_is_bounded((enum metric_id)i))
			tree_set(properties, metric_table[i].name, schema_reference("u64", NULL));
	schema = schema_properties(properties, NULL, false);
	tree_set(schema, "minProperties", json_integer(1));
	return schema;
}

/* Numbers of those totals of processes that have a bound. */
static json_t *impossible_totals_schema(void)
{
	json_t *properties = tree_new();
	json_t *schema;

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (process_total_is_bounded((enum process_total)i))
			tree_set(properties, metric_table[process_total_table[i].metric].name,
			         schema_reference("u64", NULL));
	schema = schema_properties(properties, NULL, false);
	tree_set(schema, "minProperties", json_integer(1));
	return schema;
}

static json_t *exit_schema(void)
{
	json_t *properties = tree_new();
	json_t *schema;

	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++) {
		schema = schema_reference("u64", NULL);
		tree_set(schema, "description", json_string(exit_fact_table[i].description));
		tree_set(properties, exit_fact_table[i].name, schema);
	}
	schema = schema_properties(properties, NULL, false);
	tree_set(schema, "minProperties", json_integer(1));
	return schema;
}

static json_t *identity_schema(enum thread_row_identity identity)
{
	json_t *schema = NULL;

	switch (identity) {
	case IDENTITY_tid:
	case IDENTITY_tgid:
	case IDENTITY_uid:
	case IDENTITY_ppid:
	case IDENTITY_pgrp:
	case IDENTITY_session:
	case IDENTITY_process_successors:
	case IDENTITY_merged_threads:
	case IDENTITY_jemalloc_program:
		schema = schema_reference("u32", NULL);
		break;
	case IDENTITY_start_time_clock_ticks:
	case IDENTITY_process_start_time_clock_ticks:
	case IDENTITY_read_boottime_ns:
	case IDENTITY_jemalloc_boottime_ns:
	case IDENTITY_jemalloc_interval_ns:
	case IDENTITY_interval_ns:
	case IDENTITY_life_ns:
	case IDENTITY_run_time_before_ns:
		schema = schema_reference("u64", NULL);
		break;
	case IDENTITY_host:
	case IDENTITY_boot_id:
	case IDENTITY_pcomm:
	case IDENTITY_comm:
	case IDENTITY_cgroup:
	case IDENTITY_cgroup_v1:
	case IDENTITY_cgroups_v1:
	case IDENTITY_exe:
	case IDENTITY_cwd:
	case IDENTITY_title:
	case IDENTITY_wchan:
	case IDENTITY_syscall:
		schema = schema_type("string");
		break;
	case IDENTITY_host_hex:
	case IDENTITY_pcomm_hex:
	case IDENTITY_comm_hex:
	case IDENTITY_cgroup_hex:
	case IDENTITY_cgroup_v1_hex:
	case IDENTITY_cgroups_v1_hex:
	case IDENTITY_exe_hex:
	case IDENTITY_cwd_hex:
	case IDENTITY_title_hex:
		schema = text_matching("^([0-9a-f]{2})+$");
		break;
	case IDENTITY_window_part:
		schema = schema_enum(names_of(window_part_names + WINDOW_PART_NONE + 1,
		                              WINDOW_PART_COUNT - WINDOW_PART_NONE - 1));
		break;
	case IDENTITY_smaps_rollup_kib:
		schema = schema_numbers();
		break;
	case IDENTITY_process_totals:
		schema = schema_process_totals();
		break;
	case IDENTITY_exit:
		schema = exit_schema();
		break;
	case IDENTITY_impossible:
		schema = impossible_schema();
		break;
	case IDENTITY_impossible_totals:
		schema = impossible_totals_schema();
		break;
	case IDENTITY_missing:
		schema = missing_schema();
		break;
	}
	tree_set(schema, "description", json_string(identity_table[identity].description));
	return schema;
}

static void require_with(json_t *dependent, enum thread_row_identity identity,
                         enum thread_row_identity other)
{
	json_t *names = json_array();

	tree_append(names, json_string(identity_table[other].name));
	tree_set(dependent, identity_table[identity].name, names);
}

/* A path is of one hierarchy or of the other. */
static json_t *both_cgroups(void)
{
	json_t *schema = tree_new(), *names = json_array();

	tree_append(names, json_string(identity_table[IDENTITY_cgroup].name));
	tree_append(names, json_string(identity_table[IDENTITY_cgroup_v1].name));
	tree_set(schema, "required", names);
	return schema;
}

static json_t *thread_schema(void)
{
	static const enum thread_row_identity always[] = {IDENTITY_tid, IDENTITY_tgid,
	                                                  IDENTITY_pcomm, IDENTITY_comm,
	                                                  IDENTITY_start_time_clock_ticks};
	json_t *properties = tree_new(), *dependent = tree_new();
	json_t *required = json_array();
	json_t *schema;

	for (size_t i = 0; i < identity_count; i++)
		tree_set(properties, identity_table[i].name,
		         identity_schema((enum thread_row_identity)i));
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (is_written((enum metric_id)i))
			tree_set(properties, metric_table[i].name,
			         schema_reference(metric_type_table[metric_table[i].type].name,
			                          metric_table[i].description));
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		tree_append(required, json_string(identity_table[always[i]].name));
	require_with(dependent, IDENTITY_host_hex, IDENTITY_host);
	require_with(dependent, IDENTITY_pcomm_hex, IDENTITY_pcomm);
	require_with(dependent, IDENTITY_comm_hex, IDENTITY_comm);
	require_with(dependent, IDENTITY_cgroup_hex, IDENTITY_cgroup);
	require_with(dependent, IDENTITY_cgroup_v1_hex, IDENTITY_cgroup_v1);
	require_with(dependent, IDENTITY_cgroups_v1_hex, IDENTITY_cgroups_v1);
	require_with(dependent, IDENTITY_exe_hex, IDENTITY_exe);
	require_with(dependent, IDENTITY_cwd_hex, IDENTITY_cwd);
	require_with(dependent, IDENTITY_title_hex, IDENTITY_title);
	schema = schema_properties(properties, required, false);
	tree_set(schema, "dependentRequired", dependent);
	tree_set(schema, "not", both_cgroups());
	return schema;
}

/* Options of other versions are allowed; their values are these. */
static json_t *kernel_config_schema(void)
{
	json_t *schema = schema_type("object");

	tree_set(schema, "additionalProperties",
	         schema_enum(names_of(host_option_values, HOST_OPTION_VALUES)));
	return schema;
}

static json_t *host_field_schema(enum host_field field)
{
	json_t *schema;

	if (field == HOST_task_delayacct || field == HOST_sched_schedstats)
		return schema_enum(names_of(host_toggle_names, HOST_TOGGLE_COUNT));
	if (field == HOST_kernel_config)
		return kernel_config_schema();
	switch (host_field_table[field].kind) {
	case HOST_KIND_TEXT:
		return schema_type("string");
	case HOST_KIND_NUMBER:
		return tally(0);
	case HOST_KIND_MAP:
		schema = schema_type("object");
		tree_set(schema, "additionalProperties", schema_type("string"));
		return schema;
	}
	return NULL;
}

static json_t *host_schema(void)
{
	json_t *properties = tree_new(), *required = json_array();

	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		json_t *field = host_field_schema((enum host_field)i);

		tree_set(field, "description", json_string(host_field_table[i].description));
		tree_set(properties, host_field_table[i].name, field);
	}
	tree_append(required, json_string(host_field_table[HOST_tool_version].name));
	tree_append(required, json_string(host_field_table[HOST_source].name));
	return schema_properties(properties, required, true);
}

/* The outcomes of a source, counted by thread. */
static json_t *source_tally_schema(void)
{
	json_t *properties = tree_new(), *required = json_array();

	tree_set(properties, "rule", schema_enum(outcome_names(OUTCOME_read)));
	for (unsigned o = OUTCOME_read; o < OUTCOME_COUNT; o++) {
		json_t *threads = tally(1);

		tree_set(threads, "description", json_string(outcome_table[o].description));
		tree_set(properties, outcome_table[o].name, threads);
	}
	tree_append(required, json_string("rule"));
	return schema_properties(properties, required, false);
}

static json_t *sources_schema(void)
{
	json_t *properties = tree_new();

	for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++)
		tree_set(properties, source_table[s].name,
		         schema_reference("source_tally", source_table[s].what));
	return schema_properties(properties, NULL, false);
}

static json_t *failures_by_file_schema(void)
{
	json_t *schema = schema_type("object");

	tree_set(schema, "propertyNames", schema_enum(source_names()));
	tree_set(schema, "additionalProperties", tally(1));
	return schema;
}

static json_t *parse_summary_schema(void)
{
	static const char *const numbers[] = {
	        "processes_walked",  "processes_gone", "processes_denied", "threads_walked",
	        "threads_gone",      "read_failures",  "malformed_values", "cgroups",
	        "cgroup_ancestors",  "cgroups_gone",   "cgroups_denied",   "cgroups_outside",
	        "threads_unreadable"};
	static const char by_file[] = "read_failures_by_file", dominant[] = "dominant_read_failure";
	json_t *properties = tree_new(), *required = json_array();
	json_t *dominant_names = source_names();

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		tree_set(properties, numbers[i], tally(0));
		if (strncmp(numbers[i], "cgroup", strlen("cgroup")) != 0)
			tree_append(required, json_string(numbers[i]));
	}
	tree_append(dominant_names, json_null());
	/* Files without any do not have it. */
	tree_set(properties, "processes_stalled", tally(1));
	tree_set(properties, "impossible_values", impossible_schema());
	tree_set(properties, "impossible_totals", impossible_totals_schema());
	tree_set(properties, by_file, failures_by_file_schema());
	tree_set(properties, dominant, schema_enum(dominant_names));
	tree_append(required, json_string(by_file));
	tree_append(required, json_string(dominant));
	return schema_properties(properties, required, true);
}

static json_t *threads_schema(void)
{
	json_t *schema = schema_type("array");

	tree_set(schema, "items", schema_reference("thread", NULL));
	return schema;
}

static json_t *snapshot_schema(void)
{
	/* The first files of this version have these; later keys are optional. */
	static const char *const always[] = {
	        "format", "version", "kind",          "captured_at_unix_ns",
	        "host",   "threads", "parse_summary", "sources"};
	json_t *properties = tree_new(), *required = json_array();

	tree_set(properties, "format", schema_constant(json_string("ctprof")));
	tree_set(properties, "version", schema_constant(json_integer(SNAPSHOT_VERSION)));
	tree_set(properties, "kind", schema_enum(names_of(snapshot_kind_names, KIND_COUNT)));
	tree_set(properties, "captured_at_unix_ns",
	         schema_reference("u64", "CLOCK_REALTIME at the start"));
	tree_set(properties, "captured_boottime_ns",
	         schema_reference("u64", "CLOCK_BOOTTIME at the start"));
	tree_set(properties, "window", schema_window());
	tree_set(properties, "labels", schema_labels());
	tree_set(properties, "host", host_schema());
	tree_set(properties, "threads", threads_schema());
	tree_set(properties, "cgroup_stats", schema_cgroups(false));
	tree_set(properties, "cgroup_v1_stats", schema_cgroups(true));
	tree_set(properties, "probe_summary", schema_probe_summary());
	tree_set(properties, "parse_summary", parse_summary_schema());
	tree_set(properties, "taskstats_summary", schema_taskstats_summary());
	tree_set(properties, "psi",
	         schema_reference("psi", "pressure stall information of the host"));
	tree_set(properties, "sched_ext", schema_sched_ext());
	tree_set(properties, "settings", schema_settings());
	tree_set(properties, "sources", sources_schema());
	tree_set(properties, "cost", schema_cost());
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		tree_append(required, json_string(always[i]));
	return schema_properties(properties, required, true);
}

static json_t *definitions(void)
{
	json_t *defs = tree_new();
	json_t *u64 = schema_type("integer");

	tree_set(u64, "minimum", json_integer(0));
	tree_set(u64, "maximum", json_string(U64_MAX_MARK));
	tree_set(defs, "u64", u64);
	tree_set(defs, "u32", schema_integer(0, UINT32_MAX));
	for (unsigned i = 0; i < METRIC_TYPE_COUNT; i++) {
		const struct metric_type_desc *type = &metric_type_table[i];
		json_t *schema = value_schema(type->representation);

		tree_set(schema, "description", json_string(type->description));
		tree_set(defs, type->name, schema);
	}
	tree_set(defs, "thread", thread_schema());
	tree_set(defs, "numbers", schema_numbers());
	tree_set(defs, "psi_line", schema_psi_line());
	tree_set(defs, "psi", schema_psi());
	tree_set(defs, "cgroup", schema_cgroup(false));
	tree_set(defs, "cgroup_v1", schema_cgroup(true));
	tree_set(defs, "source_tally", source_tally_schema());
	return defs;
}

static void print(FILE *file, const json_t *schema)
{
	static const char mark[] = "\"" U64_MAX_MARK "\"";
	cleanup_(mem_freep) char *text = json_dumps(schema, JSON_INDENT(2));
	const char *found = text ? strstr(text, mark) : NULL;

	if (!found)
		mem_exhausted();
	fprintf(file, "%.*s%" PRIu64 "%s\n", (int)(found - text), text, UINT64_MAX,
	        found + strlen(mark));
}

void registry_print_schema(FILE *file)
{
	json_auto_t *root = tree_new();
	json_auto_t *snapshot = snapshot_schema();

	tree_set(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
	tree_set(root, "title", json_string("ctprof snapshot"));
	tree_set(root, "description",
	         json_string("What 'ctprof capture' and 'ctprof window' write, decompressed."));
	if (json_object_update(root, snapshot) < 0)
		mem_exhausted();
	tree_set(root, "$defs", definitions());
	print(file, root);
}
