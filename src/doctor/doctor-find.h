/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctor-find - the parts of doctor_probe(). Each leaves as zero what it cannot find out. */
#include "cgroup/cgroup-mount.h"
#include "doctor/doctor.h"

/* The cgroup hierarchies that @mounts names, and /proc/cgroups. */
void doctor_find_cgroups(int proc_fd, const struct cgroup_mounts *mounts,
                         struct doctor_findings *findings);
