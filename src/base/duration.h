/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duration - lengths of time as options take them. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

/* Parses "500ms", "30s", "1.5m", "2h", "7d" or a number of seconds. False where it is none of these, or too long to be
 * counted in nanoseconds. */
must_check_ bool duration_parse(const char *text, uint64_t *ret_ns);
