/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-tree - JSON trees, for the parts of a snapshot that are small. Running out of memory ends the process. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct json_t;

/* An empty object; the caller's, as are the two below. */
struct json_t *tree_new(void);
/* Any bytes; what is no UTF-8 is replaced. */
struct json_t *tree_text(const char *text);
/* Tallies and times stay far below 2^63; a larger one would be a lie anyway. */
struct json_t *tree_number(uint64_t number);
/* Takes over @value. */
void tree_set(struct json_t *object, const char *key, struct json_t *value);
/* Appends the text of it. */
void tree_add_json(const struct json_t *json, struct strbuf *out);

/* Parses an object, which is the caller's, or returns NULL with a sentence about @what appended to @reterr. */
struct json_t *tree_load(const struct strbuf *json, const char *what, struct strbuf *reterr);
/* Reads a number if it is there. @ret_seen may be NULL. Returns 0, or -EBADMSG with a sentence about @what. */
must_check_ int tree_read_number(const struct json_t *object, const char *key, const char *what,
                                 uint64_t *ret_number, bool *ret_seen, struct strbuf *reterr);
