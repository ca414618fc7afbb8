/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-knobs - what is set on cgroups: weights, limits, protections, CPUs. */
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/settings/settings.h"

/* Adds the knobs of a cgroup to @settings under its path, with "v1:" in front of it for version 1. The value has a word for each
 * knob, such as "cpu.weight=100": the name of the file and what it holds, "max" without a limit. Adds nothing for a cgroup
 * without knobs, nor beyond CGROUP_KNOBS_MAX cgroups. */
enum { CGROUP_KNOBS_MAX = 1 << 17 };
void cgroup_knobs_add(struct settings *settings, const struct cgroup_stats *stats);
