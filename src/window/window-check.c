// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/scan.h"
#include "window-join.h"

static bool same_text(const struct host *a, const struct host *b, enum host_field field)
{
	const char *text_a = host_text(a, field), *text_b = host_text(b, field);

	return text_a && text_b ? strcmp(text_a, text_b) == 0 : text_a == text_b;
}

/* What is wrong with one of them, as a clause about it, or NULL. */
static const char *fault_of(const struct snapshot_info *info)
{
	if (info->origin == ORIGIN_ktstr)
		return "is of ktstr ctprof, which does not say of which boot it is; a window needs "
		       "two snapshots of this ctprof";
	if (info->kind == KIND_window)
		return "is a window already; a window is made from two lifetime snapshots";
	if (!host_text(&info->host, HOST_boot_id))
		return "does not say of which boot it is, so its threads cannot be told from "
		       "others with their ids";
	if (info->captured_boottime_ns == 0)
		return "does not say how long after boot it was captured";
	return NULL;
}

/* What is wrong with the pair. */
static const char *fault_of_pair(const struct snapshot_info *first,
                                 const struct snapshot_info *last)
{
	bool same_boot = same_text(&first->host, &last->host, HOST_boot_id);

	if (host_text(&first->host, HOST_hostname) && host_text(&last->host, HOST_hostname) &&
	    !same_text(&first->host, &last->host, HOST_hostname))
		return "are of different hosts: there is no window between them";
	if (!same_boot)
		return "are of different boots: no counter of the one goes on in the other";
	if (!same_text(&first->host, &last->host, HOST_pid_namespace))
		return "are of different pid namespaces, in which the same ids are other threads";
	if (first->host.numbers[HOST_clock_ticks_per_second] !=
	    last->host.numbers[HOST_clock_ticks_per_second])
		return "count clock ticks of different length";
	if (first->captured_boottime_ns > last->captured_boottime_ns)
		return "are in reversed order: the first was captured after the second; swap them";
	if (first->captured_boottime_ns == last->captured_boottime_ns)
		return "were captured at the same moment: there is no window between them";
	return NULL;
}

int window_check(const struct window_reading *first, const struct window_reading *last,
                 const struct window_options *options, struct strbuf *reterr)
{
	const char *fault = fault_of(&first->info);

	if (fault) {
		strbuf_addf(reterr, "%s %s", options->first.name, fault);
		return -EINVAL;
	}
	fault = fault_of(&last->info);
	if (fault) {
		strbuf_addf(reterr, "%s %s", options->last.name, fault);
		return -EINVAL;
	}
	fault = fault_of_pair(&first->info, &last->info);
	if (fault) {
		strbuf_addf(reterr, "%s and %s %s", options->first.name, options->last.name, fault);
		return -EINVAL;
	}
	return 0;
}
