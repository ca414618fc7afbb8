/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* unit-table - the value of each group and measure in each unit of an experiment. A group must be in all units: of others
 * only their presence is kept. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "group/group.h"
#include "measure/measure.h"

struct fact_table;

struct unit_group {
	char *label; /* safe to print: the name if all units have the same one, else their pattern; owned */
	size_t present; /* units that have it */
	uint8_t *in;    /* by unit, 0 or 1; owned */
	/* [measure * units + unit], NaN where it was not seen, of waits the part inside the window; NULL unless it is in all; owned. */
	double *values;
	/* Like the values: the part of the group's threads that a value is of; 0 if it lacks work of exited threads, whose part is unknown. NULL: all
	 * threads, in each unit; owned. */
	float *shares;
	/* Like the values: whether waits of it began before the window. NULL: none, in any unit; owned. */
	bool *began_before;
	/* Inputs that the value of each derived metric lacks; it is NaN in a unit with another set. Owned. */
	struct metric_set *missing;
};

/* The knowledge of a window about threads that ended in it. */
struct unit_ends {
	enum window_exits exits;
	unsigned exits_also; /* see struct snapshot_window */
	bool any_ended;      /* it has rows of such threads, or shows that there were some */
	double unaccounted_percent; /* CPU time that at least is in no row, 100 is a busy CPU; NaN: not known */
};

struct unit_table {
	struct group_by by;
	enum measure_per per;
	size_t units;
	size_t filled;          /* so many units were added */
	struct strmap map;      /* from patterns to struct unit_group */
	double *totals;         /* the host's, like the values of a group; owned */
	struct unit_ends *ends; /* by unit; owned */
	struct rate_list rates;
	struct group_table groups; /* of the unit that is being read */
	size_t unit;
	/* The clock of the unit that was read first, 0 if it is not known: values in ticks are in those of this clock. */
	uint64_t clock_ticks_per_second;
};

/* @by has one key. */
void unit_table_init(struct unit_table *table, struct group_by by, enum measure_per per,
                     size_t units);
void unit_table_done(struct unit_table *table);

/* One unit: begin, then the threads in table->groups by group_table_add(), then end. @info is borrowed until the end. */
void unit_table_begin(struct unit_table *table, size_t unit, const struct snapshot_info *info);
void unit_table_end(struct unit_table *table);

/* Returns the values of a measure by unit, or NULL if the group is not in all units. */
const double *unit_group_values(const struct unit_table *table, const struct unit_group *group,
                                unsigned measure);

/* Returns the shares of a measure by unit, or NULL if all are 1. */
const float *unit_group_shares(const struct unit_table *table, const struct unit_group *group,
                               unsigned measure);

/* Returns whether waits began before the window, by unit, or NULL if none did. */
const bool *unit_group_began_before(const struct unit_table *table, const struct unit_group *group,
                                    unsigned measure);

/* Reads the window of one unit into all tables, which may have different keys, and into @facts. Returns the result of snapshot_read();
 * -EMEDIUMTYPE if it is no window. @ret_info has the metadata; snapshot_info_done() it in any case. */
must_check_ int unit_tables_read(struct unit_table *tables, size_t count, struct fact_table *facts,
                                 size_t unit, struct byte_source *source,
                                 const struct snapshot_limits *limits,
                                 struct snapshot_info *ret_info, struct strbuf *reterr);
