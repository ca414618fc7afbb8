/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-subtract - computes differences of two readings: of threads, process totals, cgroups, pressure and the
 * host. */
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/psi.h"
#include "ctprof/metric/sample.h"
#include "metric/treatment.h"

/* Stores the value of a metric that counts from the thread's birth on, if it was seen, or is impossible: differences of
 * such values are true. */
bool window_get_counter(const struct thread_sample *sample, enum metric_id metric,
                        uint64_t *ret_value);

/* Changes a thread's values at the end into those since @first: counters become differences, peaks that did not rise
 * and floors that did not fall are unseen, as are counters seen only at the end. Adds the counters that went back,
 * which are unseen too, to @went_back. */
void window_subtract(struct thread_sample *sample, const struct thread_sample *first,
                     uint64_t *went_back);

/* Returns whether the thread has run less, or has done less of what only rises (context switches, page faults, I/O),
 * than in the earlier reading @first: it is another thread. Counters of schedstats do not count here, since the owner
 * of a thread can reset them. */
bool window_is_behind(const struct thread_sample *sample, const struct thread_sample *first);

/* Returns whether the process has executed another program since the earlier reading @first of its leader. */
bool window_is_other_program(const struct thread_sample *sample, const struct thread_sample *first);

/* Makes unseen what counts from the birth of a thread on. A source that was read has the reason unjoined; @rules are those of the
 * host. */
void window_forget(struct thread_sample *sample, const enum source_outcome rules[SOURCE_COUNT]);

/* Does as window_subtract() for the totals of a process. @sums has the sums over the process's rows at the first
 * reading. The totals are read before the threads, so a sum may exceed its total: then the sum is subtracted, since
 * work between the two reads is not that of exited threads. Raises such totals of @first. */
void window_subtract_totals(struct thread_sample *sample, struct thread_sample *first,
                            const uint64_t sums[PROCESS_TOTAL_COUNT]);

/* Returns whether the cgroup that @first had is not this one in all hierarchies: it was removed and made anew. The kernel's numbers
 * show it; without them a counter that is smaller. */
bool window_is_remade_cgroup(const struct cgroup_stats *stats, const struct cgroup_stats *first);

/* Does so for a cgroup, as far as it is the same one; NULL means that it was not in the first reading, and may have been there without threads: only
 * the values at the end remain. */
void window_subtract_cgroup(struct cgroup_stats *stats, const struct cgroup_stats *first);

/* Does so for the totals of pressure; a line is either known or not. @first may be NULL. */
void window_subtract_psi(struct psi *psi, const struct psi *first);

/* Does so for the counters of a host. */
void window_subtract_host(struct host *host, const struct host *first);
