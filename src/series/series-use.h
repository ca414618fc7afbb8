/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* series-use - what single processes of a job used, and their order: those that used most come first. Pure. */
#include "series/series.h"

enum series_use_kind {
	SERIES_USE_TIME, /* the CPU time of a process in a record; together they are the mean CPU use of the job */
	SERIES_USE_CPU, /* the most of its CPU use as ps has it; the most of their sum is the job's */
	SERIES_USE_RSS, /* its most resident memory; the most of their sum is the job's */
};

struct series_use {
	const struct series_process *process; /* borrowed */
	const char *pid;                      /* borrowed */
	double sum, most;                     /* of all records but the first one; of one */
};

/* Returns the CPU time if a record has it, which is better than what ps makes of it. */
enum series_use_kind series_use_of_cpu(const struct series *series);

/* Returns the series that the processes are parts of. */
enum series_id series_use_total(enum series_use_kind kind);

/* Returns the value of a point. 0 is one that is missing, or of the first record, which has no length, if there are others. */
double series_use_value(const struct series *series, const struct series_point *point,
                        enum series_use_kind kind);

/* Returns the processes that used anything; the caller frees the array. */
struct series_use *series_use_sort(const struct series *series, enum series_use_kind kind,
                                   size_t *ret_count);

/* Returns the most of the total in all records but the first one, or in that if it is the only one. */
double series_use_most(const struct series *series, enum series_use_kind kind);
