/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* series-record - one line of usage.jsonl as a record. */
#include "series/series.h"

struct json_t;

/* A timestamp of a file with an offset and one without cannot be compared. */
enum series_offsets { OFFSETS_UNKNOWN, OFFSETS_GIVEN, OFFSETS_NONE };

/* Adds the record, with times since 1970. Returns NULL, or a phrase that says why it is none. */
const char *series_add_record(struct series *series, const struct json_t *json, enum series_cpu cpu,
                              enum series_offsets *offsets);

/* No job uses more of anything. */
#define SERIES_NUMBER_MAX 1e18

/* Returns a number of the JSON, or a text that is one, as con-duct's plot has it; NaN for anything else, also below 0 and above
 * SERIES_NUMBER_MAX. */
double series_number(const struct json_t *json);
