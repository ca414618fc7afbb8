/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* source - turns the kernel's files into values of a sample. Parsers take the text of a file and know
 * nothing of descriptors; which keys they look for is the registry's to say. */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/host.h"
#include "ctprof/macro.h"
#include "ctprof/sample.h"
#include "ctprof/strmap.h"

/* A metric that wants a key of a source. */
struct source_want {
	enum metric_id metric;
	enum metric_encoding encoding;
	unsigned part; /* DOTTED_MS_DIFFERENCE: 0 is taken from, 1 is taken away */
	int next;      /* index of another want for the same key, or -1 */
};

enum { SOURCE_NUMBERS = 64 }; /* stat has 52 fields */

/* Everything the registry wants from one source, by the source's own keys. */
struct source_keys {
	struct strmap by_key;      /* to the first want */
	struct source_want *wants; /* owned */
	size_t count;
	int by_number[SOURCE_NUMBERS]; /* first want for a key that is a small number, or -1 */
};

/* Collects the rows of metrics and fallbacks for @source. */
void source_keys_init(struct source_keys *keys, enum metric_source source);
void source_keys_done(struct source_keys *keys);

/* The first want for a key, or NULL. */
const struct source_want *source_keys_find(const struct source_keys *keys, const char *key,
                                           size_t len);

/* The same for a field's number. */
const struct source_want *source_keys_find_number(const struct source_keys *keys, unsigned number);

/* The want after @want for the same key, or NULL. */
const struct source_want *source_want_next(const struct source_keys *keys,
                                           const struct source_want *want);

/* /proc/<tgid>/task/<tid>/stat: also fills comm and start_time_clock_ticks, and nr_threads only at the
 * leader. comm is whatever stands between the first '(' and the last ')'. Returns OUTCOME_read, or
 * OUTCOME_malformed where the line has no comm or no field 22; @sample is not touched then. */
must_check_ enum source_outcome stat_parse(const struct source_keys *keys, const char *text,
                                           size_t len, struct thread_sample *sample);

/* /proc/<tgid>/task/<tid>/schedstat: three numbers. Returns OUTCOME_read or OUTCOME_malformed. */
must_check_ enum source_outcome schedstat_parse(const struct source_keys *keys, const char *text,
                                                size_t len, struct thread_sample *sample);

/* Whether a thread's schedstat is all zero. Kernels before 5.14 without CONFIG_SCHEDSTATS print that for
 * every thread while delay accounting is off, so from a thread that has run it means "off". */
bool schedstat_is_zero(const char *text, size_t len);

/* /proc/<tgid>/task/<tid>/sched: "key : value" lines. Keys are matched in full, then by what stands
 * behind the last dot, so se.statistics.wait_max (up to 5.15) and wait_max (from 5.16) are the same. The
 * first line holds the thread's raw name, so nothing before the dashed line is believed. Returns
 * OUTCOME_read, or OUTCOME_malformed where there is no dashed line. */
must_check_ enum source_outcome sched_parse(const struct source_keys *keys, const char *text,
                                            size_t len, struct thread_sample *sample);

/* /proc/<tgid>/task/<tid>/status and io: "key: value" lines. Metrics that the sample has already are left
 * alone. Returns OUTCOME_read, or OUTCOME_malformed where no line is of that form. */
must_check_ enum source_outcome status_parse(const struct source_keys *keys, const char *text,
                                             size_t len, struct thread_sample *sample);
must_check_ enum source_outcome io_parse(const struct source_keys *keys, const char *text,
                                         size_t len, struct thread_sample *sample);

/* /proc/<tgid>/task/<tid>/cgroup: the path of the line "0::", byte for byte. Returns OUTCOME_read, or
 * OUTCOME_off where there is no such line (the kernel has no cgroup2 hierarchy). */
must_check_ enum source_outcome cgroup_parse(const char *text, size_t len,
                                             struct thread_sample *sample);

/* sched_getaffinity(2) of @sample->tid, in the caller's pid namespace. Returns OUTCOME_read, _gone,
 * _denied, _off (no such system call) or _malformed (an empty set). */
must_check_ enum source_outcome affinity_read(struct thread_sample *sample);

/* Fills all host fields that the trees under @proc_fd and @sys_fd have; -1 means that there is no such
 * tree. @cgroup_fd is the root of the cgroup2 hierarchy or -1. @live says that @proc_fd is the /proc of
 * this process's own pid namespace. Clock ticks, the architecture and the uptime are those of the running
 * system. hostname and kernel_cmdline are left out where @anonymous. */
void host_read(int proc_fd, int sys_fd, int cgroup_fd, bool live, bool anonymous,
               struct host *host);

/* The mount point of the first cgroup2 file system in /proc/self/mountinfo, which @proc_fd's self is
 * asked for. Returns 0, or -ENOENT where none is mounted, or another -errno. */
must_check_ int cgroup2_mount_find(int proc_fd, struct strbuf *ret_path);
