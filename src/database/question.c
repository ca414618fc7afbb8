// SPDX-License-Identifier: GPL-2.0-or-later
#include "database/question.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "host-series.h"
#include "host-time.h"
#include "statistics/robust.h"

const char *const question_names[QUESTION_COUNT + 1] = {"outliers", "movers", "group", NULL};

/* A metric of the hosts over all groups of one set of keys, which have each thread once. */
struct total {
	double *first, *last; /* by host; owned */
	bool is_known;
	double whole; /* of a typical host, or of all of them */
};

struct asking {
	struct database *database;
	const struct question *question;
	const struct database_list *list;
	struct answer *answer;
	unsigned char *uses;        /* enum host_series_use by file; owned */
	bool *compared;             /* QUESTION_MOVERS: hosts with both files; owned */
	struct host_series *series; /* of the group, by metric; owned, made when they are needed */
	size_t *open;               /* metrics with facts of the group; owned */
	size_t open_count;
	bool is_open;  /* a group has begun */
	size_t groups; /* that have begun */
	int error;     /* -EIO: a group could not be read; 0 */
	int64_t group;
	struct strmap totals; /* by the set of keys, to an array of struct total by metric, owned */
	struct strmap times;  /* by the set of keys, to an array of struct host_time, owned */
	const struct host_time *time; /* that of the group; NULL: the values are of one file each */
	uint32_t *files;              /* by host: windows that have the group; owned */
	size_t snapshot;              /* of the last fact of the group */
	double *values, *scratch;     /* by host; owned */
};

void answer_done(struct answer *answer)
{
	free(answer->rows);
}

/* Returns the windows of the hosts that have groups by a set of keys. */
static const struct host_time *times_of(struct asking *asking, const char *key, size_t len)
{
	struct strmap_entry *entry = strmap_add(&asking->times, key, len);

	if (!entry->value)
		entry->value = host_time_read(asking->database, key, asking->list, asking->uses);
	if (!entry->value)
		asking->error = -EIO;
	return entry->value;
}

/* Returns whether several windows of a host are one value. Movers take one file of each time. */
static bool has_times(const struct asking *asking)
{
	return asking->answer->is_window && asking->question->kind != QUESTION_MOVERS;
}

static double value_of(const struct asking *asking, const struct host_series *series, uint32_t host)
{
	return asking->time ? host_time_value(asking->time, series, host, asking->files[host])
	                    : host_series_value(series, USE_FIRST, host);
}

/* Returns the totals of a group's set of keys, by metric. */
static struct total *totals_of(struct asking *asking, int64_t group)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT, name = STRBUF_INIT;
	struct strmap_entry *entry;

	if (database_add_group(asking->database, group, &key, &name) < 0)
		asking->error = -EIO;
	asking->time = has_times(asking) ? times_of(asking, strbuf_str(&key), key.len) : NULL;
	entry = strmap_add(&asking->totals, strbuf_str(&key), key.len);
	if (!entry->value)
		entry->value = mem_calloc(asking->list->metric_count, sizeof(struct total));
	return entry->value;
}

static void open_total(const struct asking *asking, struct total *total)
{
	if (total->first)
		return;
	total->first = mem_calloc(asking->list->host_count, sizeof(total->first[0]));
	total->last = mem_calloc(asking->list->host_count, sizeof(total->last[0]));
}

static void free_totals(struct asking *asking)
{
	for (size_t i = 0; i < asking->totals.count; i++) {
		struct total *totals = asking->totals.entries[i].value;

		for (size_t m = 0; m < asking->list->metric_count; m++) {
			free(totals[m].first);
			free(totals[m].last);
		}
		free(totals);
	}
	strmap_done(&asking->totals);
}

static struct answer_row *add_row(struct asking *asking, size_t metric, double value, double other)
{
	struct answer *answer = asking->answer;
	struct answer_row *row = array_add(answer->rows, answer->count, answer->capacity);

	*row = (struct answer_row){.host = QUESTION_NO_HOST,
	                           .metric = metric,
	                           .group = asking->group,
	                           .place = asking->groups,
	                           .value = value,
	                           .other = other,
	                           .z = NAN,
	                           .impact = NAN};
	return row;
}

