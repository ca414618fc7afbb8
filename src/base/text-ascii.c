// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"

/* The signs of tables and of the lines around them, and what stands for each in one column. */
static const struct {
	const char *sign;
	char ascii;
} signs[] = {
        {"→", '>'}, {"…", '~'}, {"µ", 'u'}, {"†", '!'}, {"‡", '^'}, {"¶", '#'},
        {"‖", '?'}, {"¤", '@'}, {"§", '&'}, {"±", '~'}, {"×", 'x'},
};

static size_t add_sign(struct strbuf *out, const char *bytes, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		size_t sign_len = strlen(signs[i].sign);

		if (len >= sign_len && memcmp(bytes, signs[i].sign, sign_len) == 0) {
			strbuf_add_char(out, signs[i].ascii);
			return sign_len;
		}
	}
	strbuf_addf(out, "\\x%02x", (unsigned char)bytes[0]);
	return 1;
}

void text_add_ascii(struct strbuf *out, const char *bytes, size_t len)
{
	size_t pos = 0;

	while (pos < len)
		if ((unsigned char)bytes[pos] < 0x80)
			strbuf_add_char(out, bytes[pos++]);
		else
			pos += add_sign(out, bytes + pos, len - pos);
}

void text_make_ascii(struct strbuf *text)
{
	struct strbuf ascii = STRBUF_INIT;

	text_add_ascii(&ascii, strbuf_str(text), text->len);
	strbuf_done(text);
	*text = ascii;
}
