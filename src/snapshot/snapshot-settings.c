// SPDX-License-Identifier: GPL-2.0-or-later
/* The settings of the host, as they are in a snapshot. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/text.h"
#include "snapshot-meta.h"
#include "json/json-tree.h"
#include "json/json-write.h"

/* Names of the object; registry-schema.c has them too. */
static const char what[] = "settings";

/* Writes a text of the kernel's, which may hold any bytes, as a key or as a value. */
static void write_text(struct json_writer *out, struct strbuf *scratch, const char *text,
                       void (*write)(struct json_writer *, const char *, size_t))
{
	strbuf_clear(scratch);
	text_add_replaced(scratch, text, strlen(text));
	write(out, strbuf_str(scratch), scratch->len);
}

static void write_member(struct json_writer *out, struct strbuf *scratch, const char *name,
                         const char *text)
{
	write_text(out, scratch, name, json_write_key_text);
	write_text(out, scratch, text, json_write_text);
}

/* A host has about a thousand settings: the tree that other metadata is written through takes most of a millisecond for
 * them. */
void snapshot_write_settings(struct json_writer *out, const struct settings *settings)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;

	json_write_open(out, '{');
	json_write_key(out, "values");
	json_write_open(out, '{');
	for (size_t i = 0; i < settings->count; i++)
		write_member(out, &scratch, settings->entries[i].name, settings->entries[i].text);
	json_write_close(out, '}');
	json_write_key(out, "before");
	json_write_open(out, '{');
	for (size_t i = 0; i < settings->count; i++)
		if (settings->entries[i].before)
			write_member(out, &scratch, settings->entries[i].name,
			             settings->entries[i].before);
	json_write_close(out, '}');
	json_write_key(out, "denied");
	json_write_open(out, '[');
	for (size_t i = 0; i < settings->denied_count; i++)
		write_text(out, &scratch, settings->denied[i], json_write_text);
	json_write_close(out, ']');
	json_write_key(out, "left_out");
	json_write_u64(out, settings->left_out);
	json_write_close(out, '}');
}

static int refuse(struct strbuf *reterr, const char *key, const char *expected)
{
	strbuf_addf(reterr, "%s.%s: %s was expected", what, key, expected);
	return -EBADMSG;
}

static int read_values(const json_t *object, struct settings *settings, struct strbuf *reterr)
{
	json_t *values = json_object_get(object, "values"), *text;
	const char *name;

	if (!json_is_object(values) || json_object_size(values) > SETTINGS_MAX)
		return refuse(reterr, "values", "an object, of so many names as a capture keeps,");
	json_object_foreach(values, name, text)
	{
		if (!json_is_string(text))
			return refuse(reterr, "values", "a string for each name");
		settings_add(settings, name, strlen(name), json_string_value(text),
		             json_string_length(text));
	}
	return 0;
}

static int read_before(const json_t *object, struct settings *settings, struct strbuf *reterr)
{
	json_t *before = json_object_get(object, "before"), *text;
	const char *name;

	if (!before)
		return 0;
	if (!json_is_object(before))
		return refuse(reterr, "before", "an object");
	json_object_foreach(before, name, text)
	{
		struct setting *entry = settings_find(settings, name);

		if (!json_is_string(text))
			return refuse(reterr, "before", "a string for each name");
		if (entry)
			setting_set_before(entry, json_string_value(text));
	}
	return 0;
}

static int read_denied(const json_t *object, struct settings *settings, struct strbuf *reterr)
{
	const json_t *denied = json_object_get(object, "denied");

	if (!denied)
		return 0;
	if (!json_is_array(denied) || json_array_size(denied) > SETTINGS_MAX)
		return refuse(reterr, "denied", "an array, of so many names as a capture keeps,");
	for (size_t i = 0; i < json_array_size(denied); i++) {
		const json_t *name = json_array_get(denied, i);

		if (!json_is_string(name))
			return refuse(reterr, "denied", "an array of strings");
		settings_add_denied(settings, json_string_value(name), json_string_length(name));
	}
	return 0;
}

int snapshot_meta_read_settings(const struct strbuf *json, struct snapshot_info *info,
                                struct strbuf *reterr)
{
	struct settings *settings = &info->settings;
	json_auto_t *object = tree_load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	/* A file may have the key twice. */
	settings_done(settings);
	settings->seen = true;
	if (r == 0)
		r = read_values(object, settings, reterr);
	if (r == 0)
		r = read_denied(object, settings, reterr);
	settings_sort(settings);
	if (r == 0)
		r = read_before(object, settings, reterr);
	if (r == 0)
		r = tree_read_number(object, "left_out", what, &settings->left_out, NULL, reterr);
	return r;
}
