/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* reference - the peculiarities of the snapshots of another tool, ktstr ctprof, from before the format had a "format"
 * key: a zero there may stand for a value that was not read. registry/reference.def has the families of values that are
 * missing together. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/metric.h"

/* clang-format off */
enum reference_family {
#define REFERENCE_FAMILY(id_, name_, group_, zeros_) REFERENCE_FAMILY_##id_,
#include "reference.def"
	REFERENCE_FAMILY_COUNT,
};
/* clang-format on */

/* The meaning of a family's zeros, as registry/reference.def explains. */
enum reference_zeros {
	REFERENCE_ZEROS_ROWS,
	REFERENCE_ZEROS_WHOLE,
	REFERENCE_ZEROS_AMBIGUOUS,
	REFERENCE_ZEROS_VERSION,
	REFERENCE_ZEROS_VERSIONS,
};

struct reference_family_desc {
	const char *name;
	const char *group; /* the name of several families together, or that of this one */
	enum reference_zeros zeros;
};
extern const struct reference_family_desc reference_family_table[REFERENCE_FAMILY_COUNT];

/* Returns whether the set has the family; a set has a bit for each. */
static inline bool reference_has(uint32_t families, enum reference_family family)
{
	return (families >> (unsigned)family) & 1;
}

/* Adds the metrics of a set of families to @metrics. */
void reference_add_metrics(uint32_t families, struct metric_set *metrics);
