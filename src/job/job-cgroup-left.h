/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-cgroup-left - finds processes of the job that have left its leaves: a shell that moved itself, or a command that something
 * moved. The counters of such a leaf are too small, and are those of no job. */
#include "job/job-cgroup.h"
#include "job/job-tally.h"

/* Looks where the processes are, by /proc/PID/cgroup, and marks the leaves that one of them has left. Those that have ended
 * are in no leaf, and do not count. */
void job_cgroup_check(struct job_cgroup *cgroup, int proc_fd, const struct id_list *pids);

/* Returns whether a time in seconds is more than another by what no rounding explains. */
bool job_cgroup_is_more(double time, double other);

/* Marks the leaf of CPU time if wait4(2) has more than it, both in seconds: then a process that has ended was elsewhere. */
void job_cgroup_check_time(struct job_cgroup *cgroup, double counted, double waited);

/* Marks the leaf of version 2 if the ends of threads in it, @ends as far as they are known, have less CPU time than it has
 * @counted, in seconds, or fewer faults or switches than wait4(2): then a process has ended elsewhere. */
void job_cgroup_check_ends(struct job_cgroup *cgroup, const struct job_values *ends, double counted,
                           const struct job_tally *tally);

/* Returns whether a leaf was left, and appends a phrase that says which one; @is_waited: wait4(2) has all of the CPU time. */
bool job_cgroup_say_left(const struct job_cgroup *cgroup, bool is_waited, struct strbuf *out);
