// SPDX-License-Identifier: GPL-2.0-or-later
#include "json-schema.h"

#include <jansson.h>

#include "json/json-tree.h"

json_t *schema_type(const char *type)
{
	json_t *schema = tree_new();

	tree_set(schema, "type", json_string(type));
	return schema;
}

json_t *schema_integer(int64_t low, int64_t high)
{
	json_t *schema = schema_type("integer");

	tree_set(schema, "minimum", json_integer(low));
	tree_set(schema, "maximum", json_integer(high));
	return schema;
}

json_t *schema_reference(const char *definition, const char *description)
{
	json_t *schema = tree_new();

	tree_set(schema, "$ref", json_sprintf("#/$defs/%s", definition));
	if (description)
		tree_set(schema, "description", json_string(description));
	return schema;
}

json_t *schema_constant(json_t *value)
{
	json_t *schema = tree_new();

	tree_set(schema, "const", value);
	return schema;
}

json_t *schema_enum(json_t *values)
{
	json_t *schema = tree_new();

	tree_set(schema, "enum", values);
	return schema;
}

json_t *schema_properties(json_t *properties, json_t *required, bool open)
{
	json_t *schema = schema_type("object");

	tree_set(schema, "properties", properties);
	if (required)
		tree_set(schema, "required", required);
	if (!open)
		tree_set(schema, "additionalProperties", json_false());
	return schema;
}
