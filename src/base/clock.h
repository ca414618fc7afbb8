/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* clock - units of time, and clocks of clock_gettime(2), in nanoseconds. */
#include <stdint.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_SECOND UINT64_C(1000000000)

/* @clock is one that every kernel has: CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME or our own CPU time. */
static inline uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}
