// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON reader against jansson: the same documents are accepted, with the same values. Only
 * the reader accepts numbers out of range, which it passes on, and a scalar inside the innermost
 * container allowed, which jansson counts as a level.
 * The other way round there is one case: jansson loses a NUL right behind a number or a literal. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json-read.h"

enum { JANSSON_DEPTH = 2048 };

static const struct json_limits limits = {
        .depth = JANSSON_DEPTH, .string_bytes = SIZE_MAX, .total_bytes = UINT64_MAX};

struct chunk_source {
	struct byte_source base;
	const char *data; /* borrowed */
	size_t left, chunk;
};

/* The reader's result for a document. */
struct outcome {
	int result;
	char error[256];
	uint64_t offset; /* of the last token or of the error */
	json_t *value;   /* owned; NULL unless result is 0 */
	enum json_error_code
	        expected; /* why jansson must refuse it; json_error_unknown: it must not */
};

struct builder {
	struct json_reader *reader;  /* borrowed */
	struct outcome *outcome;     /* borrowed */
	json_t *open[JANSSON_DEPTH]; /* borrowed from the tree */
	size_t depth;
	struct strbuf key;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "failed: %s\n", what);
	abort();
}

static int read_chunk(struct byte_source *base, void *buffer, size_t size, size_t *ret_len)
{
	struct chunk_source *source = (struct chunk_source *)base;
	size_t len = size < source->chunk ? size : source->chunk;

	if (len > source->left)
		len = source->left;
	if (len > 0)
		memcpy(buffer, source->data, len);
	source->data += len;
	source->left -= len;
	*ret_len = len;
	return 0;
}

static void expect_refusal(struct builder *builder, enum json_error_code code)
{
	if (builder->outcome->expected == json_error_unknown)
		builder->outcome->expected = code;
}

static json_t *build_integer(struct builder *builder, const char *text)
{
	uint64_t magnitude = UINT64_MAX;
	int64_t value = 0;
	bool fits_u64, fits_i64;

	errno = 0;
	fits_u64 = strtoull(text, NULL, 10) < UINT64_MAX || errno == 0;
	if (*text == '-')
		fits_u64 = strspn(text, "-0") == strlen(text);
	errno = 0;
	(void)!strtoll(text, NULL, 10);
	fits_i64 = errno == 0;

	require((json_reader_u64(builder->reader, &magnitude) == 0) == fits_u64, "u64 range");
	require((json_reader_i64(builder->reader, &value) == 0) == fits_i64, "i64 range");
	if (fits_u64)
		require(magnitude == strtoull(text, NULL, 10), "u64 value");
	if (!fits_i64)
		expect_refusal(builder, json_error_numeric_overflow);
	return json_integer(value);
}

static json_t *build_number(struct builder *builder, const char *text)
{
	uint64_t u64;
	int64_t i64;
	double value;

	if (!strpbrk(text, ".eE"))
		return build_integer(builder, text);
	require(json_reader_u64(builder->reader, &u64) == -ERANGE, "a real is no u64");
	require(json_reader_i64(builder->reader, &i64) == -ERANGE, "a real is no i64");
	value = strtod(text, NULL);
	if (isinf(value)) {
		expect_refusal(builder, json_error_numeric_overflow);
		value = 0;
	}
	return json_real(value);
}

static json_t *build_value(struct builder *builder, enum json_token token)
{
	size_t len;
	const char *text = json_reader_text(builder->reader, &len);
	json_t *value = NULL;

	require(strlen(text) == len, "a NUL behind the text, and only there");
	if (token == JSON_TOKEN_OBJECT_OPEN)
		return json_object();
	if (token == JSON_TOKEN_ARRAY_OPEN)
		return json_array();
	if (token == JSON_TOKEN_STRING)
		value = json_stringn(text, len);
	else if (token == JSON_TOKEN_NUMBER)
		value = build_number(builder, text);
	else if (token == JSON_TOKEN_TRUE || token == JSON_TOKEN_FALSE)
		value = json_boolean(token == JSON_TOKEN_TRUE);
	else if (token == JSON_TOKEN_NULL)
		value = json_null();
	if (builder->depth == JANSSON_DEPTH)
		expect_refusal(builder, json_error_stack_overflow);
	return value;
}

static void add_value(struct builder *builder, json_t *value)
{
	json_t *parent = builder->depth > 0 ? builder->open[builder->depth - 1] : NULL;

	require(value, "a value that jansson can hold");
	if (!parent)
		builder->outcome->value = value;
	else if (json_is_array(parent))
		require(json_array_append_new(parent, value) == 0, "append");
	else
		require(json_object_set_new(parent, strbuf_str(&builder->key), value) == 0, "set");
	if (json_is_object(value) || json_is_array(value)) {
		require(builder->depth < JANSSON_DEPTH, "the limit of the depth");
		builder->open[builder->depth++] = value;
	}
}

static void add_token(struct builder *builder, enum json_token token)
{
	size_t len;
	const char *text = json_reader_text(builder->reader, &len);

	if (token == JSON_TOKEN_OBJECT_CLOSE || token == JSON_TOKEN_ARRAY_CLOSE) {
		builder->depth--;
	} else if (token == JSON_TOKEN_KEY) {
		require(strlen(text) == len, "no NUL in a key");
		strbuf_clear(&builder->key);
		strbuf_add(&builder->key, text, len);
	} else if (token != JSON_TOKEN_END) {
		add_value(builder, build_value(builder, token));
	}
}

