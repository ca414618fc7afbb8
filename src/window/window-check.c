// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/scan.h"
#include "window-join.h"

static bool same_text(const struct host *a, const struct host *b, enum host_field field)
{
	const char *text_a = host_text(a, field), *text_b = host_text(b, field);

	return text_a && text_b ? strcmp(text_a, text_b) == 0 : text_a == text_b;
}

/* Returns the fault of one of them, as a clause about it, or NULL. */
static const char *fault_of(const struct snapshot_info *info, bool inferred)
{
	if (info->origin == ORIGIN_ktstr && !inferred)
		return "is of ktstr ctprof, which does not say of which boot it is; a window needs "
		       "two snapshots of this ctprof";
	if (info->kind == KIND_window)
		return "is a window already; a window is made from two lifetime snapshots";
	if (!host_text(&info->host, HOST_boot_id) && !inferred)
		return "does not say of which boot it is, so its threads cannot be distinguished "
		       "from "
		       "others with their ids";
	if (info->captured_boottime_ns == 0)
		return "does not say how long after boot it was captured";
	return NULL;
}

/* Returns the fault of the pair, or NULL. */
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
	if (!same_text(&first->host, &last->host, HOST_selection))
		return "have the threads of different processes: they were selected in different "
		       "ways";
	if (first->host.numbers[HOST_clock_ticks_per_second] !=
	    last->host.numbers[HOST_clock_ticks_per_second])
		return "count clock ticks of different length";
	if (first->captured_boottime_ns > last->captured_boottime_ns)
		return "are in reversed order: the first was captured after the second; swap them";
	if (first->captured_boottime_ns == last->captured_boottime_ns)
		return "were captured at the same moment: there is no window between them";
	return NULL;
}

/* Kernel threads and the first services are born at the same ticks with the same ids in every boot. */
enum { BOOT_SECONDS = 10 };

/* Returns whether a thread of the first reading is in the last one: of the same ids, start time and name, and not from
 * while the host was booting. */
static bool have_a_thread_in_common(const struct window_reading *first,
                                    const struct window_reading *last)
{
	struct thread_sample then = {0}, now = {0};
	bool found = false;

	for (uint32_t row = 0; row < first->threads.count && !found; row++) {
		uint32_t other = window_reading_find(last, thread_store_key(&first->threads, row));

		if (other == THREAD_STORE_NONE ||
		    thread_store_key(&first->threads, row)->start_time_clock_ticks <
		            BOOT_SECONDS * host_ticks_per_second(&first->info.host))
			continue;
		thread_store_get(&first->threads, row, &then);
		thread_store_get(&last->threads, other, &now);
		found = then.comm.len == now.comm.len &&
		        memcmp(strbuf_str(&then.comm), strbuf_str(&now.comm), then.comm.len) == 0;
	}
	sample_done(&then);
	sample_done(&now);
	return found;
}

/* Returns when the youngest thread had been born, at most a tick later. */
static uint64_t youngest_birth_ns(const struct window_reading *reading)
{
	uint64_t youngest = 0, births_ns;

	for (uint32_t row = 0; row < reading->threads.count; row++) {
		uint64_t birth = thread_store_key(&reading->threads, row)->start_time_clock_ticks;

		if (birth != UINT64_MAX && birth > youngest)
			youngest = birth;
	}
	if (__builtin_mul_overflow(youngest + 1,
	                           NS_PER_SECOND / host_ticks_per_second(&reading->info.host),
	                           &births_ns))
		return 0;
	return births_ns;
}

bool window_infer_boot(struct window_reading *first, struct window_reading *last)
{
	uint64_t then = first->info.captured_at_unix_ns, now = last->info.captured_at_unix_ns;

	if (host_text(&first->info.host, HOST_boot_id) ||
	    host_text(&last->info.host, HOST_boot_id) || then == 0 || now <= then ||
	    !have_a_thread_in_common(first, last))
		return false;
	if (first->info.captured_boottime_ns == 0 || last->info.captured_boottime_ns == 0) {
		first->info.captured_boottime_ns = youngest_birth_ns(first);
		last->info.captured_boottime_ns =
		        saturating_add(first->info.captured_boottime_ns, now - then);
	}
	return true;
}

int window_check(const struct window_reading *first, const struct window_reading *last,
                 const struct window_options *options, bool inferred, struct strbuf *reterr)
{
	const char *fault = fault_of(&first->info, inferred);

	if (fault) {
		strbuf_addf(reterr, "%s %s", options->first.name, fault);
		return -EINVAL;
	}
	fault = fault_of(&last->info, inferred);
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
