/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rollup - a tree of directories, of cgroups, or of processes: what each one's own processes did, and what all did at or below it. A
 * process counts for each directory above its own, or for each of its ancestors, so that totals overlap and own values add up. Pure. */
#include <stdbool.h>
#include <stddef.h>

#include "compare/rows.h"
#include "rollup/path-tree.h"

struct rollup_options {
	size_t depth;         /* deeper directories are left out; 0: none is */
	double least_percent; /* of the host; directories below are left out */
	/* No rows are made where rollup_is_too_long() is known before: they would take the most of the memory. */
	bool whole_paths;
};

/* A directory by itself, or with all below it. */
struct rollup_part {
	struct quantity values[SIDE_MAX];
	struct quantity delta;
	struct quantity
	        inside[SIDE_MAX]; /* these two as percentages count them, see struct row_view */
	struct quantity delta_inside;
	/* Some of the threads are not in the value, or may not be because of a choice of processes: then there is no delta. */
	bool partial[SIDE_MAX];
	bool began_before
	        [SIDE_MAX]; /* threads of the value have waits that began before the window */
	bool measured_differently; /* see struct row_view; it is not ranked by its delta then */
	uint32_t processes[SIDE_MAX];
	uint32_t threads[SIDE_MAX];
};

struct rollup_row {
	const struct path_node *node;
	struct rollup_part own; /* where it has no process of its own, zero of none */
	struct rollup_part total;
	bool has_own;
	struct quantity percent; /* of the total, candidate to baseline */
	/* The total's part of the host's and of its parent's; for two sides, the size of its delta in the larger of both sides of
	 * these. None if that is not known, or 0. In percent. */
	struct quantity host_percent, parent_percent;
};

struct rollup {
	struct rollup_row *rows; /* each behind its parent, the largest of siblings first; owned */
	size_t count;
	struct rollup_options options;
	size_t below,
	        deeper; /* directories that are left out: below the least percentage, too deep */
	struct rollup_part host;
	unsigned measure;
	enum measure_per per;
	uint64_t clock_ticks_per_second; /* of values in ticks; 0: not known */
	struct path_tree tree;
	uint64_t label_bytes; /* of the labels that the tree is made of */
	uint64_t path_bytes;  /* of the whole paths of all rows, or of those that were not made */
};

/* Returns whether values of the measure can be added over directories: sums, and rates of sums. */
bool rollup_can_add(unsigned measure);

/* Returns whether the tree of a set is one of processes by parent: its key is the pid. Else the key is a path. */
bool rollup_is_of_processes(const struct row_set *set);

/* Makes the rows of all groups of the set, whose only key is the path or the pid, for one measure. The set, which must have labels for paths,
 * must outlive them. */
void rollup_init(struct rollup *rollup, const struct row_set *set, unsigned measure,
                 const struct rollup_options *options);
void rollup_done(struct rollup *rollup);

/* Returns whether the paths of all rows are more than a reader of rows is given: 64 MiB, or 4 times the labels. A path of many directories is written
 * again for each of them, so a small file can hold gigabytes of them. Trees of real hosts have less than twice their labels. */
bool rollup_is_too_long(const struct rollup *rollup);
