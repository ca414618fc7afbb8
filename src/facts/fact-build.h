/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fact-build - builds the rows of one section. The section is walked twice, once to add up the totals, once to make
 * rows. */
#include "base/strmap.h"
#include "facts/fact-rows.h"

/* A metric of a section, and its sums over all groups. */
struct fact_metric {
	const char *name; /* safe to print; the set's */
	double totals[SIDE_MAX];
};

/* The rows of a group, and its rank. */
struct fact_group {
	const char *label;
	size_t start, count;
	double first, second;
};

struct fact_build {
	struct fact_row_set *set;
	const struct fact_side *sides;
	const struct fact_row_options *options;
	enum metric_section section;
	bool rates;            /* counters are shown per second */
	bool totals_only;      /* true in the first walk */
	struct strmap metrics; /* name to struct fact_metric; owned */
	/* The group of the current rows; borrowed. */
	const char *group_name;
	size_t group_name_len;
	/* The cgroups of the current rows, by side; NULL: there are none, or they are not of cgroups. */
	const struct cgroup_group *cgroups[SIDE_MAX];
	const struct smaps_group *smaps[SIDE_MAX]; /* the processes, likewise */
	size_t group_start;                        /* its first row */
	struct fact_group *groups;                 /* owned */
	size_t group_count;
	size_t group_capacity;
};

/* Walks over build->section, group by group, and calls the functions below. */
void fact_emit(struct fact_build *build);

/* Emits the settings among them. */
void fact_emit_settings(struct fact_build *build);

/* The properties of a row, beside its name. */
struct fact_kind {
	enum metric_unit unit;
	unsigned id; /* as in struct fact_row */
	bool counts; /* the value only rises: a window has the increase, which becomes a rate by its time */
	bool per_second;    /* the value is a rate already */
	bool is_own;        /* of a cgroup alone, see FACT_RULE_OWN_SUM */
	bool is_place;      /* on a scale: a difference is no part of it */
	const char *object; /* of a counter of cgroups, as in cgroup_value_table; else NULL */
	/* The value adds up, or is the highest one, since the cgroup was made in this hierarchy; NULL: it does not, or is of no
	 * cgroup. */
	const char *since_made;
};

/* fact_emit() calls these: the rows of a group come between begin and end. Names are raw bytes; the group's must stay
 * until its end. */
void fact_build_begin(struct fact_build *build, const char *name, size_t len);
void fact_build_row(struct fact_build *build, const char *metric, size_t len, struct fact_kind kind,
                    const struct fact_cell *cells);
void fact_build_end(struct fact_build *build);
