// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "base/clock.h"
#include "metric/units.h"
#include "report/report-text.h"

void report_add_time(uint64_t unix_ns, struct strbuf *out)
{
	time_t seconds = (time_t)(unix_ns / NS_PER_SECOND);
	struct tm parts;
	char text[64];

	if (unix_ns > 0 && gmtime_r(&seconds, &parts) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts) > 0)
		strbuf_add_str(out, text);
	else
		strbuf_add_str(out, "at an unknown time");
}

/* "2.335s", "5min 3s", "3h 12min", "2d 3h" */
void report_add_duration(uint64_t ns, struct strbuf *out)
{
	static const struct {
		uint64_t seconds;
		const char *unit;
	} steps[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
	uint64_t seconds = ns / NS_PER_SECOND;
	size_t step = 0;

	if (seconds < 120) {
		units_format(UNIT_ns, quantity_integer(ns), false, out);
		return;
	}
	while (seconds < steps[step].seconds)
		step++;
	strbuf_addf(out, "%llu%s %llu%s", (unsigned long long)(seconds / steps[step].seconds),
	            steps[step].unit,
	            (unsigned long long)(seconds % steps[step].seconds / steps[step + 1].seconds),
	            steps[step + 1].unit);
}
