/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* local-time - finds the times that a date and a time of day mean in the local zone: none, one, or two. */
#include <stddef.h>
#include <time.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum { LOCAL_TIMES_MAX = 2 };

/* Finds the seconds since 1970 at which the local clock shows these fields (year to second), in order. Returns their number: 0 where
 * the clock was set forward over them, 2 where it was set back over them. */
must_check_ size_t local_time_find(const struct tm *fields, time_t ret_times[LOCAL_TIMES_MAX]);

/* Appends "2026-11-23 10:00:00 CET", in the local zone. */
void local_time_add(time_t seconds, struct strbuf *out);

/* Appends "2026-11-23 10:00:00 to 10:05:00 CET", with the date and the zone of the second time where they are others. */
void local_time_add_span(time_t begin, time_t end, struct strbuf *out);
