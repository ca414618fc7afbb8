/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctors - hosts for doctor_judge(). */
#include "doctor/doctor.h"

/* A host on which everything can be read; each test takes something away. Free it by doctor_check(). */
struct doctor_findings *doctor_healthy(void);
/* One for a user without capabilities, who was refused. */
struct doctor_findings *doctor_nobody(void);
/* One in a pid namespace with the /proc of another: taskstats is not asked, and nothing failed. */
struct doctor_findings *doctor_foreign(void);

/* Takes away own values of a family, as of a kernel that does not give them. */
void doctor_forget(struct doctor_findings *findings, enum doctor_family family);

/* Judges, checks one line, and frees. */
void doctor_check(struct doctor_findings *findings, enum doctor_family family,
                  enum doctor_state state, const char *reason, enum doctor_fix kind,
                  const char *fix);

/* The command that gives doctor_nobody() all capabilities that ctprof wants. */
extern const char doctor_setcap_fix[];
