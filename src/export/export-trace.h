/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* export-trace - windows and recordings for programs that draw lines over time: the windows of a recording one after the other, and not added up. */
#include "export/export-file.h"
#include "fleet/window-rates.h"

/* Adds the windows of @path, which names one, or a recording or a range of one. Returns 0 or -errno, with the error printed unless it
 * is one of standard output. */
must_check_ int export_trace(const struct export_plan *plan, const char *path,
                             struct window_writer *writer);

/* Says on standard error how many values are left out or lack some threads, if any are. */
void export_say_missing(const struct window_rates *rates);
