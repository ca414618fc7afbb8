/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* frame - finds the zstd frames of a file, one behind the other, by their block headers alone (RFC 8878). Nothing is decompressed. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

/* Finds the end of the frame that begins at @offset. Returns 1 and the offset behind it; 0 if there is no whole frame there, as at
 * the end of the file, in a torn tail, or in other bytes; or -errno. */
must_check_ int frame_find_end(int fd, uint64_t offset, uint64_t *ret_end);

/* Finds the end of the last whole frame of those that follow one another from the begin of the file on. Returns 0 or -errno. */
must_check_ int frame_find_last_end(int fd, uint64_t *ret_end);
