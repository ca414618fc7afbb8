// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/json-tree.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void *allocate(size_t size)
{
	return mem_realloc(NULL, size, 1);
}

void json_memory_init(void)
{
	json_set_alloc_funcs(allocate, free);
}

json_t *tree_new(void)
{
	json_t *object = json_object();

	if (!object)
		mem_exhausted();
	return object;
}

void tree_set(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value) < 0)
		mem_exhausted();
}

void tree_append(json_t *array, json_t *value)
{
	if (!value || json_array_append_new(array, value) < 0)
		mem_exhausted();
}

json_t *tree_text(const char *text)
{
	cleanup_(strbuf_done) struct strbuf valid = STRBUF_INIT;

	text_add_replaced(&valid, text, strlen(text));
	return json_stringn(strbuf_str(&valid), valid.len);
}

json_t *tree_number(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

static int add_bytes(const char *bytes, size_t len, void *out)
{
	strbuf_add(out, bytes, len);
	return 0;
}

void tree_add_json(const json_t *json, struct strbuf *out)
{
	if (json_dump_callback(json, add_bytes, out, JSON_COMPACT) < 0)
		mem_exhausted();
}

json_t *tree_load(const struct strbuf *json, const char *what, struct strbuf *reterr)
{
	json_error_t error;
	json_t *value = json_loadb(strbuf_str(json), json->len, 0, &error);

	if (value && json_is_object(value))
		return value;
	/* The text is JSON. jansson's own message has a piece of the file in it, so it is not printed. */
	strbuf_addf(reterr, "%s: %s", what,
	            json->len > 0 && json->data[0] == '{' ? "it holds a number above 2^63-1"
	                                                  : "an object was expected");
	json_decref(value);
	return NULL;
}

int tree_read_number(const json_t *object, const char *key, const char *what, uint64_t *ret_number,
                     bool *ret_seen, struct strbuf *reterr)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0) {
		strbuf_addf(reterr, "%s.%s: a number from 0 on was expected", what, key);
		return -EBADMSG;
	}
	*ret_number = (uint64_t)json_integer_value(value);
	if (ret_seen)
		*ret_seen = true;
	return 0;
}
