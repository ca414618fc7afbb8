/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-status - what there is of a recording, without its rows. */
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"

struct recording_status {
	pid_t recorder; /* 0: none runs */
	uint64_t files, windows, bytes;
	/* The windows of the newest file, which are read. */
	uint64_t newest_windows, newest_bytes;
	uint64_t begin_unix_ns,
	        end_unix_ns;   /* of its first and its last window; 0: there is none */
	uint64_t length_ns;    /* of its windows together */
	uint64_t gaps, gap_ns; /* between them */
	uint64_t cpu_ns;       /* of the recorder in them */
	uint64_t first_unix_s; /* begin of the oldest file */
	uint64_t free_bytes;   /* of the file system, for this user */
};

/* Returns 0 or -errno, with a sentence where the contents are to blame. */
must_check_ int recording_status_read(int dir_fd, const struct snapshot_limits *limits,
                                      struct recording_status *ret, struct strbuf *reterr);
