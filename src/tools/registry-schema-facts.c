// SPDX-License-Identifier: GPL-2.0-or-later
#include "registry-schema-facts.h"

#include <jansson.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/snapshot/snapshot.h"
#include "json-schema.h"
#include "json/json-tree.h"

/* Returns an object with any keys, whose values are all alike. */
static json_t *map_of(json_t *values)
{
	json_t *schema = schema_type("object");

	tree_set(schema, "additionalProperties", values);
	return schema;
}

static json_t *nullable(json_t *schema, const char *type)
{
	json_t *types = json_array();

	tree_append(types, json_string(type));
	tree_append(types, json_string("null"));
	tree_set(schema, "type", types);
	return schema;
}

json_t *schema_numbers(void)
{
	return map_of(schema_reference("u64", NULL));
}

json_t *schema_psi_line(void)
{
	json_t *properties = tree_new(), *required = json_array();

	for (unsigned i = 0; i < PSI_AVERAGE_COUNT; i++) {
		tree_set(properties, psi_average_names[i], schema_integer(0, PSI_AVERAGE_MAX));
		tree_append(required, json_string(psi_average_names[i]));
	}
	tree_set(properties, "total_usec", schema_reference("u64", NULL));
	tree_append(required, json_string("total_usec"));
	return schema_properties(properties, required, false);
}

static json_t *psi_resource(void)
{
	json_t *properties = tree_new();
	json_t *schema;

	for (unsigned i = 0; i < PSI_ROW_COUNT; i++)
		tree_set(properties, psi_row_names[i], schema_reference("psi_line", NULL));
	schema = schema_properties(properties, NULL, false);
	tree_set(schema, "minProperties", json_integer(1));
	return schema;
}

json_t *schema_psi(void)
{
	json_t *properties = tree_new();

	for (unsigned i = 0; i < PSI_RESOURCE_COUNT; i++)
		tree_set(properties, psi_resource_names[i], psi_resource());
	return schema_properties(properties, NULL, false);
}

static json_t *value_schema(enum fact_form form)
{
	switch (form) {
	case FORM_LIMIT:
	case FORM_FIELD_LIMIT:
		return nullable(schema_integer(INT64_MIN, INT64_MAX), "integer");
	case FORM_NUMBER:
	case FORM_PLACE:
	case FORM_FIELD:
	case FORM_FLAT:
	case FORM_DEVICES:
		return schema_integer(INT64_MIN, INT64_MAX);
	case FORM_CPUS:
	case FORM_TEXT:
		return schema_type("string");
	}
	return NULL;
}

static json_t *list_schema(enum cgroup_list_id list)
{
	/* io.stat has an object for each device. */
	return list == CGROUP_LIST_io_stat ? map_of(schema_reference("numbers", NULL))
	                                   : schema_numbers();
}

/* Returns the properties of an object of a cgroup, and makes it on its first use. */
static json_t *object_of(json_t *objects, const char *name)
{
	json_t *properties = json_object_get(objects, name);

	if (!properties) {
		properties = tree_new();
		tree_set(objects, name, properties);
	}
	return properties;
}

static json_t *cgroup_objects(bool is_v1)
{
	json_t *objects = tree_new();

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *value = &cgroup_value_table[i];
		json_t *schema;

		if (value->version != (is_v1 ? 1u : 2u))
			continue;
		schema = value_schema(value->form);
		tree_set(schema, "description", json_string(value->description));
		tree_set(object_of(objects, value->object), value->key, schema);
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT && !is_v1; i++) {
		const struct cgroup_list_desc *list = &cgroup_list_table[i];
		json_t *schema = list_schema((enum cgroup_list_id)i);

		tree_set(schema, "description", json_string(list->description));
		tree_set(object_of(objects, list->object), list->key, schema);
	}
	return objects;
}

static json_t *time_schema(const char *description)
{
	json_t *schema = schema_integer(1, INT64_MAX);

	tree_set(schema, "description", json_string(description));
	return schema;
}

