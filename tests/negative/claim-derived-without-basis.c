/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: BASIS_total_delay|CALL_total_delay */
#ifdef DERIVED
#include "derived.def"
#ifdef FIXED
DERIVED(test_sum, PARTS, total_delay, ns, derived, "a formula", "a test", cpu_delay_total_ns,
        blkio_delay_total_ns, freepages_delay_total_ns, compact_delay_total_ns,
        wpcopy_delay_total_ns, irq_delay_total_ns, swapin_delay_total_ns, thrashing_delay_total_ns)
#else
DERIVED(test_sum, total_delay, ns, derived, "a formula", "a test", cpu_delay_total_ns,
        blkio_delay_total_ns, freepages_delay_total_ns, compact_delay_total_ns,
        wpcopy_delay_total_ns, irq_delay_total_ns, swapin_delay_total_ns, thrashing_delay_total_ns)
#endif
#else
#define CTPROF_DERIVED_DEF __BASE_FILE__
#include "measure/derive.c"
#endif
