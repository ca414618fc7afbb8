// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-cgroup.h"

#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "base/text.h"
#include "ctprof/metric/sample.h"
#include "snapshot-reference.h"

/* The exact path, if the key is not exact. No object of the registry has this name. */
static const char path_hex[] = "path_hex";
/* The same names as in the rows of threads; no object has them either. */
static const char read_boottime_key[] = "read_boottime_ns", interval_key[] = "interval_ns",
                  ids_key[] = "ids", unjoined_key[] = "unjoined", gone_key[] = "gone";

static bool is_of(const struct cgroup_value_desc *value, bool is_v1)
{
	return value->version == (is_v1 ? 1u : 2u);
}

static bool can_be_unlimited(enum fact_form form)
{
	return form == FORM_LIMIT || form == FORM_FIELD_LIMIT;
}

static bool is_text(enum fact_form form)
{
	return form == FORM_CPUS || form == FORM_TEXT;
}

/* Returns whether the list has an object for each device, as io.stat; the others have a number for each key. */
static bool is_nested(enum cgroup_list_id list)
{
	return list == CGROUP_LIST_io_stat;
}

/* Two paths may have the same readable form; a number behind it makes the keys differ. */
static void add_key(struct strbuf *key, struct strmap *keys)
{
	size_t len = key->len;
	uintptr_t number = (uintptr_t)strmap_get(keys, strbuf_str(key), key->len);

	for (uintptr_t next = number + 1; number > 0; next++) {
		key->len = len;
		strbuf_addf(key, "#%llu", (unsigned long long)next);
		strmap_add(keys, strbuf_str(key), len)->value = (void *)next;
		number = (uintptr_t)strmap_get(keys, strbuf_str(key), key->len);
	}
	strmap_add(keys, strbuf_str(key), key->len)->value = (void *)1;
}

static bool has_replacement(const struct strbuf *key)
{
	return key->len > 0 && memmem(key->data, key->len, "\xef\xbf\xbd", 3) != NULL;
}

static void write_path(struct json_writer *out, const struct strbuf *path, struct strmap *keys,
                       struct strbuf *scratch)
{
	const char *bytes = strbuf_str(path);
	bool exact = name_is_readable(bytes, path->len);

	strbuf_clear(scratch);
	name_add_readable(scratch, bytes, path->len);
	if (has_replacement(scratch)) {
		size_t len = scratch->len;

		add_key(scratch, keys);
		exact = exact && scratch->len == len;
	}
	json_write_key_text(out, strbuf_str(scratch), scratch->len);
	json_write_open(out, '{');
	if (exact)
		return;
	strbuf_clear(scratch);
	name_add_hex(scratch, bytes, path->len);
	json_write_key(out, path_hex);
	json_write_text(out, strbuf_str(scratch), scratch->len);
}

/* Opens an object unless it is open. */
static void open_once(struct json_writer *out, const char *object, bool *opened)
{
	if (*opened)
		return;
	json_write_key(out, object);
	json_write_open(out, '{');
	*opened = true;
}

/* Returns the length of the text in front of the last blank, or -1 if there is none. */
static ptrdiff_t device_length(const char *key)
{
	const char *blank = strrchr(key, ' ');

	return blank ? blank - key : -1;
}

/* Returns whether the key is longer than a reader accepts. */
static bool is_too_long(const struct strbuf *scratch)
{
	return scratch->len > SNAPSHOT_KEY_BYTES;
}

/* The places of one device's keys in a list: the first, and from each to the next; the last one leads to itself. */
struct device {
	size_t first;
	size_t last;
};

static void write_device(struct json_writer *out, const struct keyed_values *values,
                         const struct device *device, const size_t *next, struct strbuf *scratch)
{
	const char *name = values->entries[device->first].key;
	ptrdiff_t name_len = device_length(name);
	size_t at = device->first;

	if (name_len >= 0) {
		strbuf_clear(scratch);
		text_add_replaced(scratch, name, (size_t)name_len);
		json_write_key_text(out, strbuf_str(scratch), scratch->len);
		json_write_open(out, '{');
	}
	for (;;) {
		const char *key = values->entries[at].key;

		strbuf_clear(scratch);
		text_add_replaced(scratch, key, strlen(key));
		if (!is_too_long(scratch)) {
			strbuf_clear(scratch);
			key += name_len + 1;
			text_add_replaced(scratch, key, strlen(key));
			json_write_key_text(out, strbuf_str(scratch), scratch->len);
			json_write_u64(out, values->entries[at].value);
		}
		if (at == device->last)
			break;
		at = next[at];
	}
	if (name_len >= 0)
		json_write_close(out, '}');
}

/* Writes one object for each device, whose keys need not be neighbours. A key without a device has an object of its
 * own. */
