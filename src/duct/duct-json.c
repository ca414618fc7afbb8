// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-json.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "json/json-write.h"

static void begin_value(struct duct_json *json)
{
	if (json->need_comma)
		strbuf_add_str(json->out, ", ");
	json->need_comma = true;
}

void duct_json_open(struct duct_json *json, char bracket)
{
	begin_value(json);
	strbuf_add_char(json->out, bracket);
	json->need_comma = false;
}

void duct_json_close(struct duct_json *json, char bracket)
{
	strbuf_add_char(json->out, bracket);
	json->need_comma = true;
}

static void add_code(uint32_t code, struct strbuf *out)
{
	enum {
		FIRST_BEYOND = 0x10000,
		HIGH = 0xd800,
		LOW = 0xdc00,
		LOW_BITS = 10,
		LOW_MASK = 0x3ff
	};

	if (code >= FIRST_BEYOND) {
		code -= FIRST_BEYOND;
		strbuf_addf(out, "\\u%04" PRIx32, HIGH + (code >> LOW_BITS));
		code = LOW + (code & LOW_MASK);
	}
	strbuf_addf(out, "\\u%04" PRIx32, code);
}

static void add_char(uint32_t code, struct strbuf *out)
{
	switch (code) {
	case '"':
	case '\\':
		strbuf_add_char(out, '\\');
		strbuf_add_char(out, (char)code);
		break;
	case '\n':
		strbuf_add_str(out, "\\n");
		break;
	case '\t':
		strbuf_add_str(out, "\\t");
		break;
	default:
		if (code >= ' ' && code <= '~')
			strbuf_add_char(out, (char)code);
		else
			add_code(code, out);
	}
}

static void add_quoted(const char *text, struct strbuf *out)
{
	enum { REPLACEMENT = 0xfffd };
	size_t left = strlen(text);

	strbuf_add_char(out, '"');
	while (left > 0) {
		uint32_t code;
		size_t len = text_decode(text, left, &code);

		if (len == 0) {
			len = 1;
			code = REPLACEMENT;
		}
		add_char(code, out);
		text += len;
		left -= len;
	}
	strbuf_add_char(out, '"');
}

void duct_json_key(struct duct_json *json, const char *name)
{
	begin_value(json);
	add_quoted(name, json->out);
	strbuf_add_str(json->out, ": ");
	json->need_comma = false;
}

void duct_json_text(struct duct_json *json, const char *text)
{
	begin_value(json);
	add_quoted(text, json->out);
}

void duct_json_int(struct duct_json *json, int64_t value)
{
	begin_value(json);
	strbuf_addf(json->out, "%" PRId64, value);
}

void duct_json_real(struct duct_json *json, double value)
{
	size_t begin;

	begin_value(json);
	begin = json->out->len;
	json_write_double(&(struct json_writer){.out = json->out}, value);
	if (!strpbrk(json->out->data + begin, ".en"))
		strbuf_add_str(json->out, ".0");
}

void duct_json_null(struct duct_json *json)
{
	begin_value(json);
	strbuf_add_str(json->out, "null");
}

void duct_json_raw(struct duct_json *json, const char *value)
{
	begin_value(json);
	strbuf_add_str(json->out, value);
}
