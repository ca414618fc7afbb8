/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-process - computes the work of a process's exited threads: the process's totals, which the kernel keeps for
 * them as well, less the sums over the living. */
#include "group/group.h"

/* Returns whether the thread is of another process than the ones before. */
bool group_process_is_next(const struct group_process *process, const struct thread_sample *sample);

/* Adds the next thread of the process, or the first one, which was read on the host; NULL: the host is not known. */
void group_process_add(struct group_process *process, const struct thread_sample *sample,
                       const struct host *host);

/* Lists the group of a thread that was added, and the numbers of its names. If all keys are of threads, it lists the first one only. */
void group_process_add_group(struct group_process *process, struct group *group,
                             const uint32_t names[GROUP_KEYS_MAX]);

/* Returns whether the process has totals of the source, and what they exceed the sums over its threads by is known: all of its
 * threads have values of these metrics, or else all are in one group, to which the rest of the total belongs. */
bool group_process_knows(const struct group_process *process, enum process_source source);

/* Returns whether threads without a value are in the remainder of the total, together with those that have exited. */
bool group_process_covers(const struct group_process *process, enum process_total total);

/* Ends the process. Returns whether its exited threads did any work, and stores how much of each total. */
must_check_ bool group_process_close(struct group_process *process,
                                     uint64_t ret_remainders[PROCESS_TOTAL_COUNT]);

/* Takes the rounding of the living threads from the remainders, as those of exited threads alone: the fractions of clock ticks that
 * the readings of threads lack, as far as their sum is known. Returns whether there is more than rounding. */
must_check_ bool group_process_remove_rounding(const struct group_process *process,
                                               uint64_t remainders[PROCESS_TOTAL_COUNT]);

/* Returns GROUP_EXITED_RAN and a bit for each source that the process has no totals of, if its totals show that exited threads have run: the
 * remainder of the ticks is more than what is rounded off in its threads, or taskstats has more than the time between two readings
 * explains. Returns 0 otherwise. */
uint32_t group_process_unseen(const struct group_process *process,
                              const uint64_t remainders[PROCESS_TOTAL_COUNT]);

/* Returns a bit for each enum process_total whose part of exited threads is not known: those of threads that have run, as other totals show,
 * or whose total has more than the threads with a value have. */
uint32_t group_process_incomplete(const struct group_process *process,
                                  const uint64_t remainders[PROCESS_TOTAL_COUNT]);

/* Returns a bit for each total whose remainder is more than rounding and, in a window, than what the living did between two readings: the
 * totals that its groups lack if it is divided. Takes the rounding from the remainders. */
must_check_ uint32_t group_process_left_out(const struct group_process *process,
                                            uint64_t remainders[PROCESS_TOTAL_COUNT]);

/* Returns the CPU time by the clock ticks of the process that is neither in the run time of its threads nor in the total of it; 0 if the
 * ticks are not known, or if it may be what they round off. */
uint64_t group_process_unseen_run_ns(const struct group_process *process);

/* Returns the most that the run time of exited threads lacks, by the clock ticks of the process, if that is 0 by
 * group_process_unseen_run_ns(); UINT64_MAX if the ticks are not known. */
uint64_t group_process_short_run_ns(const struct group_process *process,
                                    const uint64_t remainders[PROCESS_TOTAL_COUNT]);

void group_process_done(struct group_process *process);
