// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-value.h"

#include <errno.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"
#include "ctprof/metric/sample.h"

bool name_is_readable(const char *bytes, size_t len)
{
	return text_is_utf8(bytes, len) && !memchr(bytes, '\0', len);
}

void name_add_readable(struct strbuf *out, const char *bytes, size_t len)
{
	while (len > 0) {
		size_t run = strnlen(bytes, len);

		text_add_replaced(out, bytes, run);
		if (run < len) {
			strbuf_add_str(out, "\xef\xbf\xbd");
			run++;
		}
		bytes += run;
		len -= run;
	}
}

bool name_fits(const char *text, size_t len, size_t bytes_max)
{
	size_t bytes = len;

	if (len <= bytes_max)
		return true;
	for (size_t i = 0; i + 3 <= len && len <= 3 * bytes_max; i++)
		if (memcmp(text + i, "\xef\xbf\xbd", 3) == 0)
			bytes -= 2;
	return bytes <= bytes_max;
}

void name_add_hex(struct strbuf *out, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		strbuf_addf(out, "%02x", (unsigned char)bytes[i]);
}

void values_write(struct json_writer *out, const struct keyed_values *values,
                  struct strbuf *scratch)
{
	json_write_open(out, '{');
	for (size_t i = 0; i < values->count && i < SNAPSHOT_LIST_KEYS; i++) {
		strbuf_clear(scratch);
		text_add_replaced(scratch, values->entries[i].key, strlen(values->entries[i].key));
		if (scratch->len > SNAPSHOT_KEY_BYTES)
			continue;
		json_write_key_text(out, strbuf_str(scratch), scratch->len);
		json_write_u64(out, values->entries[i].value);
	}
	json_write_close(out, '}');
}

static void write_psi_line(struct json_writer *out, const struct psi_line *line)
{
	json_write_open(out, '{');
	for (unsigned i = 0; i < PSI_AVERAGE_COUNT; i++) {
		json_write_key(out, psi_average_names[i]);
		json_write_u64(out, line->averages[i]);
	}
	json_write_key(out, "total_usec");
	json_write_u64(out, line->total_usec);
	json_write_close(out, '}');
}

void psi_write(struct json_writer *out, const struct psi *psi)
{
	json_write_open(out, '{');
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++) {
		const struct psi_line *lines = psi->lines[resource];
		bool opened = false;

		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			if (!lines[row].seen)
				continue;
			if (!opened) {
				json_write_key(out, psi_resource_names[resource]);
				json_write_open(out, '{');
				opened = true;
			}
			json_write_key(out, psi_row_names[row]);
			write_psi_line(out, &lines[row]);
		}
		if (opened)
			json_write_close(out, '}');
	}
	json_write_close(out, '}');
}

void value_reader_done(struct value_reader *reader)
{
	strbuf_done(&reader->place);
	strbuf_done(&reader->key);
	strbuf_done(&reader->bytes);
	strbuf_done(&reader->reason);
	strbuf_done(&reader->own_reason);
}

static void add_place(struct value_reader *reader, const char *key)
{
	strbuf_copy(&reader->reason, &reader->place);
	if (!key)
		return;
	if (reader->place.len > 0)
		strbuf_add_char(&reader->reason, '.');
	text_add_escaped(&reader->reason, key, strlen(key));
}

int value_refuse(struct value_reader *reader, const char *key, const char *expected)
{
	add_place(reader, key);
	strbuf_addf(&reader->reason, ": %s was expected", expected);
	return -EBADMSG;
}

int value_open(struct value_reader *reader, const char *key)
{
	enum json_token token;
	int r = json_reader_next(reader->json, &token);

	if (r < 0)
		return r;
	return token == JSON_TOKEN_OBJECT_OPEN ? 0 : value_refuse(reader, key, "an object");
}

int value_enter(struct value_reader *reader, const char *name)
{
	int r = value_open(reader, name);

	if (reader->place.len > 0)
		strbuf_add_char(&reader->place, '.');
	strbuf_add_str(&reader->place, name);
	return r;
}

void value_leave(struct value_reader *reader, size_t place_len)
{
	reader->place.len = place_len;
	if (reader->place.data)
		reader->place.data[place_len] = '\0';
}

int value_next_key(struct value_reader *reader)
{
	enum json_token token;
	int r = json_reader_next(reader->json, &token);
	const char *key;
	size_t len;

	if (r < 0)
		return r;
	if (token == JSON_TOKEN_OBJECT_CLOSE)
		return 0;
	key = json_reader_text(reader->json, &len);
	strbuf_clear(&reader->key);
	strbuf_add(&reader->key, key, len);
	return 1;
}

int value_u64(struct value_reader *reader, uint64_t *ret)
{
	enum json_token token;
	int r = json_reader_next(reader->json, &token);

	if (r < 0)
		return r;
	if (token != JSON_TOKEN_NUMBER || json_reader_u64(reader->json, ret) < 0)
		return value_refuse(reader, strbuf_str(&reader->key), "an integer from 0 on");
	return 0;
}

