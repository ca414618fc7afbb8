/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host-fields - the parts of host_read(). Each leaves the fields unseen that it cannot read; a descriptor of -1 is a
 * missing tree. Private to this room. */
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/metric.h"

/* The most bytes of a text, counted as JSON may spell it. All texts of a host are below the 1 MiB that a reader
 * accepts. */
enum {
	HOST_TEXT_BYTES = 4096,
	HOST_LINE_BYTES = 1 << 16,  /* kernel_cmdline, sched_features */
	HOST_MAP_BYTES = 192 << 10, /* a map with its names: a governor for each of 8192 CPUs */
	HOST_MAP_ENTRIES = CPU_MASK_CPUS,
};

/* Returns the bytes that a JSON string may need for a text, quotes included. */
size_t host_text_cost(const char *text, size_t len);

/* Stores a text that was read. A text without a word, with a NUL, or longer than @max_bytes is not stored. */
void host_put_text(struct host *host, enum host_field field, const char *text, size_t len,
                   size_t max_bytes);

/* Returns whether host_put_text() would store it. */
bool host_text_is_sound(const char *text, size_t len, size_t max_bytes);

/* Stores an entry of a map that has @used bytes already, and adds its bytes. A malformed entry, or one beyond the size
 * of a map, is left out. */
void host_put_entry(struct host *host, enum host_field field, const char *name,
                    const struct strbuf *line, size_t *used);

/* Reads kernel_config: from config.gz below @proc_fd; else, of the running system (@live), from /boot/config-<release>,
 * and of another one's tree from its file config. Needs kernel_release. */
void host_read_kernel_config(int proc_fd, bool live, struct host *host);

/* Reads host->boot, task_delayacct and sched_schedstats. Needs kernel_release and kernel_config. */
void host_read_switches(int proc_fd, struct host *host);

/* Reads processors, memory, huge pages, mitigations, frequency governors. */
void host_read_hardware(int proc_fd, int sys_fd, struct host *host);

/* Fills cpus_clock_ticks from the text of /proc/stat. */
void host_parse_cpus(const char *text, size_t len, struct host *host);

/* Reads meminfo and vmstat. */
void host_read_memory(int proc_fd, struct host *host);

/* Reads tunables and features of the scheduler. */
void host_read_scheduler(int proc_fd, int sys_fd, struct host *host);
