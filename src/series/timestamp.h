/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* timestamp - texts that stand for a time in con-duct's files. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

/* Reads an ISO 8601 time, "2026-11-22T10:10:22.567494+00:00": a blank may stand for the T, the seconds, the fraction and the
 * offset may be missing, and the offset may be Z, +HH, +HHMM or +HH:MM. @ret_ns is since 1970 (UTC), or since 1970 local time
 * where *@ret_has_offset is false. Returns false, storing nothing, if it is none. */
must_check_ bool timestamp_parse(const char *text, int64_t *ret_ns, bool *ret_has_offset);

/* Reads the age of a process as ps prints it, [[DD-]HH:]MM:SS, in seconds. Returns false, storing nothing, if it is none. */
must_check_ bool timestamp_parse_age(const char *text, uint64_t *ret_seconds);