static void write_devices(struct json_writer *out, const struct keyed_values *values,
                          struct strbuf *scratch)
{
	size_t count = values->count < SNAPSHOT_LIST_KEYS ? values->count : SNAPSHOT_LIST_KEYS;
	cleanup_(mem_freep) struct device *devices = mem_calloc(count + 1, sizeof(*devices));
	cleanup_(mem_freep) size_t *next = mem_calloc(count + 1, sizeof(*next));
	cleanup_(strmap_done) struct strmap names = STRMAP_INIT;
	size_t device_count = 0;

	for (size_t i = 0; i < count; i++) {
		const char *key = values->entries[i].key;
		ptrdiff_t len = device_length(key);
		struct strmap_entry *entry = len >= 0 ? strmap_add(&names, key, (size_t)len) : NULL;
		uintptr_t known = entry ? (uintptr_t)entry->value : 0;

		if (known > 0) {
			next[devices[known - 1].last] = i;
			devices[known - 1].last = i;
			continue;
		}
		devices[device_count++] = (struct device){i, i};
		if (entry)
			entry->value = (void *)device_count;
	}
	json_write_open(out, '{');
	for (size_t i = 0; i < device_count; i++)
		write_device(out, values, &devices[i], next, scratch);
	json_write_close(out, '}');
}

static void write_value(struct json_writer *out, const struct fact_value *value,
                        struct strbuf *scratch)
{
	switch (value->state) {
	case FACT_UNSEEN:
	case FACT_UNLIMITED:
		json_write_null(out);
		break;
	case FACT_NUMBER:
		json_write_i64(out, value->number);
		break;
	case FACT_TEXT:
		strbuf_clear(scratch);
		text_add_replaced(scratch, value->text, strlen(value->text));
		json_write_text(out, strbuf_str(scratch), scratch->len);
		break;
	}
}

/* Writes one object: all values and lists whose rows name it. */
static void write_object(struct json_writer *out, const struct cgroup_stats *stats,
                         const char *object, struct strbuf *scratch)
{
	bool opened = false;

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *desc = &cgroup_value_table[i];

		if (stats->values[i].state == FACT_UNSEEN || !is_of(desc, stats->is_v1) ||
		    strcmp(desc->object, object) != 0)
			continue;
		open_once(out, object, &opened);
		json_write_key(out, desc->key);
		write_value(out, &stats->values[i], scratch);
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		if (!stats->has_list[i] || stats->is_v1 ||
		    strcmp(cgroup_list_table[i].object, object) != 0)
			continue;
		open_once(out, object, &opened);
		json_write_key(out, cgroup_list_table[i].key);
		if (is_nested((enum cgroup_list_id)i))
			write_devices(out, &stats->lists[i], scratch);
		else
			values_write(out, &stats->lists[i], scratch);
	}
	if (opened)
		json_write_close(out, '}');
}

static void write_time(struct json_writer *out, const char *key, uint64_t time_ns)
{
	if (time_ns == 0 || time_ns > INT64_MAX)
		return;
	json_write_key(out, key);
	json_write_u64(out, time_ns);
}

static bool value_object_is_new(unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (cgroup_value_table[i].version == cgroup_value_table[at].version &&
		    strcmp(cgroup_value_table[i].object, cgroup_value_table[at].object) == 0)
			return false;
	return true;
}

static bool list_object_is_new(unsigned at)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (cgroup_value_table[i].version == 2 &&
		    strcmp(cgroup_value_table[i].object, cgroup_list_table[at].object) == 0)
			return false;
	for (unsigned i = 0; i < at; i++)
		if (strcmp(cgroup_list_table[i].object, cgroup_list_table[at].object) == 0)
			return false;
	return true;
}

void cgroup_write(struct json_writer *out, const struct cgroup_stats *stats, struct strmap *keys,
                  struct strbuf *scratch)
{
	write_path(out, &stats->path, keys, scratch);
	write_time(out, read_boottime_key, stats->read_boottime_ns);
	write_time(out, interval_key, stats->interval_ns);
	if (stats->ids.count > 0) {
		json_write_key(out, ids_key);
		values_write(out, &stats->ids, scratch);
	}
	if (stats->unjoined.count > 0) {
		json_write_key(out, unjoined_key);
		values_write(out, &stats->unjoined, scratch);
	}
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (is_of(&cgroup_value_table[i], stats->is_v1) && value_object_is_new(i))
			write_object(out, stats, cgroup_value_table[i].object, scratch);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT && !stats->is_v1; i++)
		if (list_object_is_new(i))
			write_object(out, stats, cgroup_list_table[i].object, scratch);
	if (psi_seen(&stats->psi)) {
		json_write_key(out, "psi");
		psi_write(out, &stats->psi);
	}
	json_write_close(out, '}');
}

