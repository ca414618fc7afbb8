/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctor-find - the parts of doctor_probe(). Each leaves findings as zero that it cannot make. */
#include "cgroup/cgroup-mount.h"
#include "doctor/doctor.h"

/* Examines the cgroup hierarchies of @mounts, and /proc/cgroups. */
void doctor_find_cgroups(int proc_fd, const struct cgroup_mounts *mounts,
                         struct doctor_findings *findings);
