/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-check - a byte source for tests of the JSON reader, and its tokens as one line of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "json/json-read.h"

static const struct json_limits roomy = {
        .depth = 100, .string_bytes = 1000000, .total_bytes = UINT64_MAX};

static const size_t chunk_sizes[] = {1, 7, SIZE_MAX};

struct test_source {
	struct byte_source base;
	const char *data; /* borrowed */
	size_t len, chunk, position;
	size_t fail_at; /* where reading fails with -EIO; SIZE_MAX: nowhere */
	unsigned ends;  /* how often the end was reported */
};

static inline int read_source(struct byte_source *base, void *buffer, size_t size, size_t *ret_len)
{
	struct test_source *source = (struct test_source *)base;
	size_t left = source->len - source->position;
	size_t len = size < source->chunk ? size : source->chunk;

	assert_true(size > 0);
	if (source->fail_at != SIZE_MAX && left > source->fail_at - source->position)
		left = source->fail_at - source->position;
	if (len > left)
		len = left;
	if (len == 0 && source->position == source->fail_at)
		return -EIO;
	source->ends += len == 0;
	if (len > 0)
		memcpy(buffer, source->data + source->position, len);
	source->position += len;
	*ret_len = len;
	return 0;
}

static inline struct test_source make_source(const char *data, size_t len, size_t chunk)
{
	return (struct test_source){{read_source}, data, len, chunk, 0, SIZE_MAX, 0};
}

static inline void add_token(struct strbuf *out, enum json_token token, const char *text,
                             size_t len)
{
	static const char *const signs[] = {
	        "$", "{", "}", "[", "]", "k:", "s:", "n:", "t", "f", "z"};

	strbuf_add_str(out, signs[token]);
	strbuf_add(out, text, len);
	assert_int_equal(strlen(text), len);
	assert_true(len == 0 || token == JSON_TOKEN_KEY || token == JSON_TOKEN_STRING ||
	            token == JSON_TOKEN_NUMBER);
	strbuf_add_char(out, ' ');
}

/* Appends the rest of the tokens, of which '$' is the end, or '!' and the error behind them. */
static inline void add_transcript(struct strbuf *out, struct json_reader *reader)
{
	enum json_token token = JSON_TOKEN_NULL;
	int result;
	size_t len;

	do {
		result = json_reader_next(reader, &token);
		if (result == 0) {
			const char *text = json_reader_text(reader, &len);

			add_token(out, token, text, len);
		}
	} while (result == 0 && token != JSON_TOKEN_END);
	if (result < 0) {
		const char *error = json_reader_error(reader);

		assert_int_equal(result, strstr(error, "cannot be read") ? -EIO : -EBADMSG);
		strbuf_addf(out, "!%s", error);
	}
}

static inline void check_chunk(const char *json, size_t len, size_t chunk,
                               const struct json_limits *limits, const char *expected)
{
	struct test_source source = make_source(json, len, chunk);
	struct json_reader *reader = json_reader_new(&source.base, limits);
	struct strbuf transcript = STRBUF_INIT;

	add_transcript(&transcript, reader);
	assert_string_equal(strbuf_str(&transcript), expected);
	json_reader_free(reader);
	strbuf_done(&transcript);
}

static inline void check_limits(const char *json, const struct json_limits *limits,
                                const char *expected)
{
	for (size_t i = 0; i < ARRAY_SIZE(chunk_sizes); i++)
		check_chunk(json, strlen(json), chunk_sizes[i], limits, expected);
}

static inline void check(const char *json, const char *expected)
{
	check_limits(json, &roomy, expected);
}

static const char every_token[] = " { \"key\" : [ 12 , -3.5e+7 , \"s\\n\\u00e9\\ud83d\\ude00"
                                  "\xe2\x82\xac\" , true,false,null,{}, [ ] ] ,\"b\":0\t}\r\n ";
