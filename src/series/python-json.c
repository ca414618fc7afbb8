// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/python-json.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

/* Returns the length of a word that Python has for a number that JSON does not have, or 0. */
static size_t constant_len(const char *text, size_t len)
{
	static const char *const words[] = {"NaN", "Infinity", "-Infinity"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (len >= strlen(words[i]) && memcmp(text, words[i], strlen(words[i])) == 0)
			return strlen(words[i]);
	return 0;
}

/* Appends the text with null in the place of those words, but for those in strings. */
static void add_standard(struct strbuf *out, const char *text, size_t len)
{
	bool in_string = false;
	size_t word;

	for (size_t i = 0; i < len; i++) {
		if (in_string && text[i] == '\\' && i + 1 < len) {
			strbuf_add_char(out, text[i++]);
		} else if (text[i] == '"') {
			in_string = !in_string;
		} else if (!in_string && (word = constant_len(text + i, len - i)) > 0) {
			strbuf_add_str(out, "null");
			i += word - 1;
			continue;
		}
		strbuf_add_char(out, text[i]);
	}
}

static bool has_constant(const char *text, size_t len)
{
	return memmem(text, len, "NaN", 3) || memmem(text, len, "Infinity", 8);
}

static json_t *load(const char *text, size_t len, json_error_t *error)
{
	json_t *json = json_loadb(text, len, JSON_DECODE_ANY, error);

	if (!json && json_error_code(error) == json_error_numeric_overflow)
		json = json_loadb(text, len, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, error);
	return json;
}

static const char *reason_of(const json_error_t *error)
{
	switch (json_error_code(error)) {
	case json_error_premature_end_of_input:
		return "the text ends too early";
	case json_error_invalid_utf8:
		return "a string is no UTF-8";
	case json_error_numeric_overflow:
		return "a number is too large";
	case json_error_end_of_input_expected:
		return "something follows the value";
	case json_error_null_character:
	case json_error_null_byte_in_key:
		return "a string holds a NUL";
	default:
		return "this is no JSON";
	}
}

json_t *python_json_parse(const char *text, size_t len, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf standard = STRBUF_INIT;
	json_error_t error;
	json_t *json = load(text, len, &error);

	if (!json && has_constant(text, len)) {
		add_standard(&standard, text, len);
		json = load(strbuf_str(&standard), standard.len, &error);
	}
	if (!json)
		strbuf_add_str(reterr, reason_of(&error));
	return json;
}

void python_json_freep(json_t **json)
{
	json_decref(*json);
}
