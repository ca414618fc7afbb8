/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* strbuf - a growing byte buffer. The bytes may hold anything, NUL included; once something was added, a NUL that len
 * does not count is always behind them. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"

struct strbuf {
	char *data; /* owned; NULL before the first addition */
	size_t len;
	size_t capacity;
};

#define STRBUF_INIT ((struct strbuf){0})

/* Makes room for @extra more bytes and a NUL. Returns the place where they start. len is not changed. */
char *strbuf_reserve(struct strbuf *buf, size_t extra);

void strbuf_add(struct strbuf *buf, const void *bytes, size_t len);
void strbuf_add_str(struct strbuf *buf, const char *text);
void strbuf_add_char(struct strbuf *buf, char c);
void strbuf_addf(struct strbuf *buf, const char *format, ...) printf_(2, 3);
void strbuf_vaddf(struct strbuf *buf, const char *format, va_list args) printf_(2, 0);

/* Returns the text as a NUL-terminated string, "" if nothing was added; borrowed until the next change. */
const char *strbuf_str(const struct strbuf *buf);

/* Makes @to the same text as @from; it keeps its memory. */
void strbuf_copy(struct strbuf *to, const struct strbuf *from);

bool strbuf_equal(const struct strbuf *a, const struct strbuf *b);

/* Shortens the text to its first @len bytes; a shorter one stays. */
void strbuf_cut(struct strbuf *buf, size_t len);

/* Empties the buffer and keeps its memory. */
void strbuf_clear(struct strbuf *buf);

/* Frees the contents; the buffer can be used again. For cleanup_(strbuf_done). */
void strbuf_done(struct strbuf *buf);
