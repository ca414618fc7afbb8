// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/json-write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/text.h"

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

static void add_quoted(struct strbuf *out, const char *bytes, size_t len)
{
	size_t start = 0;

	strbuf_add_char(out, '"');
	for (size_t i = 0; i < len; i++) {
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

/* Millions of these are written, and printf would take most of the time. */
static void add_digits(struct strbuf *out, uint64_t value)
{
	char digits[20];
	size_t start = sizeof(digits);

	do {
		digits[--start] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	strbuf_add(out, digits + start, sizeof(digits) - start);
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

/* Text of 15 digits survives the way to a double and back, and %g drops trailing zeros: where %.15g
 * reads back, nothing shorter does. Only subnormal numbers hold fewer digits. 17 digits always read
 * back. printf and strtod use '.' since the program never sets LC_NUMERIC. */
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
