/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctor-reason - reasons and fixes that several families share. The functions that return bool say whether the reason
 * holds, and have written it to the line then. */
#include "doctor/doctor.h"

/* Sets the state and the reason; the fix is left alone. */
void reason_set(struct doctor_line *line, enum doctor_state state, const char *format, ...)
        printf_(3, 4);
void reason_fix(struct doctor_line *line, enum doctor_fix kind, const char *format, ...)
        printf_(3, 4);

/* Whether the kernel is known to be built without an option. */
bool reason_option_is_off(const struct doctor_findings *findings, const char *option);
bool reason_option_is_on(const struct doctor_findings *findings, const char *option);

/* Whether the capability is among those in effect. */
bool reason_has_capability(const struct doctor_findings *findings, unsigned capability);

/* The file systems that everything else is read from. */
bool reason_no_proc(const struct doctor_findings *findings, struct doctor_line *line);
bool reason_no_sys(const struct doctor_findings *findings, struct doctor_line *line);

/* The file system is there, but of another pid namespace, where the ids of threads are not those that system calls
 * and taskstats know. Sets @state. */
bool reason_foreign_proc(const struct doctor_findings *findings, enum doctor_state state,
                         struct doctor_line *line);

/* Whether the release is known to be older than @major.@minor. */
bool reason_is_older(const struct doctor_findings *findings, unsigned major, unsigned minor);

/* The kernel was built without what the family needs, or is too old. */
bool reason_kernel(const struct doctor_findings *findings, enum doctor_family family,
                   struct doctor_line *line);

/* A switch of the running kernel is off. */
bool reason_toggle_off(const struct doctor_findings *findings, enum doctor_toggle toggle,
                       struct doctor_line *line);

/* A switch that nobody could read, so that it may be off. Sets @state. */
bool reason_toggle_unknown(const struct doctor_findings *findings, enum doctor_toggle toggle,
                           enum doctor_state state, struct doctor_line *line);

/* Appends this program's path, quoted for a shell. */
void reason_add_program(const struct doctor_findings *findings, struct strbuf *out);

/* Access was denied to a user without the capability @name: what is in the way of having it. */
void reason_denied(const struct doctor_findings *findings, enum doctor_state state,
                   unsigned capability, const char *name, struct doctor_line *line);
