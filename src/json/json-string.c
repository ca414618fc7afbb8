// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings of json-scan. */
#include <string.h>

#include "base/text.h"
#include "json-scan.h"

/* Borrows go to the bytes behind, so the first match is a true one. */
const unsigned char *json_scan_skip_plain(const unsigned char *p)
{
	for (;; p += JSON_SCAN_WORD) {
		uint64_t word = json_scan_word_at(p);
		uint64_t quote = word ^ JSON_SCAN_EACH('"'),
		         backslash = word ^ JSON_SCAN_EACH('\\');
		uint64_t found = ((quote - JSON_SCAN_EACH(1)) & ~quote) |
		                 ((backslash - JSON_SCAN_EACH(1)) & ~backslash) |
		                 ((word - JSON_SCAN_EACH(0x20)) & ~word) | word;

		found &= JSON_SCAN_EACH(0x80);
		if (found)
			return p + __builtin_ctzll(found) / 8;
	}
}

/* Returns the value of the four hexadecimal digits of an escape that started at @offset, or -errno. */
static int read_hex4(struct json_scan *scan, uint64_t offset)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		int c = json_scan_byte(scan);

		if (c < 0)
			return c;
		if (c >= '0' && c <= '9')
			c -= '0';
		else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
			c = (c | 0x20) - 'a' + 10;
		else
			return json_scan_fail_at(scan, offset, "\\u needs four hexadecimal digits");
		value = value * 16 + c;
		scan->cursor++;
	}
	return value;
}

static int add_code_point(struct json_scan *scan, unsigned code_point)
{
	char bytes[4];
	size_t len = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = len - 1; i > 0; i--, code_point >>= 6)
		bytes[i] = (char)(0x80 | (code_point & 0x3f));
	bytes[0] = (char)(lead[len] | code_point);
	return json_scan_add(scan, bytes, len);
}

/* Returns the second half of a surrogate pair, as a number from 0 to 0x3ff, or -errno. */
static int read_low_surrogate(struct json_scan *scan, uint64_t offset)
{
	int c;

	for (const char *expected = "\\u"; *expected != '\0'; expected++) {
		c = json_scan_byte(scan);
		if (c < 0)
			return c;
		if (c != *expected)
			return json_scan_fail_at(scan, offset, "a lone surrogate");
		scan->cursor++;
	}
	c = read_hex4(scan, offset);
	if (c < 0)
		return c;
	return c >> 10 == 0xdc00 >> 10 ? c & 0x3ff
	                               : json_scan_fail_at(scan, offset, "a lone surrogate");
}

static int read_unicode_escape(struct json_scan *scan, uint64_t offset)
{
	int value = read_hex4(scan, offset);
	int low;

	if (value < 0)
		return value;
	if (value == 0)
		return json_scan_fail_at(scan, offset, "\\u0000 is not supported");
	if (value >> 10 == 0xdc00 >> 10)
		return json_scan_fail_at(scan, offset, "a lone surrogate");
	if (value >> 10 == 0xd800 >> 10) {
		low = read_low_surrogate(scan, offset);
		if (low < 0)
			return low;
		value = 0x10000 + ((value & 0x3ff) << 10) + low;
	}
	return add_code_point(scan, (unsigned)value);
}

static int read_escape(struct json_scan *scan)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	uint64_t offset = json_scan_offset(scan);
	const char *name;
	int c;

	scan->cursor++;
	c = json_scan_byte(scan);
	if (c < 0)
		return c;
	name = c == JSON_SCAN_END ? NULL : memchr(names, c, sizeof(names) - 1);
	if (!name && c != 'u')
		return json_scan_fail_at(scan, offset, "no such escape");
	scan->cursor++;
	return name ? json_scan_add(scan, &values[name - names], 1)
	            : read_unicode_escape(scan, offset);
}

/* Reads one character that the run before it stopped at: it is ill-formed, or not whole in the buffer. */
static int read_split_character(struct json_scan *scan)
{
	uint64_t offset = json_scan_offset(scan);
	char bytes[4];
	uint32_t code_point;

	for (size_t len = 0; len < sizeof(bytes);) {
		int c = json_scan_byte(scan);

		if (c < 0)
			return c;
		if (c == JSON_SCAN_END || (c & 0xc0) != (len == 0 ? 0xc0 : 0x80))
			break;
		bytes[len++] = (char)c;
		scan->cursor++;
		if (text_decode(bytes, len, &code_point) == len)
			return json_scan_add(scan, bytes, len);
	}
	return json_scan_fail_at(scan, offset, "ill-formed UTF-8");
}

static int add_string_run(struct json_scan *scan)
{
	const unsigned char *start = scan->cursor, *cursor = json_scan_skip_plain(start);
	uint32_t code_point;
	size_t len;

	while (*cursor >= 0x80) {
		len = text_decode((const char *)cursor, (size_t)(scan->end - cursor), &code_point);
		if (len == 0)
			break;
		cursor = json_scan_skip_plain(cursor + len);
	}
	scan->cursor = cursor;
	return json_scan_add_run(scan, start, (size_t)(cursor - start));
}

int json_scan_string(struct json_scan *scan)
{
	int c, result;

	scan->cursor++;
	for (;;) {
		result = add_string_run(scan);
		if (result < 0)
			return result;
		c = json_scan_byte(scan);
		if (c == '"')
			break;
		if (c == '\\')
			result = read_escape(scan);
		else if (c >= 0x80 && c < JSON_SCAN_END)
			result = read_split_character(scan);
		else if (c < 0x20 || c == JSON_SCAN_END)
			return json_scan_fail_expected(
			        scan, c,
			        c < 0x20 ? "a control character inside a string"
			                 : "the data ends inside a string");
		if (result < 0)
			return result;
	}
	scan->cursor++;
	return 0;
}
