// SPDX-License-Identifier: GPL-2.0-or-later
#include "listing/metric-list.h"

#include <jansson.h>

#include "base/mem.h"
#include "ctprof/base/macro.h"
#include "group/group-by.h"
#include "measure/measure.h"
#include "metric-list-facts.h"
#include "report/columns.h"

static const char *const subject_names[] = {
        [SUBJECT_THREADS] = "threads",
        [SUBJECT_CGROUPS] = "cgroups",
        [SUBJECT_PROCESSES] = "processes",
        [SUBJECT_HOST] = "host",
};

/* Takes over @value. */
static void set(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value) < 0)
		mem_exhausted();
}

static void append(json_t *array, json_t *value)
{
	if (!value || json_array_append_new(array, value) < 0)
		mem_exhausted();
}

static json_t *gates(const struct metric_desc *metric)
{
	json_t *array = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(metric->gates) && metric->gates[i] != GATE_none; i++)
		append(array, json_string(gate_table[metric->gates[i]].name));
	return array;
}

static json_t *metric_object(enum metric_id id)
{
	const struct metric_desc *metric = &metric_table[id];
	const char *sched_class = sched_class_table[metric->sched_class].name;
	json_t *object = json_object();

	set(object, "name", json_string(metric->name));
	set(object, "type", json_string(metric_type_table[metric->type].name));
	set(object, "rule", json_string(metric_rule_name(metric->rule)));
	set(object, "unit", json_string(unit_table[metric_unit(id)].name));
	set(object, "section", json_string(section_table[metric->section].name));
	set(object, "sched_class", sched_class[0] ? json_string(sched_class) : json_null());
	set(object, "gates", gates(metric));
	set(object, "source", json_string(source_table[metric->source].name));
	set(object, "key", json_string(metric->key));
	set(object, "description", json_string(metric->description));
	return object;
}

static json_t *derived_object(enum derived_id id)
{
	const struct derived_desc *derived = &derived_table[id];
	json_t *object = json_object();
	json_t *inputs = json_array();

	for (size_t i = 0; i < derived->input_count; i++)
		append(inputs, json_string(metric_table[derived->inputs[i]].name));
	set(object, "name", json_string(derived->name));
	set(object, "formula", json_string(derived->formula));
	set(object, "inputs", inputs);
	set(object, "unit", json_string(unit_table[derived->unit].name));
	set(object, "section", json_string(section_table[derived->section].name));
	set(object, "description", json_string(derived->description));
	return object;
}

static json_t *named(const char *name, const char *description)
{
	json_t *object = json_object();

	set(object, "name", json_string(name));
	set(object, "description", json_string(description));
	return object;
}

static json_t *legend(const struct named_desc *table, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		append(array, named(table[i].name, table[i].description));
	return array;
}

static json_t *sections(void)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		json_t *section = named(section_table[i].name, section_table[i].description);

		set(section, "heading", json_string(section_table[i].heading));
		set(section, "subject", json_string(subject_names[section_table[i].subject]));
		append(array, section);
	}
	return array;
}

static json_t *sources(void)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < SOURCE_COUNT; i++) {
		json_t *source = named(source_table[i].name, source_table[i].what);

		set(source, "readable_by", json_string(source_table[i].who));
		append(array, source);
	}
	return array;
}

static json_t *group_keys(void)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < GROUP_KEY_COUNT; i++) {
		json_t *key = named(group_key_table[i].name, group_key_table[i].description);

		set(key, "column", json_string(group_key_table[i].column));
		append(array, key);
	}
	for (size_t i = 0; i < group_tree_count; i++) {
		const struct group_tree_desc *tree = &group_tree_table[i];
		json_t *object = named(tree->name, tree->description), *keys = json_array();

		for (unsigned k = 0; k < tree->count; k++)
			append(keys, json_string(group_key_table[tree->keys[k]].name));
		set(object, "keys", keys);
		append(array, object);
	}
	return array;
}

static json_t *columns(void)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < COLUMN_COUNT; i++) {
		json_t *column = named(column_table[i].name, column_table[i].description);

		set(column, "show", json_boolean(column_table[i].in_show));
		set(column, "compare", json_boolean(column_table[i].in_compare));
		append(array, column);
	}
	return array;
}

void metric_list_print_json(FILE *file)
{
	json_auto_t *root = json_object();
	json_t *metrics = json_array(), *derived = json_array();

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		append(metrics, metric_object((enum metric_id)i));
	for (unsigned i = 0; i < DERIVED_COUNT; i++)
		append(derived, derived_object((enum derived_id)i));
	set(root, "ctprof", json_string(CTPROF_VERSION));
	set(root, "sched_classes", legend(sched_class_table + 1, SCHED_CLASS_COUNT - 1));
	set(root, "gates", legend(gate_table + 1, GATE_COUNT - 1));
	set(root, "rules", legend(rule_table, RULE_INDEX_COUNT));
	set(root, "sections", sections());
	set(root, "sources", sources());
	set(root, "group_keys", group_keys());
	set(root, "columns", columns());
	set(root, "metrics", metrics);
	set(root, "derived", derived);
	fact_list_add(root);
	json_dumpf(root, file, JSON_INDENT(2));
	putc('\n', file);
}
