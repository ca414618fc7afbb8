/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-cgroup-left - finds processes of the job that have left its leaves: a shell that moved itself, or a command that something
 * moved. The counters of such a leaf are too small, and are those of no job. */
#include "job/job-cgroup.h"

/* Looks where the processes are, by /proc/PID/cgroup, and marks the leaves that one of them has left. Those that have ended
 * are in no leaf, and do not count. */
void job_cgroup_check(struct job_cgroup *cgroup, int proc_fd, const struct id_list *pids);

/* Marks the leaf of CPU time if wait4(2) has more than it, both in seconds: then a process that has ended was elsewhere. */
void job_cgroup_check_time(struct job_cgroup *cgroup, double counted, double waited);

/* Returns whether a leaf was left, and appends a phrase that says which one. */
bool job_cgroup_say_left(const struct job_cgroup *cgroup, struct strbuf *out);
