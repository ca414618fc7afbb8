// SPDX-License-Identifier: GPL-2.0-or-later
/* The schema of a line of `ctprof export --format ndjson`. */
#include <jansson.h>

#include "fleet/fleet-row.h"
#include "json-schema.h"
#include "registry-print.h"
#include "json/json-tree.h"

/* Integers beyond 63 bits and a sign are texts. */
#define LARGE_PATTERN "^-?[1-9][0-9]{18,38}$"

static void add_choice(json_t *choices, json_t *schema)
{
	tree_append(choices, schema);
}

static json_t *text_schema(enum fleet_column column)
{
	json_t *schema = schema_type("string");

	if (column == FLEET_COLUMN_snapshot)
		tree_set(schema, "pattern", json_string("^[0-9a-f]{64}$"));
	if (column == FLEET_COLUMN_histogram)
		tree_set(schema, "pattern",
		         json_string("^-?[0-9]+:[1-9][0-9]*( -?[0-9]+:[1-9][0-9]*)*$"));
	return schema;
}

static json_t *column_schema(enum fleet_column column)
{
	const struct fleet_column_desc *desc = &fleet_column_table[column];
	json_t *schema = tree_new(), *choices = json_array(), *large;

	if (desc->type == FLEET_TYPE_TEXT) {
		add_choice(choices, text_schema(column));
	} else {
		large = schema_type("string");
		tree_set(large, "pattern", json_string(LARGE_PATTERN));
		add_choice(choices, schema_integer(INT64_MIN, INT64_MAX));
		add_choice(choices, large);
	}
	if (desc->nullable)
		add_choice(choices, schema_type("null"));
	tree_set(schema, "description", json_string(desc->description));
	tree_set(schema, "anyOf", choices);
	return schema;
}

void registry_print_fleet_schema(FILE *file)
{
	json_auto_t *root = tree_new();
	json_t *properties = tree_new(), *required = json_array();

	for (unsigned c = 0; c < FLEET_COLUMN_COUNT; c++) {
		tree_set(properties, fleet_column_table[c].name,
		         column_schema((enum fleet_column)c));
		tree_append(required, json_string(fleet_column_table[c].name));
	}
	tree_set(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
	tree_set(root, "title", json_string("ctprof fact"));
	tree_set(root, "description", json_string("One line of 'ctprof export --format ndjson'."));
	tree_set(root, "type", json_string("object"));
	tree_set(root, "properties", properties);
	tree_set(root, "required", required);
	tree_set(root, "additionalProperties", json_false());
	if (json_dumpf(root, file, JSON_INDENT(2)) < 0)
		return;
	putc('\n', file);
}
