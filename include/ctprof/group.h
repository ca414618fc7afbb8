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
	uint64_t members; /* fingerprint of who they are: tgid, tid and start time, in any order */
	/* The first name folded in, and whether another one followed: a pattern that stands for one name only
	 * is shown as that name. */
	char *first_name; /* owned */
	size_t first_name_len;
	bool several_names;
	struct fold_cell cells[METRIC_COUNT];
};

struct group_table {
	enum group_key key;
	bool normalise;
	struct strmap map; /* key to struct group, owned */
	struct strbuf scratch;
};

/* Patterns are used where the key is normalised and @literal is not asked for. */
void group_table_init(struct group_table *table, enum group_key key, bool literal);
void group_table_done(struct group_table *table);

/* Folds a thread into its group; thread_count is set on the way. */
void group_table_add(struct group_table *table, struct thread_sample *sample);

/* The group of a key, or NULL; the key is the pattern where the table normalises. */
struct group *group_table_get(const struct group_table *table, const char *key, size_t key_len);

/* Folds every group of the table into @cells, which must be empty: the host as one group. */
void group_table_total(const struct group_table *table, struct fold_cell cells[METRIC_COUNT]);
void group_cells_done(struct fold_cell cells[METRIC_COUNT]);

/* How many threads of the group can have the metric at all: its leaders, or all of them. */
uint32_t group_threads_for(const struct group *group, enum metric_id metric);
