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
