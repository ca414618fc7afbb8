// SPDX-License-Identifier: GPL-2.0-or-later
#include "run-yaml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { ESCAPE_BYTES = 6 }; /* of \uXXXX */

static bool is_surrogate(uint32_t unit, uint32_t first)
{
	return unit >= first && unit < first + 0x400;
}

/* Returns the number of an escape such as \ud83c; 0 for any other one. */
static uint32_t unit_at(const char *json, size_t len)
{
	char digits[5] = "";

	if (len < ESCAPE_BYTES || json[0] != '\\' || json[1] != 'u')
		return 0;
	memcpy(digits, json + 2, 4);
	return (uint32_t)strtoul(digits, NULL, 16);
}

/* Appends an escape. Returns its bytes in @json. One half of a pair alone is no character. */
static size_t add_escape(struct strbuf *out, const char *json, size_t len)
{
	uint32_t first = unit_at(json, len), second;

	if (is_surrogate(first, 0xd800)) {
		second = unit_at(json + ESCAPE_BYTES, len - ESCAPE_BYTES);
		if (is_surrogate(second, 0xdc00)) {
			strbuf_addf(out, "\\U%08x",
			            0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
			return 2 * (size_t)ESCAPE_BYTES;
		}
	}
	if (is_surrogate(first, 0xd800) || is_surrogate(first, 0xdc00)) {
		strbuf_add_str(out, "\\ufffd");
		return ESCAPE_BYTES;
	}
	strbuf_add(out, json, first > 0 ? (size_t)ESCAPE_BYTES : 2);
	return first > 0 ? (size_t)ESCAPE_BYTES : 2;
}

static size_t add_character(struct strbuf *out, const char *json, size_t len)
{
	uint32_t c = (unsigned char)json[0];
	size_t step = c < 0x80 ? 1 : text_decode(json, len, &c);

	if (step == 0) {
		strbuf_add_str(out, "\\ufffd");
		return 1;
	}
	if (c == 0x7f || (c >= 0x80 && !text_is_harmless(c)))
		strbuf_addf(out, "\\U%08x", c);
	else
		strbuf_add(out, json, step);
	return step;
}

/* Appends a string in quotes. Returns its bytes. */
static size_t add_string(struct strbuf *out, const char *json, size_t len)
{
	size_t i = 1;

	strbuf_add_char(out, '"');
	while (i < len && json[i] != '"')
		i += json[i] == '\\' && i + 1 < len ? add_escape(out, json + i, len - i)
		                                    : add_character(out, json + i, len - i);
	strbuf_add_char(out, '"');
	return i + 1 < len ? i + 1 : len;
}

/* YAML 1.1 takes a number with an exponent for a text, unless it has a point and a sign: 1.0e-07. */
static size_t add_number(struct strbuf *out, const char *json, size_t len)
{
	size_t digits = strspn(json, "+-.0123456789"), whole = strspn(json, "+-.0123456789eE");

	if (whole > len || digits >= whole) {
		strbuf_add(out, json, digits < len ? digits : len);
		return digits < len ? digits : len;
	}
	strbuf_add(out, json, digits);
	if (!memchr(json, '.', digits))
		strbuf_add_str(out, ".0");
	strbuf_add_char(out, 'e');
	if (json[digits + 1] != '-' && json[digits + 1] != '+')
		strbuf_add_char(out, '+');
	strbuf_add(out, json + digits + 1, whole - digits - 1);
	return whole;
}

void yaml_add_json(struct strbuf *out, const char *json, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (json[i] == '"') {
			i += add_string(out, json + i, len - i);
		} else if (strchr("-0123456789", json[i])) {
			i += add_number(out, json + i, len - i);
		} else {
			strbuf_add_char(out, json[i++]);
		}
	}
}
