/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-cgroup-files - reads the files of a job's cgroup. */
#include "base/fd.h"
#include "base/scan.h"
#include "ctprof/base/macro.h"
#include "job/job-values.h"

/* Returns the number of names in "cpu,cpuacct". */
int job_list_length(struct span list);

/* Sorts the ids and removes repeats. */
void job_ids_sort(struct id_list *list);

/* Appends the processes in a cgroup.procs to @list. Processes outside of our pid namespace are skipped. Returns 0 or
 * -errno. */
must_check_ int job_procs_list(int dir_fd, struct id_list *list);

/* Appends those of a cgroup and of all below it. */
must_check_ int job_directory_list(int dir_fd, unsigned depth, struct id_list *list);

/* Set CPU time by mode, from cpu.stat of version 2 and the files of cpuacct. */
void job_read_cpu_stat(int dir_fd, struct job_values *values);
void job_read_cpuacct(int dir_fd, struct job_values *values);

/* Sets the peak of memory. */
void job_read_peak(int dir_fd, const char *name, struct job_values *values);
