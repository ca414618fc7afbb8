// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/contrast-scale.h"

#include <math.h>

bool contrast_scale_values(const double *values, size_t count, double *ret_y,
                           struct contrast_scale *ret)
{
	bool is_log = true;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			return false;
		is_log = is_log && values[i] > 0;
		sum += fabs(values[i]) / (double)count;
	}
	if (!(sum > 0) || !isfinite(sum))
		return false;
	for (size_t i = 0; i < count; i++)
		ret_y[i] = is_log ? log(values[i]) : values[i] / sum;
	*ret = (struct contrast_scale){.is_log = is_log, .one = is_log ? 0 : sum};
	return true;
}
