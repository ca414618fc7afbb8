// SPDX-License-Identifier: GPL-2.0-or-later
#include "when/local-time.h"

#include <stdbool.h>

static bool has_fields(time_t seconds, const struct tm *fields)
{
	struct tm local;

	return localtime_r(&seconds, &local) && local.tm_year == fields->tm_year &&
	       local.tm_mon == fields->tm_mon && local.tm_mday == fields->tm_mday &&
	       local.tm_hour == fields->tm_hour && local.tm_min == fields->tm_min &&
	       local.tm_sec == fields->tm_sec;
}

/* Tries the distances from UTC that hold a day before and a day after: a zone does not change twice in between. */
size_t local_time_find(const struct tm *fields, time_t ret_times[LOCAL_TIMES_MAX])
{
	enum { DAY = 24 * 3600 };
	struct tm copy = *fields, near;
	time_t utc = timegm(&copy);
	size_t count = 0;

	for (int days = 1; days >= -1; days -= 2) {
		time_t other = utc + days * DAY, seconds;

		if (!localtime_r(&other, &near))
			continue;
		seconds = utc - near.tm_gmtoff;
		if (has_fields(seconds, fields) && (count == 0 || ret_times[0] != seconds))
			ret_times[count++] = seconds;
	}
	if (count == 2 && ret_times[0] > ret_times[1]) {
		time_t first = ret_times[1];

		ret_times[1] = ret_times[0];
		ret_times[0] = first;
	}
	return count;
}

void local_time_add(time_t seconds, struct strbuf *out)
{
	char text[64];
	struct tm local;

	if (localtime_r(&seconds, &local) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", &local) > 0)
		strbuf_add_str(out, text);
}

static bool is_same_day(time_t a, time_t b)
{
	struct tm first, last;

	return localtime_r(&a, &first) && localtime_r(&b, &last) && first.tm_yday == last.tm_yday &&
	       first.tm_year == last.tm_year && first.tm_gmtoff == last.tm_gmtoff;
}

void local_time_add_span(time_t begin, time_t end, struct strbuf *out)
{
	char text[64];
	struct tm local;
	bool same = is_same_day(begin, end);

	if (!same)
		local_time_add(begin, out);
	else if (localtime_r(&begin, &local) &&
	         strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local) > 0)
		strbuf_add_str(out, text);
	strbuf_add_str(out, " to ");
	if (!same)
		local_time_add(end, out);
	else if (localtime_r(&end, &local) &&
	         strftime(text, sizeof(text), "%H:%M:%S %Z", &local) > 0)
		strbuf_add_str(out, text);
}
