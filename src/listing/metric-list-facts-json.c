// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>

#include "base/mem.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/fact-derive.h"
#include "metric-list-facts.h"

static const char *const host_kind_names[] = {
        [HOST_KIND_TEXT] = "text",
        [HOST_KIND_NUMBER] = "number",
        [HOST_KIND_MAP] = "map",
};

/* Takes over @value. */
static void set(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value) < 0)
		mem_exhausted();
}

/* An empty text stands for nothing. */
static void set_text(json_t *object, const char *key, const char *text)
{
	set(object, key, text[0] != '\0' ? json_string(text) : json_null());
}

/* As everywhere, no unit is an empty text. */
static void set_unit(json_t *object, enum metric_unit unit)
{
	set(object, "unit", json_string(unit_table[unit].name));
}

static json_t *array_in(json_t *root, const char *key)
{
	json_t *array = json_array();

	set(root, key, array);
	return array;
}

/* An object in an array, which owns it. */
static json_t *object_in(json_t *array, const char *name)
{
	json_t *object = json_object();

	if (!object || json_array_append_new(array, object) < 0)
		mem_exhausted();
	set_text(object, "name", name);
	return object;
}

static void add_cgroup_values(json_t *array)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *value = &cgroup_value_table[i];
		json_t *object = object_in(array, value->name);

		set(object, "version", json_integer(value->version));
		set_text(object, "object", value->object);
		set_text(object, "key", value->key);
		set_text(object, "file", value->file);
		set_text(object, "file_key", value->file_key);
		set_text(object, "form", fact_form_table[value->form].name);
		set_text(object, "rule", fact_rule_table[value->rule].name);
		set_unit(object, value->unit);
		set_text(object, "section", section_table[value->section].name);
		set_text(object, "column", value->column);
		set_text(object, "description", value->description);
	}
}

static void add_keys(json_t *array, enum cgroup_list_id list)
{
	for (size_t i = 0; i < cgroup_key_count; i++) {
		const struct cgroup_key_desc *key = &cgroup_key_table[i];
		json_t *object;

		if (key->list != list)
			continue;
		object = object_in(array, key->key);
		set_text(object, "rule", fact_rule_table[key->rule].name);
		set_unit(object, key->unit);
	}
}

static void add_cgroup_lists(json_t *array)
{
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		const struct cgroup_list_desc *list = &cgroup_list_table[i];
		json_t *object = object_in(array, list->name);

		set_text(object, "object", list->object);
		set_text(object, "key", list->key);
		set_text(object, "file", list->file);
		set_text(object, "section", section_table[list->section].name);
		set_text(object, "description", list->description);
		add_keys(array_in(object, "keys"), (enum cgroup_list_id)i);
	}
}

static void add_level(json_t *array, const char *level, const char *const *names,
                      const char *const *descriptions, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		json_t *object = object_in(array, names[i]);

		set_text(object, "level", level);
		set_text(object, "description", descriptions[i]);
	}
}

static void add_psi(json_t *array)
{
	json_t *total;

	add_level(array, "resource", psi_resource_names, psi_resource_descriptions,
	          PSI_RESOURCE_COUNT);
	add_level(array, "row", psi_row_names, psi_row_descriptions, PSI_ROW_COUNT);
	for (unsigned i = 0; i < PSI_AVERAGE_COUNT; i++) {
		json_t *object = object_in(array, psi_average_names[i]);

		set_text(object, "level", "value");
		set_unit(object, UNIT_percent_hundredths);
		set_text(object, "description", psi_average_descriptions[i]);
	}
	total = object_in(array, "total");
	set_text(total, "level", "value");
	set_unit(total, UNIT_us);
	set_text(total, "description", "time stalled since boot, or since the cgroup was made");
}

static void add_sched_ext(json_t *array)
{
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++) {
		json_t *object = object_in(array, sched_ext_table[i].name);

		set_text(object, "form", fact_form_table[sched_ext_table[i].form].name);
		set_unit(object, UNIT_none);
		set_text(object, "section", section_table[SECTION_sched_ext].name);
		set_text(object, "description", sched_ext_table[i].description);
	}
}

static void add_host(json_t *array)
{
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		json_t *object = object_in(array, host_field_table[i].name);

		set_text(object, "form", host_kind_names[host_field_table[i].kind]);
		set(object, "compared", json_boolean(host_field_table[i].compared));
		set_text(object, "description", host_field_table[i].description);
	}
}

static void add_derived(json_t *array)
{
	for (unsigned i = 0; i < FACT_DERIVED_COUNT; i++) {
		const struct fact_derived_desc *derived = &fact_derived_table[i];
		json_t *object = object_in(array, derived->name);

		set_text(object, "formula", derived->formula);
		set_text(object, "unit", unit_name_per(derived->unit, derived->per));
		set_text(object, "section", section_table[derived->section].name);
		set_text(object, "tool", derived->tool);
		set_text(object, "description", derived->description);
	}
}

static void add_cost(json_t *array)
{
	for (unsigned i = 0; i < COST_COUNT; i++) {
		json_t *object = object_in(array, capture_cost_table[i].name);

		set_unit(object, capture_cost_table[i].unit);
		set_text(object, "description", capture_cost_table[i].description);
	}
}

static void add_window(json_t *array)
{
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++) {
		json_t *object = object_in(array, window_number_table[i].name);

		set_unit(object, window_number_table[i].unit);
		set_text(object, "description", window_number_table[i].description);
	}
}

static void add_process_totals(json_t *array)
{
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		const struct process_total_desc *total = &process_total_table[i];
		json_t *object = object_in(array, metric_table[total->metric].name);

		set_text(object, "source", source_table[total->source].name);
		set_text(object, "key", total->key);
		set_unit(object, metric_unit(total->metric));
	}
}

static void add_legend(json_t *array, const struct named_desc *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		set_text(object_in(array, table[i].name), "description", table[i].description);
}

void fact_list_add(json_t *root)
{
	add_process_totals(array_in(root, "process_totals"));
	add_cgroup_values(array_in(root, "cgroup_values"));
	add_cgroup_lists(array_in(root, "cgroup_lists"));
	add_legend(array_in(root, "cgroup_rules"), fact_rule_table, FACT_RULE_COUNT);
	add_legend(array_in(root, "cgroup_forms"), fact_form_table, FORM_COUNT);
	add_psi(array_in(root, "psi"));
	add_sched_ext(array_in(root, "sched_ext"));
	add_host(array_in(root, "host"));
	add_derived(array_in(root, "fact_derived"));
	add_cost(array_in(root, "cost"));
	add_window(array_in(root, "window"));
}
