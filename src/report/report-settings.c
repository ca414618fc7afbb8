// SPDX-License-Identifier: GPL-2.0-or-later
/* How the hosts are set, as far as it is no table. */
#include <string.h>

#include "base/glob.h"
#include "base/text.h"
#include "report-text.h"

void report_add_denied_settings(const struct report *report, struct strbuf *out)
{
	for (unsigned side = 0; side < report->rows->sides; side++) {
		const struct settings *settings = &report->sides[side].info->settings;
		size_t count = 0;

		for (size_t i = 0; i < settings->denied_count; i++) {
			const char *name = settings->denied[i];

			if (report->settings_like &&
			    !glob_match_name(report->settings_like, name, strlen(name)))
				continue;
			strbuf_add_str(out, count == 0 ? "could not be read: " : ", ");
			text_add_escaped(out, name, strlen(name));
			count++;
		}
		if (count > 0 && report->rows->sides == SIDE_MAX)
			strbuf_addf(out, " (%s)", side == SIDE_BASELINE ? "baseline" : "candidate");
		if (count > 0)
			strbuf_add_char(out, '\n');
	}
}
