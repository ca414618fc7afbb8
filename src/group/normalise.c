// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/normalise.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"

static bool is_unicode_space(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

/* Returns the length of the separator at the start of the text, 0 if there is none. */
static size_t separator_len(const char *text, size_t len)
{
	uint32_t code_point;
	size_t char_len;

	if (text[0] != '\0' && strchr(".-_/:@+[]#~", text[0]))
		return 1;
	char_len = text_decode(text, len, &code_point);
	return char_len > 0 && is_unicode_space(code_point) ? char_len : 0;
}

static size_t run_of(bool (*is)(char), const char *text, size_t len)
{
	size_t run = 0;

	while (run < len && is(text[run]))
		run++;
	return run;
}

static bool has_digit(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (char_is_digit(text[i]))
			return true;
	return false;
}

static void add_token(const char *token, size_t len, struct strbuf *out)
{
	size_t digits = run_of(char_is_digit, token, len);
	size_t letters = run_of(char_is_letter, token, len);

	if (digits == len) {
		strbuf_add_str(out, "{N}");
	} else if (len >= 2 && run_of(char_is_hex, token, len) == len && has_digit(token, len)) {
		strbuf_add_str(out, "{H}");
	} else if (letters > 0 && letters < len &&
	           letters + run_of(char_is_digit, token + letters, len - letters) == len) {
		strbuf_add(out, token, letters);
		strbuf_add_str(out, "{N}");
	} else if (digits > 0 &&
	           digits + run_of(char_is_letter, token + digits, len - digits) == len) {
		strbuf_add_str(out, "{N}");
		strbuf_add(out, token + digits, len - digits);
	} else {
		strbuf_add(out, token, len);
	}
}

void normalise_name(const char *name, size_t len, struct strbuf *out)
{
	while (len > 0) {
		size_t separator = separator_len(name, len);
		size_t token = 0;

		strbuf_add(out, name, separator);
		name += separator;
		len -= separator;
		while (token < len && separator_len(name + token, len - token) == 0)
			token++;
		if (token > 0)
			add_token(name, token, out);
		name += token;
		len -= token;
	}
}
