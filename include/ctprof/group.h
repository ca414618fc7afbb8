/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group - reduces the threads of a snapshot to one set of cells for each key. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/fold.h"
#include "ctprof/macro.h"
#include "ctprof/metric.h"
#include "ctprof/sample.h"
#include "ctprof/strmap.h"

enum group_key {
#define GROUP_KEY(id_, name_, heading_, field_, normalised_, text_) GROUP_KEY_##id_,
#include "group-keys.def"
#undef GROUP_KEY
	GROUP_KEY_COUNT,
};

struct group_key_desc {
	const char *name;
	const char *heading;
	const char *description;
	bool normalised;
};
extern const struct group_key_desc group_key_table[GROUP_KEY_COUNT];

struct group {
	uint32_t threads;
	uint32_t leaders; /* threads that lead their process */
	/* What exited threads did, by enum process_total, until group_include_exited() adds it to the cells; NULL where
	 * it is nothing. Owned. */
	uint64_t *exited;
	uint32_t exited_left_out; /* a bit for each total of which something was not added */
	/* Fingerprints of the processes whose totals are not known, by source. */
	uint64_t unknown[PROCESS_SOURCE_COUNT];
	uint64_t members; /* fingerprint of who they are: tgid, tid and start time, in any order */
	/* The first name folded in, and whether another one followed: a pattern that stands for one name only
	 * is shown as that name. */
	char *first_name; /* owned */
	size_t first_name_len;
	bool several_names;
	struct fold_cell cells[METRIC_COUNT];
};

/* The process whose threads are being added: its totals, which come with one of them, and the sums over its threads so
 * far. */
struct group_process {
	bool open;
	uint32_t tgid;
	uint64_t start_time_clock_ticks;
	struct strbuf pcomm;
	struct strbuf cgroup;
	bool has_cgroup;
	bool cgroup_is_v1;
	uint32_t threads;
	uint32_t totals_seen; /* a bit for each enum process_total */
	uint64_t totals[PROCESS_TOTAL_COUNT];
	uint64_t sums[PROCESS_TOTAL_COUNT];
	uint32_t seen[PROCESS_TOTAL_COUNT]; /* threads that are in the sum */
};

struct group_table {
	enum group_key key;
	bool normalise;
	struct strmap map; /* key to struct group, owned */
	struct strbuf scratch;
	struct strbuf name;
	struct group_process process;
};

/* Patterns are used where the key is normalised and @literal is not asked for. */
void group_table_init(struct group_table *table, enum group_key key, bool literal);
void group_table_done(struct group_table *table);

/* Folds a thread into its group; thread_count is set on the way. Threads of one process must follow one another:
 * where one of them has totals of the process, what these exceed the sum over its threads by, which exited threads
 * did, is noted in the group when the next process begins. */
void group_table_add(struct group_table *table, struct thread_sample *sample);

/* To be called behind the last thread: finishes the last process. */
void group_table_finish(struct group_table *table);

/* Empties the cells of these metrics in every group: what looked like values were none. */
void group_table_forget(struct group_table *table, const struct metric_set *metrics);

/* Adds what exited threads did to the cells of the group, for the totals of these sources; to be called once.
 * @sources has a bit for each enum process_source. */
void group_include_exited(struct group *group, unsigned sources);

/* The sources whose totals are known for the same processes in both groups, a bit each. Only their share of exited
 * threads can be compared: on one side more, it would look like work done or undone. */
unsigned group_comparable_sources(const struct group *a, const struct group *b);

/* What follows a process's name in the group of its exited threads, where threads are grouped by comm: their own
 * names are not known. */
extern const char group_exited_suffix[];

/* The group of a key, or NULL; the key is the pattern where the table normalises. */
struct group *group_table_get(const struct group_table *table, const char *key, size_t key_len);

/* Folds every group of the table into @cells, which must be empty: the host as one group. */
void group_table_total(const struct group_table *table, struct fold_cell cells[METRIC_COUNT]);
void group_cells_done(struct fold_cell cells[METRIC_COUNT]);

/* How many threads of the group can have the metric at all: its leaders, or all of them. */
uint32_t group_threads_for(const struct group *group, enum metric_id metric);
