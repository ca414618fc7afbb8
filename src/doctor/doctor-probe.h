/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctor-probe - finds out which sources can be read here and now, by reading them. */
#include "ctprof/base/macro.h"
#include "doctor/doctor.h"

/* Tries everything below /proc, /sys and the mounted cgroup hierarchies once, and taskstats. Findings that cannot be
 * made are left as zero. @ret_findings is zeroed or done, and doctor_findings_done() frees it. */
void doctor_probe(struct doctor_findings *ret_findings);

/* Sets a switch of the running kernel to 1. Returns 0 or -errno; -ENOENT if the kernel has none. */
must_check_ int doctor_toggle_enable(enum doctor_toggle toggle);
