/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* stall - processes whose files in /proc could not be read in time. The kernel holds such a reading up while the process waits
 * for something else with a lock held, as a close-on-exec file on a FUSE mount that does not answer. The thread that reads is given
 * up then (base/watch.h), and another one goes on. The process is not read in the same way again as long as the kernel holds that
 * thread up. Its start time may be what cannot be read, so it is known by the inode of its directory. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

/* Files that are left alone, because a reading of the process has stalled before. */
enum stall_avoids {
	AVOIDS_NOTHING,
	AVOIDS_MEMORY, /* smaps_rollup and maps, which wait for the lock of the address space */
	AVOIDS_LOCKED, /* io, exe and cwd as well, which wait for an exec to end on most kernels; stat does so on some, and is tried */
	AVOIDS_ALL,    /* the process is left out */
};

#define STALL_LIMIT_NS NS_PER_SECOND
#define STALL_SHORT_LIMIT_NS (20 * NS_PER_MS)
#define STALL_TICK_NS (10 * NS_PER_MS)

enum {
	STALL_PATIENT_THREADS = 16, /* of one reading; then the limit is short for every process */
	STALL_THREADS_MAX = 1024,   /* held up at once; then none is created in place of one */
	STALL_SERVICES_MAX = 64,    /* of jemalloc's counters, whose descriptors remain */
};

/* A thread that was given up. */
struct stalled_thread {
	pthread_t id;
	void *context;               /* what its call may still write to */
	void (*done)(void *context); /* called when it has ended, in the thread that has the list */
	/* The list's own: the process that holds it up. */
	uint32_t tgid;
	ino_t inode;
};

/* A process that has stalled. */
struct stalled_process {
	uint32_t tgid;
	ino_t inode; /* of its directory, which stays the same while a thread is held up in it */
	enum stall_avoids avoids;
	size_t threads; /* that it had, as far as that is known */
	bool is_held;   /* the kernel still holds a thread of ours up */
	bool is_tried;  /* it does not, and this reading tries everything again */
};

/* Zeroed: nothing has stalled. */
struct stall_list {
	uint64_t limit_ns;                 /* 0: STALL_LIMIT_NS */
	struct stalled_process *processes; /* owned, as are the threads */
	size_t count;
	size_t capacity;
	struct stalled_thread *threads; /* that have not ended */
	size_t thread_count;
	size_t thread_capacity;
	size_t given_up; /* threads of this reading */
	size_t services; /* threads that read jemalloc's counters, of all readings */
};

/* Begins a reading of the tree at @proc_fd: joins threads that have come back, and forgets processes that are gone, or that no longer
 * hold a thread up and did not stall in the reading before. */
void stall_begin(struct stall_list *list, int proc_fd);

/* Returns what is known of the process, or NULL. It is valid until stall_add(). */
const struct stalled_process *stall_find(const struct stall_list *list, uint32_t tgid);

/* For how long a thread may sleep in one reading of the process: shortly only where the process has stalled before, or many
 * have. */
uint64_t stall_limit_ns(const struct stall_list *list, uint32_t tgid);

/* Notes that @thread was given up in the process @tgid, which had @threads; the next reading leaves @avoids alone, or more where more
 * has stalled before. */
void stall_add(struct stall_list *list, int proc_fd, uint32_t tgid, size_t threads,
               enum stall_avoids avoids, const struct stalled_thread *thread);

/* Joins threads that have come back. The others keep what they may write to. */
void stall_list_done(struct stall_list *list);
