// SPDX-License-Identifier: GPL-2.0-or-later
#include "job-statistics.h"

#include <stdlib.h>

#include "base/mem.h"
#include "statistics/t-test.h"

bool job_statistics_apply(enum job_value_id id)
{
	return id != JOB_exit_code && id != JOB_start_time && id != JOB_end_time && id != JOB_cpus;
}

bool job_statistics_of(const struct job_report *report, enum job_value_id id,
                       struct job_statistics *ret)
{
	cleanup_(mem_freep) double *numbers = mem_calloc(report->count, sizeof(numbers[0]));
	struct interval interval = {0};
	struct t_test test;

	for (size_t i = 0; i < report->count; i++) {
		if (!job_is_whole(&report->runs[i].values, id))
			return false;
		numbers[i] = report->runs[i].values.numbers[id];
	}
	test = t_test(numbers, report->count);
	*ret = (struct job_statistics){
	        .mean = test.mean,
	        .least = numbers[0],
	        .most = numbers[0],
	        .has_sd = test.has_sd,
	        .sd = test.sd,
	        .has_interval = t_interval(&test, .95, &interval),
	};
	ret->low = interval.low;
	ret->high = interval.high;
	for (size_t i = 1; i < report->count; i++) {
		if (numbers[i] < ret->least)
			ret->least = numbers[i];
		if (numbers[i] > ret->most)
			ret->most = numbers[i];
	}
	return true;
}
