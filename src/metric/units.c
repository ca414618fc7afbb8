// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/units.h"

#include <math.h>

#include "base/clock.h"

void units_format_integer(__int128 integer, struct strbuf *out)
{
	unsigned __int128 rest =
	        integer < 0 ? -(unsigned __int128)integer : (unsigned __int128)integer;
	char digits[40];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + (int)(rest % 10));
		rest /= 10;
	} while (rest > 0);
	if (integer < 0)
		digits[--at] = '-';
	strbuf_add(out, digits + at, sizeof(digits) - at);
}

/* Returns the step that a magnitude reaches, or NULL. */
static const struct unit_step *step_for(enum metric_unit unit, double magnitude)
{
	const struct unit_step *best = NULL;

	for (const struct unit_step *step = unit_table[unit].steps; step->divisor > 0; step++)
		if (magnitude >= step->divisor)
			best = step;
	return best;
}

static bool is_integral(struct quantity value)
{
	return value.kind == QUANTITY_INTEGER || fpclassify(fmod(value.real, 1)) == FP_ZERO;
}

/* Prints hundredths of a percent as a percentage, to the digit. */
static void format_percentage(struct quantity value, bool sign, struct strbuf *out)
{
	enum { HUNDREDTHS = 100 };
	__int128 hundredths =
	        value.kind == QUANTITY_INTEGER ? value.integer : (__int128)round(value.real);
	unsigned __int128 size =
	        hundredths < 0 ? -(unsigned __int128)hundredths : (unsigned __int128)hundredths;

	if (hundredths < 0)
		strbuf_add_char(out, '-');
	else if (sign)
		strbuf_add_char(out, '+');
	units_format_integer((__int128)(size / HUNDREDTHS), out);
	strbuf_addf(out, ".%02u%%", (unsigned)(size % HUNDREDTHS));
}

static void format(enum metric_unit unit, struct quantity value, bool exact_decimals, bool sign,
                   struct strbuf *out)
{
	double number = quantity_double(value);
	const struct unit_step *step = step_for(unit, fabs(number));

	if (value.kind == QUANTITY_NONE) {
		strbuf_add_char(out, '-');
	} else if (unit == UNIT_percent_hundredths) {
		format_percentage(value, sign, out);
	} else if (step) {
		strbuf_addf(out, sign ? "%+.3f%s" : "%.3f%s", number / step->divisor, step->suffix);
	} else if (exact_decimals || !is_integral(value)) {
		int decimals = exact_decimals && unit != UNIT_ratio ? 2 : 3;

		strbuf_addf(out, sign ? "%+.*f%s" : "%.*f%s", decimals, number,
		            unit_table[unit].suffix);
	} else {
		__int128 integer =
		        value.kind == QUANTITY_INTEGER ? value.integer : (__int128)number;

		if (sign && integer >= 0)
			strbuf_add_char(out, '+');
		units_format_integer(integer, out);
		strbuf_add_str(out, unit_table[unit].suffix);
	}
}

enum metric_unit units_ticks_as_time(enum metric_unit unit, uint64_t ticks_per_second,
                                     struct quantity *value)
{
	if (unit != UNIT_ticks || ticks_per_second == 0)
		return unit;
	if (value->kind != QUANTITY_NONE)
		*value = quantity_real(quantity_double(*value) * NS_PER_SECOND /
		                       (double)ticks_per_second);
	return UNIT_ns;
}

void units_format(enum metric_unit unit, struct quantity value, bool exact_decimals,
                  struct strbuf *out)
{
	format(unit, value, exact_decimals, false, out);
}

void units_format_delta(enum metric_unit unit, struct quantity delta, bool exact_decimals,
                        struct strbuf *out)
{
	format(unit, delta, exact_decimals, true, out);
}
