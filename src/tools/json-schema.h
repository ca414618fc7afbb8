/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-schema - builds the parts of a JSON Schema. The caller owns a part until it passes it to one of these functions,
 * which own the values they are given. Running out of memory ends the process. */
#include <stdbool.h>
#include <stdint.h>

struct json_t;

/* Returns a schema for any value of a type. */
struct json_t *schema_type(const char *type);
struct json_t *schema_integer(int64_t low, int64_t high);
/* Return a schema for this value only, or for one of these. */
struct json_t *schema_constant(struct json_t *value);
struct json_t *schema_enum(struct json_t *values);
/* Returns a reference to this name in "$defs"; without a @description of its own if that is NULL. */
struct json_t *schema_reference(const char *definition, const char *description);
/* Returns an object with these properties. @required, an array or NULL, names those that must be there; an open object
 * may have others, too. */
struct json_t *schema_properties(struct json_t *properties, struct json_t *required, bool open);
