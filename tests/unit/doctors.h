/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctors - hosts for doctor_judge(). */
#include "doctor/doctor.h"

/* Makes a host on which everything is readable; each test removes a part. doctor_check() frees it. */
struct doctor_findings *doctor_healthy(void);
/* One for a user without capabilities, who was refused. */
struct doctor_findings *doctor_nobody(void);
/* Makes a host in a pid namespace with the /proc of another one: taskstats is not requested, and no reading failed. */
struct doctor_findings *doctor_foreign(void);

/* Removes our own values of a family, as of a kernel that does not have them. */
void doctor_forget(struct doctor_findings *findings, enum doctor_family family);

/* Judges, checks one line, and frees. */
void doctor_check(struct doctor_findings *findings, enum doctor_family family,
                  enum doctor_state state, const char *reason, enum doctor_fix kind,
                  const char *fix);

/* The command that gives doctor_nobody() all capabilities that ctprof uses. */
extern const char doctor_setcap_fix[];
