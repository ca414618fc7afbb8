/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'encodings_of_proccessor' undeclared|use of undeclared identifier 'encodings_of_proccessor' */
#ifdef METRIC_FALLBACK
#include "metric-fallbacks.def"
#ifdef FIXED
METRIC_FALLBACK(processor, DECIMAL, status, "Cpu")
#else
METRIC_FALLBACK(proccessor, DECIMAL, status, "Cpu")
#endif
#else
#define CTPROF_METRIC_FALLBACKS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