/* Adds the hosts' values to their totals. Returns how many hosts have one. */
static size_t collect(struct asking *asking, const struct host_series *series, struct total *total)
{
	size_t count = 0;

	for (size_t i = 0; i < series->host_count; i++) {
		uint32_t h = series->hosts[i];
		double value = value_of(asking, series, h);

		if (isnan(value))
			continue;
		total->first[h] += value;
		asking->values[count++] = value;
	}
	return count;
}

/* The rows of one series of QUESTION_OUTLIERS and QUESTION_GROUP. */
static void close_by_host(struct asking *asking, size_t metric, struct total *total)
{
	const struct host_series *series = &asking->series[metric];
	const struct question *question = asking->question;
	bool all = question->kind == QUESTION_GROUP;
	size_t count = collect(asking, series, total);
	struct robust robust;

	if (!all && count < QUESTION_HOSTS_LEAST) {
		asking->answer->series--;
		asking->answer->few++;
	}
	if (count == 0 || (!all && count < QUESTION_HOSTS_LEAST))
		return;
	robust = robust_of(asking->values, asking->scratch, count);
	for (size_t i = 0; i < series->host_count; i++) {
		uint32_t h = series->hosts[i];
		double value = value_of(asking, series, h), z;
		struct answer_row *row;

		if (isnan(value))
			continue;
		z = robust_z(&robust, value);
		if (!all && fabs(z) < question->least_z)
			continue;
		row = add_row(asking, metric, value, robust.median);
		row->host = h;
		row->hosts = (uint32_t)count;
		row->z = count >= QUESTION_HOSTS_LEAST ? z : NAN;
		row->is_partial = series->sums[USE_FIRST][h].partial_files > 0;
	}
}

/* A group that is not in a file did nothing there; a value that was not seen leaves its host out of the series. */
static void close_by_time(struct asking *asking, size_t metric, struct total *total)
{
	const struct host_series *series = &asking->series[metric];
	double before = 0, after = 0;
	uint32_t hosts = 0;
	bool is_partial = false;

	for (size_t i = 0; i < series->host_count; i++) {
		uint32_t h = series->hosts[i];
		double first = host_series_value(series, USE_FIRST, h);
		double last = host_series_value(series, USE_LAST, h);

		if (!asking->compared[h] || (isnan(first) && isnan(last)) ||
		    host_series_is_unseen(series, USE_FIRST, h) ||
		    host_series_is_unseen(series, USE_LAST, h))
			continue;
		first = isnan(first) ? 0 : first;
		last = isnan(last) ? 0 : last;
		total->first[0] += first;
		total->last[0] += last;
		before += first;
		after += last;
		is_partial |= series->sums[USE_FIRST][h].partial_files > 0 ||
		              series->sums[USE_LAST][h].partial_files > 0;
		hosts++;
	}
	if (hosts > 0 && before != after) {
		struct answer_row *row = add_row(asking, metric, after, before);

		row->hosts = hosts;
		row->is_partial = is_partial;
	}
}

static void close_group(struct asking *asking)
{
	struct total *totals;

	if (!asking->is_open)
		return;
	totals = totals_of(asking, asking->group);
	for (size_t i = 0; i < asking->open_count; i++) {
		size_t m = asking->open[i];
		struct host_series *series = &asking->series[m];

		asking->answer->series++;
		host_series_sort(series);
		open_total(asking, &totals[m]);
		if (asking->question->kind == QUESTION_MOVERS)
			close_by_time(asking, m, &totals[m]);
		else
			close_by_host(asking, m, &totals[m]);
	}
	for (size_t i = 0; i < asking->open_count; i++) {
		struct host_series *series = &asking->series[asking->open[i]];

		/* Each host of the group is in some series. */
		for (size_t k = 0; k < series->host_count; k++)
			asking->files[series->hosts[k]] = 0;
		host_series_clear(series);
	}
	asking->open_count = 0;
	asking->snapshot = SIZE_MAX;
}

/* Returns the amount of the metric that a typical host has. */
static double median_total(struct asking *asking, const struct total *total)
{
	size_t count = 0;

	for (size_t h = 0; h < asking->list->host_count; h++)
		if (total->first[h] > 0)
			asking->values[count++] = total->first[h];
	return count > 0 ? robust_of(asking->values, asking->scratch, count).median : 0;
}

