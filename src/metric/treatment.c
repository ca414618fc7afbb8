// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/treatment.h"

enum window_treatment window_treatment_of(enum metric_id metric)
{
	switch (metric_table[metric].type) {
	case METRIC_TYPE_counter_count:
	case METRIC_TYPE_counter_ns:
	case METRIC_TYPE_counter_ticks:
	case METRIC_TYPE_counter_bytes:
		return TREAT_DIFFERENCE;
	case METRIC_TYPE_peak_ns:
	case METRIC_TYPE_peak_bytes:
		return TREAT_RISEN;
	case METRIC_TYPE_floor_ns:
		return TREAT_FALLEN;
	case METRIC_TYPE_gauge_ns:
	case METRIC_TYPE_gauge_count:
	case METRIC_TYPE_level_count:
	case METRIC_TYPE_level_bytes:
	case METRIC_TYPE_ordinal_i32:
	case METRIC_TYPE_ordinal_u32:
	case METRIC_TYPE_label_text:
	case METRIC_TYPE_label_letter:
	case METRIC_TYPE_label_flag:
	case METRIC_TYPE_cpu_set:
	case METRIC_TYPE_dead_count:
	case METRIC_TYPE_COUNT:
		break;
	}
	return TREAT_END;
}
