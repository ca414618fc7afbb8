/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* scan - scans numbers and lines of kernel text. Each scanner reads the whole of (text, len), which needs no NUL. It
 * returns false, storing nothing, if there is anything else in it or the value does not fit. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

must_check_ bool scan_u64(const char *text, size_t len, uint64_t *ret);
must_check_ bool scan_i64(const char *text, size_t len, int64_t *ret);

/* Reads "12.345678" milliseconds as nanoseconds: the fraction is padded or cut to six digits. Text without a dot is
 * nanoseconds already. A minus sign, which the kernel prints as "-1.5" or "0.-000500" when a racing read goes below
 * zero, is refused. */
must_check_ bool scan_dotted_ms(const char *text, size_t len, uint64_t *ret_ns);

/* In ASCII, whatever the locale is. */
static inline bool char_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool char_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the value of a hexadecimal digit, of which the letters are small; or -1. */
static inline int char_hex_digit(char c)
{
	return char_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool char_is_hex(char c)
{
	return char_hex_digit(c) >= 0;
}

/* A piece of a text. */
struct span {
	const char *text;
	size_t len;
};

/* Removes the next line from the front of @rest and stores it without its newline; the last line may lack one. Returns
 * false at the end. */
bool scan_line(struct span *rest, struct span *ret_line);

/* Removes the next word from the front of @rest: blanks, tabs and newlines separate words. Returns false at the end. */
bool scan_word(struct span *rest, struct span *ret_word);

/* Splits "key : value" at the first colon and trims both sides. Returns false if there is no colon. */
bool scan_pair(struct span line, struct span *ret_key, struct span *ret_value);

bool span_is(struct span span, const char *text);
bool span_equal(struct span a, struct span b);
