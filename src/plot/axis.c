// SPDX-License-Identifier: GPL-2.0-or-later
#include "axis.h"

#include <inttypes.h>
#include <math.h>

#include "ctprof/base/macro.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

/* Returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is not below @least. */
static double round_step(double least)
{
	static const double factors[] = {1, 2, 2.5, 5, 10};
	double power = pow(10, floor(log10(least)));

	for (size_t i = 0; i < ARRAY_SIZE(factors); i++)
		/* The power is exact for a step that is round already, but for its last bits. */
		if (factors[i] * power >= least * (1 - 1e-12))
			return factors[i] * power;
	return 10 * power;
}

static struct axis axis_of_step(double step, double most)
{
	return (struct axis){.top = ceil(most / step - 1e-9) * step, .step = step};
}

struct axis axis_of_values(enum series_unit unit, double most, unsigned steps)
{
	struct axis best = {0};

	if (!(most > 0))
		most = 1;
	/* The lowest top leaves the least of the field empty. */
	for (unsigned i = steps > 0 ? steps : 1; i > 0; i--) {
		double step = round_step(most / i);
		struct axis axis =
		        axis_of_step(unit == SERIES_UNIT_percent ? step : ceil(step), most);

		if (best.step == 0 || axis.top < best.top * (1 - 1e-9))
			best = axis;
	}
	return best;
}

/* Returns the largest decimal unit that is not above @value. */
static double byte_unit(double value, const char **ret_name)
{
	static const char *const names[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	size_t i = 0;
	double unit = 1;

	for (; value / unit >= 1000 && i + 1 < ARRAY_SIZE(names); i++)
		unit *= 1000;
	*ret_name = names[i];
	return unit;
}

/* Returns the fewest decimals that tell multiples of the step apart. */
static int decimals_of(double step)
{
	int decimals = 0;

	while (decimals < 3 && fabs(step - round(step)) > 1e-6) {
		step *= 10;
		decimals++;
	}
	return decimals;
}

void axis_add_label(enum series_unit unit, const struct axis *axis, double value,
                    struct strbuf *out)
{
	const char *name = "";
	double scale = 1;

	if (unit == SERIES_UNIT_bytes)
		scale = byte_unit(axis->top, &name);
	strbuf_addf(out, "%.*f%s%s", decimals_of(axis->step / scale), value / scale,
	            unit == SERIES_UNIT_count ? "" : " ", unit == SERIES_UNIT_percent ? "%" : name);
}

void axis_add_value(enum series_unit unit, double value, struct strbuf *out)
{
	const char *name;
	double scale;

	switch (unit) {
	case SERIES_UNIT_percent:
		strbuf_addf(out, "%.1f %%", value);
		break;
	case SERIES_UNIT_count:
		strbuf_addf(out, "%.0f", value);
		break;
	case SERIES_UNIT_bytes:
		scale = byte_unit(value, &name);
		strbuf_addf(out, "%.*f %s", scale > 1 ? 1 : 0, value / scale, name);
		break;
	}
}

uint64_t axis_time_step(double seconds, unsigned labels)
{
	static const uint64_t steps[] = {
	        1,      2,          5,          10,          15,          30,
	        MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
	        HOUR,   2 * HOUR,   3 * HOUR,   6 * HOUR,    12 * HOUR,   DAY};
	double least = seconds / (labels > 0 ? labels : 1);

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if ((double)steps[i] >= least)
			return steps[i];
	return (uint64_t)(round_step(least / DAY) + 0.5) * DAY;
}

void axis_add_time(uint64_t seconds, struct strbuf *out)
{
	const struct {
		uint64_t length;
		char name;
	} units[] = {{DAY, 'd'}, {HOUR, 'h'}, {MINUTE, 'm'}, {1, 's'}};

	if (seconds == 0)
		strbuf_add_char(out, '0');
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (seconds >= units[i].length)
			strbuf_addf(out, "%" PRIu64 "%c", seconds / units[i].length, units[i].name);
		seconds %= units[i].length;
	}
}