static json_t *ids_schema(bool is_v1)
{
	json_t *schema = map_of(schema_integer(0, INT64_MAX));

	tree_set(schema, "description",
	         json_string(is_v1 ? "the kernel's number of the cgroup, by controller"
	                           : "the kernel's number of the cgroup, as \"unified\""));
	return schema;
}

static json_t *unjoined_schema(bool is_v1)
{
	json_auto_t *objects = cgroup_objects(is_v1);
	json_t *properties = tree_new(), *schema;

	for (void *i = json_object_iter(objects); i; i = json_object_iter_next(objects, i))
		tree_set(properties, json_object_iter_key(i), schema_integer(1, INT64_MAX));
	schema = schema_properties(properties, NULL, false);
	tree_set(schema, "minProperties", json_integer(1));
	tree_set(schema, "description",
	         json_string(
	                 "in a window, the number of counters that were there at one of its ends "
	                 "only, by object"));
	return schema;
}

json_t *schema_cgroup(bool is_v1)
{
	json_auto_t *objects = cgroup_objects(is_v1);
	json_t *properties = tree_new(), *path = schema_type("string");

	tree_set(path, "pattern", json_string("^([0-9a-f]{2})+$"));
	tree_set(
	        path, "description",
	        json_string("raw bytes of the path in hexadecimal, where the key is not the path"));
	tree_set(properties, "path_hex", path);
	tree_set(properties, "read_boottime_ns",
	         time_schema("CLOCK_BOOTTIME when the cgroup was read, in a window the last time"));
	tree_set(properties, "interval_ns",
	         time_schema("in a window, the time between the two readings of the cgroup"));
	tree_set(properties, "ids", ids_schema(is_v1));
	tree_set(properties, "unjoined", unjoined_schema(is_v1));
	for (void *i = json_object_iter(objects); i; i = json_object_iter_next(objects, i)) {
		json_t *object =
		        schema_properties(json_incref(json_object_iter_value(i)), NULL, false);

		tree_set(object, "minProperties", json_integer(1));
		tree_set(properties, json_object_iter_key(i), object);
	}
	if (!is_v1)
		tree_set(properties, "psi", schema_reference("psi", NULL));
	return schema_properties(properties, NULL, false);
}

json_t *schema_cgroups(bool is_v1)
{
	json_t *schema = map_of(schema_reference(is_v1 ? "cgroup_v1" : "cgroup", NULL));

	tree_set(schema, "description",
	         json_string(is_v1 ? "cgroups of version 1 by path" : "cgroups by path"));
	return schema;
}

static json_t *probe_tags(bool (*wanted)(enum probe_tag tag))
{
	json_t *names = json_array();

	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		if (!wanted || wanted((enum probe_tag)i))
			tree_append(names, json_string(probe_tag_table[i].name));
	return names;
}

static json_t *probe_counts(const char *description)
{
	json_t *schema = map_of(schema_integer(1, INT64_MAX));

	tree_set(schema, "description", json_string(description));
	tree_set(schema, "propertyNames", schema_enum(probe_tags(NULL)));
	return schema;
}

json_t *schema_probe_summary(void)
{
	static const char *const numbers[] = {"tgids_walked", "jemalloc_detected", "probed_ok",
	                                      "failed"};
	json_t *properties = tree_new(), *required = json_array();
	json_t *failures = probe_tags(probe_tag_is_failure);

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		tree_set(properties, numbers[i], schema_integer(0, INT64_MAX));
		tree_append(required, json_string(numbers[i]));
	}
	tree_append(failures, json_null());
	tree_set(properties, "dominant_failure", schema_enum(failures));
	tree_set(properties, "privilege_dominant", schema_type("boolean"));
	tree_set(properties, "processes", probe_counts("processes by what became of them"));
	tree_set(properties, "threads",
	         probe_counts("threads of those with jemalloc, in the same manner"));
	tree_append(required, json_string("dominant_failure"));
	tree_append(required, json_string("privilege_dominant"));
	tree_append(required, json_string("processes"));
	tree_append(required, json_string("threads"));
	return nullable(schema_properties(properties, required, true), "object");
}

