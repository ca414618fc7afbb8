/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* work-marks - how much of the output of a workload had been printed at a time: memory that the process which reads the output shares with
 * another one, which marks the time. The reader may be late: what it has read and what is in the pipe count together. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

enum work_mark { WORK_MARK_BEGIN, WORK_MARK_END, WORK_MARK_COUNT };

struct work_marks {
	_Atomic uint64_t turn; /* odd while the output is read */
	_Atomic uint64_t read_bytes;
	_Atomic uint64_t printed_bytes[WORK_MARK_COUNT];
};

/* Returns marks that processes forked from now on share, without output; or NULL if there is no memory. */
struct work_marks *work_marks_new(void);
void work_marks_freep(struct work_marks **marks);

/* Does as read(), and counts the bytes. Without @marks (NULL) it only reads. */
ssize_t work_marks_read(struct work_marks *marks, int fd, void *bytes, size_t size);

/* For the other process: sets @mark to what has been printed by now, with either end of the pipe; with -1 there is no output. */
void work_marks_set(struct work_marks *marks, enum work_mark mark, int fd);

/* Returns how many bytes in front of @mark are not read yet; 0 if all are. */
uint64_t work_marks_left(const struct work_marks *marks, enum work_mark mark);
