// SPDX-License-Identifier: GPL-2.0-or-later
#include "json-scan.h"

#include <errno.h>
#include <inttypes.h>

static bool is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_in_number(int c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Carries and borrows go to the bytes behind, so the first match is a true one. */
static const unsigned char *skip_digit_run(const unsigned char *p)
{
	for (;; p += JSON_SCAN_WORD) {
		uint64_t word = json_scan_word_at(p);
		uint64_t found = ((word - JSON_SCAN_EACH('0')) |
		                  (word + JSON_SCAN_EACH(0x7f - '9')) | word) &
		                 JSON_SCAN_EACH(0x80);

		if (found)
			return p + __builtin_ctzll(found) / 8;
	}
}

void json_scan_init(struct json_scan *scan, struct byte_source *source,
                    const struct json_limits *limits)
{
	scan->source = source;
	scan->limits = *limits;
	scan->cursor = scan->end = scan->buffer;
	strbuf_reserve(&scan->text, JSON_SCAN_SLACK_BYTES);
	strbuf_clear(&scan->text);
}

void json_scan_done(struct json_scan *scan)
{
	strbuf_done(&scan->text);
	strbuf_done(&scan->error);
}

/* Every later call fails in the same way, so that nobody sees half a token. */
static int set_failure(struct json_scan *scan, int failure, uint64_t offset)
{
	scan->failure = failure;
	scan->token_offset = offset;
	strbuf_clear(&scan->text);
	strbuf_clear(&scan->error);
	strbuf_addf(&scan->error, "byte %" PRIu64 ": ", offset);
	return failure;
}

int json_scan_fail_at(struct json_scan *scan, uint64_t offset, const char *what)
{
	set_failure(scan, -EBADMSG, offset);
	strbuf_add_str(&scan->error, what);
	return -EBADMSG;
}

int json_scan_fail_limit(struct json_scan *scan, const char *what, uint64_t limit)
{
	set_failure(scan, -EBADMSG, scan->token_offset);
	scan->over_limit = true;
	strbuf_addf(&scan->error, "%s (the limit is %" PRIu64 ")", what, limit);
	return -EBADMSG;
}

int json_scan_fail_expected(struct json_scan *scan, int c, const char *what)
{
	return c < 0 ? c : json_scan_fail_at(scan, json_scan_offset(scan), what);
}

/* Never reads beyond the limit, but for the one byte that shows whether the document ends there. */
int json_scan_refill(struct json_scan *scan)
{
	uint64_t room = scan->limits.total_bytes - scan->end_offset;
	size_t wanted = JSON_SCAN_BUFFER_BYTES, len = 0;
	int result;

	if (scan->ended)
		return JSON_SCAN_END;
	if (room < wanted)
		wanted = room > 0 ? (size_t)room : 1;
	result = scan->source->read(scan->source, scan->buffer, wanted, &len);
	if (result < 0) {
		set_failure(scan, result, scan->end_offset);
		strbuf_add_str(&scan->error, "the data cannot be read");
		return result;
	}
	if (len == 0) {
		scan->ended = true;
		return JSON_SCAN_END;
	}
	if (room == 0) {
		scan->token_offset = scan->end_offset;
		return json_scan_fail_limit(scan, "the document is too long",
		                            scan->limits.total_bytes);
	}
	scan->cursor = scan->buffer;
	scan->end = scan->buffer + len;
	scan->buffer[len] = '\0';
	scan->end_offset += len;
	return 0;
}

int json_scan_add(struct json_scan *scan, const void *bytes, size_t len)
{
	size_t limit = scan->limits.string_bytes;

	if (len > limit - scan->text.len)
		return json_scan_fail_limit(scan, "the string or number is too long", limit);
	strbuf_add(&scan->text, bytes, len);
	return 0;
}

int json_scan_peek_space(struct json_scan *scan)
{
	int c;

	do {
		while (is_space(*scan->cursor))
			scan->cursor++;
		c = json_scan_byte(scan);
	} while (is_space(c));
	if (c >= 0)
		json_scan_start_token(scan);
	return c;
}

static const char *skip_digits(const char *p)
{
	while (*p >= '0' && *p <= '9')
		p++;
	return p;
}

/* Returns the first character that breaks the grammar of numbers, or NULL. */
static const char *find_number_error(const char *p)
{
	const char *digits;

	p += *p == '-';
	digits = p;
	p = *p == '0' ? p + 1 : skip_digits(p);
	if (p == digits)
		return p;
	if (*p == '.') {
		digits = ++p;
		p = skip_digits(p);
		if (p == digits)
			return p;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '+' || *p == '-';
		digits = p;
		p = skip_digits(p);
		if (p == digits)
			return p;
	}
	return *p == '\0' ? NULL : p;
}

/* Reads a whole number without sign, as most are. Returns false, and reads nothing, if the cursor is not at one that
 * ends in this buffer. */
static bool read_plain_integer(struct json_scan *scan)
{
	const unsigned char *start = scan->cursor, *end = skip_digit_run(start);
	size_t len = (size_t)(end - start);

	if (len == 0 || (len > 1 && *start == '0') || end == scan->end || is_in_number(*end) ||
	    len > scan->limits.string_bytes)
		return false;
	scan->cursor = end;
	return json_scan_add_run(scan, start, len) == 0;
}

int json_scan_number(struct json_scan *scan)
{
	const char *text, *wrong;
	int c, result;

	if (read_plain_integer(scan))
		return 0;
	do {
		const unsigned char *start = scan->cursor;

		while (is_in_number(*scan->cursor))
			scan->cursor++;
		result = json_scan_add(scan, start, (size_t)(scan->cursor - start));
		if (result < 0)
			return result;
		c = json_scan_byte(scan);
		if (c < 0)
			return c;
	} while (is_in_number(c));

	text = strbuf_str(&scan->text);
	wrong = find_number_error(text);
	return wrong ? json_scan_fail_at(scan, scan->token_offset + (uint64_t)(wrong - text),
	                                 "not a number")
	             : 0;
}

int json_scan_literal(struct json_scan *scan, const char *literal)
{
	for (; *literal != '\0'; literal++) {
		int c = json_scan_byte(scan);

		if (c != *literal)
			return json_scan_fail_expected(scan, c, "a value was expected");
		scan->cursor++;
	}
	return 0;
}
