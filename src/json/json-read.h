/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-read - a pull reader of JSON from a byte source. It holds one buffer and one token in memory, however large the
 * document is. It checks RFC 8259 to the letter: number grammar, UTF-8, escapes, lone surrogates, nothing behind the
 * value. It refuses \u0000 in a string and bounds depth and string length. It accepts what jansson 2.14 accepts, with
 * these differences: it reads integers between 2^63 and 2^64-1, which jansson refuses; it passes larger numbers on as
 * text, for the caller to refuse; it refuses a NUL directly behind a number or a literal, which jansson ignores; and it
 * has its own limits. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

enum json_token {
	JSON_TOKEN_END, /* the document is complete and nothing but white space followed */
	JSON_TOKEN_OBJECT_OPEN,
	JSON_TOKEN_OBJECT_CLOSE,
	JSON_TOKEN_ARRAY_OPEN,
	JSON_TOKEN_ARRAY_CLOSE,
	JSON_TOKEN_KEY,
	JSON_TOKEN_STRING,
	JSON_TOKEN_NUMBER,
	JSON_TOKEN_TRUE,
	JSON_TOKEN_FALSE,
	JSON_TOKEN_NULL,
};

struct json_limits {
	unsigned depth;       /* containers inside one another */
	size_t string_bytes;  /* decoded bytes of one string or key, and characters of one number */
	uint64_t total_bytes; /* of the whole document */
};

struct json_reader; /* opaque */

/* @source is borrowed for the life of the reader. Never NULL; json_reader_free() it. */
struct json_reader *json_reader_new(struct byte_source *source, const struct json_limits *limits);
struct json_reader *json_reader_free(struct json_reader *reader);

/* Moves to the next token. Returns 0; -EBADMSG if the text is not JSON or exceeds a limit (json_reader_error() then
 * says what and where); or the source's own -errno, unchanged. */
must_check_ int json_reader_next(struct json_reader *reader, enum json_token *ret_token);

/* Text of the current KEY, STRING (decoded) or NUMBER (as written); NUL-terminated, borrowed until
 * the next call that moves the reader. */
const char *json_reader_text(const struct json_reader *reader, size_t *ret_len);

/* Reads the current NUMBER as an integer; "-0" is 0. Returns 0, or -ERANGE if it has a fraction or an exponent or does
 * not fit; nothing is stored then. */
must_check_ int json_reader_u64(const struct json_reader *reader, uint64_t *ret_value);
must_check_ int json_reader_i64(const struct json_reader *reader, int64_t *ret_value);

/* Skips the rest of the value that the current token starts: up to the matching close after OBJECT_OPEN or ARRAY_OPEN,
 * the whole value after KEY, nothing after any other token. Errors are those of json_reader_next(). */
must_check_ int json_reader_skip(struct json_reader *reader);

/* After a KEY: reads its whole value and appends its JSON text, made compact, to @out. Returns -EMSGSIZE if that is
 * more than @max_bytes; json_reader_over_limit() is false then, since no limit of the reader is exceeded. */
must_check_ int json_reader_capture(struct json_reader *reader, struct strbuf *out,
                                    size_t max_bytes);

/* Returns the bytes read up to the current token, for messages. */
uint64_t json_reader_offset(const struct json_reader *reader);

/* Returns whether -EBADMSG was about a limit: the text may well be sound JSON. */
bool json_reader_over_limit(const struct json_reader *reader);

/* Returns the reason of the last -EBADMSG, such as "byte 17: a value was expected". */
const char *json_reader_error(const struct json_reader *reader);

/* These functions read members whose order is mostly known before. A caller names the member that it expects and saves
 * the tokens of it. They return false and leave the reader as it was if something else follows, white space included;
 * json_reader_next() then applies the grammar, the limits and the errors. */
enum { JSON_EXPECTED_BYTES = 56 };
struct json_expected {
	char text[JSON_EXPECTED_BYTES]; /* "name": with its quotes and colon, and NULs behind */
	size_t len;                     /* 0 for a name that cannot be expected in this way */
};

/* Prepares a key; @name needs no escaping. */
void json_expected_init(struct json_expected *expected, const char *name);

/* Moves behind the value of the next member if that has this key and is an integer from 0 to 10^19-1 without fraction
 * and exponent. The stored value means nothing if it returns false. */
must_check_ bool json_reader_expect_u64(struct json_reader *reader,
                                        const struct json_expected *expected, uint64_t *ret_value);

/* Reads as many members as come in this order. Returns their number, at most @count. */
must_check_ size_t json_reader_expect_u64s(struct json_reader *reader,
                                           const struct json_expected *expected, size_t count,
                                           uint64_t *ret_values);

/* Reads a string of ASCII without escapes. @ret_text is borrowed until the next call that moves the reader, and has no
 * NUL behind it. */
must_check_ bool json_reader_expect_text(struct json_reader *reader,
                                         const struct json_expected *expected,
                                         const char **ret_text, size_t *ret_len);

/* Reads true or false. */
must_check_ bool json_reader_expect_bool(struct json_reader *reader,
                                         const struct json_expected *expected, bool *ret_value);

/* Moves behind a member of which every byte is known. It must be sound JSON: a key that json_expected_init() accepts,
 * and an array of integers. */
must_check_ bool json_reader_expect_member(struct json_reader *reader, const char *member,
                                           size_t len);
