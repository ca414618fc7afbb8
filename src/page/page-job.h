/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-job - the page of a job: the lines that plot prints above its picture, its series over the time since its begin, and its
 * processes as bands. */
#include "ctprof/base/strbuf.h"
#include "plot/plot.h"

/* Appends the whole page. @command draws the job, "ctprof plot DIR"; safe to print. */
void page_add_job(const struct plot *plot, const char *command, struct strbuf *out);

/* Appends the CPU use and the memory of processes as a whole SVG file. Returns false if there is no process to draw. */
bool page_add_processes_svg(const struct plot *plot, struct strbuf *out);