int value_refuse_length(struct value_reader *reader, const char *key, size_t bytes_max)
{
	return value_refuse(reader, key,
	                    bytes_max == SAMPLE_COMM_BYTES ? "a name of at most 64 bytes"
	                                                   : "a path of at most 4112 bytes");
}

int value_hex(struct value_reader *reader, enum json_token token, const char *key, size_t bytes_max,
              struct strbuf *ret)
{
	const char *text;
	size_t len;

	if (token != JSON_TOKEN_STRING)
		return value_refuse(reader, key, "a string");
	text = json_reader_text(reader->json, &len);
	if (len / 2 > bytes_max)
		return value_refuse_length(reader, key, bytes_max);
	strbuf_clear(&reader->bytes);
	for (size_t i = 0; i + 1 < len; i += 2) {
		int high = char_hex_digit(text[i]), low = char_hex_digit(text[i + 1]);

		if (high < 0 || low < 0)
			return value_refuse(reader, key, "bytes in hexadecimal");
		strbuf_add_char(&reader->bytes, (char)(high * 16 + low));
	}
	if (len % 2 != 0)
		return value_refuse(reader, key, "bytes in hexadecimal");
	strbuf_copy(ret, &reader->bytes);
	return 0;
}

static int refuse_size(struct value_reader *reader, const char *sentence)
{
	add_place(reader, NULL);
	strbuf_addf(&reader->reason, ": %s", sentence);
	return -E2BIG;
}

/* A key keeps its memory for the next list, so its length is bounded as well as the number of keys. */
int value_into(struct value_reader *reader, struct keyed_values *values, uint64_t value)
{
	if (reader->key.len > SNAPSHOT_KEY_BYTES)
		return refuse_size(reader,
		                   "a key of more than " STRINGIFY(SNAPSHOT_KEY_BYTES) " bytes");
	keyed_values_set(values, strbuf_str(&reader->key), reader->key.len, value);
	if (values->count > SNAPSHOT_LIST_KEYS)
		return refuse_size(reader, "more than " STRINGIFY(SNAPSHOT_LIST_KEYS) " keys");
	return 0;
}

int value_list(struct value_reader *reader, struct keyed_values *values)
{
	uint64_t value = 0;
	int r;

	while ((r = value_next_key(reader)) > 0) {
		r = value_u64(reader, &value);
		if (r == 0)
			r = value_into(reader, values, value);
		if (r < 0)
			return r;
	}
	return r;
}

static int find_name(const char *const *names, unsigned count, const struct strbuf *name)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(names[i], strbuf_str(name)) == 0)
			return (int)i;
	return -1;
}

static int read_psi_line(struct value_reader *reader, void *lines, unsigned row)
{
	struct psi_line *line = (struct psi_line *)lines + row;
	unsigned seen = 0;
	uint64_t number = 0;
	int r;

	*line = (struct psi_line){0};
	while ((r = value_next_key(reader)) > 0) {
		int average;
		bool total;

		average = find_name(psi_average_names, PSI_AVERAGE_COUNT, &reader->key);
		total = strcmp(strbuf_str(&reader->key), "total_usec") == 0;
		if (average < 0 && !total) {
			r = json_reader_skip(reader->json);
			if (r < 0)
				return r;
			continue;
		}
		r = value_u64(reader, &number);
		if (r < 0)
			return r;
		if (total)
			line->total_usec = number;
		else if (number > UINT32_MAX)
			return value_refuse(reader, psi_average_names[average],
			                    "an integer from 0 to 4294967295");
		else
			line->averages[average] = (uint32_t)number;
		seen |= 1u << (total ? PSI_AVERAGE_COUNT : (unsigned)average);
	}
	if (r < 0)
		return r;
	line->seen = seen == (1u << (PSI_AVERAGE_COUNT + 1)) - 1;
	return 0;
}

/* Reads the members of an object that have one of the names, with @read, and skips the others. */
static int read_members(struct value_reader *reader, const char *const *names, unsigned count,
                        int (*read)(struct value_reader *reader, void *ret, unsigned member),
                        void *ret)
{
	size_t place_len = reader->place.len;
	int r;

	while ((r = value_next_key(reader)) > 0) {
		int member = find_name(names, count, &reader->key);

		if (member < 0) {
			r = json_reader_skip(reader->json);
		} else {
			r = value_enter(reader, names[member]);
			if (r == 0)
				r = read(reader, ret, (unsigned)member);
			value_leave(reader, place_len);
		}
		if (r < 0)
			return r;
	}
	return r;
}

/* Reads the object of one resource: "some" and "full". */
static int read_psi_resource(struct value_reader *reader, void *psi, unsigned resource)
{
	return read_members(reader, psi_row_names, PSI_ROW_COUNT, read_psi_line,
	                    ((struct psi *)psi)->lines[resource]);
}

int value_psi(struct value_reader *reader, struct psi *psi)
{
	return read_members(reader, psi_resource_names, PSI_RESOURCE_COUNT, read_psi_resource, psi);
}
