/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-schema - builds the parts of a JSON Schema. A part belongs to the caller until it is handed to one of
 * these functions, which take over the values they are given; running out of memory ends the process. */
#include <stdbool.h>
#include <stdint.h>

struct json_t;

/* Any value of a type. */
struct json_t *schema_type(const char *type);
struct json_t *schema_integer(int64_t low, int64_t high);
/* This value only, or one of these. */
struct json_t *schema_constant(struct json_t *value);
struct json_t *schema_enum(struct json_t *values);
/* What "$defs" has under this name; without a @description of its own if that is NULL. */
struct json_t *schema_reference(const char *definition, const char *description);
/* Returns an object with these properties, of which @required, an array or NULL, must be there; with others too if it
 * is open. */
struct json_t *schema_properties(struct json_t *properties, struct json_t *required, bool open);
