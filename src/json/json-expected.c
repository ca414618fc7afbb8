// SPDX-License-Identifier: GPL-2.0-or-later
/* The short way of the JSON reader, for members that are expected. It sees only the bytes in the buffer: a member that
 * is cut off there goes the long way. */
#include <string.h>

#include "json-reader.h"

/* Digits that always fit 64 bits. */
enum { PLAIN_DIGITS = 19 };

void json_expected_init(struct json_expected *expected, const char *name)
{
	size_t len = strlen(name);

	*expected = (struct json_expected){.len = 0};
	if (len + 3 > sizeof(expected->text) - JSON_SCAN_WORD)
		return;
	expected->text[0] = '"';
	memcpy(expected->text + 1, name, len);
	memcpy(expected->text + 1 + len, "\":", 2);
	expected->len = len + 3;
}

/* Returns the start of the next member of the innermost container. Returns NULL if no member can start there, or if a
 * limit is near and has to be checked. */
static const unsigned char *member_start(const struct json_reader *reader)
{
	const unsigned char *cursor = reader->scan.cursor;

	if (reader->scan.failure || reader->scan.limits.string_bytes < JSON_EXPECTED_BYTES)
		return NULL;
	if (reader->expectation == EXPECT_FIRST_KEY)
		return cursor;
	/* An array has no keys. */
	return reader->expectation == EXPECT_COMMA && *cursor == ',' &&
	                       reader->closers.data[reader->closers.len - 1] == '}'
	               ? cursor + 1
	               : NULL;
}

/* The NUL behind the data ends each comparison within one word. */
static inline const unsigned char *skip_key(const unsigned char *p,
                                            const struct json_expected *expected)
{
	size_t at = 0;

	if (expected->len == 0)
		return NULL;
	for (; at + JSON_SCAN_WORD <= expected->len; at += JSON_SCAN_WORD)
		if (memcmp(p + at, expected->text + at, JSON_SCAN_WORD) != 0)
			return NULL;
	if (at < expected->len) {
		uint64_t differs = json_scan_word_at(p + at) ^
		                   json_scan_word_at((const unsigned char *)expected->text + at);

		if (differs << 8 * (JSON_SCAN_WORD - (expected->len - at)) != 0)
			return NULL;
	}
	return p + expected->len;
}

/* A value ends at a comma or at the end of the object. */
static bool is_end_of_value(const unsigned char *p)
{
	return *p == ',' || *p == '}';
}

static bool move(struct json_reader *reader, enum json_token token, const unsigned char *start,
                 const unsigned char *end)
{
	struct json_scan *scan = &reader->scan;

	scan->cursor = start;
	json_scan_start_token(scan);
	scan->cursor = end;
	json_scan_clear_text(scan);
	reader->token = token;
	reader->expectation = EXPECT_COMMA;
	return true;
}

/* Returns how many of the word's bytes are digits, from the first one on. */
static unsigned digits_of(uint64_t word)
{
	uint64_t found =
	        ((word - JSON_SCAN_EACH('0')) | (word + JSON_SCAN_EACH(0x7f - '9')) | word) &
	        JSON_SCAN_EACH(0x80);

	return found ? (unsigned)__builtin_ctzll(found) / 8 : JSON_SCAN_WORD;
}

/* Returns the number that the first @count bytes, all digits, stand for. Each step joins neighbours; three steps join
 * all eight. */
static uint64_t number_of(uint64_t word, unsigned count)
{
	if (count == 0)
		return 0;
	word = word << 8 * (JSON_SCAN_WORD - count) & JSON_SCAN_EACH(0x0f);
	word = word * (10 << 8 | 1) >> 8;
	word = (word & UINT64_C(0x00ff00ff00ff00ff)) * (100 << 16 | 1) >> 16;
	return (word & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) << 32 | 1) >> 32;
}

static const uint32_t powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                         100000, 1000000, 10000000, 100000000};

/* Returns the end of the digits, or NULL if they are no plain integer. */
static inline const unsigned char *read_digits(const unsigned char *p, uint64_t *ret_value)
{
	const unsigned char *start = p;
	uint64_t value = 0;
	unsigned count;

	do {
		uint64_t word = json_scan_word_at(p);

		count = digits_of(word);
		p += count;
		if (p - start > PLAIN_DIGITS)
			return NULL;
		value = value * powers_of_ten[count] + number_of(word, count);
	} while (count == JSON_SCAN_WORD);
	if (p == start || (*start == '0' && p - start > 1))
		return NULL;
	*ret_value = value;
	return p;
}

size_t json_reader_expect_u64s(struct json_reader *reader, const struct json_expected *expected,
                               size_t count, uint64_t *ret_values)
{
	const unsigned char *p = member_start(reader), *start = NULL, *end = NULL;
	size_t found = 0;

	while (found < count && p) {
		const unsigned char *value = skip_key(p, &expected[found]);

		p = value ? read_digits(value, &ret_values[found]) : NULL;
		if (!p || !is_end_of_value(p))
			break;
		start = value;
		end = p;
		found++;
		p = *end == ',' ? end + 1 : NULL;
	}
	if (found > 0)
		move(reader, JSON_TOKEN_NUMBER, start, end);
	return found;
}

bool json_reader_expect_u64(struct json_reader *reader, const struct json_expected *expected,
                            uint64_t *ret_value)
{
	return json_reader_expect_u64s(reader, expected, 1, ret_value) == 1;
}

bool json_reader_expect_text(struct json_reader *reader, const struct json_expected *expected,
                             const char **ret_text, size_t *ret_len)
{
	const unsigned char *p = member_start(reader), *end;

	p = p ? skip_key(p, expected) : NULL;
	if (!p || *p != '"')
		return false;
	end = json_scan_skip_plain(p + 1);
	if (*end != '"' || !is_end_of_value(end + 1) ||
	    (size_t)(end - p - 1) > reader->scan.limits.string_bytes)
		return false;
	*ret_text = (const char *)p + 1;
	*ret_len = (size_t)(end - p - 1);
	return move(reader, JSON_TOKEN_STRING, p, end + 1);
}

bool json_reader_expect_bool(struct json_reader *reader, const struct json_expected *expected,
                             bool *ret_value)
{
	const unsigned char *p = member_start(reader), *end;

	p = p ? skip_key(p, expected) : NULL;
	if (!p)
		return false;
	*ret_value = *p == 't';
	end = p + (*ret_value ? strlen("true") : strlen("false"));
	if (end >= reader->scan.end ||
	    memcmp(p, *ret_value ? "true" : "false", (size_t)(end - p)) != 0)
		return false;
	return is_end_of_value(end) &&
	       move(reader, *ret_value ? JSON_TOKEN_TRUE : JSON_TOKEN_FALSE, p, end);
}

bool json_reader_expect_member(struct json_reader *reader, const char *member, size_t len)
{
	const unsigned char *p = member_start(reader);

	if (!p || len == 0 || len >= (size_t)(reader->scan.end - p) || memcmp(p, member, len) != 0)
		return false;
	/* The member closes what it opens, and needs one level of depth more. */
	return reader->closers.len < reader->scan.limits.depth && is_end_of_value(p + len) &&
	       move(reader, JSON_TOKEN_ARRAY_CLOSE, p, p + len);
}
