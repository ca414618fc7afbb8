/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fact-derive - computes values from the parts of a snapshot beside its threads' metrics: CPU time of cgroups and of
 * the host in percent, by the formulas of other tools. registry/fact-derived.def declares them. Pure. */
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/snapshot/snapshot.h"
#include "measure/measure.h"
#include "metric/fold.h"

#ifndef CTPROF_FACT_DERIVED_DEF
#define CTPROF_FACT_DERIVED_DEF "fact-derived.def"
#endif

/* clang-format off */
enum fact_derived_id {
#define FACT_DERIVED(id_, per_, unit_, section_, formula_, tool_, text_) FACT_DERIVED_##id_,
#include CTPROF_FACT_DERIVED_DEF
#undef FACT_DERIVED
	FACT_DERIVED_COUNT,
};
/* clang-format on */

struct fact_derived_desc {
	const char *name;
	const char *description;
	const char *formula;
	const char *tool; /* the tool that has the same number */
	enum metric_unit unit;
	enum measure_per per; /* the divisor of the value */
	enum metric_section section;
};
extern const struct fact_derived_desc fact_derived_table[FACT_DERIVED_COUNT];

/* Computes a derived value. @stats are the cgroup's, NULL for a value of the host, and @rates its rates by
 * cgroup-rates.h; if these are NULL, values are divided by the length of the window. Numbers of /proc/stat are divided
 * by their own interval. Returns none if an input is unseen, if a denominator is 0, and for a value of windows in a
 * lifetime snapshot. */
struct quantity fact_derive(enum fact_derived_id derived, const struct snapshot_info *info,
                            const struct cgroup_stats *stats, const struct cgroup_stats *rates);
