/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* export-trace - windows and recordings as one trace: the windows of a recording one after the other, and not added up. */
#include "export-file.h"
#include "fleet/chrome-trace.h"

/* Adds the windows of @path, which names one, or a recording or a range of one. Returns 0 or -errno, with the error printed unless it
 * is one of standard output. */
must_check_ int export_trace(const struct export_plan *plan, const char *path,
                             struct chrome_trace *trace);
