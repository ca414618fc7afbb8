// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/json-read.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "json-reader.h"
#include "json/json-write.h"

struct json_reader *json_reader_new(struct byte_source *source, const struct json_limits *limits)
{
	struct json_reader *reader = mem_calloc(1, sizeof(*reader));

	json_scan_init(&reader->scan, source, limits);
	return reader;
}

struct json_reader *json_reader_free(struct json_reader *reader)
{
	if (reader) {
		json_scan_done(&reader->scan);
		strbuf_done(&reader->closers);
		free(reader);
	}
	return NULL;
}

static int open_container(struct json_reader *reader, int bracket)
{
	if (reader->closers.len >= reader->scan.limits.depth)
		return json_scan_fail_limit(&reader->scan, "containers are nested too deep",
		                            reader->scan.limits.depth);
	strbuf_add_char(&reader->closers, bracket == '{' ? '}' : ']');
	reader->scan.cursor++;
	reader->token = bracket == '{' ? JSON_TOKEN_OBJECT_OPEN : JSON_TOKEN_ARRAY_OPEN;
	reader->expectation = bracket == '{' ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
	return 0;
}

static char innermost_closer(const struct json_reader *reader)
{
	return reader->closers.data[reader->closers.len - 1];
}

static int close_container(struct json_reader *reader, int c)
{
	bool in_object = innermost_closer(reader) == '}';

	if (c != innermost_closer(reader))
		return json_scan_fail_expected(&reader->scan, c,
		                               in_object ? "',' or '}' was expected"
		                                         : "',' or ']' was expected");
	reader->closers.len--;
	reader->scan.cursor++;
	reader->token = in_object ? JSON_TOKEN_OBJECT_CLOSE : JSON_TOKEN_ARRAY_CLOSE;
	reader->expectation = reader->closers.len > 0 ? EXPECT_COMMA : EXPECT_NOTHING;
	return 0;
}

static int read_key(struct json_reader *reader, int c)
{
	if (c != '"')
		return json_scan_fail_expected(&reader->scan, c, "a key was expected");
	reader->token = JSON_TOKEN_KEY;
	reader->expectation = EXPECT_COLON;
	return json_scan_string(&reader->scan);
}

static int read_value(struct json_reader *reader, int c)
{
	reader->expectation = EXPECT_COMMA;
	switch (c) {
	case '{':
	case '[':
		return open_container(reader, c);
	case '"':
		reader->token = JSON_TOKEN_STRING;
		return json_scan_string(&reader->scan);
	case 't':
		reader->token = JSON_TOKEN_TRUE;
		return json_scan_literal(&reader->scan, "true");
	case 'f':
		reader->token = JSON_TOKEN_FALSE;
		return json_scan_literal(&reader->scan, "false");
	case 'n':
		reader->token = JSON_TOKEN_NULL;
		return json_scan_literal(&reader->scan, "null");
	default:
		if (c != '-' && (c < '0' || c > '9'))
			return json_scan_fail_expected(&reader->scan, c, "a value was expected");
		reader->token = JSON_TOKEN_NUMBER;
		return json_scan_number(&reader->scan);
	}
}

static int read_token(struct json_reader *reader)
{
	int c = json_scan_peek(&reader->scan);

	switch (reader->expectation) {
	case EXPECT_DOCUMENT:
		if (c != '{' && c != '[')
			return json_scan_fail_expected(&reader->scan, c,
			                               "an object or an array was expected");
		return open_container(reader, c);
	case EXPECT_FIRST_KEY:
		return c == '}' ? close_container(reader, c) : read_key(reader, c);
	case EXPECT_FIRST_ITEM:
		return c == ']' ? close_container(reader, c) : read_value(reader, c);
	case EXPECT_COLON:
		if (c != ':')
			return json_scan_fail_expected(&reader->scan, c, "':' was expected");
		return read_value(reader, json_scan_peek_next(&reader->scan));
	case EXPECT_COMMA:
		if (c != ',')
			return close_container(reader, c);
		c = json_scan_peek_next(&reader->scan);
		return innermost_closer(reader) == '}' ? read_key(reader, c)
		                                       : read_value(reader, c);
	case EXPECT_NOTHING:
		break;
	}
	if (c != JSON_SCAN_END)
		return json_scan_fail_expected(&reader->scan, c, "nothing may follow the document");
	reader->token = JSON_TOKEN_END;
	return 0;
}

int json_reader_next(struct json_reader *reader, enum json_token *ret_token)
{
	int result;

	if (reader->scan.failure)
		return reader->scan.failure;
	json_scan_clear_text(&reader->scan);
	result = read_token(reader);
	if (result == 0)
		*ret_token = reader->token;
	return result;
}

