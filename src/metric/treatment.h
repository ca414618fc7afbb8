/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* treatment - the value that a metric has in a window, by its type. */
#include "ctprof/metric/metric.h"

enum window_treatment {
	TREAT_DIFFERENCE,
	TREAT_RISEN,  /* the value at the end, if it rose */
	TREAT_FALLEN, /* the same, if it fell */
	TREAT_END,    /* the value at the end */
};
enum window_treatment window_treatment_of(enum metric_id metric);
