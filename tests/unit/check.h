/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* check - cmocka with the headers that it needs in front of it, and helpers for nearly every test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* The contents of a buffer are this text and nothing else. */
#define assert_text(buf_, expected_)                                        \
	do {                                                                \
		const struct strbuf *text_buf_ = (buf_);                    \
		const char *text_expected_ = (expected_);                   \
		assert_string_equal(strbuf_str(text_buf_), text_expected_); \
		assert_int_equal(text_buf_->len, strlen(text_expected_));   \
	} while (0)

#define assert_contains(text_, part_)                                              \
	do {                                                                       \
		const char *whole_text_ = (text_);                                 \
		if (!strstr(whole_text_, (part_)))                                 \
			fail_msg("\"%s\" is not in \"%s\"", (part_), whole_text_); \
	} while (0)

/* A copy without a byte behind it, so that a sanitizer sees a scanner that reads on. The caller frees it. */
static inline char *exact_copy(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	if (len > 0)
		memcpy(copy, text, len);
	return copy;
}
