// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "metric/units.h"
#include "where-tree.h"

/* Digits times the largest factor, an hour in ns, stay below 2^127. */
enum { DIGITS_MAX = 25, EXPONENT_MAX = 1000000 };

static const struct where_unit units[] = {
        {"ns", WHERE_TIME, 1},
        {"us", WHERE_TIME, NS_PER_US},
        {"\xc2\xb5s", WHERE_TIME, NS_PER_US}, /* the micro sign */
        {"\xce\xbcs", WHERE_TIME, NS_PER_US}, /* the Greek letter */
        {"ms", WHERE_TIME, NS_PER_MS},
        {"s", WHERE_TIME, NS_PER_SECOND},
        {"min", WHERE_TIME, 60 * NS_PER_SECOND},
        {"h", WHERE_TIME, 3600 * NS_PER_SECOND},
        {"B", WHERE_BYTES, 1},
        {"KiB", WHERE_BYTES, UINT64_C(1) << 10},
        {"MiB", WHERE_BYTES, UINT64_C(1) << 20},
        {"GiB", WHERE_BYTES, UINT64_C(1) << 30},
        {"TiB", WHERE_BYTES, UINT64_C(1) << 40},
        {"K", WHERE_ANY_KIND, 1000},
        {"M", WHERE_ANY_KIND, 1000000},
        {"G", WHERE_ANY_KIND, 1000000000},
        {"%", WHERE_PERCENTAGE, 1},
        {"ticks", WHERE_TICKS, 1},
        {"Kticks", WHERE_TICKS, 1000},
        {"Mticks", WHERE_TICKS, 1000000},
};

const struct where_unit *where_unit_find(struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (span_is(name, units[i].name))
			return &units[i];
	return NULL;
}

const struct where_unit *where_unit_nearest(struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == name.len &&
		    strncasecmp(units[i].name, name.text, name.len) == 0)
			return &units[i];
	return NULL;
}

static bool is_digit(struct span text, size_t at)
{
	return at < text.len && char_is_digit(text.text[at]);
}

static bool is_sign(struct span text, size_t at)
{
	return at < text.len && (text.text[at] == '+' || text.text[at] == '-');
}

/* Zeros wait for another digit, so that zeros at the end use none of the digits. */
struct digit_run {
	struct where_decimal *decimal;
	int significant;
	int zeros;
};

static void add_digit(struct digit_run *run, unsigned digit)
{
	struct where_decimal *decimal = run->decimal;

	if (digit == 0) {
		run->zeros += run->significant > 0;
		return;
	}
	if (run->significant + run->zeros + 1 > DIGITS_MAX) {
		decimal->too_long = true;
		return;
	}
	run->significant += run->zeros + 1;
	for (; run->zeros > 0; run->zeros--)
		decimal->digits *= 10;
	decimal->digits = decimal->digits * 10 + digit;
}

/* Returns the place behind the exponent, or @at if there is none. */
static size_t scan_exponent(struct span text, size_t at, int *ret_exponent)
{
	size_t start = at + 1 + is_sign(text, at + 1);
	int exponent = 0;

	if (at >= text.len || (text.text[at] | 0x20) != 'e' || !is_digit(text, start))
		return at;
	for (at = start; is_digit(text, at); at++)
		if (exponent < EXPONENT_MAX)
			exponent = exponent * 10 + (text.text[at] - '0');
	*ret_exponent = text.text[start - 1] == '-' ? -exponent : exponent;
	return at;
}

size_t where_decimal_scan(struct span text, struct where_decimal *ret)
{
	struct where_decimal decimal = {.negative = is_sign(text, 0) && text.text[0] == '-'};
	struct digit_run run = {.decimal = &decimal};
	size_t at = is_sign(text, 0);
	int fraction = 0, exponent = 0;

	if (!is_digit(text, at))
		return 0;
	for (; is_digit(text, at); at++)
		add_digit(&run, (unsigned)(text.text[at] - '0'));
	if (at < text.len && text.text[at] == '.' && is_digit(text, at + 1))
		for (at++; is_digit(text, at); at++, fraction++)
			add_digit(&run, (unsigned)(text.text[at] - '0'));
	at = scan_exponent(text, at, &exponent);
	decimal.exponent = exponent - fraction + run.zeros;
	*ret = decimal;
	return at;
}

/* Returns the nearest double, by strtod(). */
static double nearest_double(bool negative, unsigned __int128 digits, int exponent)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (negative)
		strbuf_add_char(&text, '-');
	units_format_integer((__int128)digits, &text);
	strbuf_addf(&text, "e%d", exponent);
	return strtod(strbuf_str(&text), NULL);
}

bool where_limit_init(const struct where_decimal *decimal, uint64_t factor, int shift,
                      struct where_limit *ret)
{
	unsigned __int128 digits = decimal->digits * factor, whole = digits;
	int exponent = decimal->exponent + shift;
	bool rest = false;

	if (decimal->too_long)
		return false;
	for (int i = exponent; i > 0 && whole > 0 && whole <= UINT64_MAX; i--)
		whole *= 10;
	for (int i = exponent; i < 0 && whole > 0; i++) {
		rest = rest || whole % 10 > 0;
		whole /= 10;
	}
	if (whole > UINT64_MAX || (whole == UINT64_MAX && rest))
		return false;
	*ret = (struct where_limit){
	        .floor = decimal->negative ? -(__int128)whole - rest : (__int128)whole,
	        .rest = rest,
	        .real = nearest_double(decimal->negative, digits, digits > 0 ? exponent : 0),
	};
	return true;
}

int where_limit_compare(struct quantity quantity, const struct where_limit *limit)
{
	if (quantity.kind == QUANTITY_REAL)
		return (quantity.real > limit->real) - (quantity.real < limit->real);
	if (quantity.integer == limit->floor)
		return limit->rest ? -1 : 0;
	return quantity.integer < limit->floor ? -1 : 1;
}
