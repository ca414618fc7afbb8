/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* boot-clock - the kernel's time since boot, suspend included. A time namespace (Linux 5.6, time_namespaces(7)) shifts CLOCK_BOOTTIME
 * and the start times in /proc/PID/stat for its processes. Those of BPF programs are the kernel's own, and so is all that ctprof
 * stores: snapshots of two namespaces have one clock. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the kernel's CLOCK_BOOTTIME. The first call reads /proc/self/timens_offsets; helper processes make it before they
 * give up their rights. */
uint64_t boot_clock_now_ns(void);

/* Returns the kernel's start time of a thread for the one that our own /proc shows, both in clock ticks. It may be another tick by
 * one if the offset is no whole number of ticks, or the thread started before the namespace's clock. */
uint64_t boot_clock_start_ticks(uint64_t shown_ticks);

/* Returns whether CLOCK_BOOTTIME is shifted for this process. */
bool boot_clock_is_shifted(void);

/* Reads "monotonic 0 0" and "boottime 100000 0", seconds and nanoseconds, and returns the nanoseconds of the latter; 0 without it. */
int64_t boot_clock_parse_offset(const char *text, size_t len);

/* Returns @shown_ticks without the offset. The kernel adds it to 64 bits of nanoseconds, so that one below 0 makes a huge time of a
 * start before that of the namespace's clock; the subtraction goes round the same way. */
uint64_t boot_clock_shift_ticks(uint64_t shown_ticks, int64_t offset_ns, uint64_t ticks_per_second);
