// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/rates.h"
#include "base/clock.h"

#define RATE_MAX (~(unsigned __int128)0)

void rate_merge(struct rate_sum *into, struct rate_sum from)
{
	if (__builtin_add_overflow(into->fixed, from.fixed, &into->fixed))
		into->fixed = RATE_MAX;
}

void rate_add(struct rate_sum *sum, uint64_t value, uint64_t interval_ns)
{
	unsigned __int128 scaled = (unsigned __int128)value * NS_PER_SECOND;
	unsigned __int128 whole = scaled / interval_ns, rest = scaled % interval_ns;

	if (whole > UINT64_MAX)
		sum->fixed = RATE_MAX;
	else
		rate_merge(sum, (struct rate_sum){(whole << RATE_FRACTION_BITS) +
		                                  (rest << RATE_FRACTION_BITS) / interval_ns});
}

void rate_scale(struct rate_sum *sum, uint64_t to, uint64_t from)
{
	if (__builtin_mul_overflow(sum->fixed / from, (unsigned __int128)to, &sum->fixed))
		sum->fixed = RATE_MAX;
}

void rate_list_add(struct rate_list *list, enum metric_id metric)
{
	if (list->places[metric] > 0)
		return;
	list->metrics[list->count++] = (uint16_t)metric;
	list->places[metric] = (uint16_t)list->count;
}

bool metric_has_rate(enum metric_id metric)
{
	return metric_is_counter(metric);
}
