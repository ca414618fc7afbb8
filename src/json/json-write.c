// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/json-write.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void start_value(struct json_writer *writer)
{
	if (writer->need_comma)
		strbuf_add_char(writer->out, ',');
	writer->need_comma = true;
}

void json_write_open(struct json_writer *writer, char bracket)
{
	start_value(writer);
	strbuf_add_char(writer->out, bracket);
	writer->need_comma = false;
}

void json_write_close(struct json_writer *writer, char bracket)
{
	strbuf_add_char(writer->out, bracket);
	writer->need_comma = true;
}

static void add_escape(struct strbuf *out, uint32_t c)
{
	static const char names[] = "\"\\bfnrt", values[] = "\"\\\b\f\n\r\t";
	const char *value = c < 0x80 ? memchr(values, (int)c, sizeof(values) - 1) : NULL;

	if (value)
		strbuf_add(out, (const char[]){'\\', names[value - values]}, 2);
	else if (c < 0x10000)
		strbuf_addf(out, "\\u%04x", c);
	else
		strbuf_addf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
		            0xdc00 + (c & 0x3ff));
}

/* Checks eight bytes at a time. The highest bit of each byte of the result is set if the byte is not plain; it may also
 * be set in bytes behind such a one. */
static uint64_t find_unplain(const char *bytes)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t word, quote, backslash;

	memcpy(&word, bytes, sizeof(word));
	word = le64toh(word);
	quote = word ^ each * '"';
	backslash = word ^ each * '\\';
	return (((quote - each) & ~quote) | ((backslash - each) & ~backslash) |
	        ((word - each * 0x20) & ~word) | (word + each) | word) &
	       each * 0x80;
}

size_t json_plain_run(const char *bytes, size_t len)
{
	size_t i = 0;

	for (; len - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		uint64_t found = find_unplain(bytes + i);

		if (found)
			return i + (size_t)__builtin_ctzll(found) / 8;
	}
	while (i < len && bytes[i] >= 0x20 && bytes[i] < 0x7f && bytes[i] != '"' &&
	       bytes[i] != '\\')
		i++;
	return i;
}

static void add_quoted(struct strbuf *out, const char *bytes, size_t len)
{
	size_t start = 0;

	strbuf_add_char(out, '"');
	for (size_t i = json_plain_run(bytes, len); i < len; i++) {
		uint32_t c = (unsigned char)bytes[i];
		size_t step = 1;

		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\')
			continue;
		if (c >= 0x80)
			step = text_decode(bytes + i, len - i, &c);
		if (c >= 0x80 && (step == 0 || text_is_harmless(c)))
			continue;
		strbuf_add(out, bytes + start, i - start);
		add_escape(out, c);
		start = i + step;
		i += step - 1;
	}
	strbuf_add(out, bytes + start, len - start);
	strbuf_add_char(out, '"');
}

void json_write_text(struct json_writer *writer, const char *bytes, size_t len)
{
	start_value(writer);
	add_quoted(writer->out, bytes, len);
}

void json_write_str(struct json_writer *writer, const char *text)
{
	json_write_text(writer, text, strlen(text));
}

void json_write_key_text(struct json_writer *writer, const char *bytes, size_t len)
{
	json_write_text(writer, bytes, len);
	strbuf_add_char(writer->out, ':');
	writer->need_comma = false;
}

void json_write_key(struct json_writer *writer, const char *name)
{
	start_value(writer);
	strbuf_add_char(writer->out, '"');
	strbuf_add_str(writer->out, name);
	strbuf_add(writer->out, "\":", 2);
	writer->need_comma = false;
}

void json_write_raw(struct json_writer *writer, const char *json, size_t len)
{
	start_value(writer);
	strbuf_add(writer->out, json, len);
}

/* Snapshots have millions of numbers, and printf would use most of the time. */
static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

static unsigned count_digits(uint64_t value)
{
	unsigned digits = 1;

	for (; value >= 10000; value /= 10000)
		digits += 4;
	return digits + (value >= 10) + (value >= 100) + (value >= 1000);
}

char *json_put_u64(char *at, uint64_t value)
{
	char *end, *p;

	if (value < 10) {
		*at = (char)('0' + value);
		return at + 1;
	}
	p = end = at + count_digits(value);
	for (; value >= 100; value /= 100)
		memcpy(p -= 2, &digit_pairs[value % 100 * 2], 2);
	if (value >= 10)
		memcpy(p - 2, &digit_pairs[value * 2], 2);
	else
		p[-1] = (char)('0' + value);
	return end;
}

static void add_digits(struct strbuf *out, uint64_t value)
{
	char *at = strbuf_reserve(out, JSON_NUMBER_BYTES), *end = json_put_u64(at, value);

	out->len += (size_t)(end - at);
	*end = '\0';
}

void json_write_u64(struct json_writer *writer, uint64_t value)
{
	start_value(writer);
	add_digits(writer->out, value);
}

void json_write_i64(struct json_writer *writer, int64_t value)
{
	start_value(writer);
	if (value < 0)
		strbuf_add_char(writer->out, '-');
	add_digits(writer->out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void json_write_bool(struct json_writer *writer, bool value)
{
	if (value)
		json_write_raw(writer, "true", 4);
	else
		json_write_raw(writer, "false", 5);
}

void json_write_null(struct json_writer *writer)
{
	json_write_raw(writer, "null", 4);
}

/* Text of 15 digits survives the way to a double and back, and %g drops trailing zeros: if %.15g reads back, nothing
 * shorter does. Only subnormal numbers hold fewer digits. 17 digits always read back. printf and strtod use '.' since
 * the program never sets LC_NUMERIC. */
void json_write_double(struct json_writer *writer, double value)
{
	int digits = fpclassify(value) == FP_SUBNORMAL ? 1 : 15;
	char text[32];

	if (!isfinite(value)) {
		json_write_null(writer);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*g", digits, value);
	while (strtod(text, NULL) != value && ++digits <= 17);

	json_write_raw(writer, text, strlen(text));
	if (!strpbrk(text, ".e"))
		strbuf_add(writer->out, ".0", 2);
}

void json_member_key_init(struct json_member_key *key, const char *name)
{
	size_t len = strlen(name);

	*key = (struct json_member_key){.len = len + 4};
	memcpy(key->text, ",\"", 2);
	memcpy(key->text + 2, name, len);
	memcpy(key->text + 2 + len, "\":", 2);
}

void json_write_member_u64(struct json_writer *writer, const struct json_member_key *key,
                           uint64_t value)
{
	char *at = strbuf_reserve(writer->out, JSON_MEMBER_BYTES);
	char *end = json_put_member_u64(at, key, value);

	writer->out->len += (size_t)(end - at);
	*end = '\0';
}

void json_write_member_text(struct json_writer *writer, const struct json_member_key *key,
                            const char *bytes, size_t len)
{
	strbuf_add(writer->out, key->text, key->len);
	add_quoted(writer->out, bytes, len);
}
