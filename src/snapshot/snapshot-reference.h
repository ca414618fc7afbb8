/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-reference - reads what ktstr ctprof means by a row, a cgroup and a snapshot that the other parts have read
 * by their keys. A file tells only at its end that it has no "format" key, so that rows are judged one by one. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/metric/metric.h"
#include "ctprof/metric/psi.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "snapshot/reference.h"

/* Keys of a row that only that tool has. */
enum reference_key {
	REFERENCE_KEY_smaps_rollup_kb, /* what smaps_rollup_kib was called at first */
	REFERENCE_KEY_taskstats_measured,
	REFERENCE_KEY_cpu_delay_active,
	REFERENCE_KEY_block_delay_active,
	REFERENCE_KEY_xacct_active,
	REFERENCE_KEY_jemalloc_measured,
	REFERENCE_KEY_COUNT,
};
extern const char *const reference_key_names[REFERENCE_KEY_COUNT];

/* What the values alone do not say about the row being read. */
struct reference_row {
	struct metric_set keys;    /* that it has */
	struct metric_set nonzero; /* numbers other than 0, and true */
	bool has_smaps;
	bool no_policy;       /* it is "" */
	bool no_state;        /* it is "~" */
	unsigned flags_there; /* a bit for each enum reference_key that is true or false */
	unsigned flags;       /* and whether it is true */
};

/* What the rows so far say together. */
struct reference_rows {
	struct reference_row row;
	struct metric_set families[REFERENCE_FAMILY_COUNT];
	uint64_t count;
	uint64_t processes;
	uint32_t tgid;           /* of the last row */
	bool unflagged;          /* a row has none of the flags */
	uint32_t seen;           /* families with a value */
	uint32_t nonzero;        /* families with a value other than 0 */
	uint32_t unmeasured;     /* families with a value that a row's flags call not measured */
	bool has_other;          /* a row is not that tool's */
	uint64_t other;          /* the first such row */
	const char *other_lacks; /* a key, or NULL: it has too many */
};

void reference_rows_init(struct reference_rows *rows);

/* Before a row is read. */
void reference_row_begin(struct reference_rows *rows);

/* Notes where a label stands for one that was not read; returns true where it is no label at all. */
bool reference_row_is_unread(struct reference_rows *rows, enum metric_id metric, const char *text,
                             size_t len);

/* Behind a row: what the tool did not read becomes unseen. Leaves the sample alone where the row is not of that tool:
 * it lacks a key, or @has_foreign says that it has one the tool never writes. */
void reference_row_finish(struct reference_rows *rows, struct thread_sample *sample,
                          bool has_foreign);

/* A cgroup whose values in @nulls (a bit for each enum cgroup_value_id) were null, read as the tool means it: null is a
 * limit of "max" where another value shows that the file was there, and else a value that is missing. Leaves alone
 * what has values that the tool does not write. */
void reference_cgroup_finish(struct cgroup_stats *stats, uint64_t nulls);

/* The tool's own sums. */
struct reference_summary {
	uint64_t tids_walked;
	uint64_t negative_dotted_values;
	bool has_taskstats;
	uint64_t ok_count;
	uint64_t eperm_count;
	uint64_t esrch_count;
	uint64_t other_err_count;
};

/* Behind the last key: completes @info, whose tally has the threads and cgroups. */
void reference_finish(const struct reference_rows *rows, const struct reference_summary *summary,
                      struct snapshot_info *info);
