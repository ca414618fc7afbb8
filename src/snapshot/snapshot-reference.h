/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-reference - interprets a row, a cgroup and a snapshot of ktstr ctprof after the other parts have read them
 * by their keys. Only the end of a file shows that it has no "format" key, so rows are judged one by one. */
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
	REFERENCE_KEY_smaps_rollup_kb, /* the first name of smaps_rollup_kib */
	REFERENCE_KEY_taskstats_measured,
	REFERENCE_KEY_cpu_delay_active,
	REFERENCE_KEY_block_delay_active,
	REFERENCE_KEY_xacct_active,
	REFERENCE_KEY_jemalloc_measured,
	REFERENCE_KEY_COUNT,
};
extern const char *const reference_key_names[REFERENCE_KEY_COUNT];

/* Properties of the current row beside its values. */
struct reference_row {
	struct metric_set keys;    /* that it has */
	struct metric_set nonzero; /* numbers other than 0, and true */
	bool has_smaps;
	bool no_policy;       /* it is "" */
	bool no_state;        /* it is "~" */
	unsigned flags_there; /* a bit for each enum reference_key that is true or false */
	unsigned flags;       /* and whether it is true */
};

/* Sums over the rows so far. */
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
	bool has_other;          /* a row is not of that tool */
	uint64_t other;          /* the first such row */
	const char *other_lacks; /* a key, or NULL: it has too many */
};

void reference_rows_init(struct reference_rows *rows);

/* Called before a row is read. */
void reference_row_begin(struct reference_rows *rows);

/* Notes a label that stands for one that was not read. Returns true if it is no label at all. */
bool reference_row_is_unread(struct reference_rows *rows, enum metric_id metric, const char *text,
                             size_t len);

/* Called behind a row: values that the tool did not read become unseen. Leaves the sample as it is if the row is not of
 * that tool: it lacks a key, or @has_foreign is set because it has a key that the tool never writes. */
void reference_row_finish(struct reference_rows *rows, struct thread_sample *sample,
                          bool has_foreign);

/* Interprets a cgroup whose values in @nulls (a bit for each enum cgroup_value_id) were null: null is a limit of "max"
 * if another value shows that the file was there, and else a missing value. Leaves a cgroup as it is that has values
 * which the tool does not write. */
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

/* Called behind the last key: completes @info, whose tally has the threads and cgroups. */
void reference_finish(const struct reference_rows *rows, const struct reference_summary *summary,
                      struct snapshot_info *info);
