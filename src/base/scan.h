/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* scan - numbers and lines out of kernel text. Each scanner takes the whole of (text, len), which needs
 * no NUL, and returns false, storing nothing, where anything else is in it or the value does not fit. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

must_check_ bool scan_u64(const char *text, size_t len, uint64_t *ret);
must_check_ bool scan_i64(const char *text, size_t len, int64_t *ret);

/* "12.345678" milliseconds as nanoseconds: the fraction is padded or cut to six digits. Text without a
 * dot is nanoseconds already. A minus sign, which the kernel prints as "-1.5" or "0.-000500" when a
 * racing read goes below zero, is refused. */
must_check_ bool scan_dotted_ms(const char *text, size_t len, uint64_t *ret_ns);

/* A piece of a text. */
struct span {
	const char *text;
	size_t len;
};

/* Takes the next line off the front of @rest, without its newline; a last line may lack one. False at
 * the end. */
bool scan_line(struct span *rest, struct span *ret_line);

/* Takes the next word off the front of @rest: words are separated by blanks, tabs and newlines. */
bool scan_word(struct span *rest, struct span *ret_word);

/* Splits "key : value" at the first colon and trims both sides. False if there is no colon. */
bool scan_pair(struct span line, struct span *ret_key, struct span *ret_value);

bool span_is(struct span span, const char *text);
