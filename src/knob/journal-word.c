// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal-word.h"

#include <string.h>

#include "base/mem.h"
#include "base/scan.h"

void journal_word_add(struct strbuf *out, const char *bytes, size_t len)
{
	strbuf_add_char(out, ' ');
	if (len == 0)
		strbuf_add_str(out, "\\-");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c > ' ' && c < 0x7f && c != '\\')
			strbuf_add_char(out, (char)c);
		else
			strbuf_addf(out, "\\x%02x", c);
	}
}

static bool unescape(struct span word, char *out, size_t *ret_len)
{
	size_t len = 0;

	for (size_t i = 0; i < word.len; i++) {
		int high, low;

		if (word.text[i] != '\\') {
			out[len++] = word.text[i];
			continue;
		}
		if (word.len - i < 4 || word.text[i + 1] != 'x')
			return false;
		high = char_hex_digit(word.text[i + 2]);
		low = char_hex_digit(word.text[i + 3]);
		if (high < 0 || low < 0)
			return false;
		out[len++] = (char)(high << 4 | low);
		i += 3;
	}
	out[len] = '\0';
	*ret_len = len;
	return true;
}

char *journal_word_next(struct span *line, size_t *ret_len)
{
	cleanup_(mem_freep) char *bytes = NULL;
	struct span word;
	size_t len;

	if (!scan_word(line, &word))
		return NULL;
	if (span_is(word, "\\-"))
		word.len = 0;
	bytes = mem_calloc(word.len + 1, 1);
	if (!unescape(word, bytes, &len) || (!ret_len && memchr(bytes, '\0', len)))
		return NULL;
	if (ret_len)
		*ret_len = len;
	return take_ptr(bytes);
}
