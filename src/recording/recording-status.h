/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-status - whether a recording is being made, what there is of it, and how long the disk lasts. */
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"
#include "recording/recording-directory.h"
#include "recording/recording-survey.h"

struct recording_status {
	struct recording_owner recorder;
	struct recording_survey survey;
	uint64_t free_bytes; /* of the file system, for this user */
};

/* Reads all windows. Returns 0 or -errno, with a sentence where the contents are to blame. @ret is zeroed. */
must_check_ int recording_status_read(int dir_fd, const struct snapshot_limits *limits,
                                      struct recording_status *ret, struct strbuf *reterr);

/* Returns the bytes a second that the last hour took, 0 if there is none. */
double recording_status_byte_rate(const struct recording_status *status);

/* For cleanup_(recording_status_done). */
void recording_status_done(struct recording_status *status);
