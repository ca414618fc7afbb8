// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/series-use.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum series_use_kind series_use_of_cpu(const struct series *series)
{
	return series_has(series, SERIES_cpu_mean) ? SERIES_USE_TIME : SERIES_USE_CPU;
}

enum series_id series_use_total(enum series_use_kind kind)
{
	return kind == SERIES_USE_TIME  ? SERIES_cpu_mean
	       : kind == SERIES_USE_CPU ? SERIES_cpu
	                                : SERIES_rss;
}

double series_use_value(const struct series *series, const struct series_point *point,
                        enum series_use_kind kind)
{
	double value = kind == SERIES_USE_TIME  ? point->used
	               : kind == SERIES_USE_CPU ? point->cpu
	                                        : point->rss;

	return isnan(value) || (point->time_ns == 0 && series->count > 1) ? 0 : value;
}

static int by_use(const void *a_ptr, const void *b_ptr)
{
	const struct series_use *a = a_ptr, *b = b_ptr;

	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	return strcmp(a->pid, b->pid);
}

struct series_use *series_use_sort(const struct series *series, enum series_use_kind kind,
                                   size_t *ret_count)
{
	struct series_use *uses = mem_calloc(series->process_count + 1, sizeof(uses[0]));
	size_t count = 0;

	for (size_t i = 0; i < series->process_count; i++) {
		const struct series_process *process = &series->processes[i];
		struct series_use use = {process, process->pid, 0, 0};

		for (size_t k = 0; k < process->count; k++) {
			double value = series_use_value(series, &process->points[k], kind);

			use.sum += value;
			use.most = fmax(use.most, value);
		}
		if (use.sum > 0)
			uses[count++] = use;
	}
	qsort(uses, count, sizeof(uses[0]), by_use);
	*ret_count = count;
	return uses;
}

double series_use_most(const struct series *series, enum series_use_kind kind)
{
	double most = NAN;

	for (size_t i = series->count > 1 ? 1 : 0; i < series->count; i++)
		most = fmax(most, series->records[i].values[series_use_total(kind)]);
	return most;
}
