/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-host-tables - the tables of numbers of the host: CPU time of each CPU, and memory. */
#include <stdio.h>

#include "report/report.h"

enum { HOST_CPU_MODES = 10 /* user nice system idle iowait irq softirq steal guest guest_nice */ };

/* A line of /proc/stat in clock ticks: since boot, or in a window. */
struct host_cpu_ticks {
	int64_t modes[HOST_CPU_MODES]; /* negative where the kernel's number fell */
	int64_t all;                   /* the first eight; guest time is in user and nice already */
};

/* Reads the ticks of an entry of cpus_clock_ticks, less those of @before unless that is NULL. Returns false if a text has other
 * numbers. */
must_check_ bool host_cpu_ticks_parse(const char *text, const char *before,
                                      struct host_cpu_ticks *ret);

/* Returns the time in a mode, by its place in /proc/stat, in percent of all; none if there was no time, or if a number that is in the
 * whole fell: the time in that mode, and so the whole, is not known. */
struct quantity host_cpu_share(const struct host_cpu_ticks *ticks, unsigned mode);

/* Returns the time that was not idle in percent of all, I/O wait included; none if there was no time. With @clamped it is
 * what gopsutil makes of it: 0 if busy time did not grow, 100 if the whole did not, and between 0 and 100 else. */
struct quantity host_cpu_busy(const struct host_cpu_ticks *ticks, bool clamped);

/* Print the tables, as table, Markdown or, with @csv, in clock ticks and numbers as the kernel has them. Return false if
 * the snapshot does not have them. Errors are left in @file's error flag. */
must_check_ bool report_print_cpus(FILE *file, const struct report *report, bool csv);
must_check_ bool report_print_memory(FILE *file, const struct report *report, bool csv);
