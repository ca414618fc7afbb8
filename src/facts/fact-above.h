/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fact-above - the values that a group of cgroups has from the cgroups above it: the smallest limits, and their throttling. */
#include "fact-build.h"
#include "facts/fact-derive.h"

/* Stores the cell of the value, which lacks cgroups that could not be read. Returns false if the value is not from above. */
bool fact_above_cell(const struct fact_build *build, enum fact_derived_id id,
                     const struct cgroup_above *above, struct fact_cell *ret);
