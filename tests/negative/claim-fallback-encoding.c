/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric processor: its fallback cannot be read as LETTER */
#ifdef METRIC_FALLBACK
#include "metric-fallbacks.def"
#ifdef FIXED
METRIC_FALLBACK(processor, DECIMAL, status, "Cpu")
#else
METRIC_FALLBACK(processor, LETTER, status, "Cpu")
#endif
#else
#define CTPROF_METRIC_FALLBACKS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