const char *json_reader_text(const struct json_reader *reader, size_t *ret_len)
{
	*ret_len = reader->scan.text.len;
	return strbuf_str(&reader->scan.text);
}

/* Parses the digits of the current number; the caller applies the sign. */
static int parse_magnitude(const struct json_reader *reader, bool *ret_negative,
                           uint64_t *ret_value)
{
	const char *p = strbuf_str(&reader->scan.text);
	uint64_t value = 0;

	if (reader->token != JSON_TOKEN_NUMBER || reader->scan.failure)
		return -ERANGE;
	*ret_negative = *p == '-';
	p += *ret_negative;
	for (; *p != '\0'; p++) {
		if (*p < '0' || *p > '9' || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return -ERANGE;
	}
	*ret_value = value;
	return 0;
}

int json_reader_u64(const struct json_reader *reader, uint64_t *ret_value)
{
	uint64_t magnitude;
	bool negative;
	int result = parse_magnitude(reader, &negative, &magnitude);

	if (result < 0 || (negative && magnitude > 0))
		return -ERANGE;
	*ret_value = magnitude;
	return 0;
}

int json_reader_i64(const struct json_reader *reader, int64_t *ret_value)
{
	uint64_t magnitude;
	bool negative;
	int result = parse_magnitude(reader, &negative, &magnitude);

	if (result < 0 || magnitude > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*ret_value = (int64_t)(negative ? 0 - magnitude : magnitude);
	return 0;
}

int json_reader_skip(struct json_reader *reader)
{
	bool opened =
	        reader->token == JSON_TOKEN_OBJECT_OPEN || reader->token == JSON_TOKEN_ARRAY_OPEN;
	size_t depth = reader->closers.len - opened;
	enum json_token token;
	int result = reader->scan.failure;

	if (result < 0 || (!opened && reader->token != JSON_TOKEN_KEY))
		return result;
	do
		result = json_reader_next(reader, &token);
	while (result == 0 && reader->closers.len > depth);
	return result;
}

static void write_token(struct json_writer *writer, const struct json_reader *reader)
{
	const struct strbuf *text = &reader->scan.text;

	switch (reader->token) {
	case JSON_TOKEN_END:
		break;
	case JSON_TOKEN_OBJECT_OPEN:
		json_write_open(writer, '{');
		break;
	case JSON_TOKEN_ARRAY_OPEN:
		json_write_open(writer, '[');
		break;
	case JSON_TOKEN_OBJECT_CLOSE:
		json_write_close(writer, '}');
		break;
	case JSON_TOKEN_ARRAY_CLOSE:
		json_write_close(writer, ']');
		break;
	case JSON_TOKEN_KEY:
		json_write_key_text(writer, strbuf_str(text), text->len);
		break;
	case JSON_TOKEN_STRING:
		json_write_text(writer, strbuf_str(text), text->len);
		break;
	case JSON_TOKEN_NUMBER:
		json_write_raw(writer, strbuf_str(text), text->len);
		break;
	case JSON_TOKEN_TRUE:
	case JSON_TOKEN_FALSE:
		json_write_bool(writer, reader->token == JSON_TOKEN_TRUE);
		break;
	case JSON_TOKEN_NULL:
		json_write_null(writer);
		break;
	}
}

int json_reader_capture(struct json_reader *reader, struct strbuf *out, size_t max_bytes)
{
	struct json_writer writer = JSON_WRITER_INIT(out);
	size_t depth = reader->closers.len, start = out->len;
	uint64_t offset = reader->scan.token_offset;
	enum json_token token;
	int result;

	if (reader->scan.failure)
		return reader->scan.failure;
	if (reader->token != JSON_TOKEN_KEY)
		return -EINVAL;
	do {
		result = json_reader_next(reader, &token);
		if (result < 0)
			break;
		write_token(&writer, reader);
		if (out->len - start > max_bytes) {
			reader->scan.token_offset = offset;
			(void)json_scan_fail_limit(&reader->scan,
			                           "the value of this key is too long", max_bytes);
			/* This limit is the caller's, not one of the reader's. */
			reader->scan.over_limit = false;
			result = -EMSGSIZE;
		}
	} while (result == 0 && reader->closers.len > depth);

	if (result < 0 && out->data) {
		out->len = start;
		out->data[start] = '\0';
	}
	return result;
}

uint64_t json_reader_offset(const struct json_reader *reader)
{
	return reader->scan.token_offset;
}

const char *json_reader_error(const struct json_reader *reader)
{
	return strbuf_str(&reader->scan.error);
}

bool json_reader_over_limit(const struct json_reader *reader)
{
	return reader->scan.over_limit;
}
