/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-scan - the lower half of the JSON reader: the buffer, white space and single tokens (strings are in
 * json-string.c). json-read.c, its only user, has the order of tokens. */
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"
#include "json/json-read.h"

enum {
	JSON_SCAN_BUFFER_BYTES = 64 * 1024,
	JSON_SCAN_SLACK_BYTES = 32, /* behind the data, so that whole words can be read */
	JSON_SCAN_WORD = sizeof(uint64_t),
	JSON_SCAN_END = 256, /* in place of a byte: the end of the document */
};

#define JSON_SCAN_EACH(byte_) (UINT64_C(0x0101010101010101) * (byte_))

struct json_scan {
	struct byte_source *source; /* borrowed */
	struct json_limits limits;
	const unsigned char *cursor; /* the next byte */
	const unsigned char *end;    /* a NUL stands here, so that no run goes past it */
	uint64_t end_offset;         /* the place of @end in the document */
	uint64_t token_offset;
	struct strbuf text; /* of the current token; has memory from the start */
	struct strbuf error;
	bool over_limit; /* the failure is about a limit, not about the text */
	int failure;     /* 0, or what every call returns from now on */
	bool ended;      /* the source has ended and is not read again */
	unsigned char buffer[JSON_SCAN_BUFFER_BYTES + 1 + JSON_SCAN_SLACK_BYTES];
};

void json_scan_init(struct json_scan *scan, struct byte_source *source,
                    const struct json_limits *limits);
void json_scan_done(struct json_scan *scan);

/* Each records the reason of the refusal and returns -EBADMSG: at @offset, at the current token, or at the cursor. @c
 * is the byte that was found there, or JSON_SCAN_END; or an error, which was recorded when it arose and is returned
 * unchanged. */
int json_scan_fail_at(struct json_scan *scan, uint64_t offset, const char *what);
int json_scan_fail_limit(struct json_scan *scan, const char *what, uint64_t limit);
int json_scan_fail_expected(struct json_scan *scan, int c, const char *what);

/* Fills the buffer, whose bytes were all used. Returns 0, JSON_SCAN_END or -errno. */
int json_scan_refill(struct json_scan *scan);

/* Appends to the text of the token. Returns 0 or -errno. */
must_check_ int json_scan_add(struct json_scan *scan, const void *bytes, size_t len);

/* Returns the first byte from @p on that is no plain ASCII of a string: a quote, a backslash, a control character such
 * as the NUL behind the data, or a byte of a longer character. */
const unsigned char *json_scan_skip_plain(const unsigned char *p);

/* Returns where the cursor is in the document. */
static inline uint64_t json_scan_offset(const struct json_scan *scan)
{
	return scan->end_offset - (uint64_t)(scan->end - scan->cursor);
}

static inline void json_scan_start_token(struct json_scan *scan)
{
	scan->token_offset = json_scan_offset(scan);
}

static inline void json_scan_clear_text(struct json_scan *scan)
{
	scan->text.len = 0;
	scan->text.data[0] = '\0';
}

/* Returns the byte at the cursor, JSON_SCAN_END, or -errno. */
static inline int json_scan_byte(struct json_scan *scan)
{
	if (scan->cursor == scan->end) {
		int result = json_scan_refill(scan);

		if (result != 0)
			return result;
	}
	return *scan->cursor;
}

/* Returns eight bytes, the first one lowest. They may go past the data, into the slack. */
static inline uint64_t json_scan_word_at(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* Does as json_scan_add() for bytes of the buffer; more than @len of them may be copied. */
static inline int json_scan_add_run(struct json_scan *scan, const unsigned char *start, size_t len)
{
	struct strbuf *text = &scan->text;

	if (len > JSON_SCAN_SLACK_BYTES || len > scan->limits.string_bytes - text->len ||
	    text->capacity - text->len <= JSON_SCAN_SLACK_BYTES)
		return json_scan_add(scan, start, len);
	memcpy(text->data + text->len, start, JSON_SCAN_SLACK_BYTES);
	text->len += len;
	text->data[text->len] = '\0';
	return 0;
}

/* Does the part of json_scan_peek() for white space and the end of the buffer. */
int json_scan_peek_space(struct json_scan *scan);

/* Skips white space. Returns the byte behind it, which stays unread and starts the current token; JSON_SCAN_END; or
 * -errno. */
static inline int json_scan_peek(struct json_scan *scan)
{
	if (*scan->cursor <= ' ')
		return json_scan_peek_space(scan);
	json_scan_start_token(scan);
	return *scan->cursor;
}

/* Consumes the byte at the cursor, then does as json_scan_peek(). */
static inline int json_scan_peek_next(struct json_scan *scan)
{
	scan->cursor++;
	return json_scan_peek(scan);
}

/* Each reads the token at the cursor, the first two into text. Returns 0 or -errno. */
must_check_ int json_scan_string(struct json_scan *scan);
must_check_ int json_scan_number(struct json_scan *scan);
must_check_ int json_scan_literal(struct json_scan *scan, const char *literal);
