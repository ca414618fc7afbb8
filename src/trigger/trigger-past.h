/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* trigger-past - the total of a pressure at moments of the past, which says whether the pressure can have been met. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

enum { TRIGGER_PAST_MAX = 16 };

struct trigger_past {
	unsigned count;
	struct trigger_reading {
		uint64_t at_usec, total_usec;
	} readings[TRIGGER_PAST_MAX]; /* the oldest one first */
};

/* Adds a reading, which is not older than the others. Readings that are closer than a quarter of the window give way to later ones, and
 * the oldest one gives way if all places are taken, so the newest one is always there. */
void trigger_past_add(struct trigger_past *past, uint64_t window_usec,
                      struct trigger_reading reading);

/* Returns whether threads can have stood still for @stall_usec in some @window_usec that the kernel reports with the newest reading, and
 * not with the one before. True if there are less than two. */
must_check_ bool trigger_past_allows(const struct trigger_past *past, uint64_t stall_usec,
                                     uint64_t window_usec);