json_t *schema_taskstats_summary(void)
{
	static const char *const numbers[] = {"ok_count", "eperm_count", "esrch_count",
	                                      "other_err_count"};
	json_t *properties = tree_new(), *required = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		tree_set(properties, numbers[i], schema_integer(0, INT64_MAX));
		tree_append(required, json_string(numbers[i]));
	}
	return nullable(schema_properties(properties, required, true), "object");
}

json_t *schema_sched_ext(void)
{
	json_t *properties = tree_new();

	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++) {
		json_t *schema = value_schema(sched_ext_table[i].form);

		tree_set(schema, "description", json_string(sched_ext_table[i].description));
		tree_set(properties, sched_ext_table[i].name, schema);
	}
	return nullable(schema_properties(properties, NULL, true), "object");
}

static json_t *texts_by_name(void)
{
	json_t *schema = schema_type("object");

	tree_set(schema, "additionalProperties", schema_type("string"));
	tree_set(schema, "maxProperties", json_integer(SETTINGS_MAX));
	return schema;
}

json_t *schema_labels(void)
{
	json_t *schema = schema_type("object"), *key = tree_new(), *value = schema_type("string");

	tree_set(key, "pattern", json_string("^[A-Za-z][A-Za-z0-9_.-]*$"));
	tree_set(key, "maxLength", json_integer(LABEL_KEY_BYTES));
	tree_set(value, "maxLength", json_integer(LABEL_VALUE_BYTES));
	tree_set(schema, "propertyNames", key);
	tree_set(schema, "additionalProperties", value);
	tree_set(schema, "minProperties", json_integer(1));
	tree_set(schema, "maxProperties", json_integer(LABELS_MAX));
	return schema;
}

json_t *schema_settings(void)
{
	json_t *properties = tree_new(), *required = json_array();
	json_t *denied = schema_type("array");

	tree_set(denied, "items", schema_type("string"));
	tree_set(denied, "maxItems", json_integer(SETTINGS_MAX));
	tree_set(properties, "values", texts_by_name());
	tree_set(properties, "before", texts_by_name());
	tree_set(properties, "denied", denied);
	tree_set(properties, "left_out", schema_integer(0, INT64_MAX));
	tree_append(required, json_string("values"));
	return schema_properties(properties, required, true);
}

json_t *schema_cost(void)
{
	json_t *properties = tree_new();

	for (unsigned i = 0; i < COST_COUNT; i++) {
		json_t *schema = schema_integer(0, INT64_MAX);

		tree_set(schema, "description", json_string(capture_cost_table[i].description));
		tree_set(properties, capture_cost_table[i].name, schema);
	}
	return schema_properties(properties, NULL, true);
}

/* An unknown number of a window has no key; its length is always known. */
json_t *schema_window(void)
{
	json_t *properties = tree_new(), *exits = json_array(), *required = json_array(), *others;

	for (unsigned i = WINDOW_EXITS_UNKNOWN + 1; i < WINDOW_EXITS_COUNT; i++)
		tree_append(exits, json_string(window_exits_names[i]));
	others = schema_type("array");
	tree_set(others, "items", schema_enum(json_copy(exits)));
	tree_set(properties, "exits_also", others);
	tree_set(properties, "exits", schema_enum(exits));
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++) {
		json_t *schema = schema_integer(i == WINDOW_length_ns, INT64_MAX);

		tree_set(schema, "description", json_string(window_number_table[i].description));
		tree_set(properties, window_number_table[i].name, schema);
	}
	tree_append(required, json_string(window_number_table[WINDOW_length_ns].name));
	return schema_properties(properties, required, true);
}

json_t *schema_process_totals(void)
{
	json_t *properties = tree_new();

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		tree_set(properties, metric_table[process_total_table[i].metric].name,
		         schema_reference("u64", NULL));
	return schema_properties(properties, NULL, false);
}
