// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-name.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { YEAR_ZERO = 1900, YEAR_MAX = 9999, DIGITS = 14 };

bool recording_name_make(uint64_t unix_seconds, char ret_name[RECORDING_NAME_BYTES])
{
	const time_t seconds = (time_t)unix_seconds;
	struct tm utc;

	if (seconds < 0 || !gmtime_r(&seconds, &utc) || utc.tm_year + YEAR_ZERO > YEAR_MAX)
		return false;
	snprintf(ret_name, RECORDING_NAME_BYTES, "%04d%02d%02dT%02d%02d%02dZ.ctprof.zst",
	         utc.tm_year + YEAR_ZERO, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
	         utc.tm_sec);
	return true;
}

static int number(const char *digits, int count)
{
	int value = 0;

	for (int i = 0; i < count; i++)
		value = value * 10 + (digits[i] - '0');
	return value;
}

bool recording_name_parse(const char *name, uint64_t *ret_unix_seconds)
{
	char again[RECORDING_NAME_BYTES], digits[DIGITS];
	struct tm utc = {0};
	time_t seconds;
	int count = 0;

	for (const char *at = name; *at && count < DIGITS; at++)
		if (*at >= '0' && *at <= '9')
			digits[count++] = *at;
	if (count < DIGITS)
		return false;
	utc.tm_year = number(digits, 4) - YEAR_ZERO;
	utc.tm_mon = number(digits + 4, 2) - 1;
	utc.tm_mday = number(digits + 6, 2);
	utc.tm_hour = number(digits + 8, 2);
	utc.tm_min = number(digits + 10, 2);
	utc.tm_sec = number(digits + 12, 2);
	seconds = timegm(&utc);
	/* A name that is not made of its own time is another file's. */
	if (seconds < 0 || !recording_name_make((uint64_t)seconds, again) ||
	    strcmp(again, name) != 0)
		return false;
	*ret_unix_seconds = (uint64_t)seconds;
	return true;
}

bool recording_name_of_sums(const char *name, char ret_name[RECORDING_NAME_BYTES])
{
	uint64_t seconds;

	if (!recording_name_parse(name, &seconds))
		return false;
	snprintf(ret_name, RECORDING_NAME_BYTES, "%.*s.ctprof.sums", (int)strcspn(name, "."), name);
	return true;
}
