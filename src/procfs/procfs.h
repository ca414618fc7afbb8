/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* procfs - parses the kernel's files into values of a sample. Parsers get the text of a file and no descriptor; the
 * registry has the keys. */
#include <stddef.h>
#include <stdint.h>

#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/psi.h"
#include "ctprof/metric/sample.h"

/* A metric that is read from a key of a source. */
struct source_want {
	enum metric_id metric;
	enum metric_encoding encoding;
	unsigned part; /* DOTTED_MS_DIFFERENCE: 0 is the minuend, 1 the subtrahend */
	int next;      /* index of another want for the same key, or -1 */
};

enum { SOURCE_NUMBERS = 64 }; /* stat has 52 fields */

/* The beginnings of the lines in the last file of "key: value" lines, and the metrics of their keys: the next thread's
 * file mostly has the same lines. */
struct source_line {
	char key[64]; /* with blanks and the colon */
	size_t len;   /* 0: empty */
	const struct source_want *want;
};
enum { SOURCE_LINES = 96 };

/* All keys of one source that metrics are read from. */
struct source_keys {
	struct strmap by_key;      /* to the first want */
	struct source_want *wants; /* owned */
	size_t count, capacity;
	int by_number[SOURCE_NUMBERS]; /* first want for a key that is a small number, or -1 */
	struct source_line *lines;     /* owned; SOURCE_LINES of them, by the number of the line */
};

/* Collects the rows of metrics and fallbacks for @source. */
void source_keys_init(struct source_keys *keys, enum metric_source source);
void source_keys_done(struct source_keys *keys);

/* Returns the first want for a key, or NULL. */
const struct source_want *source_keys_find(const struct source_keys *keys, const char *key,
                                           size_t len);

/* Returns the first want for a field's number, or NULL. */
const struct source_want *source_keys_find_number(const struct source_keys *keys, unsigned number);

/* Returns the want after @want for the same key, or NULL. */
const struct source_want *source_want_next(const struct source_keys *keys,
                                           const struct source_want *want);

/* Parses /proc/<tgid>/task/<tid>/stat. Fills comm and start_time_clock_ticks as well, and nr_threads only at the
 * leader. comm is the text between the first '(' and the last ')'. Returns OUTCOME_read, or OUTCOME_malformed if the
 * line has no comm or no field 22; @sample is not touched then. */
must_check_ enum source_outcome stat_parse(const struct source_keys *keys, const char *text,
                                           size_t len, struct thread_sample *sample);

/* Reads a field of a stat file from the fourth on, by its number in proc(5). Returns false if it is not there or no
 * number from 0 on. */
must_check_ bool stat_field(const char *text, size_t len, unsigned field, uint64_t *ret_value);

/* Parses /proc/<tgid>/task/<tid>/schedstat: three numbers. Returns OUTCOME_read or OUTCOME_malformed. */
must_check_ enum source_outcome schedstat_parse(const struct source_keys *keys, const char *text,
                                                size_t len, struct thread_sample *sample);

/* Returns whether a thread's schedstat is all zero. Kernels before 5.14 without CONFIG_SCHEDSTATS print that for every
 * thread while delay accounting is off, so for a thread that has run it means "off". */
bool schedstat_is_zero(const char *text, size_t len);

/* Parses /proc/<tgid>/task/<tid>/sched: "key : value" lines. Keys are matched in full, then by the part behind the last
 * dot, so se.statistics.wait_max (up to 5.15) and wait_max (from 5.16) are the same. The first line holds the thread's
 * raw name, so lines before the dashed one are ignored. Returns OUTCOME_read, or OUTCOME_malformed if there is no
 * dashed line. */
must_check_ enum source_outcome sched_parse(const struct source_keys *keys, const char *text,
                                            size_t len, struct thread_sample *sample);

/* Parse /proc/<tgid>/task/<tid>/status and io: "key: value" lines. Metrics that the sample has already do not change.
 * Return OUTCOME_read, or OUTCOME_malformed if no line is of that form. */
must_check_ enum source_outcome status_parse(const struct source_keys *keys, const char *text,
                                             size_t len, struct thread_sample *sample);
must_check_ enum source_outcome io_parse(const struct source_keys *keys, const char *text,
                                         size_t len, struct thread_sample *sample);

/* Reads the effective user id in a status file: the second number of its line "Uid:". Returns false if there is
 * none. */
must_check_ bool status_uid(const char *text, size_t len, uint32_t *ret_uid);

/* Calls sched_getaffinity(2) for @sample->tid, in the caller's pid namespace. Returns OUTCOME_read, _gone, _denied,
 * _off (no such system call) or _malformed (an empty set). */
must_check_ enum source_outcome affinity_read(struct thread_sample *sample);

/* Parses /proc/pressure/<resource> or a cgroup's <resource>.pressure: the lines "some" and "full". Unknown lines and
 * words are skipped; a malformed line stays unseen. Returns OUTCOME_read, or OUTCOME_malformed if no line was
 * understood. */
must_check_ enum source_outcome psi_parse(const char *text, size_t len,
                                          struct psi_line lines[PSI_ROW_COUNT]);

/* Reads the host's pressure below @proc_fd; a resource that the kernel does not have stays unseen. */
void psi_read_host(int proc_fd, struct psi *psi);

/* Parses the "Key: N kB" lines of /proc/<tgid>/smaps_rollup into sample->smaps_rollup_kib. Returns OUTCOME_read, or
 * OUTCOME_malformed if there is no such line, as for a process without memory. */
must_check_ enum source_outcome smaps_parse(const char *text, size_t len,
                                            struct thread_sample *sample);

/* Fills sample->process_totals of @source (process_stat or process_io) from the text of /proc/<tgid>/stat or
 * /proc/<tgid>/io. Returns OUTCOME_read or OUTCOME_malformed. */
must_check_ enum source_outcome process_totals_parse(enum metric_source source, const char *text,
                                                     size_t len, struct thread_sample *sample);
