// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/window-rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

static struct rate_group *group_of(struct window_rates *rates, const struct strmap_entry *group)
{
	struct strmap_entry *entry = strmap_add(&rates->groups, group->key, group->key_len);
	struct rate_group *found = entry->value;

	if (found)
		return found;
	found = entry->value = mem_calloc(1, sizeof(*found));
	found->number = rates->groups.count;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		found->last[i] = NAN;
	return found;
}

/* Returns the work of a second, with that of threads that have exited; NaN if no thread has the value. */
static double find_rate(const struct summary *summary, uint64_t length_ns)
{
	__int128 work;

	return summary_rated(summary, length_ns, &work)
	               ? (double)work / ((double)length_ns / NS_PER_SECOND)
	               : NAN;
}

/* A group that is not in a window did nothing in it. A metric that was never seen is not seen then either. */
static void make_idle(struct rate_group *group)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		group->now[i] = metric_set_has(&group->known, (enum metric_id)i) ? 0 : NAN;
}

/* Leaves in the list the groups that the window before this one has. */
static void forget_idle(struct window_rates *rates)
{
	size_t count = 0;

	for (size_t i = 0; i < rates->changing_count; i++) {
		size_t place = rates->changing[i];
		struct rate_group *group = rates->groups.entries[place].value;

		group->is_changing = group->has_now;
		group->has_now = false;
		make_idle(group);
		group->partial = (struct metric_set){{0}};
		if (group->is_changing)
			rates->changing[count++] = place;
	}
	rates->changing_count = count;
}

static void set_group(const struct fleet_groups *groups, struct rate_group *rate,
                      const struct strmap_entry *group, uint64_t length_ns)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct summary *summary =
		        fleet_groups_summary(groups, group, (enum metric_id)i);

		rate->now[i] = find_rate(summary, length_ns);
		if (!isnan(rate->now[i]))
			metric_set_add(&rate->known, (enum metric_id)i);
		if (summary->seen < summary->threads)
			metric_set_add(&rate->partial, (enum metric_id)i);
	}
}

static void set_values(struct window_rates *rates, const struct fleet_groups *groups,
                       uint64_t length_ns)
{
	forget_idle(rates);
	for (size_t i = 0; i < groups->names.count; i++) {
		const struct strmap_entry *group = &groups->names.entries[i];
		struct rate_group *rate = group_of(rates, group);

		rate->has_now = true;
		if (!rate->is_changing)
			*array_add(rates->changing, rates->changing_count,
			           rates->changing_capacity) = (size_t)rate->number - 1;
		rate->is_changing = true;
		set_group(groups, rate, group, length_ns);
	}
}

static const char *check(struct window_rates *rates, const struct snapshot_info *info)
{
	const struct snapshot_window *window = &info->window;
	const char *host = host_text(&info->host, HOST_hostname);

	if (info->kind != KIND_window || !window->seen[WINDOW_begin_unix_ns] ||
	    !window->seen[WINDOW_length_ns] || window->numbers[WINDOW_length_ns] == 0)
		return "it is no window, and has no time that its work belongs to";
	if (!rates->has_window)
		strbuf_add_str(&rates->host, host ? host : "");
	if (strcmp(strbuf_str(&rates->host), host ? host : "") != 0)
		return "it is of another host than the first window";
	return NULL;
}

/* A window begins by the clock that is shown to people, and its length is by another one, which the kernel lets run faster or slower than
 * that by up to 1/2000: a window that follows at once begins so much before or behind the end of the one before. */
static uint64_t clocks_differ_ns(const struct window_rates *rates)
{
	return NS_PER_MS + rates->length_ns / 2000;
}

const char *window_rates_add(struct window_rates *rates, const struct snapshot_info *info,
                             const struct fleet_groups *groups)
{
	uint64_t begin_ns = info->window.numbers[WINDOW_begin_unix_ns];
	uint64_t length_ns = info->window.numbers[WINDOW_length_ns];
	uint64_t end_ns = saturating_add(begin_ns, length_ns);
	uint64_t most_ns = clocks_differ_ns(rates);
	const char *why = check(rates, info);

	if (why)
		return why;
	if (rates->has_window && begin_ns < rates->end_ns + most_ns &&
	    rates->end_ns < begin_ns + most_ns)
		begin_ns = rates->end_ns;
	if (rates->has_window && (begin_ns < rates->end_ns || end_ns <= begin_ns))
		return "it begins before the window in front of it has ended";
	rates->gap_ns = rates->has_window ? begin_ns - rates->end_ns : 0;
	rates->begin_ns = begin_ns;
	rates->end_ns = end_ns;
	rates->length_ns = length_ns;
	rates->has_window = true;
	set_values(rates, groups, length_ns);
	return NULL;
}

bool window_rates_count(struct window_rates *rates, const struct rate_group *group,
                        enum metric_id metric)
{
	bool is_seen = !isnan(group->now[metric]);

	rates->unseen += !is_seen && group->has_now;
	rates->partial += is_seen && metric_set_has(&group->partial, metric);
	return is_seen;
}

void window_rates_done(struct window_rates *rates)
{
	for (size_t i = 0; i < rates->groups.count; i++)
		free(rates->groups.entries[i].value);
	strmap_done(&rates->groups);
	free(rates->changing);
	strbuf_done(&rates->host);
}
