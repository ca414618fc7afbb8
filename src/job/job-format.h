/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-format - a template for the summary of a run; job-template.h has its form. Fields are the rows of
 * registry/job.def, and command, working_directory, container and cgroup. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "job/job-report.h"

/* Returns 0, or -EINVAL with a phrase if the template is not valid. */
must_check_ int job_format_check(const char *template, struct strbuf *reason);

/* Appends the first run in the form of a template that is valid. Texts of others are made safe to print. */
void job_format_add(const char *template, const struct job_report *report, struct strbuf *out);
