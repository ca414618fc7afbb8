/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-rates - time in groups: how long threads lived, and their counters per second. */
#include "group/group.h"

/* Chooses the list of rates for the snapshot's kind, and sets the time that the thread lived, if it is known. */
void group_rates_see(struct group_table *table, struct thread_sample *sample);

/* Returns how long the thread had lived when it was read; 0: not known. */
uint64_t group_rates_age_ns(const struct group_table *table, const struct thread_sample *sample);

/* Returns the time in which the metric counted, of the thread that group_rates_see() saw last: jemalloc's counters have their own readings.
 * 0: not known. */
uint64_t group_rates_interval_ns(const struct group_table *table,
                                 const struct thread_sample *sample, enum metric_id metric);

/* Adds a thread's counters to its group, each divided by the time in which it was observed. */
void group_rates_add(const struct group_table *table, struct group *group,
                     const struct thread_sample *sample);

/* Adds the time by which the thread's delays together exceed its life, and that time per second of the interval. Does nothing if the
 * interval is 0. */
void group_rates_note_delays_beyond(struct delays_beyond *beyond,
                                    const struct thread_sample *sample, uint64_t interval_ns);

/* Adds the work of exited threads of the process; it becomes part of the group when group_rates_include() is called for
 * the total. */
void group_rates_add_exited(const struct group_table *table, struct group *group,
                            const uint64_t remainders[PROCESS_TOTAL_COUNT]);
void group_rates_include(const struct rate_list *list, struct group *group,
                         enum process_total total);

void group_rates_merge(struct group *into, const struct group *from);
void group_rates_done(struct group *group);
