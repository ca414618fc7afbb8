/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-statistics - a value over several runs. */
#include "job/job-report.h"

struct job_statistics {
	double mean, least, most;
	bool has_sd; /* two runs or more */
	double sd;
	bool has_interval; /* and not all the same */
	double low, high;  /* of the mean, at 95 % */
};

/* Returns false if the value is not known of all runs. */
must_check_ bool job_statistics_of(const struct job_report *report, enum job_value_id id,
                                   struct job_statistics *ret);

/* Returns whether the value is an amount of a run, and no moment, status or setting. */
bool job_statistics_apply(enum job_value_id id);
