/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* units - formats values for people, scaled on the ladder of their unit. Machine formats are never scaled. */
#include <stdbool.h>

#include "ctprof/base/strbuf.h"
#include "ctprof/metric/metric.h"
#include "metric/fold.h"

/* Appends a value: "999ns", "8.697K", "7.500GiB", "0.250" for a ratio; with @exact_decimals a value below the
 * first step keeps two decimals ("12.50ns"), for averages. "-" if there is none. */
void units_format(enum metric_unit unit, struct quantity value, bool exact_decimals,
                  struct strbuf *out);

/* Appends a difference with its sign, scaled by its own size: "+0ns", "-1.500ms". "-" if there is none. */
void units_format_delta(enum metric_unit unit, struct quantity delta, bool exact_decimals,
                        struct strbuf *out);

/* Makes a value in clock ticks one of time, if their length is known (@ticks_per_second is not 0). Returns the unit of the value, which is
 * @unit otherwise. Tables show time; machine formats keep ticks. */
enum metric_unit units_ticks_as_time(enum metric_unit unit, uint64_t ticks_per_second,
                                     struct quantity *value);

/* Appends an integer of any size. */
void units_format_integer(__int128 integer, struct strbuf *out);