static double whole_of(struct asking *asking, const struct total *total)
{
	return asking->question->kind == QUESTION_MOVERS ? fmax(total->first[0], total->last[0])
	                                                 : median_total(asking, total);
}

/* The totals are known at the end of all groups. One group has no total of its host. */
static void set_impacts(struct asking *asking)
{
	const struct question *question = asking->question;
	struct answer *answer = asking->answer;
	size_t kept = 0;

	for (size_t i = 0; !question->filter.group_name && i < answer->count; i++) {
		struct answer_row *row = &answer->rows[i];
		struct total *total = &totals_of(asking, row->group)[row->metric];

		if (!total->is_known)
			total->whole = whole_of(asking, total);
		total->is_known = true;
		if (total->whole > 0)
			row->impact = fabs(row->value - row->other) / total->whole;
		if (question->kind == QUESTION_OUTLIERS && !(row->impact >= question->least_impact))
			continue;
		answer->rows[kept++] = *row;
	}
	if (!question->filter.group_name)
		answer->count = kept;
}

static void open_group(struct asking *asking)
{
	close_group(asking);
	asking->groups++;
}

static void add_fact(void *context, const struct database_fact *fact)
{
	struct asking *asking = context;
	struct host_series *series = &asking->series[fact->metric];
	bool had_facts;

	if (!asking->is_open || fact->group != asking->group)
		open_group(asking);
	asking->is_open = true;
	asking->group = fact->group;
	if (!series->list) {
		host_series_init(series, asking->list, asking->uses);
		series->is_level = host_series_is_level(asking->list->metrics[fact->metric]);
	}
	/* The facts of one window are together. */
	if (fact->snapshot < asking->list->snapshot_count && fact->snapshot != asking->snapshot &&
	    asking->uses[fact->snapshot] != USE_NOTHING)
		asking->files[asking->list->snapshots[fact->snapshot].host]++;
	asking->snapshot = fact->snapshot;
	had_facts = series->has_facts;
	host_series_add(series, fact);
	if (!had_facts && series->has_facts)
		asking->open[asking->open_count++] = fact->metric;
}

static bool is_usable(const struct asking *asking, const struct database_snapshot *file)
{
	return file->is_there && file->is_window == asking->answer->is_window &&
	       file->length_ns > 0;
}

/* Also of files that end at the same time, one is the newest, whatever their order is. */
static bool is_newer(const struct database_snapshot *a, const struct database_snapshot *b)
{
	return a->end_unix_ns != b->end_unix_ns ? a->end_unix_ns > b->end_unix_ns
	                                        : a->hash > b->hash;
}

/* Marks the newest file of each host that ends at @time or before. */
static void mark_newest(struct asking *asking, uint64_t from, uint64_t time,
                        enum host_series_use use)
{
	const struct database_list *list = asking->list;
	size_t *newest = mem_calloc(list->host_count > 0 ? list->host_count : 1, sizeof(newest[0]));

	for (size_t i = 0; i < list->snapshot_count; i++) {
		const struct database_snapshot *file = &list->snapshots[i];
		size_t *best = &newest[file->host];

		if (!is_usable(asking, file) || file->end_unix_ns > time ||
		    file->end_unix_ns < from)
			continue;
		if (*best == 0 || is_newer(file, &list->snapshots[*best - 1]))
			*best = i + 1;
	}
	for (size_t h = 0; h < list->host_count; h++) {
		unsigned char *mark = newest[h] > 0 ? &asking->uses[newest[h] - 1] : NULL;

		if (!mark)
			continue;
		/* A host without a later file is not compared with itself. */
		if (use == USE_LAST)
			asking->compared[h] = *mark == USE_NOTHING;
		if (*mark == USE_NOTHING)
			*mark = (unsigned char)use;
	}
	free(newest);
}

/* Returns the ways in which most hosts have the ends of threads; of several, the larger number. */
static unsigned most_common(const unsigned *ways, size_t hosts)
{
	enum { WAYS = 1 << WINDOW_ENDS_COUNT };
	size_t counts[WAYS] = {0};
	unsigned best = 0;

	for (size_t h = 0; h < hosts; h++)
		counts[ways[h]]++;
	for (unsigned i = 1; i < WAYS; i++)
		if (counts[i] > 0 && (best == 0 || counts[i] >= counts[best]))
			best = i;
	return best;
}

