/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'const struct thread_end' has no member named 'test_field'|no member named 'test_field' in 'struct thread_end' */
#ifdef METRIC
#include "metrics.def"
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#elif defined(EXIT_METRIC)
#include "exits.def"
#ifdef FIXED
EXIT_METRIC(test_row, NOTHING, WHOLE(END(nr_migrations, ALWAYS)))
#else
EXIT_METRIC(test_row, NOTHING, WHOLE(END(test_field, ALWAYS)))
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#define CTPROF_EXITS_DEF __BASE_FILE__
#include "capture/exit-merge.c"
#endif
