/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture-note - what is said on stderr about a capture that succeeded. */
#include <stdint.h>

#include "ctprof/snapshot/snapshot.h"

/* Prints one line that says what was written and how reading it went: "ctprof: wrote 143 threads of 98 processes,
 * 21.312KiB in 52.123ms; taskstats 141 ok, 2 ESRCH". @file_bytes is the compressed size. A window has its own length
 * and its threads by what became of them, instead of the number of processes and the time taken. */
void capture_note_written(const struct snapshot_info *info, uint64_t file_bytes);
