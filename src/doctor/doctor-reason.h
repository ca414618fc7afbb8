/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctor-reason - reasons and fixes that several families share. The functions that return bool return whether the
 * reason holds; if so, they have written it to the line. */
#include "doctor/doctor.h"

/* Sets the state and the reason, and keeps the fix. */
void reason_set(struct doctor_line *line, enum doctor_state state, const char *format, ...)
        printf_(3, 4);
void reason_fix(struct doctor_line *line, enum doctor_fix kind, const char *format, ...)
        printf_(3, 4);

/* Returns whether the kernel is known to be built without an option. */
bool reason_option_is_off(const struct doctor_findings *findings, const char *option);
bool reason_option_is_on(const struct doctor_findings *findings, const char *option);

/* Returns whether the capability is among those in effect. */
bool reason_has_capability(const struct doctor_findings *findings, unsigned capability);

/* Return whether the file system that all else is read from is missing. */
bool reason_no_proc(const struct doctor_findings *findings, struct doctor_line *line);
bool reason_no_sys(const struct doctor_findings *findings, struct doctor_line *line);

/* Returns whether the file system is there, but of another pid namespace, whose thread ids are not those of system
 * calls and taskstats. Sets @state. */
bool reason_foreign_proc(const struct doctor_findings *findings, enum doctor_state state,
                         struct doctor_line *line);

/* Returns whether the release is known to be older than @major.@minor. */
bool reason_is_older(const struct doctor_findings *findings, unsigned major, unsigned minor);

/* Returns whether the kernel was built without the family's options, or is too old. */
bool reason_kernel(const struct doctor_findings *findings, enum doctor_family family,
                   struct doctor_line *line);

/* Returns whether a switch of the running kernel is off. */
bool reason_toggle_off(const struct doctor_findings *findings, enum doctor_toggle toggle,
                       struct doctor_line *line);

/* Returns whether a switch could not be read, so that it may be off. Sets @state. */
bool reason_toggle_unknown(const struct doctor_findings *findings, enum doctor_toggle toggle,
                           enum doctor_state state, struct doctor_line *line);

/* Appends this program's path, quoted for a shell. */
void reason_add_program(const struct doctor_findings *findings, struct strbuf *out);

/* Sets the reason of a user without the capability @name, and the obstacle to gaining it. */
void reason_denied(const struct doctor_findings *findings, enum doctor_state state,
                   unsigned capability, const char *name, struct doctor_line *line);
