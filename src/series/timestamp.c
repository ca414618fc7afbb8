// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/timestamp.h"

#include <string.h>

#include "base/clock.h"

enum { YEAR_MIN = 1970, YEAR_MAX = 2200, SECONDS_PER_DAY = 86400, FRACTION_DIGITS = 9 };

/* Reads so many digits and moves behind them. */
static bool read_digits(const char **at, unsigned count, unsigned *ret)
{
	unsigned number = 0;

	for (unsigned i = 0; i < count; i++) {
		if ((*at)[i] < '0' || (*at)[i] > '9')
			return false;
		number = number * 10 + (unsigned)((*at)[i] - '0');
	}
	*at += count;
	*ret = number;
	return true;
}

static bool read_char(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

/* Returns the days from 1970-01-01 to a day of the Gregorian calendar. Years begin in March here, so that the leap day
 * is the last one. */
static int64_t day_number(unsigned year, unsigned month, unsigned day)
{
	enum { DAYS_TO_1970 = 719468, DAYS_400_YEARS = 146097 };
	int64_t y = (int64_t)year - (month <= 2);
	int64_t era = y / 400, of_era = y % 400;
	int64_t of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * DAYS_400_YEARS + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
	       DAYS_TO_1970;
}

static bool read_date(const char **at, int64_t *ret_days)
{
	unsigned year, month, day;

	if (!read_digits(at, 4, &year) || !read_char(at, '-') || !read_digits(at, 2, &month) ||
	    !read_char(at, '-') || !read_digits(at, 2, &day) || year < YEAR_MIN ||
	    year > YEAR_MAX || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	*ret_days = day_number(year, month, day);
	return true;
}

/* Further digits than those of nanoseconds are read and dropped. */
static bool read_fraction(const char **at, uint64_t *ret_ns)
{
	uint64_t ns = 0;
	unsigned digits = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++, digits++)
		if (digits < FRACTION_DIGITS)
			ns = ns * 10 + (uint64_t)(**at - '0');
	for (unsigned i = digits; i < FRACTION_DIGITS; i++)
		ns *= 10;
	*ret_ns = ns;
	return digits > 0;
}

static bool read_clock(const char **at, int64_t *ret_ns)
{
	unsigned hours, minutes, seconds = 0;
	uint64_t fraction = 0;

	if (!read_digits(at, 2, &hours) || !read_char(at, ':') || !read_digits(at, 2, &minutes))
		return false;
	if (read_char(at, ':') && !read_digits(at, 2, &seconds))
		return false;
	if (read_char(at, '.') && !read_fraction(at, &fraction))
		return false;
	if (hours > 23 || minutes > 59 || seconds > 60)
		return false;
	*ret_ns = (int64_t)((hours * 3600 + minutes * 60 + seconds) * NS_PER_SECOND + fraction);
	return true;
}

static bool read_offset(const char **at, int64_t *ret_seconds, bool *ret_has)
{
	unsigned hours, minutes = 0;
	bool negative = **at == '-';

	*ret_seconds = 0;
	*ret_has = **at != '\0';
	if (!*ret_has || read_char(at, 'Z'))
		return true;
	if (!read_char(at, '+') && !read_char(at, '-'))
		return false;
	if (!read_digits(at, 2, &hours) || hours > 23)
		return false;
	if (**at != '\0' && ((void)read_char(at, ':'), !read_digits(at, 2, &minutes)))
		return false;
	*ret_seconds = (int64_t)hours * 3600 + (int64_t)minutes * 60;
	if (negative)
		*ret_seconds = -*ret_seconds;
	return minutes <= 59;
}

bool timestamp_parse(const char *text, int64_t *ret_ns, bool *ret_has_offset)
{
	int64_t days, clock, offset;
	bool has_offset;

	if (!read_date(&text, &days) || (!read_char(&text, 'T') && !read_char(&text, ' ')) ||
	    !read_clock(&text, &clock) || !read_offset(&text, &offset, &has_offset) ||
	    *text != '\0')
		return false;
	*ret_ns = (days * SECONDS_PER_DAY - offset) * (int64_t)NS_PER_SECOND + clock;
	*ret_has_offset = has_offset;
	return true;
}

/* Reads a number of at most nine digits and moves behind it. */
static bool read_number(const char **at, uint64_t *ret)
{
	size_t len = strspn(*at, "0123456789");
	unsigned number;

	if (len == 0 || len > 9 || !read_digits(at, (unsigned)len, &number))
		return false;
	*ret = number;
	return true;
}

bool timestamp_parse_age(const char *text, uint64_t *ret_seconds)
{
	uint64_t days = 0, parts[3] = {0};
	unsigned count = 0;

	if (strchr(text, '-') && (!read_number(&text, &days) || !read_char(&text, '-')))
		return false;
	do {
		if (count == ARRAY_SIZE(parts) || !read_number(&text, &parts[count]))
			return false;
		count++;
	} while (read_char(&text, ':'));
	if (count < 2 || *text != '\0')
		return false;
	*ret_seconds = days * SECONDS_PER_DAY;
	*ret_seconds +=
	        count == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : parts[0] * 60 + parts[1];
	return true;
}
