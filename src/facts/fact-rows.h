/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fact-rows - the rows of the sections that are not about threads' metrics, of one snapshot (show) or of two
 * (compare): one for each group and value, section by section and group by group. Pure. */
#include <stdbool.h>
#include <stddef.h>

#include "compare/rows.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/cgroup-knobs.h"
#include "facts/fact-groups.h"
#include "group/group-by.h"
#include "metric/fold.h"

/* Behind the values of cgroups and the keys of io.stat. */
enum { FACT_ID_DERIVED = CGROUP_VALUE_COUNT + 8 };

struct fact_cell {
	enum fact_state state;
	struct quantity number; /* FACT_NUMBER */
	const char *text;       /* FACT_TEXT; borrowed; raw bytes */
	/* A number of several cgroups or processes: how many have the value, and how many lack it. */
	uint32_t members, lacking;
	struct quantity
	        rate; /* the number per second of its own interval; none if that is not known */
};

struct fact_row {
	enum metric_section section;
	/* Safe to print: cgroup, process name, "host"; the same pointer within a group. */
	const char *group;
	/* Safe to print: "memory_current", "anon", "Rss", "cpu_some_avg10", "state". */
	const char *metric;
	enum metric_unit unit;
	/* The candidate's ticks are those of the baseline; 0: not known, or the unit is another one. */
	uint64_t clock_ticks_per_second;
	enum measure_per per; /* the divisor of the values and the delta: total or second */
	/* The place of the value in the registry: an enum cgroup_value_id in cgroup-stats and cgroup-limits (or
	 * CGROUP_VALUE_COUNT + place of the key for the sums over io.stat's devices, or FACT_ID_DERIVED + an enum
	 * fact_derived_id), an enum sched_ext_id; an enum fact_derived_id in host-cpu; in the pressure sections
	 * (resource * PSI_ROW_COUNT + row) * (PSI_AVERAGE_COUNT + 1) + average, the total last; 0 elsewhere. */
	unsigned id;
	struct fact_cell sides[SIDE_MAX];
	struct quantity delta; /* none unless both sides are numbers */
	/* Relative to the baseline; none if that is 0 or the unit is a percentage. */
	struct quantity percent;
	bool changed;   /* the two sides differ; one may be missing */
	bool went_back; /* a counter that is lower than before: it has no delta */
	/* The two values add up since their cgroups were made, and these are different ones of one path: it has no delta. Only
	 * between two lifetime snapshots of one boot. */
	bool remade;
	/* The two values lack unlike shares of their cgroups or processes, which may be the whole difference: it has no delta. */
	bool uneven;
	bool companion; /* does not meet the conditions, and is beside a row that does */
	/* In compare |delta|, in show the value, over the larger of the two sums over all groups of the section; 1 if a
	 * limit or a text changed, 0 if there is no difference. */
	double weight;
};

struct fact_side {
	const struct cgroup_table *cgroups;
	/* Names of the threads' cgroups and of these; NULL: patterns are shown. */
	const struct key_names *cgroup_names;
	const struct smaps_table *smaps;
	const struct snapshot_info *info;
	const struct settings *knobs; /* of its cgroups, see cgroup-knobs.h; NULL: not read */
};

struct fact_row_options {
	bool sections[SECTION_COUNT]; /* the sections to build */
	/* Compare: rows whose sides are equal as well. Show: zeros of lists as well. */
	bool unchanged;
	/* Counters of windows are divided by the length with PER_second, and are differences with any other. */
	enum measure_per per;
	bool continues; /* both are of lifetimes, and the second one is of the same boot and later */
	const struct where *const *conditions; /* as in struct row_options */
	size_t condition_count;
	const char
	        *settings_like; /* only settings whose names fit this glob; NULL: all; borrowed */
};

struct fact_row_set {
	unsigned sides;
	bool unchanged; /* as in the options */
	/* Sorted by section; in it by group, the one with the largest weight of a row first, ties by name; smaps-rollup
	 * by the delta (show: the size) of Rss. In a group in the order of the registry or of the kernel's lines; in
	 * compare the rows of memory-stat and memory-events by weight. */
	struct fact_row *rows;
	size_t count;
	size_t capacity;
	struct knob_changes knobs; /* texts of settings of cgroups */
	char **texts;              /* owned: labels and names */
	size_t text_count;
	size_t text_capacity;
};

/* Builds the rows. @sides must outlive the set. A value that neither side has seen has no row. In show, and in compare
 * for cgroup-stats, cgroup-limits, pressure, host-pressure and sched-ext, a group that has one changed row in a section
 * has all its rows of it (of the resource, for pressure), so that a table may show them side by side. */
void fact_rows_init(struct fact_row_set *set, const struct fact_side *sides, unsigned count,
                    const struct fact_row_options *options);
void fact_rows_done(struct fact_row_set *set);

/* Returns whether the value of a side lacks some of the group's cgroups or processes. */
bool fact_row_is_partial(const struct fact_row *row, unsigned side);
