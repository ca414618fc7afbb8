// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "ctprof/scan.h"
#include "ctprof/source.h"

/* The kernel refuses newlines in the names of cgroups, so a line is a line; all else is possible, and
 * nothing is trimmed: a path may well end in a blank. */
enum source_outcome cgroup_parse(const char *text, size_t len, struct thread_sample *sample)
{
	static const char unified[] = "0::";
	struct span rest = {text, len}, line;

	while (scan_line(&rest, &line)) {
		if (line.len < strlen(unified) || memcmp(line.text, unified, strlen(unified)) != 0)
			continue;
		strbuf_clear(&sample->cgroup);
		strbuf_add(&sample->cgroup, line.text + strlen(unified),
		           line.len - strlen(unified));
		sample->has_cgroup = true;
		return OUTCOME_read;
	}
	return OUTCOME_off;
}