void cgroup_write_gone(struct json_writer *out, const struct cgroup_stats *stats,
                       struct strmap *keys, struct strbuf *scratch)
{
	write_path(out, &stats->path, keys, scratch);
	json_write_key(out, gone_key);
	json_write_bool(out, true);
	json_write_close(out, '}');
}

/* Returns the registry's own copy of an object's name, or NULL. */
static const char *find_object(const char *name, bool is_v1)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (is_of(&cgroup_value_table[i], is_v1) &&
		    strcmp(cgroup_value_table[i].object, name) == 0)
			return cgroup_value_table[i].object;
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		if (!is_v1 && strcmp(cgroup_list_table[i].object, name) == 0)
			return cgroup_list_table[i].object;
	return NULL;
}

static int find_value(const char *object, const char *key, bool is_v1)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (is_of(&cgroup_value_table[i], is_v1) &&
		    strcmp(cgroup_value_table[i].key, key) == 0 &&
		    strcmp(cgroup_value_table[i].object, object) == 0)
			return (int)i;
	return -1;
}

static int find_list(const char *object, const char *key, bool is_v1)
{
	for (unsigned i = 0; i < CGROUP_LIST_COUNT && !is_v1; i++)
		if (strcmp(cgroup_list_table[i].key, key) == 0 &&
		    strcmp(cgroup_list_table[i].object, object) == 0)
			return (int)i;
	return -1;
}

/* Returns whether the number is above 2^63-1: ktstr ctprof writes the "max" of memory.low and memory.min as 2^64-1, and
 * jq writes that as a little more. */
static bool is_beyond(const struct json_reader *json)
{
	int64_t number;
	size_t len;
	const char *text = json_reader_text(json, &len);

	return strspn(text, "0123456789") == len && json_reader_i64(json, &number) < 0;
}

/* Notes the fault of the value behind the key, unless the file is one of ktstr ctprof. */
static int only_reference(struct value_reader *reader, const char *expected)
{
	if (reader->own_reason.len > 0)
		return 0;
	(void)value_refuse(reader, strbuf_str(&reader->key), expected);
	strbuf_add(&reader->own_reason, reader->reason.data, reader->reason.len);
	strbuf_clear(&reader->reason);
	return 0;
}

/* Reads the value behind a key, in one of the states of its form. */
static int read_value(struct value_reader *reader, enum cgroup_value_id id,
                      struct fact_value *value)
{
	const char *key = strbuf_str(&reader->key);
	enum fact_form form = cgroup_value_table[id].form;
	const char *expected;
	enum json_token token;
	int64_t number;
	int r = json_reader_next(reader->json, &token);
	const char *text;
	size_t len;

	if (r < 0)
		return r;
	if (is_text(form)) {
		if (token != JSON_TOKEN_STRING)
			return value_refuse(reader, key, "a string");
		text = json_reader_text(reader->json, &len);
		fact_set_text(value, text, len);
		return 0;
	}
	if (token == JSON_TOKEN_NULL && can_be_unlimited(form)) {
		fact_set_unlimited(value);
		reader->nulls |= UINT64_C(1) << id;
		return 0;
	}
	expected = can_be_unlimited(form) ? "an integer or null" : "an integer";
	if (!reader->is_own && token == JSON_TOKEN_NULL) {
		reader->nulls |= UINT64_C(1) << id;
		return only_reference(reader, expected);
	}
	if (!reader->is_own && can_be_unlimited(form) && token == JSON_TOKEN_NUMBER &&
	    is_beyond(reader->json)) {
		fact_set_unlimited(value);
		return only_reference(reader, expected);
	}
	if (token != JSON_TOKEN_NUMBER || json_reader_i64(reader->json, &number) < 0)
		return value_refuse(reader, key, expected);
	fact_set_number(value, number);
	return 0;
}

/* Reads the object of a device, whose name is reader->key. In the list its keys are "device key". */
static int read_device(struct value_reader *reader, struct keyed_values *values)
{
	struct strbuf *full = &reader->bytes;
	uint64_t value = 0;
	size_t device_len;
	int r;

	strbuf_copy(full, &reader->key);
	strbuf_add_char(full, ' ');
	device_len = full->len;
	while ((r = value_next_key(reader)) > 0) {
		r = value_u64(reader, &value);
		if (r < 0)
			return r;
		full->len = device_len;
		strbuf_add(full, strbuf_str(&reader->key), reader->key.len);
		strbuf_copy(&reader->key, full);
		r = value_into(reader, values, value);
		if (r < 0)
			return r;
	}
	return r;
}

