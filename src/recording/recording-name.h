/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-name - the names of a recording's files: "20261123T054012Z.ctprof.zst", the time (UTC) at which the file was begun. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

enum { RECORDING_NAME_BYTES = 64 };

/* Writes the name of a file that begins then, in seconds since 1970. Returns false past the year 9999. */
must_check_ bool recording_name_make(uint64_t unix_seconds, char ret_name[RECORDING_NAME_BYTES]);

/* Returns whether a name is one of these, exactly, and stores its time. */
must_check_ bool recording_name_parse(const char *name, uint64_t *ret_unix_seconds);

/* Writes the name of the sums of the file @name: "20261123T054012Z.ctprof.sums". Returns false if that is no file of a recording. */
must_check_ bool recording_name_of_sums(const char *name, char ret_name[RECORDING_NAME_BYTES]);
