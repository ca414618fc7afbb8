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

/* Returns whether the cpu controller shares the CPUs among the threads of a cgroup and those outside of it: it is on for @cgroup, named
 * as above, or for one above it, other than the root. */
bool cgroup_knobs_share_cpu(const struct settings *settings, const char *cgroup);

/* A knob that two snapshots have with other values. */
struct knob_change {
	char *name;     /* "/app: cpu.weight"; owned, as are the texts */
	char *texts[2]; /* the first snapshot's, the second's */
};

struct knob_changes {
	struct knob_change *entries; /* owned */
	size_t count, capacity;
};

/* Finds the knobs that differ, by path. A knob that the cgroup above has with the same two values was set there, and is found
 * there only. Either may be NULL; then nothing differs. @ret is zeroed; knob_changes_done() frees it. */
void cgroup_knobs_compare(const struct settings *baseline, const struct settings *candidate,
                          struct knob_changes *ret);

/* For cleanup_(knob_changes_done). */
void knob_changes_done(struct knob_changes *changes);
