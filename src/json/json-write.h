/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-write - a direct writer of compact JSON into a buffer, for the rows of snapshots and for reports. It places the
 * commas; the caller opens, names and closes. jansson 2.14 cannot write them: its integers end at 2^63-1, it writes 0.1 as
 * 0.10000000000000001, and it leaves characters in a string that change what a terminal shows. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ctprof/base/strbuf.h"

struct json_writer {
	struct strbuf *out; /* borrowed */
	bool need_comma;
};

#define JSON_WRITER_INIT(out_) ((struct json_writer){.out = (out_)})

void json_write_open(struct json_writer *writer, char bracket);  /* '{' or '[' */
void json_write_close(struct json_writer *writer, char bracket); /* '}' or ']' */

/* A key of an object; @name needs no escaping (registry names). Its value must come next. */
void json_write_key(struct json_writer *writer, const char *name);

/* A key that may hold any valid UTF-8. */
void json_write_key_text(struct json_writer *writer, const char *bytes, size_t len);

/* Writes a string. @bytes must be valid UTF-8 (text_add_replaced makes it so); '"', '\' and every character that is not
 * text_is_harmless() are escaped, so that a terminal may show the JSON. */
void json_write_text(struct json_writer *writer, const char *bytes, size_t len);
void json_write_str(struct json_writer *writer, const char *text);

void json_write_u64(struct json_writer *writer, uint64_t value);
void json_write_i64(struct json_writer *writer, int64_t value);
void json_write_bool(struct json_writer *writer, bool value);
void json_write_null(struct json_writer *writer);

/* Writes the shortest decimal form that reads back as the same double, or null for infinities and NaN. */
void json_write_double(struct json_writer *writer, double value);

/* Writes a value that is JSON already. */
void json_write_raw(struct json_writer *writer, const char *json, size_t len);

/* These functions write members of which a snapshot has millions: the key is made once, and room for many members is
 * reserved at once. */
enum {
	JSON_MEMBER_KEY_BYTES = 64,
	JSON_NUMBER_BYTES = 20, /* of any integer of 64 bits */
	JSON_MEMBER_BYTES = JSON_MEMBER_KEY_BYTES + JSON_NUMBER_BYTES,
};
struct json_member_key {
	char text[JSON_MEMBER_KEY_BYTES]; /* a comma, the name in quotes, a colon */
	size_t len;
};

/* @name needs no escaping and has at most JSON_MEMBER_KEY_BYTES - 4 bytes. */
void json_member_key_init(struct json_member_key *key, const char *name);

/* Both write at @at, which has room for JSON_MEMBER_BYTES, and return the end of the written bytes. The member is not
 * the first one of its object. */
char *json_put_u64(char *at, uint64_t value);
static inline char *json_put_member_u64(char *at, const struct json_member_key *key, uint64_t value)
{
	memcpy(at, key->text, sizeof(key->text));
	return json_put_u64(at + key->len, value);
}

/* Write a member with a number or a string. It is not the first one of its object. */
void json_write_member_u64(struct json_writer *writer, const struct json_member_key *key,
                           uint64_t value);
void json_write_member_text(struct json_writer *writer, const struct json_member_key *key,
                            const char *bytes, size_t len);

/* Returns how many of the first bytes are ASCII that a string holds without escapes. */
size_t json_plain_run(const char *bytes, size_t len);
