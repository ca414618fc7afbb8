/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* stall - processes whose files in /proc could not be read in time. The kernel holds such a reading up while the process waits
 * for something else with a lock held, as a close-on-exec file on a FUSE mount that does not answer. The thread that reads is given
 * up then (base/watch.h), and another one goes on. */
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

/* Files that are left alone, because a reading of the process has stalled before. */
enum stall_avoids {
	AVOIDS_NOTHING,
	AVOIDS_MEMORY, /* smaps_rollup and maps, which wait for the lock of the address space */
	AVOIDS_LOCKED, /* io, exe and cwd as well, which wait for an exec to end on most kernels; stat does so on some, and is tried */
};

#define STALL_LIMIT_NS NS_PER_SECOND
#define STALL_SHORT_LIMIT_NS (20 * NS_PER_MS)
#define STALL_TICK_NS (10 * NS_PER_MS)

enum {
	STALL_PATIENT_THREADS = 16, /* after so many the limit is the short one for every process */
	STALL_THREADS_MAX = 1024,   /* no more threads are given up */
};

struct stall_list {
	uint64_t limit_ns; /* 0: STALL_LIMIT_NS */
	uint32_t *tgids;   /* processes that have stalled; owned */
	size_t count;
	size_t capacity;
	size_t threads; /* that were given up */
};

/* For how long a thread may sleep in one reading of the process: shortly only where the process has stalled before, or many
 * have. */
uint64_t stall_limit_ns(const struct stall_list *list, uint32_t tgid);
/* Notes that a thread was given up in the process. */
void stall_add(struct stall_list *list, uint32_t tgid);
void stall_list_done(struct stall_list *list);
