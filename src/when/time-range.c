// SPDX-License-Identifier: GPL-2.0-or-later
#include "when/time-range.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/duration.h"
#include "when/local-time.h"

enum { YEAR_ZERO = 1900, DAY_SECONDS = 24 * 3600, TIME_BYTES = 64 };

/* The extent of one time. */
enum reach { REACH_MOMENT, REACH_UNTIL_NOW, REACH_DAY };

struct parser {
	const struct time_words *words;
	struct strbuf *reterr;
	struct tm day; /* of a time without a date */
};

struct moment {
	uint64_t ns;
	uint64_t day_end_ns; /* REACH_DAY */
	enum reach reach;
};

static int refuse(const struct parser *parser, const char *text, const char *why)
{
	strbuf_addf(parser->reterr, "'%s' %s", text, why);
	return -EINVAL;
}

static bool starts_with(const char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*text, word, len) != 0)
		return false;
	*text += len;
	return true;
}

/* Reads just so many digits. */
static bool read_digits(const char **text, int count, int *ret)
{
	int value = 0;

	for (int i = 0; i < count; i++) {
		char digit = (*text)[i];

		if (digit < '0' || digit > '9')
			return false;
		value = value * 10 + (digit - '0');
	}
	*text += count;
	*ret = value;
	return true;
}

/* Reads "2026-11-23". */
static bool read_date(const char **text, struct tm *fields)
{
	const char *at = *text;
	int year, month, day;

	if (!read_digits(&at, 4, &year) || *at++ != '-' || !read_digits(&at, 2, &month) ||
	    *at++ != '-' || !read_digits(&at, 2, &day) || month < 1 || month > 12 || day < 1 ||
	    day > 31)
		return false;
	fields->tm_year = year - YEAR_ZERO;
	fields->tm_mon = month - 1;
	fields->tm_mday = day;
	*text = at;
	return true;
}

/* Reads what is behind the point of a second: one to nine digits. */
static bool read_fraction(const char **text, uint64_t *ret_ns)
{
	const char *at = *text;
	uint64_t unit_ns = NS_PER_SECOND, ns = 0;

	for (; *at >= '0' && *at <= '9' && unit_ns > 1; at++) {
		unit_ns /= 10;
		ns += (uint64_t)(*at - '0') * unit_ns;
	}
	if (at == *text)
		return false;
	*text = at;
	*ret_ns = ns;
	return true;
}

/* Reads "10:00", "10:00:30" or "10:00:30.5". */
static bool read_clock(const char **text, struct tm *fields, uint64_t *ret_fraction_ns)
{
	const char *at = *text;
	int hour, minute, second = 0;

	if (!read_digits(&at, 2, &hour) || *at++ != ':' || !read_digits(&at, 2, &minute))
		return false;
	if (*at == ':') {
		at++;
		if (!read_digits(&at, 2, &second))
			return false;
		if (*at == '.') {
			at++;
			if (!read_fraction(&at, ret_fraction_ns))
				return false;
		}
	}
	if (hour > 23 || minute > 59 || second > 59)
		return false;
	fields->tm_hour = hour;
	fields->tm_min = minute;
	fields->tm_sec = second;
	*text = at;
	return true;
}

static struct tm day_of(uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_SECOND);
	struct tm local = {0};

	localtime_r(&seconds, &local);
	local.tm_hour = local.tm_min = local.tm_sec = 0;
	return local;
}

/* Returns 0, or -EINVAL with a sentence about a time that no file can have. The fraction of a second fits as well. */
static int set_seconds(const struct parser *parser, const char *text, time_t seconds,
                       uint64_t *ret_ns)
{
	if (seconds < 0)
		return refuse(parser, text, "is before 1970");
	if ((uint64_t)seconds >= UINT64_MAX / NS_PER_SECOND)
		return refuse(parser, text,
		              "is too late: times end on 2554-07-21 23:34:33 UTC, with 64 bits of "
		              "nanoseconds");
	*ret_ns = (uint64_t)seconds * NS_PER_SECOND;
	return 0;
}

static int find_time(const struct parser *parser, const char *text, const struct tm *fields,
                     uint64_t *ret_ns)
{
	time_t times[LOCAL_TIMES_MAX];
	size_t count = local_time_find(fields, times);

	if (count == 0)
		return refuse(parser, text,
		              "is no local time: the clock was set forward over it, or there is "
		              "no such day");
	if (count > 1) {
		strbuf_addf(parser->reterr, "'%s' is there twice: ", text);
		local_time_add(times[0], parser->reterr);
		strbuf_add_str(parser->reterr, " and ");
		local_time_add(times[1], parser->reterr);
		strbuf_add_str(parser->reterr, "; a time in UTC ends with Z");
		return -EINVAL;
	}
	return set_seconds(parser, text, times[0], ret_ns);
}

static int find_utc(const struct parser *parser, const char *text, const struct tm *fields,
                    uint64_t *ret_ns)
{
	struct tm copy = *fields;
	time_t seconds = timegm(&copy);

	if (copy.tm_mday != fields->tm_mday)
		return refuse(parser, text, "is no day");
	return set_seconds(parser, text, seconds, ret_ns);
}

