// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/job-info.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "series/python-json.h"
#include "json/json-tree.h"
#include "json/json-write.h"

/* Objects inside one another. con-duct writes two. */
enum { DEPTH_MAX = 32 };

static const char *const own_objects[] = {"system", "execution_summary", "output_paths", NULL};

static struct job_field *add_field(struct job_info *info, const char *name)
{
	struct strmap_entry *entry = strmap_add(&info->names, name, strlen(name));
	size_t place = (size_t)(entry - info->names.entries);

	if (place == info->count)
		*array_add(info->fields, info->count, info->capacity) = (struct job_field){0};
	free(info->fields[place].text);
	info->fields[place] = (struct job_field){.number = NAN};
	return &info->fields[place];
}

static void add_number(struct strbuf *out, double number, bool is_integer)
{
	struct json_writer writer = JSON_WRITER_INIT(out);

	if (is_integer)
		strbuf_addf(out, "%.0f", number);
	else
		json_write_double(&writer, number);
}

void job_info_set_text(struct job_info *info, const char *name, const char *text)
{
	struct job_field *field = add_field(info, name);

	field->kind = JOB_FIELD_TEXT;
	field->text = mem_copy_text(text);
}

void job_info_set_number(struct job_info *info, const char *name, double number, bool is_integer)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct job_field *field;

	if (isnan(number))
		return;
	field = add_field(info, name);
	add_number(&text, number, is_integer);
	*field = (struct job_field){JOB_FIELD_NUMBER, is_integer, number,
	                            mem_copy(strbuf_str(&text), text.len)};
}

static void add_value(struct job_info *info, const char *name, const json_t *json)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct job_field *field = add_field(info, name);

	if (json_is_string(json)) {
		field->kind = JOB_FIELD_TEXT;
		strbuf_add_str(&text, json_string_value(json));
	} else if (json_is_number(json)) {
		field->kind = JOB_FIELD_NUMBER;
		field->is_integer = json_is_integer(json);
		field->number = json_number_value(json);
		if (field->is_integer)
			strbuf_addf(&text, "%lld", (long long)json_integer_value(json));
		else
			add_number(&text, field->number, false);
	} else if (json_is_boolean(json)) {
		field->kind = JOB_FIELD_BOOL;
		field->number = json_is_true(json) ? 1 : 0;
		strbuf_add_str(&text, json_is_true(json) ? "true" : "false");
	} else if (json_is_array(json)) {
		field->kind = JOB_FIELD_JSON;
		tree_add_json(json, &text);
	}
	field->text = mem_copy(strbuf_str(&text), text.len);
}

/* Adds all members that are no objects, those of inner objects in their place. */
static bool flatten(struct job_info *info, const json_t *object, unsigned depth)
{
	const char *key;
	json_t *value;

	if (depth > DEPTH_MAX)
		return false;
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		if (!json_is_object(value))
			add_value(info, key, value);
		else if (!flatten(info, value, depth + 1))
			return false;
	}
	return true;
}

/* Sets what con-duct's own objects have once more: an object of others with the same keys is not meant. */
static void set_own(struct job_info *info, const json_t *json)
{
	const char *key;
	json_t *value;

	for (size_t i = 0; own_objects[i]; i++)
		json_object_foreach(json_object_get(json, own_objects[i]), key, value)
		{
			if (!json_is_object(value))
				add_value(info, key, value);
		}
	json_object_foreach((json_t *)(uintptr_t)json, key, value)
	{
		if (!json_is_object(value))
			add_value(info, key, value);
	}
}

/* Reads "0.2.3" as 203 million. Returns false for anything but three whole numbers. */
static bool parse_version(const char *text, uint64_t *ret)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < 3; i++) {
		size_t len = strspn(text, "0123456789");

		if (len == 0 || len > 3 || text[len] != (i < 2 ? '.' : '\0'))
			return false;
		number = number * 1000 + strtoul(text, NULL, 10);
		text += len + 1;
	}
	*ret = number;
	return true;
}

static int check_version(const json_t *json, struct strbuf *reterr)
{
	const uint64_t oldest = 2000; /* 0.2.0 */
	const char *text = json_string_value(json_object_get(json, "schema_version"));
	uint64_t version;

	if (text && parse_version(text, &version))
		return version < oldest ? JOB_INFO_OLD : 0;
	strbuf_add_str(reterr, text || json_object_get(json, "schema_version")
	                               ? "its schema_version is not three numbers such as 0.2.3"
	                               : "it has no schema_version");
	return -EBADMSG;
}

int job_info_read(struct job_info *info, const char *text, size_t len, struct strbuf *reterr)
{
	cleanup_(python_json_freep) json_t *json = NULL;
	int r;

	while (len > 0 && text[len - 1] != '\0' && strchr(" \t\r\n", text[len - 1]))
		len--;
	if (len == 0)
		return JOB_INFO_EMPTY;
	json = python_json_parse(text, len, reterr);
	if (!json)
		return -EBADMSG;
	if (!json_is_object(json)) {
		strbuf_add_str(reterr, "it is no JSON object");
		return -EBADMSG;
	}
	r = check_version(json, reterr);
	if (r != 0)
		return r;
	if (!flatten(info, json, 1)) {
		strbuf_addf(reterr, "objects are more than %d inside one another", DEPTH_MAX);
		return -EBADMSG;
	}
	set_own(info, json);
	return 0;
}

void job_info_done(struct job_info *info)
{
	for (size_t i = 0; i < info->count; i++)
		free(info->fields[i].text);
	free(info->fields);
	strmap_done(&info->names);
	*info = (struct job_info){0};
}

const struct job_field *job_info_find(const struct job_info *info, const char *name)
{
	uint32_t place;

	return strmap_find(&info->names, name, strlen(name), &place) ? &info->fields[place] : NULL;
}

const char *job_info_text(const struct job_info *info, const char *name)
{
	const struct job_field *field = job_info_find(info, name);

	return field && field->kind == JOB_FIELD_TEXT ? field->text : NULL;
}

double job_info_number(const struct job_info *info, const char *name)
{
	const struct job_field *field = job_info_find(info, name);

	return field && field->kind == JOB_FIELD_NUMBER ? field->number : NAN;
}
