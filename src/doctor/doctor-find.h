/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctor-find - the parts of doctor_probe(). Each leaves findings as zero that it cannot make. */
#include "cgroup/cgroup-mount.h"
#include "doctor/doctor.h"

/* Examines the cgroup hierarchies of @mounts, and /proc/cgroups. */
void doctor_find_cgroups(int proc_fd, const struct cgroup_mounts *mounts,
                         struct doctor_findings *findings);

/* Reads the files of our own thread, of other processes and of taskstats, as a capture does, and tries the memory of processes. A
 * process that holds its reader up for STALL_LIMIT_NS is given up (base/watch.h). */
void doctor_find_threads(int proc_fd, struct doctor_findings *findings);
