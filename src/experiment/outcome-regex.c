// SPDX-License-Identifier: GPL-2.0-or-later
#include "outcome-regex.h"

#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/base/macro.h"

/* glibc 2.36 takes 0.03 s and 30 MB for "(a?){500}", and more than a minute for four times that. */
#define COPIES_MAX 500
enum { DEPTH_MAX = 50 };

/* The parts of one group, as the C library copies them. */
struct group {
	uint64_t before, last; /* the last part is what a repetition behind it repeats */
};

static void add_part(struct group *group, uint64_t copies)
{
	group->before = saturating_add(group->before, group->last);
	group->last = copies;
}

/* Goes to the end of a set in brackets. */
static const char *skip_brackets(const char *at)
{
	const char *next = at + 1 + (at[1] == '^');

	next += *next == ']';
	while (*next && *next != ']') {
		const char *end = NULL;

		if (next[0] == '[' && next[1] && strchr(".:=", next[1]))
			for (end = next + 2; *end && (end[0] != next[1] || end[1] != ']'); end++)
				;
		next = end && *end ? end + 2 : next + 1;
	}
	return *next ? next : next - 1;
}

/* Reads "{2,5}" and goes to its end. Returns the most copies that it makes; 1 if it is none. */
static uint64_t read_interval(const char **at)
{
	char *end;
	uint64_t least, most;

	if ((*at)[1] < '0' && (*at)[1] != ',')
		return 1;
	least = most = strtoull(*at + 1, &end, 10);
	if (*end == ',')
		most = strtoull(end + 1, &end, 10);
	if (*end != '}')
		return 1;
	*at = end;
	/* "{2,}" is two copies and one that repeats. */
	return least >= most ? saturating_add(least, 1) : most;
}

static bool is_small(const char *regex)
{
	struct group groups[DEPTH_MAX + 1] = {0}, *group = groups;

	for (const char *at = regex; *at; at++) {
		if (*at == '(') {
			if (group == groups + DEPTH_MAX)
				return false;
			*++group = (struct group){0};
		} else if (*at == ')' && group > groups) {
			uint64_t copies = saturating_add(group->before, group->last);

			add_part(--group, saturating_add(copies, 1));
		} else if (*at == '+') {
			group->last = saturating_multiply(group->last, 2);
		} else if (*at == '{') {
			group->last = saturating_multiply(group->last, read_interval(&at));
		} else if (*at != '*' && *at != '?') {
			if (*at == '[')
				at = skip_brackets(at);
			else if (*at == '\\' && at[1])
				at++;
			add_part(group, 1);
		}
		if (saturating_add(group->before, group->last) > COPIES_MAX)
			return false;
	}
	return true;
}

/* Also finds one in brackets, where a backslash is itself. */
static bool has_back_reference(const char *regex)
{
	for (; *regex; regex++)
		if (*regex == '\\' && *++regex >= '1' && *regex <= '9')
			return true;
		else if (*regex == '\0')
			break;
	return false;
}

static int refuse(struct strbuf *reterr, const char *regex, const char *why)
{
	strbuf_addf(reterr, "'%s' is not %s", regex, why);
	return -EINVAL;
}

int outcome_regex_check(const char *regex, struct strbuf *reterr)
{
	char reason[100];
	regex_t compiled;
	int r;

	/* POSIX has none in extended expressions. */
	if (has_back_reference(regex))
		return refuse(reterr, regex, "a regular expression: it refers back to a group");
	if (!is_small(regex))
		return refuse(reterr, regex,
		              "a regular expression of at most " STRINGIFY(
		                      COPIES_MAX) " parts, each as often as it is "
		                                  "repeated");
	r = regcomp(&compiled, regex, REG_EXTENDED);
	if (r != 0) {
		regerror(r, &compiled, reason, sizeof(reason));
		strbuf_addf(reterr, "'%s' is not a regular expression: %s", regex, reason);
		return -EINVAL;
	}
	regfree(&compiled);
	return 0;
}