/* Leaves out hosts whose windows have the ends of threads in another way than those that they are compared with: than most others, or
 * before. Their values would differ by what was read. */
static void leave_out_unlike(struct asking *asking)
{
	const struct database_list *list = asking->list;
	bool moves = asking->question->kind == QUESTION_MOVERS;
	size_t hosts = list->host_count;
	cleanup_(mem_freep) unsigned *first = mem_calloc(hosts + 1, sizeof(first[0]));
	cleanup_(mem_freep) unsigned *last = mem_calloc(hosts + 1, sizeof(last[0]));
	unsigned common;

	for (size_t i = 0; i < list->snapshot_count; i++)
		if (asking->uses[i] != USE_NOTHING)
			(asking->uses[i] == USE_FIRST ? first : last)[list->snapshots[i].host] |=
			        list->snapshots[i].ends;
	common = most_common(first, hosts);
	for (size_t h = 0; h < hosts; h++) {
		bool is_unlike = moves ? asking->compared[h] && first[h] != last[h]
		                       : first[h] != 0 && first[h] != common;

		asking->answer->unlike += is_unlike;
		first[h] = is_unlike;
	}
	for (size_t i = 0; i < list->snapshot_count; i++)
		if (asking->uses[i] != USE_NOTHING && first[list->snapshots[i].host])
			asking->uses[i] = USE_NOTHING;
}

static void mark_files(struct asking *asking)
{
	const struct question *question = asking->question;
	const struct database_list *list = asking->list;
	bool *has_first = mem_calloc(list->host_count > 0 ? list->host_count : 1, sizeof(bool));

	if (question->kind == QUESTION_MOVERS) {
		mark_newest(asking, 0, question->from_unix_ns, USE_FIRST);
		mark_newest(asking, 0, question->to_unix_ns, USE_LAST);
	} else if (!asking->answer->is_window) {
		mark_newest(asking, question->from_unix_ns, question->to_unix_ns, USE_FIRST);
	} else {
		for (size_t i = 0; i < list->snapshot_count; i++)
			if (is_usable(asking, &list->snapshots[i]) &&
			    list->snapshots[i].end_unix_ns >= question->from_unix_ns &&
			    list->snapshots[i].end_unix_ns <= question->to_unix_ns)
				asking->uses[i] = USE_FIRST;
	}
	leave_out_unlike(asking);
	for (size_t i = 0; i < list->snapshot_count; i++)
		if (asking->uses[i] == USE_FIRST)
			has_first[list->snapshots[i].host] = true;
	for (size_t h = 0; h < list->host_count; h++) {
		if (question->kind == QUESTION_MOVERS)
			asking->compared[h] = asking->compared[h] && has_first[h];
		asking->answer->hosts +=
		        question->kind == QUESTION_MOVERS ? asking->compared[h] : has_first[h];
	}
	for (size_t i = 0; i < list->snapshot_count; i++)
		asking->answer->files += asking->uses[i] != USE_NOTHING;
	free(has_first);
}

static bool has_windows(const struct database_list *list)
{
	for (size_t i = 0; i < list->snapshot_count; i++)
		if (list->snapshots[i].is_there && list->snapshots[i].is_window)
			return true;
	return false;
}

/* Rows of the host with the largest impact come first. */
struct ranked {
	struct answer_row row;
	double of_host;
	const char *metric; /* its name; borrowed */
};

static double importance(const struct answer_row *row)
{
	return !isnan(row->impact) ? row->impact : isnan(row->z) ? 0 : fabs(row->z);
}

static int by_number(double a, double b)
{
	return (a < b) - (a > b);
}

