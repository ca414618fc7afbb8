// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/scan.h"

enum { IO_FILE_BYTES = 4096 };

/* Reads our own system calls as the kernel counts them; needs CONFIG_TASK_IO_ACCOUNTING. */
static bool read_calls(uint64_t *ret_reads, uint64_t *ret_writes)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, line, key, value;
	unsigned found = 0;

	if (fd_read_all_at(AT_FDCWD, "/proc/self/io", &text, IO_FILE_BYTES) < 0)
		return false;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_line(&rest, &line)) {
		if (!scan_pair(line, &key, &value))
			continue;
		if (span_is(key, "syscr"))
			found += scan_u64(value.text, value.len, ret_reads);
		else if (span_is(key, "syscw"))
			found += scan_u64(value.text, value.len, ret_writes);
	}
	return found == 2;
}

void cost_begin(struct cost_meter *meter)
{
	*meter = (struct cost_meter){.monotonic_ns = clock_now_ns(CLOCK_MONOTONIC)};
	meter->has_calls = read_calls(&meter->read_calls, &meter->write_calls);
}

void cost_set(struct snapshot_info *info, enum capture_cost cost, uint64_t value)
{
	info->cost[cost] = value;
	info->cost_seen[cost] = true;
}

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_usec * NS_PER_US;
}

void cost_end(const struct cost_meter *meter, struct snapshot_info *info)
{
	struct rusage usage, helpers;
	uint64_t reads, writes;

	cost_set(info, COST_wall_ns, clock_now_ns(CLOCK_MONOTONIC) - meter->monotonic_ns);
	/* Children are the helpers that have ended. */
	if (getrusage(RUSAGE_SELF, &usage) == 0 && getrusage(RUSAGE_CHILDREN, &helpers) == 0) {
		cost_set(info, COST_user_cpu_ns,
		         time_ns(usage.ru_utime) + time_ns(helpers.ru_utime));
		cost_set(info, COST_system_cpu_ns,
		         time_ns(usage.ru_stime) + time_ns(helpers.ru_stime));
		cost_set(info, COST_peak_rss_bytes, (uint64_t)usage.ru_maxrss * 1024);
	}
	if (meter->has_calls && read_calls(&reads, &writes)) {
		cost_set(info, COST_read_calls, reads - meter->read_calls);
		cost_set(info, COST_write_calls, writes - meter->write_calls);
	}
}
