/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-tree - JSON values in memory, by jansson: the small parts of a snapshot, metric-list, and the JSON Schema. Running out
 * of memory ends the process. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct json_t;

/* Makes jansson allocate by mem.h, so that running out of memory ends the program. jansson itself reports that like a
 * text that is no JSON, and some of its functions use a pointer that they could not allocate. Called once, before
 * jansson is used. */
void json_memory_init(void);

/* Returns an empty object; the caller owns it. The same holds for the two below. */
struct json_t *tree_new(void);
/* Any bytes; those that are not UTF-8 are replaced. */
struct json_t *tree_text(const char *text);
/* Tallies and times stay far below 2^63; a larger number is an error anyway, and becomes 2^63-1. */
struct json_t *tree_number(uint64_t number);
/* Both own @value afterwards. */
void tree_set(struct json_t *object, const char *key, struct json_t *value);
void tree_append(struct json_t *array, struct json_t *value);
/* Appends the JSON text. */
void tree_add_json(const struct json_t *json, struct strbuf *out);

/* Parses an object, which the caller owns. Returns NULL if it fails, with a sentence about @what appended to
 * @reterr. */
struct json_t *tree_load(const struct strbuf *json, const char *what, struct strbuf *reterr);
/* Reads a number, if it is there. @ret_seen may be NULL. Returns 0, or -EBADMSG with a sentence about @what. */
must_check_ int tree_read_number(const struct json_t *object, const char *key, const char *what,
                                 uint64_t *ret_number, bool *ret_seen, struct strbuf *reterr);
