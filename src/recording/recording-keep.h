/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-keep - the files of a recording that are removed because they are old or too many. */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "recording/recording-directory.h"

struct recording_keep {
	uint64_t seconds; /* of history; 0: no limit */
	uint64_t bytes;   /* of all files together; 0: no limit */
};

/* Moves the files that are to be removed at a time to the front of @files, and returns how many they are: those that end before the
 * history begins, for a file ends where the next one begins; and then as many as it takes to be below the limit of bytes. Files of a later
 * time go first there, since a clock that was wrong gave them their names. The newest of the others always stays. */
must_check_ size_t recording_keep_excess(const struct recording_keep *keep,
                                         struct recording_files *files, uint64_t now_unix_s);

/* Removes them. Returns 0, or the first -errno. */
must_check_ int recording_keep_apply(const struct recording_keep *keep, int dir_fd,
                                     uint64_t now_unix_s);
