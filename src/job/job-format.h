/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-format - a template for the summary of a run, as con-duct has it: {field}, {field!C} with a conversion,
 * {field:SPEC} with a format, {field:SPEC!C}, and {{ and }} for braces.
 * Fields are the rows of registry/job.def, and command, working_directory, container and cgroup. A value that is not
 * known is "-".
 * Conversions: S a size in decimal units, T a time, P a percentage, D a date; E, N and X the value as it is.
 * SPEC is [<|>][WIDTH][.PRECISION][d|e|f|g|s]. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "job/job-report.h"

/* Returns 0, or -EINVAL with a phrase if the template is not valid. */
must_check_ int job_format_check(const char *template, struct strbuf *reason);

/* Appends the first run in the form of a template that is valid. Texts of others are made safe to print. */
void job_format_add(const char *template, const struct job_report *report, struct strbuf *out);
