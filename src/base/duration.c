// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/duration.h"

#include <stddef.h>
#include <string.h>

#include "base/clock.h"

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
        {"ms", NS_PER_MS},         {"", NS_PER_SECOND},         {"s", NS_PER_SECOND},
        {"m", 60 * NS_PER_SECOND}, {"h", 3600 * NS_PER_SECOND}, {"d", 24 * 3600 * NS_PER_SECOND},
};

/* Reads digits off the text; false where there is none, or too many. */
static bool read_digits(const char **text, uint64_t *ret_number, uint64_t *ret_scale)
{
	enum { DIGITS_MAX = 12 };
	unsigned digits = 0;

	*ret_number = 0;
	*ret_scale = 1;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		if (++digits > DIGITS_MAX)
			return false;
		*ret_number = *ret_number * 10 + (uint64_t)(**text - '0');
		*ret_scale *= 10;
	}
	return digits > 0;
}

bool duration_parse(const char *text, uint64_t *ret_ns)
{
	uint64_t whole, part = 0, scale = 1, unused;
	unsigned __int128 ns;

	if (!read_digits(&text, &whole, &unused))
		return false;
	if (*text == '.') {
		text++;
		if (!read_digits(&text, &part, &scale))
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text, units[i].name) != 0)
			continue;
		ns = (unsigned __int128)whole * units[i].ns +
		     (unsigned __int128)part * units[i].ns / scale;
		if (ns > UINT64_MAX)
			return false;
		*ret_ns = (uint64_t)ns;
		return true;
	}
	return false;
}
