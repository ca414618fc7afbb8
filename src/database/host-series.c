// SPDX-License-Identifier: GPL-2.0-or-later
#include "host-series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ctprof/metric/metric.h"

bool host_series_is_level(const char *metric)
{
	enum metric_id id;

	return metric_find(metric, strlen(metric), &id) && !metric_is_counter(id);
}

void host_series_init(struct host_series *series, const struct database_list *list,
                      const unsigned char *uses)
{
	size_t count = list->host_count > 0 ? list->host_count : 1;

	*series = (struct host_series){.list = list, .uses = uses};
	for (unsigned use = USE_FIRST; use < USE_COUNT; use++)
		series->sums[use] = mem_calloc(count, sizeof(series->sums[use][0]));
}

void host_series_done(struct host_series *series)
{
	for (unsigned use = 0; use < USE_COUNT; use++)
		free(series->sums[use]);
	free(series->hosts);
}

static int by_number(const void *a, const void *b)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

	return (first > second) - (first < second);
}

void host_series_sort(struct host_series *series)
{
	if (series->host_count > 1)
		qsort(series->hosts, series->host_count, sizeof(series->hosts[0]), by_number);
}

void host_series_clear(struct host_series *series)
{
	series->has_facts = false;
	for (unsigned use = USE_FIRST; use < USE_COUNT; use++)
		for (size_t i = 0; i < series->host_count; i++)
			series->sums[use][series->hosts[i]] = (struct host_series_sum){0};
	series->host_count = 0;
}

/* Sums are integers, and those of a sound file are far below the limit. */
static void add_work(struct host_series_sum *sum, double work)
{
	static const double limit = 0x1p90;

	sum->whole_work += (__int128)(isnan(work) ? 0 : fmin(fmax(work, -limit), limit));
	sum->work = (double)sum->whole_work;
}

void host_series_add(struct host_series *series, const struct database_fact *fact)
{
	const struct database_snapshot *file;
	struct host_series_sum *sum;

	if (fact->snapshot >= series->list->snapshot_count ||
	    series->uses[fact->snapshot] == USE_NOTHING)
		return;
	file = &series->list->snapshots[fact->snapshot];
	sum = &series->sums[series->uses[fact->snapshot]][file->host];
	if (series->sums[USE_FIRST][file->host].files == 0 &&
	    series->sums[USE_LAST][file->host].files == 0)
		*array_add(series->hosts, series->host_count, series->host_capacity) = file->host;
	series->has_facts = true;
	sum->files++;
	saturating_add_to(&sum->length_ns, file->length_ns);
	sum->seconds = (double)sum->length_ns / NS_PER_SECOND;
	sum->partial_files += fact->seen < fact->threads;
	/* All its processes ended in the window, and the metric is of those that live. */
	if (fact->threads == 0 && !fact->has_sum && !fact->has_exited)
		return;
	/* A group of exited threads alone has their work, and no thread, or one for those of which it is not known. */
	if (!fact->has_sum && (!fact->has_exited || (fact->threads > 0 && !(fact->exited > 0)))) {
		sum->is_unseen = true;
		return;
	}
	if (fact->has_rated) {
		add_work(sum, fact->rated);
		return;
	}
	add_work(sum, fact->has_sum ? fact->sum : 0);
	add_work(sum, fact->has_exited ? fact->exited : 0);
}

double host_series_value(const struct host_series *series, enum host_series_use use, size_t host)
{
	const struct host_series_sum *sum = &series->sums[use][host];

	if (sum->files == 0 || sum->is_unseen || sum->seconds <= 0)
		return NAN;
	return series->is_level ? sum->work / sum->files : sum->work / sum->seconds;
}

bool host_series_is_unseen(const struct host_series *series, enum host_series_use use, size_t host)
{
	return series->sums[use][host].is_unseen;
}
