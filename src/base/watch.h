/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* watch - lets one thread find out that a system call holds up another one, and give that thread up.
 *
 * Reads of some files of /proc wait for a lock of the process that is read, and only a fatal signal ends the wait. A watched thread
 * marks such a call with watch_enter() and watch_leave(). Another thread calls watch_asleep_ns() every so often, and
 * watch_give_up() where it has waited long enough. A thread that was given up touches nothing from then on but the buffer of the
 * call. When the call comes back, the thread leaves what watch_run() runs, and can end. */
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "ctprof/base/macro.h"

struct watch {
	_Atomic uint64_t calls; /* odd while the thread is in a call */
	_Atomic pid_t tid;      /* of the watched thread; 0 before watch_run() */
	char place
	        [64]; /* "PID/task/TID" of it in /proc, which may be of another pid namespace; set before tid */
	jmp_buf begin; /* the watched thread's own */
	/* The last readings of the watching thread. */
	uint64_t seen_calls;
	uint64_t since_ns;
	uint64_t since_awake_ns;
	uint64_t looked_ns;
};

/* Calls run(@context), in which the calls of this thread are watched. Returns true when that returns, and false where the thread was
 * given up: then the functions that were under way did not end, and descriptors and memory that only they knew stay. @watch is
 * zeroed, and lives as long as the thread does. */
bool watch_run(struct watch *watch, void (*run)(void *context), void *context);

/* Around a system call that another process may hold up. They do nothing in a thread that is not watched. */
void watch_enter(void);
void watch_leave(void);

/* The most that counts of the time between two calls of watch_asleep_ns(). */
#define WATCH_GAP_NS (50 * NS_PER_MS)

/* Returns for how long the thread has slept in its call, since the first call of this function that saw it there: a lock that is
 * given to it for a moment now and then does not start the time anew. 0 if it is in no call, runs, or waits for a CPU
 * (/proc/PID/task/TID/stat and schedstat). A caller that was held up itself, as by a busy host or in a virtual machine that
 * stood still, does not count more than WATCH_GAP_NS of that: whoever holds the lock was held up as well. @now_ns is of CLOCK_MONOTONIC. */
uint64_t watch_asleep_ns(struct watch *watch, uint64_t now_ns);

/* Gives up the thread that watch_asleep_ns() has just found asleep. Returns false where its call has come back meanwhile. */
must_check_ bool watch_give_up(struct watch *watch);
