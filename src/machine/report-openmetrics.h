/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-openmetrics - the text formats that Prometheus reads: groups as samples, one family for each measure. */
#include "report/report.h"

/* Groups more than that are never printed. */
enum { OPENMETRICS_TOP = 50, OPENMETRICS_TOP_MAX = 10000 };

/* Returns whether the measure has a family: a number that is a sum, a peak, a floor or derived from such. */
bool openmetrics_has(unsigned measure);

/* Appends the name of a measure's family: the metric's, with the base unit (seconds, bytes, ratio) at its end, and the divisor
 * behind it. */
void openmetrics_add_name(unsigned measure, enum measure_per per, struct strbuf *out);

/* Prints the text format 0.0.4 of Prometheus, or OpenMetrics 1.0. The rows of the set must be there (not late). Errors are left in
 * @file's error flag. */
void report_openmetrics(FILE *file, const struct report *report, bool openmetrics);
