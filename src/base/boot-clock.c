// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/boot-clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/scan.h"

/* PROC_TIME_INIT_INO of the kernel's proc_ns.h (linux/nsfs.h has it since 6.18). */
#define INITIAL_TIME_NAMESPACE 0xeffffffau

enum { OFFSETS_BYTES = 4096 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int64_t offset_ns;

int64_t boot_clock_parse_offset(const char *text, size_t len)
{
	struct span rest = {text, len}, line, word;
	int64_t seconds, nanoseconds, sum;

	while (scan_line(&rest, &line)) {
		if (!scan_word(&line, &word) || !span_is(word, "boottime"))
			continue;
		if (!scan_word(&line, &word) || !scan_i64(word.text, word.len, &seconds) ||
		    !scan_word(&line, &word) || !scan_i64(word.text, word.len, &nanoseconds) ||
		    __builtin_mul_overflow(seconds, (int64_t)NS_PER_SECOND, &sum) ||
		    __builtin_add_overflow(sum, nanoseconds, &sum))
			return 0;
		return sum;
	}
	return 0;
}

/* timens_offsets has the offsets of the namespace for children, which is our own unless we have left it. */
static void find_offset(void)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct stat status;

	if (stat("/proc/self/ns/time", &status) == 0 && status.st_ino != INITIAL_TIME_NAMESPACE &&
	    fd_read_all_at(AT_FDCWD, "/proc/self/timens_offsets", &text, OFFSETS_BYTES) == 0)
		offset_ns = boot_clock_parse_offset(strbuf_str(&text), text.len);
}

bool boot_clock_is_shifted(void)
{
	pthread_once(&once, find_offset);
	return offset_ns != 0;
}

uint64_t boot_clock_now_ns(void)
{
	pthread_once(&once, find_offset);
	return clock_now_ns(CLOCK_BOOTTIME) - (uint64_t)offset_ns;
}

uint64_t boot_clock_shift_ticks(uint64_t shown_ticks, int64_t offset, uint64_t ticks_per_second)
{
	uint64_t tick_ns = NS_PER_SECOND / ticks_per_second;

	return (shown_ticks * tick_ns - (uint64_t)offset) / tick_ns;
}

uint64_t boot_clock_start_ticks(uint64_t shown_ticks)
{
	return boot_clock_is_shifted() ? boot_clock_shift_ticks(shown_ticks, offset_ns,
	                                                        (uint64_t)sysconf(_SC_CLK_TCK))
	                               : shown_ticks;
}
