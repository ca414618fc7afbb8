// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/text.h"

#include <string.h>

static size_t ascii_run(const char *bytes, size_t len)
{
	size_t run = 0;

	while (run < len && (unsigned char)bytes[run] < 0x80)
		run++;
	return run;
}

size_t text_decode(const char *bytes, size_t len, uint32_t *ret_code_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = len > 0 ? (unsigned char)bytes[0] : 0;
	size_t need = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	uint32_t code_point = need == 1 ? lead : lead & (0x7fu >> need);

	if (len < need || len == 0 || need == 0 || lead >= 0xf8)
		return 0;
	for (size_t i = 1; i < need; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if ((c & 0xc0) != 0x80)
			return 0;
		code_point = code_point << 6 | (c & 0x3f);
	}
	if (code_point < least[need] || code_point > 0x10ffff || code_point >> 11 == 0xd800 >> 11)
		return 0;
	*ret_code_point = code_point;
	return need;
}

bool text_is_utf8(const char *bytes, size_t len)
{
	uint32_t code_point;
	size_t pos = 0, step;

	while ((pos += ascii_run(bytes + pos, len - pos)) < len) {
		step = text_decode(bytes + pos, len - pos, &code_point);
		if (step == 0)
			return false;
		pos += step;
	}
	return true;
}

void text_add_replaced(struct strbuf *out, const char *bytes, size_t len)
{
	uint32_t code_point;

	for (size_t pos = 0, step; pos < len; pos += step) {
		step = text_decode(bytes + pos, len - pos, &code_point);
		if (step > 0) {
			strbuf_add(out, bytes + pos, step);
		} else {
			strbuf_add_str(out, "\xef\xbf\xbd");
			step = 1;
		}
	}
}

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

static bool changes_layout(uint32_t c)
{
	return c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       c == 0x2060 || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static bool is_noncharacter(uint32_t c)
{
	return (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

static void add_hex(struct strbuf *out, const char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];

		strbuf_add(out, (const char[]){'\\', 'x', digits[c >> 4], digits[c & 15]}, 4);
	}
}

bool text_is_harmless(uint32_t c)
{
	return !is_control(c) && !changes_layout(c) && !is_noncharacter(c);
}

void text_add_escaped(struct strbuf *out, const char *bytes, size_t len)
{
	uint32_t c;

	for (size_t pos = 0, step; pos < len; pos += step) {
		step = text_decode(bytes + pos, len - pos, &c);
		if (step == 0) {
			step = 1;
			add_hex(out, bytes + pos, step);
		} else if (!text_is_harmless(c)) {
			add_hex(out, bytes + pos, step);
		} else {
			if (c == '\\')
				strbuf_add_char(out, '\\');
			strbuf_add(out, bytes + pos, step);
		}
	}
}

void text_add_shell_word(struct strbuf *out, const char *word)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                               "0123456789_-+./,:=@%";

	if (word[0] != '\0' && word[strspn(word, harmless)] == '\0') {
		strbuf_add_str(out, word);
		return;
	}
	strbuf_add_char(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			strbuf_add_str(out, "'\\''");
		else
			strbuf_add_char(out, *word);
	strbuf_add_char(out, '\'');
}
