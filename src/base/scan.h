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
