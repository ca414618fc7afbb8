/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* work-marks - how much of the output of a workload had been printed at a time: memory that the process which reads the output shares with
 * another one, which marks the time. The reader may be late: what it has read and what is in the pipe count together. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

enum work_mark { WORK_MARK_BEGIN, WORK_MARK_END, WORK_MARK_COUNT };

struct work_marks {
	_Atomic bool is_busy; /* one of the processes reads, or sets a mark */
	_Atomic uint64_t read_bytes;
	_Atomic uint64_t printed_bytes[WORK_MARK_COUNT];
	_Atomic bool is_set[WORK_MARK_COUNT];
};

/* Returns marks that processes forked from now on share, without output; or NULL if there is no memory. */
struct work_marks *work_marks_new(void);
void work_marks_freep(struct work_marks **marks);

/* Does as read(), counts the bytes, and reads none from behind @next once that mark is set: -1 with EAGAIN if all in front of it are
 * read. WORK_MARK_COUNT stands for no mark. Without @marks (NULL) it only reads. */
ssize_t work_marks_read(struct work_marks *marks, enum work_mark next, int fd, void *bytes,
                        size_t size);

/* For the other process: sets @mark to what has been printed by now, with either end of the pipe; with -1 there is no output. */
void work_marks_set(struct work_marks *marks, enum work_mark mark, int fd);

/* Returns how many bytes in front of @mark are not read yet; 0 if all are. */
uint64_t work_marks_left(const struct work_marks *marks, enum work_mark mark);