/* Finds the begin of a day by itself. Its midnight may be there twice or never: then it begins with the first or the next moment. */
static bool find_day(const struct tm *fields, time_t *ret)
{
	struct tm copy = *fields;
	time_t times[LOCAL_TIMES_MAX];

	for (int minute = 0; minute < 180; minute++) {
		copy.tm_hour = minute / 60;
		copy.tm_min = minute % 60;
		if (local_time_find(&copy, times) > 0) {
			*ret = times[0];
			return true;
		}
	}
	return false;
}

/* Moves to the begin of the day before or behind, by the calendar: one with a change of the clock has other than 24 hours, and zones that
 * moved across the date line lack a day. Returns false if none is near. */
static bool move_day(struct tm *fields, int step, time_t *ret)
{
	enum { DAYS_MISSING_MAX = 2 };

	for (int i = 0; i <= DAYS_MISSING_MAX; i++) {
		fields->tm_mday += step;
		(void)timegm(fields);
		if (find_day(fields, ret))
			return true;
	}
	return false;
}

static int find_whole_day(const struct parser *parser, const char *text, const struct tm *fields,
                          struct moment *ret)
{
	struct tm next = *fields;
	time_t begin, end;
	int r;

	if (!find_day(fields, &begin) || !move_day(&next, 1, &end))
		return refuse(parser, text, "is no day");
	r = set_seconds(parser, text, begin, &ret->ns);
	return r < 0 ? r : set_seconds(parser, text, end, &ret->day_end_ns);
}

/* Parses a date, a time of day, or both. */
static int parse_calendar(struct parser *parser, const char *text, struct moment *ret)
{
	const char *at = text;
	bool has_date = true, has_clock, is_utc;
	struct tm fields = day_of(parser->words->now_ns);
	uint64_t fraction_ns = 0;
	time_t begin;
	int r;

	if (starts_with(&at, "yesterday"))
		(void)move_day(&fields, -1, &begin);
	else if (!starts_with(&at, "today") && !read_date(&at, &fields))
		has_date = false;
	if (!has_date)
		fields = parser->day;
	else if (*at == 'T' || *at == ' ')
		at++;
	has_clock = read_clock(&at, &fields, &fraction_ns);
	is_utc = has_clock && starts_with(&at, "Z");
	if (*at != '\0' || (!has_date && !has_clock))
		return refuse(parser, text,
		              "is no time such as now, -1h, boot, 10:00, 'yesterday 10:00' or "
		              "2026-11-23T10:00");
	parser->day = fields;
	parser->day.tm_hour = parser->day.tm_min = parser->day.tm_sec = 0;
	ret->reach = has_clock ? REACH_MOMENT : REACH_DAY;
	if (!has_clock)
		return find_whole_day(parser, text, &fields, ret);
	r = is_utc ? find_utc(parser, text, &fields, &ret->ns)
	           : find_time(parser, text, &fields, &ret->ns);
	ret->ns += r == 0 ? fraction_ns : 0;
	return r;
}

static int parse_moment(struct parser *parser, const char *text, struct moment *ret)
{
	uint64_t ago;

	*ret = (struct moment){.ns = parser->words->now_ns};
	if (strcmp(text, "now") == 0)
		return 0;
	ret->reach = REACH_UNTIL_NOW;
	if (text[0] == '-') {
		if (!duration_parse(text + 1, &ago))
			return refuse(parser, text, "is no time ago, such as -1h or -30m");
		ret->ns = ago < ret->ns ? ret->ns - ago : 0;
		parser->day = day_of(ret->ns);
		return 0;
	}
	if (strcmp(text, "boot") != 0)
		return parse_calendar(parser, text, ret);
	if (parser->words->boot_ns == 0)
		return refuse(parser, text, "is not known");
	ret->ns = parser->words->boot_ns;
	return 0;
}

static int parse_single(struct parser *parser, const char *text, struct time_range *ret)
{
	struct moment moment;
	int r = parse_moment(parser, text, &moment);

	if (r < 0)
		return r;
	*ret = (struct time_range){moment.ns, moment.ns};
	if (moment.reach == REACH_UNTIL_NOW)
		ret->end_ns = parser->words->now_ns;
	else if (moment.reach == REACH_DAY)
		ret->end_ns = moment.day_end_ns;
	return 0;
}

int time_range_parse(const char *text, const struct time_words *words, struct time_range *ret,
                     struct strbuf *reterr)
{
	struct parser parser = {words, reterr, day_of(words->now_ns)};
	const char *dots = strstr(text, "..");
	struct time_range range = {0, words->now_ns};
	struct moment moment;
	char first[TIME_BYTES];
	bool ends_day = false;
	int r = 0;

	if (!dots)
		return parse_single(&parser, text, ret);
	if ((size_t)(dots - text) >= sizeof(first))
		return refuse(&parser, text, "is no range of time");
	memcpy(first, text, (size_t)(dots - text));
	first[dots - text] = '\0';
	if (first[0] != '\0') {
		r = parse_moment(&parser, first, &moment);
		range.begin_ns = r < 0 ? 0 : moment.ns;
	}
	if (r == 0 && dots[2] != '\0') {
		r = parse_moment(&parser, dots + 2, &moment);
		ends_day = r == 0 && moment.reach == REACH_DAY;
		range.end_ns = ends_day ? moment.day_end_ns : r < 0 ? 0 : moment.ns;
	}
	if (r < 0)
		return r;
	/* The end of a day is no moment of it. */
	if (range.end_ns < range.begin_ns || (ends_day && range.end_ns == range.begin_ns))
		return refuse(&parser, text, "ends before it begins");
	*ret = range;
	return 0;
}
