/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* frame-ended - the threads that ended without a row, in a window of changes: [[tid, tgid, start time], ...]. */
#include "ctprof/base/macro.h"
#include "snapshot/frame-base.h"
#include "json/json-read.h"
#include "json/json-write.h"

/* Writes those of the frame, all rows of which are written. */
void frame_ended_write(struct json_writer *out, struct frame_base *base);

/* Reads the value of the key. Returns 0; -EINVAL if it is something else; or the JSON reader's -errno. */
must_check_ int frame_ended_read(struct json_reader *json, struct frame_base *base);