/* Reads a number for each key, or an object for each device, behind OBJECT_OPEN. */
static int read_devices(struct value_reader *reader, struct keyed_values *values)
{
	enum json_token token;
	uint64_t value;
	int r;

	while ((r = value_next_key(reader)) > 0) {
		r = json_reader_next(reader->json, &token);
		if (r < 0)
			return r;
		if (token == JSON_TOKEN_OBJECT_OPEN)
			r = read_device(reader, values);
		else if (token == JSON_TOKEN_NUMBER && json_reader_u64(reader->json, &value) == 0)
			r = value_into(reader, values, value);
		else
			r = value_refuse(reader, strbuf_str(&reader->key),
			                 "an object or an integer from 0 on");
		if (r < 0)
			return r;
	}
	return r;
}

static int read_list(struct value_reader *reader, enum cgroup_list_id list,
                     struct cgroup_stats *stats)
{
	struct keyed_values *values = &stats->lists[list];
	size_t place_len = reader->place.len;
	int r = value_enter(reader, cgroup_list_table[list].key);

	keyed_values_clear(values);
	stats->has_list[list] = true;
	if (r == 0)
		r = is_nested(list) ? read_devices(reader, values) : value_list(reader, values);
	value_leave(reader, place_len);
	return r;
}

/* Reads an object of the registry behind its OBJECT_OPEN. */
static int read_object(struct value_reader *reader, const char *object, struct cgroup_stats *stats)
{
	int r;

	while ((r = value_next_key(reader)) > 0) {
		int value, list;

		value = find_value(object, strbuf_str(&reader->key), stats->is_v1);
		list = find_list(object, strbuf_str(&reader->key), stats->is_v1);
		if (value >= 0)
			r = read_value(reader, (enum cgroup_value_id)value, &stats->values[value]);
		else if (list >= 0)
			r = read_list(reader, (enum cgroup_list_id)list, stats);
		else
			r = json_reader_skip(reader->json);
		if (r < 0)
			return r;
	}
	return r;
}

static int read_path_hex(struct value_reader *reader, struct strbuf *path)
{
	enum json_token token;
	int r = json_reader_next(reader->json, &token);

	return r < 0 ? r : value_hex(reader, token, path_hex, SAMPLE_PATH_BYTES, path);
}

static int read_numbers(struct value_reader *reader, const char *key, struct keyed_values *numbers)
{
	size_t place_len = reader->place.len;
	int r = value_enter(reader, key);

	keyed_values_clear(numbers);
	if (r == 0)
		r = value_list(reader, numbers);
	value_leave(reader, place_len);
	return r;
}

/* Reads one member of a cgroup, whose key is reader->key. */
static int read_member(struct value_reader *reader, struct cgroup_stats *stats)
{
	static const char psi[] = "psi";
	const char *key = strbuf_str(&reader->key);
	const char *object = strcmp(key, psi) == 0 ? psi : find_object(key, stats->is_v1);
	size_t place_len = reader->place.len;
	int r;

	if (strcmp(key, path_hex) == 0)
		return read_path_hex(reader, &stats->path);
	if (strcmp(key, gone_key) == 0) {
		stats->is_gone = true;
		return json_reader_skip(reader->json);
	}
	if (strcmp(key, read_boottime_key) == 0)
		return value_u64(reader, &stats->read_boottime_ns);
	if (strcmp(key, interval_key) == 0)
		return value_u64(reader, &stats->interval_ns);
	if (strcmp(key, ids_key) == 0)
		return read_numbers(reader, ids_key, &stats->ids);
	if (strcmp(key, unjoined_key) == 0)
		return read_numbers(reader, unjoined_key, &stats->unjoined);
	if (!object)
		return json_reader_skip(reader->json);
	r = value_enter(reader, object);
	if (r == 0)
		r = object == psi ? value_psi(reader, &stats->psi)
		                  : read_object(reader, object, stats);
	value_leave(reader, place_len);
	return r;
}

int cgroup_read(struct value_reader *reader, bool is_v1, struct cgroup_stats *stats)
{
	/* A key has a number behind the path if two paths look alike. */
	enum { KEY_BYTES = SAMPLE_PATH_BYTES + 32 };
	int r;

	cgroup_stats_reset(stats);
	stats->is_v1 = is_v1;
	reader->nulls = 0;
	strbuf_clear(&reader->place);
	strbuf_add_str(&reader->place, is_v1 ? "cgroup_v1_stats" : "cgroup_stats");
	if (!name_fits(strbuf_str(&reader->key), reader->key.len, KEY_BYTES))
		return value_refuse_length(reader, NULL, SAMPLE_PATH_BYTES);
	strbuf_add(&stats->path, strbuf_str(&reader->key), reader->key.len);
	strbuf_add_str(&reader->place, "[\"");
	text_add_escaped(&reader->place, strbuf_str(&reader->key), reader->key.len);
	strbuf_add_str(&reader->place, "\"]");
	r = value_open(reader, NULL);
	if (r < 0)
		return r;
	while ((r = value_next_key(reader)) > 0) {
		r = read_member(reader, stats);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (!reader->is_own)
		reference_cgroup_finish(stats, reader->nulls);
	return 0;
}
