/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: process total wait_max: only a metric that is summed has one */
#ifdef PROCESS_TOTAL
#include "process-totals.def"
#ifdef FIXED
PROCESS_TOTAL(wait_sum, process_stat, "99")
#else
PROCESS_TOTAL(wait_max, process_stat, "99")
#endif
#else
#define CTPROF_PROCESS_TOTALS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
