// SPDX-License-Identifier: GPL-2.0-or-later
#include "trigger/trigger-past.h"

#include <string.h>

/* The kernel reports a trigger once in a window, and looks every two seconds for those that anyone may have. */
enum { LOOKS_EVERY_USEC = 2000000 };

static uint64_t before(uint64_t at_usec, uint64_t length_usec)
{
	return at_usec > length_usec ? at_usec - length_usec : 0;
}

void trigger_past_add(struct trigger_past *past, uint64_t window_usec,
                      struct trigger_reading reading)
{
	const struct trigger_reading *readings = past->readings;
	unsigned count = past->count;

	if (count >= 2 &&
	    readings[count - 1].at_usec - readings[count - 2].at_usec < window_usec / 4) {
		past->count--;
	} else if (count == TRIGGER_PAST_MAX) {
		memmove(past->readings, past->readings + 1,
		        sizeof(past->readings) - sizeof(past->readings[0]));
		past->count--;
	}
	past->readings[past->count++] = reading;
}

/* Returns the growth up to a reading, from the last one before any window that ended behind the reading in front of it. */
static uint64_t growth_up_to(const struct trigger_past *past, unsigned end, uint64_t window_usec)
{
	uint64_t begin_usec = before(past->readings[end - 1].at_usec, window_usec);
	uint64_t end_total = past->readings[end].total_usec, total;
	unsigned begin = end - 1;

	while (begin > 0 && past->readings[begin].at_usec > begin_usec)
		begin--;
	total = past->readings[begin].total_usec;
	return end_total > total ? end_total - total : 0;
}

bool trigger_past_allows(const struct trigger_past *past, uint64_t stall_usec, uint64_t window_usec)
{
	uint64_t from_usec;

	if (past->count < 2)
		return true;
	from_usec = before(past->readings[past->count - 2].at_usec, window_usec + LOOKS_EVERY_USEC);
	for (unsigned end = past->count - 1; end > 0 && past->readings[end].at_usec >= from_usec;
	     end--)
		if (growth_up_to(past, end, window_usec) >= stall_usec)
			return true;
	return false;
}
