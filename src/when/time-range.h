/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* time-range - parses ranges of time: "-1h", "10:00..10:05", "yesterday 10:00", "boot", "2026-11-23T10:00..now". Times are local, or
 * UTC with a Z behind them. Does no I/O but for the zone's rules, and does not read the clock. */
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct time_range {
	uint64_t begin_ns, end_ns; /* since 1970; equal for a moment */
};

/* The times that words stand for. */
struct time_words {
	uint64_t now_ns;
	uint64_t boot_ns; /* 0: not known */
};

/* Parses "A..B", "A..", "..B", or one time: a duration ago and "boot" reach from then to now, a day ("today", "yesterday",
 * "2026-11-23") is all of it, and any other is that moment. B without a date is of A's day. Returns 0, or -EINVAL with a sentence, as
 * for a time that the local clock shows twice or never, and for an end before the begin. */
must_check_ int time_range_parse(const char *text, const struct time_words *words,
                                 struct time_range *ret, struct strbuf *reterr);
