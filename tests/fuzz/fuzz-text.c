// SPDX-License-Identifier: GPL-2.0-or-later
/* text: what is escaped is safe to print and can be turned back, and width and prefix agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "failed: %s\n", what);
	abort();
}

static unsigned char hex_value(char digit)
{
	const char *digits = "0123456789abcdef", *found = digit ? strchr(digits, digit) : NULL;

	require(found, "two lower-case hexadecimal digits after \\x");
	return (unsigned char)(found - digits);
}

static void unescape(struct strbuf *out, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != '\\') {
			strbuf_add_char(out, bytes[i]);
		} else if (i + 1 < len && bytes[i + 1] == '\\') {
			strbuf_add_char(out, '\\');
			i++;
		} else {
			require(i + 3 < len && bytes[i + 1] == 'x', "a known escape");
			strbuf_add_char(out, (char)(hex_value(bytes[i + 2]) << 4 |
			                            hex_value(bytes[i + 3])));
			i += 3;
		}
	}
}

static void check_harmless(const char *bytes, size_t len)
{
	uint32_t c;

	for (size_t pos = 0, step; pos < len; pos += step) {
		step = text_decode(bytes + pos, len - pos, &c);
		require(step > 0, "escaped text is UTF-8");
		require(c >= 0x20 && (c < 0x7f || c > 0x9f), "no control characters");
		require(c != 0x61c && (c < 0x200b || c > 0x200f) && c != 0x2060 && c != 0xfeff,
		        "no marks and no zero-width spaces");
		require((c < 0x2028 || c > 0x202e) && (c < 0x2066 || c > 0x2069),
		        "no embeddings, isolates and separators");
		require((c & 0xfffe) != 0xfffe && (c < 0xfdd0 || c > 0xfdef), "no noncharacters");
	}
}

static void check_escaped(const char *bytes, size_t len)
{
	struct strbuf escaped = STRBUF_INIT, back = STRBUF_INIT;

	text_add_escaped(&escaped, bytes, len);
	check_harmless(strbuf_str(&escaped), escaped.len);
	unescape(&back, strbuf_str(&escaped), escaped.len);
	require(back.len == len && memcmp(strbuf_str(&back), bytes, len) == 0, "the way back");
	strbuf_done(&escaped);
	strbuf_done(&back);
}

static void check_replaced(const char *bytes, size_t len)
{
	struct strbuf replaced = STRBUF_INIT;
	bool same;

	text_add_replaced(&replaced, bytes, len);
	require(text_is_utf8(strbuf_str(&replaced), replaced.len), "replaced text is UTF-8");
	same = replaced.len == len && memcmp(strbuf_str(&replaced), bytes, len) == 0;
	require(same == text_is_utf8(bytes, len), "only ill-formed bytes are replaced");
	require(text_width(strbuf_str(&replaced), replaced.len) == text_width(bytes, len),
	        "the replacement is one column, as the byte was");
	strbuf_done(&replaced);
}

/* Each prefix fits, and one character more does not. */
static void check_prefixes(const char *bytes, size_t len)
{
	size_t width = text_width(bytes, len), last = 0;
	uint32_t c;

	for (size_t columns = 0; columns <= width; columns += 1 + columns / 8) {
		size_t prefix = text_prefix(bytes, len, columns);
		size_t step = text_decode(bytes + prefix, len - prefix, &c);

		require(prefix >= last && prefix <= len, "longer prefixes for more columns");
		require(text_width(bytes, prefix) <= columns, "the prefix fits");
		require(text_width(bytes, prefix) + text_width(bytes + prefix, len - prefix) ==
		                width,
		        "the prefix ends between characters");
		if (prefix < len)
			require(text_width(bytes, prefix + (step > 0 ? step : 1)) > columns,
			        "the longest prefix");
		last = prefix;
	}
	require(text_prefix(bytes, len, width) == len, "everything fits into its width");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = size > 0 ? (const char *)data : "";

	check_escaped(bytes, size);
	check_replaced(bytes, size);
	check_prefixes(bytes, size);
	return 0;
}
