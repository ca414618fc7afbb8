// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <string.h>

/* More marks on one letter than any script has; a pile of them would cover the lines above and below. */
enum { MARKS_MAX = 8 };

static size_t ascii_run(const char *bytes, size_t len)
{
	size_t run = 0;

	while (run < len && (unsigned char)bytes[run] < 0x80)
		run++;
	return run;
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

/* Returns whether a character is invisible, or moves or joins others. Unicode 15.0: Default_Ignorable_Code_Point (soft
 * hyphen, joiners, Hangul fillers, variation selectors, bidirectional controls, tags, and those reserved for more of
 * them), the other format controls of category Cf but the visible ones (Prepended_Concatenation_Mark), separators of
 * lines and paragraphs, and two signs that are blank: U+2800 and U+1D159. */
static bool is_invisible(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	        {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x061c, 0x061c},   {0x115f, 0x1160},
	        {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
	        {0x2060, 0x206f},   {0x2800, 0x2800},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},
	        {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x13430, 0x1343f},
	        {0x1bca0, 0x1bca3}, {0x1d159, 0x1d159}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges) && c >= ranges[i].first; i++)
		if (c <= ranges[i].last)
			return true;
	return false;
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
	return !is_control(c) && !is_invisible(c) && !is_noncharacter(c);
}

/* Returns whether a character goes into the cell of the one before it. */
static bool is_mark(const char *bytes, size_t len)
{
	return (unsigned char)bytes[0] >= 0x80 && text_width(bytes, len) == 0;
}

void text_add_escaped(struct strbuf *out, const char *bytes, size_t len)
{
	unsigned marks =
	        MARKS_MAX; /* in the cell so far; before the first character no mark is allowed */
	uint32_t c;

	for (size_t pos = 0, step; pos < len; pos += step) {
		bool harmless, mark;

		step = text_decode(bytes + pos, len - pos, &c);
		harmless = step > 0 && text_is_harmless(c);
		step = step > 0 ? step : 1;
		mark = harmless && is_mark(bytes + pos, step);
		if (!harmless || (mark && marks >= MARKS_MAX)) {
			add_hex(out, bytes + pos, step);
			marks = MARKS_MAX;
			continue;
		}
		if (c == '\\')
			strbuf_add_char(out, '\\');
		strbuf_add(out, bytes + pos, step);
		marks = mark ? marks + 1 : 0;
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

void text_add_shell_word_escaped(struct strbuf *out, const char *word)
{
	cleanup_(strbuf_done) struct strbuf escaped = STRBUF_INIT;

	text_add_escaped(&escaped, word, strlen(word));
	if (strcmp(strbuf_str(&escaped), word) == 0) {
		text_add_shell_word(out, word);
		return;
	}
	strbuf_add_str(out, "$'");
	for (const char *at = strbuf_str(&escaped); *at; at++) {
		if (*at == '\'')
			strbuf_add_char(out, '\\');
		strbuf_add_char(out, *at);
	}
	strbuf_add_char(out, '\'');
}
