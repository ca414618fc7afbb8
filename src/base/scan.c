// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/scan.h"
#include "base/clock.h"

#include <string.h>

bool scan_u64(const char *text, size_t len, uint64_t *ret)
{
	uint64_t value = 0;

	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned char)text[i] - (unsigned)'0';

		if (digit > 9 || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

bool scan_i64(const char *text, size_t len, int64_t *ret)
{
	bool negative = len > 0 && text[0] == '-';
	uint64_t magnitude;

	if (!scan_u64(text + negative, len - negative, &magnitude))
		return false;
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return true;
}

bool scan_dotted_ms(const char *text, size_t len, uint64_t *ret_ns)
{
	enum { FRACTION_DIGITS = 6 };
	const char *dot = memchr(text, '.', len);
	char fraction[FRACTION_DIGITS];
	uint64_t ms, rest, ns;
	size_t digits;

	if (!dot)
		return scan_u64(text, len, ret_ns);

	digits = len - (size_t)(dot - text) - 1;
	if (!scan_u64(text, (size_t)(dot - text), &ms) || digits == 0)
		return false;
	for (size_t i = 0; i < digits; i++)
		if (dot[1 + i] < '0' || dot[1 + i] > '9')
			return false;
	memset(fraction, '0', sizeof(fraction));
	memcpy(fraction, dot + 1, digits < FRACTION_DIGITS ? digits : FRACTION_DIGITS);

	if (!scan_u64(fraction, sizeof(fraction), &rest) ||
	    __builtin_mul_overflow(ms, NS_PER_MS, &ns) || __builtin_add_overflow(ns, rest, &ns))
		return false;
	*ret_ns = ns;
	return true;
}

bool scan_line(struct span *rest, struct span *ret_line)
{
	const char *newline;
	size_t len;

	if (rest->len == 0)
		return false;
	newline = memchr(rest->text, '\n', rest->len);
	len = newline ? (size_t)(newline - rest->text) : rest->len;
	*ret_line = (struct span){rest->text, len};
	len += newline != NULL;
	*rest = (struct span){rest->text + len, rest->len - len};
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

bool scan_word(struct span *rest, struct span *ret_word)
{
	const char *end = rest->text + rest->len;
	const char *start = rest->text;
	const char *p;

	while (start < end && is_blank(*start))
		start++;
	for (p = start; p < end && !is_blank(*p);)
		p++;
	*rest = (struct span){p, (size_t)(end - p)};
	*ret_word = (struct span){start, (size_t)(p - start)};
	return p > start;
}

static struct span trim(struct span span)
{
	const char *start = span.text, *end = span.text + span.len;

	while (start < end && is_blank(*start))
		start++;
	while (start < end && is_blank(end[-1]))
		end--;
	return (struct span){start, (size_t)(end - start)};
}

bool scan_pair(struct span line, struct span *ret_key, struct span *ret_value)
{
	const char *colon = memchr(line.text, ':', line.len);
	size_t at;

	if (!colon)
		return false;
	at = (size_t)(colon - line.text);
	*ret_key = trim((struct span){line.text, at});
	*ret_value = trim((struct span){colon + 1, line.len - at - 1});
	return true;
}

bool span_is(struct span span, const char *text)
{
	return strlen(text) == span.len && memcmp(span.text, text, span.len) == 0;
}

bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.text, b.text, a.len) == 0);
}
