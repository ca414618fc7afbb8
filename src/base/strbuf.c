// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { STRBUF_FIRST = 64 };

char *strbuf_reserve(struct strbuf *buf, size_t extra)
{
	size_t wanted;

	if (__builtin_add_overflow(buf->len, extra, &wanted) ||
	    __builtin_add_overflow(wanted, (size_t)1, &wanted))
		mem_exhausted();
	if (wanted > buf->capacity) {
		array_reserve(buf->data, buf->capacity,
		              wanted > STRBUF_FIRST ? wanted : STRBUF_FIRST);
		buf->data[buf->len] = '\0';
	}
	return buf->data + buf->len;
}

void strbuf_add(struct strbuf *buf, const void *bytes, size_t len)
{
	char *end = strbuf_reserve(buf, len);

	if (len > 0)
		memcpy(end, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void strbuf_add_str(struct strbuf *buf, const char *text)
{
	strbuf_add(buf, text, strlen(text));
}

void strbuf_add_char(struct strbuf *buf, char c)
{
	strbuf_add(buf, &c, 1);
}

void strbuf_vaddf(struct strbuf *buf, const char *format, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0)
		return;
	vsnprintf(strbuf_reserve(buf, (size_t)len), (size_t)len + 1, format, args);
	buf->len += (size_t)len;
}

void strbuf_addf(struct strbuf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vaddf(buf, format, args);
	va_end(args);
}

const char *strbuf_str(const struct strbuf *buf)
{
	return buf->data ? buf->data : "";
}

void strbuf_copy(struct strbuf *to, const struct strbuf *from)
{
	strbuf_clear(to);
	strbuf_add(to, strbuf_str(from), from->len);
}

bool strbuf_equal(const struct strbuf *a, const struct strbuf *b)
{
	return a->len == b->len && memcmp(strbuf_str(a), strbuf_str(b), a->len) == 0;
}

void strbuf_cut(struct strbuf *buf, size_t len)
{
	if (len >= buf->len)
		return;
	buf->len = len;
	buf->data[len] = '\0';
}

void strbuf_clear(struct strbuf *buf)
{
	buf->len = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

void strbuf_done(struct strbuf *buf)
{
	free(buf->data);
	*buf = STRBUF_INIT;
}