static struct outcome build(const char *data, size_t size, size_t chunk)
{
	struct chunk_source source = {{read_chunk}, data, size, chunk};
	struct outcome outcome = {.expected = json_error_unknown};
	struct builder *builder = calloc(1, sizeof(*builder));
	enum json_token token = JSON_TOKEN_NULL;
	uint64_t offset = 0;

	require(builder, "memory");
	builder->reader = json_reader_new(&source.base, &limits);
	builder->outcome = &outcome;
	do {
		outcome.result = json_reader_next(builder->reader, &token);
		require(json_reader_offset(builder->reader) >= offset || outcome.result,
		        "offsets that grow");
		offset = json_reader_offset(builder->reader);
		if (outcome.result == 0)
			add_token(builder, token);
	} while (outcome.result == 0 && token != JSON_TOKEN_END);

	require(json_reader_next(builder->reader, &token) == outcome.result, "a sticky result");
	snprintf(outcome.error, sizeof(outcome.error), "%s", json_reader_error(builder->reader));
	if (outcome.result) {
		json_decref(outcome.value);
		outcome.value = NULL;
	}
	outcome.offset = json_reader_offset(builder->reader);
	json_reader_free(builder->reader);
	strbuf_done(&builder->key);
	free(builder);
	return outcome;
}

/* Skipping must see the same errors as reading. */
static void check_skip(const char *data, size_t size, const struct outcome *expected)
{
	struct chunk_source source = {{read_chunk}, data, size, SIZE_MAX};
	struct json_reader *reader = json_reader_new(&source.base, &limits);
	enum json_token token;
	int result = json_reader_next(reader, &token);

	if (result == 0)
		result = json_reader_skip(reader);
	if (result == 0)
		result = json_reader_next(reader, &token);
	require(result == expected->result, "skip");
	require(strcmp(json_reader_error(reader), expected->error) == 0, "the error of skip");
	json_reader_free(reader);
}

/* The document as the value of a key, captured, is the same document. */
static void check_capture(const char *data, size_t size, const json_t *expected)
{
	const struct json_limits one_more = {JANSSON_DEPTH + 1, SIZE_MAX, UINT64_MAX};
	struct strbuf wrapped = STRBUF_INIT, captured = STRBUF_INIT;
	struct chunk_source source = {{read_chunk}, NULL, 0, 7};
	struct json_reader *reader = json_reader_new(&source.base, &one_more);
	enum json_token token;
	json_t *value;

	strbuf_add_str(&wrapped, "{\"\":");
	strbuf_add(&wrapped, data, size);
	strbuf_add_str(&wrapped, "}");
	source.data = wrapped.data;
	source.left = wrapped.len;
	require(json_reader_next(reader, &token) == 0, "the object around");
	require(json_reader_next(reader, &token) == 0, "its key");
	require(json_reader_capture(reader, &captured, SIZE_MAX) == 0, "capture");
	require(json_reader_next(reader, &token) == 0, "the close");
	require(token == JSON_TOKEN_OBJECT_CLOSE, "the token of the close");

	value = json_loadb(captured.data, captured.len, 0, NULL);
	require(value, "capture writes JSON");
	require(json_equal(value, expected), "capture writes the same value");
	json_decref(value);
	json_reader_free(reader);
	strbuf_done(&wrapped);
	strbuf_done(&captured);
}

/* jansson accepted what the reader refused at @offset: only for the NUL there, and without it both
 * must accept. */
static void check_lost_nul(const char *data, size_t size, uint64_t offset)
{
	struct strbuf without = STRBUF_INIT;

	require(offset > 0 && offset < size && data[offset] == '\0', "jansson accepts more");
	require(strchr("0123456789el", data[offset - 1]), "jansson loses other NULs");
	strbuf_add(&without, data, offset);
	strbuf_add(&without, data + offset + 1, size - offset - 1);
	LLVMFuzzerTestOneInput((const uint8_t *)without.data, without.len);
	strbuf_done(&without);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size > 0 ? (const char *)data : "";
	const size_t chunks[] = {7, SIZE_MAX};
	struct outcome outcome = build(text, size, 1);
	json_error_t error;
	json_t *value = json_loadb(text, size, 0, &error);

	require(outcome.result == 0 || outcome.result == -EBADMSG, "the errors there are");
	for (size_t i = 0; i < ARRAY_SIZE(chunks); i++) {
		struct outcome other = build(text, size, chunks[i]);

		require(other.result == outcome.result, "the same result in other chunks");
		require(strcmp(other.error, outcome.error) == 0, "the same error in other chunks");
		require(json_equal(other.value, outcome.value) || outcome.result,
		        "the same value in other chunks");
		json_decref(other.value);
	}
	check_skip(text, size, &outcome);
	if (outcome.result) {
		if (value)
			check_lost_nul(text, size, outcome.offset);
	} else if (outcome.expected != json_error_unknown) {
		require(!value, "jansson accepts what it should refuse");
		require(json_error_code(&error) == outcome.expected, "jansson's reason");
	} else {
		require(value, "jansson refuses what the reader accepts");
		require(json_equal(value, outcome.value), "the same value as jansson's");
		check_capture(text, size, value);
	}
	json_decref(value);
	json_decref(outcome.value);
	return 0;
}
