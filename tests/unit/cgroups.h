/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroups - what a snapshot holds of cgroups and of the host, to test with. */
#include "ctprof/metric/cgroup-stats.h"
#include "random.h"

/* A cgroup with about half of the values that its version has, each in any state that its form admits. The path
 * is the caller's to set. */
void random_cgroup(struct random *random, bool is_v1, struct cgroup_stats *stats);
void random_psi(struct random *random, struct psi *psi);
void random_sched_ext(struct random *random, struct sched_ext *sched_ext);
/* Up to six of a few keys, hostile ones among them. */
void random_values(struct random *random, struct keyed_values *values);

/* Takes over nothing. */
void cgroup_stats_copy(struct cgroup_stats *to, const struct cgroup_stats *from);
void keyed_values_copy(struct keyed_values *to, const struct keyed_values *from);

/* Lists are the same in any order. */
bool same_cgroup(const struct cgroup_stats *a, const struct cgroup_stats *b);
bool same_keyed_values(const struct keyed_values *a, const struct keyed_values *b);
bool same_psi(const struct psi *a, const struct psi *b);
bool same_sched_ext(const struct sched_ext *a, const struct sched_ext *b);
