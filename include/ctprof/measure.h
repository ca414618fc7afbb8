/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* measure - what a row of a table is about: a metric of the registry, or one derived from several. Measures
 * are numbered: the metrics in display order, then the derived metrics. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/fold.h"
#include "ctprof/metric.h"

enum { MEASURE_COUNT = (int)METRIC_COUNT + (int)DERIVED_COUNT, DERIVED_INPUTS_MAX = 8 };

struct derived_desc {
	const char *name;
	const char *description;
	const char *formula;
	enum metric_unit unit;
	enum metric_section section;
	size_t input_count;
	enum metric_id inputs[DERIVED_INPUTS_MAX];
};
extern const struct derived_desc derived_table[DERIVED_COUNT];

/* Computes a derived metric from a group's cells; none where an input is unseen, where the
 * inputs were seen for different numbers of threads, or where a denominator is 0. */
struct quantity derive(enum derived_id derived, const struct fold_cell cells[METRIC_COUNT]);

/* What a ratio or an average is divided by: the weight of the group's value in the host's. None where the
 * derived metric is a sum or a difference. */
struct quantity derive_weight(enum derived_id derived, const struct fold_cell cells[METRIC_COUNT]);

static inline bool measure_is_derived(unsigned measure)
{
	return measure >= METRIC_COUNT;
}

static inline enum derived_id measure_derived(unsigned measure)
{
	return (enum derived_id)(measure - METRIC_COUNT);
}

const char *measure_name(unsigned measure);
enum metric_unit measure_unit(unsigned measure);
enum metric_section measure_section(unsigned measure);
/* "counter_ns" and so on; "derived" for a derived metric. */
const char *measure_type(unsigned measure);
/* Whether values are names, which have no differences. */
bool measure_is_label(unsigned measure);

/* Whether the measure is one of the metrics, or derived from one. */
bool measure_has_any(unsigned measure, const struct metric_set *metrics);

/* The number that stands for the measure in a group, see fold_quantity(). */
struct quantity measure_quantity(unsigned measure, const struct fold_cell cells[METRIC_COUNT]);

/* Finds a measure by name. Returns false, storing nothing, where there is none. */
bool measure_find(const char *name, size_t len, unsigned *ret_measure);