static int by_id(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_importance(const void *a, const void *b)
{
	const struct ranked *first = a, *second = b;
	int r = by_number(first->of_host, second->of_host);

	if (r == 0)
		r = by_id(first->row.host, second->row.host);
	if (r == 0)
		r = by_number(importance(&first->row), importance(&second->row));
	if (r == 0)
		r = strcmp(first->metric, second->metric);
	return r != 0 ? r : by_id((int64_t)first->row.place, (int64_t)second->row.place);
}

static void sort_rows(struct answer *answer, const struct database_list *list)
{
	size_t host_count = list->host_count;
	double *of_host = mem_calloc(host_count + 1, sizeof(of_host[0]));
	struct ranked *ranked = mem_calloc(answer->count + 1, sizeof(ranked[0]));

	for (size_t i = 0; i < answer->count; i++) {
		const struct answer_row *row = &answer->rows[i];
		size_t host = row->host == QUESTION_NO_HOST ? host_count : row->host;

		of_host[host] = fmax(of_host[host], importance(row));
	}
	for (size_t i = 0; i < answer->count; i++) {
		const struct answer_row *row = &answer->rows[i];

		ranked[i].row = *row;
		ranked[i].metric = list->metrics[row->metric];
		ranked[i].of_host =
		        row->host == QUESTION_NO_HOST ? importance(row) : of_host[row->host];
	}
	qsort(ranked, answer->count, sizeof(ranked[0]), by_importance);
	for (size_t i = 0; i < answer->count; i++)
		answer->rows[i] = ranked[i].row;
	free(ranked);
	free(of_host);
}

static int check(const struct asking *asking, struct strbuf *reterr)
{
	const struct answer *answer = asking->answer;

	if (answer->hosts == 0 && answer->unlike > 0)
		strbuf_add_str(reterr, "the windows at these two times have the ends of threads in "
		                       "two ways");
	else if (answer->hosts == 0)
		strbuf_add_str(reterr,
		               asking->question->kind == QUESTION_MOVERS
		                       ? "no host has windows that end at these two times, or "
		                         "before, and differ"
		                       : "no host has a file in that time whose length is known");
	else if (asking->question->kind == QUESTION_OUTLIERS &&
	         answer->hosts < QUESTION_HOSTS_LEAST)
		strbuf_addf(reterr, "a host is compared with at least %d others, and there are %zu",
		            QUESTION_HOSTS_LEAST - 1, answer->hosts - 1);
	else
		return 0;
	return -ENODATA;
}

static int check_found(const struct asking *asking, struct strbuf *reterr)
{
	if (!asking->question->filter.group_name ||
	    asking->answer->series + asking->answer->few > 0)
		return 0;
	strbuf_add_str(reterr, "no file in that time has the group");
	return -ENODATA;
}

int question_ask(struct database *database, const struct question *question,
                 const struct database_list *list, struct answer *ret, struct strbuf *reterr)
{
	size_t hosts = list->host_count + 1;
	struct asking asking = {
	        .database = database,
	        .question = question,
	        .list = list,
	        .answer = ret,
	        .uses = mem_calloc(list->snapshot_count + 1, 1),
	        .compared = mem_calloc(hosts, sizeof(bool)),
	        .series = mem_calloc(list->metric_count + 1, sizeof(struct host_series)),
	        .open = mem_calloc(list->metric_count + 1, sizeof(size_t)),
	        .totals = STRMAP_INIT,
	        .times = STRMAP_INIT,
	        .files = mem_calloc(hosts, sizeof(uint32_t)),
	        .snapshot = SIZE_MAX,
	        .values = mem_calloc(hosts, sizeof(double)),
	        .scratch = mem_calloc(hosts, sizeof(double))};
	int r;

	*ret = (struct answer){.is_window = question->kind == QUESTION_MOVERS || has_windows(list)};
	mark_files(&asking);
	r = check(&asking, reterr);
	if (r == 0 && has_times(&asking) && question->filter.group_key)
		(void)times_of(&asking, question->filter.group_key,
		               strlen(question->filter.group_key));
	if (r == 0)
		r = database_scan(database, &question->filter, list, asking.uses, add_fact,
		                  &asking);
	if (r == 0) {
		close_group(&asking);
		r = check_found(&asking, reterr);
		set_impacts(&asking);
		sort_rows(ret, list);
		if (asking.error < 0)
			r = asking.error;
	}
	free_totals(&asking);
	for (size_t i = 0; i < asking.times.count; i++)
		free(asking.times.entries[i].value);
	strmap_done(&asking.times);
	free(asking.files);
	for (size_t m = 0; m < list->metric_count; m++)
		host_series_done(&asking.series[m]);
	free(asking.series);
	free(asking.open);
	free(asking.uses);
	free(asking.compared);
	free(asking.values);
	free(asking.scratch);
	return r;
}
