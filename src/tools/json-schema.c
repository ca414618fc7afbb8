// SPDX-License-Identifier: GPL-2.0-or-later
#include "json-schema.h"

#include <jansson.h>

#include "base/mem.h"

void schema_set(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value) < 0)
		mem_exhausted();
}

void schema_append(json_t *array, json_t *value)
{
	if (!value || json_array_append_new(array, value) < 0)
		mem_exhausted();
}

json_t *schema_object(void)
{
	json_t *object = json_object();

	if (!object)
		mem_exhausted();
	return object;
}

json_t *schema_type(const char *type)
{
	json_t *schema = schema_object();

	schema_set(schema, "type", json_string(type));
	return schema;
}

json_t *schema_integer(int64_t low, int64_t high)
{
	json_t *schema = schema_type("integer");

	schema_set(schema, "minimum", json_integer(low));
	schema_set(schema, "maximum", json_integer(high));
	return schema;
}

json_t *schema_reference(const char *definition, const char *description)
{
	json_t *schema = schema_object();

	schema_set(schema, "$ref", json_sprintf("#/$defs/%s", definition));
	if (description)
		schema_set(schema, "description", json_string(description));
	return schema;
}

json_t *schema_constant(json_t *value)
{
	json_t *schema = schema_object();

	schema_set(schema, "const", value);
	return schema;
}

json_t *schema_enum(json_t *values)
{
	json_t *schema = schema_object();

	schema_set(schema, "enum", values);
	return schema;
}

json_t *schema_properties(json_t *properties, json_t *required, bool open)
{
	json_t *schema = schema_type("object");

	schema_set(schema, "properties", properties);
	if (required)
		schema_set(schema, "required", required);
	if (!open)
		schema_set(schema, "additionalProperties", json_false());
	return schema;
}
