/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fact-table - the values of each unit that are not about threads: counters, memory and pressure of each cgroup, pressure and CPU
 * time of the host. Their names are those of the tables of facts: cpu_usage_usec, cpu_some_total, idle_percent. */
#include <stdbool.h>
#include <stddef.h>

#include "base/strmap.h"
#include "facts/fact-rows.h"
#include "group/group.h"

/* The name of a cgroup as struct unit_group has it: safe to print; owned. */
struct fact_label {
	char *text;
};

struct fact_series {
	char *metric; /* owned */
	enum metric_unit unit;
	enum measure_per per;
	const struct fact_label *label; /* of the cgroup; borrowed; NULL: the host's */
	double *values;                 /* by unit, NaN where it was not seen; owned */
};

struct fact_table {
	struct group_by by; /* cgroups, literally or not */
	enum measure_per per;
	size_t units;
	size_t filled;        /* so many units were added */
	struct strmap labels; /* from escaped patterns to struct fact_label, owned */
	struct strmap
	        map; /* from "metric@pattern", or "metric" of the host, to struct fact_series, owned */
	/* The cgroups of the unit that is being read, and their names. */
	struct cgroup_table cgroups;
	struct group_table names;
	size_t unit;
	uint64_t clock_ticks_per_second; /* as in struct unit_table */
};

/* Counters are divided by @per if it is total or second, by seconds elsewhere. */
void fact_table_init(struct fact_table *table, bool literal_cgroups, enum measure_per per,
                     size_t units);
void fact_table_done(struct fact_table *table);

/* One unit: begin, then its cgroups, then end. */
void fact_table_begin(struct fact_table *table, size_t unit);
void fact_table_add(struct fact_table *table, const struct cgroup_stats *stats);
/* A thread that ended in the unit: its cgroup may have no values. */
void fact_table_add_ended(struct fact_table *table, const struct thread_sample *sample);
void fact_table_end(struct fact_table *table, const struct snapshot_info *info);

/* Returns whether the glob fits the name of any value of the host, or of cgroups. */
bool fact_metric_fits(const char *glob, bool of_host);
