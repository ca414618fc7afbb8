// SPDX-License-Identifier: GPL-2.0-or-later
#include "database/arms.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "database/question.h"
#include "host-series.h"
#include "statistics/p-adjust.h"
#include "statistics/robust.h"

struct asking {
	struct database *database;
	const struct arm_question *question;
	const struct database_list *list;
	struct arms_answer *answer;
	struct host_series *series; /* of the group, by metric; owned, made when they are needed */
	size_t *open;               /* metrics with facts of the group; owned */
	size_t open_count;
	bool is_open; /* a group has begun */
	int64_t group;
	size_t snapshot;      /* of the last fact of the group */
	uint32_t *files[2];   /* by arm and host: windows that have the group; owned */
	double *values[2];    /* by arm: of the hosts that have the series; owned */
	uint32_t *of_host[2]; /* the hosts of these; owned */
	double *y, *contrasts, *sorted, *scratch; /* owned */
};

void arms_answer_done(struct arms_answer *answer)
{
	arm_plan_done(&answer->plan);
	free(answer->rows);
	free(answer->hosts);
}

/* Returns the host's value in an arm. NaN: it has no window of it, or a value was not seen. */
static double value_of(const struct asking *asking, const struct host_series *series, unsigned arm,
                       uint32_t h)
{
	const struct arm_host *host = &asking->answer->plan.hosts[h];
	const struct host_series_sum *sum = &series->sums[arm == 0 ? USE_FIRST : USE_LAST][h];

	if (host->files[arm] == 0 || sum->is_unseen || sum->files != asking->files[arm][h])
		return NAN;
	return series->is_level ? sum->work / host->files[arm] : sum->work / host->seconds[arm];
}

static void add_value(struct asking *asking, const struct host_series *series,
                      struct arm_values *values, unsigned arm, uint32_t host, double value)
{
	const struct host_series_sum *sum = &series->sums[arm == 0 ? USE_FIRST : USE_LAST][host];
	size_t place = values->counts[arm]++;

	asking->values[arm][place] = value;
	asking->of_host[arm][place] = host;
	if (sum->partial_files > 0)
		values->lacking[arm] += (double)sum->partial_files / sum->files;
}

static struct arm_values collect(struct asking *asking, const struct host_series *series)
{
	struct arm_values values = {.design = asking->answer->plan.design,
	                            .values = {asking->values[0], asking->values[1]}};

	for (size_t i = 0; i < series->host_count; i++) {
		uint32_t h = series->hosts[i];
		double of_arm[2] = {value_of(asking, series, 0, h), value_of(asking, series, 1, h)};
		bool has[2] = {!isnan(of_arm[0]), !isnan(of_arm[1])};

		if (values.design == ARM_DESIGN_PAIRED)
			has[0] = has[1] = has[0] && has[1];
		for (unsigned arm = 0; arm < 2; arm++)
			if (has[arm])
				add_value(asking, series, &values, arm, h, of_arm[arm]);
	}
	return values;
}

static void add_host(struct asking *asking, struct arms_row *row, const struct host_series *series,
                     uint32_t host, double change, double z)
{
	struct arms_answer *answer = asking->answer;

	*array_add(answer->hosts, answer->host_count, answer->host_capacity) = (struct arms_host){
	        .host = host,
	        .values = {value_of(asking, series, 0, host), value_of(asking, series, 1, host)},
	        .change = change,
	        .z = z};
	row->host_count++;
}

/* Adds those that are far from the median of the changes, in the order of the hosts. */
static void find_far(struct asking *asking, struct arms_row *row, const struct host_series *series,
                     const double *changes, const uint32_t *hosts, size_t count)
{
	const struct arm_question *question = asking->question;
	bool paired = asking->answer->plan.design == ARM_DESIGN_PAIRED;
	struct robust robust;

	if (count < QUESTION_HOSTS_LEAST)
		return;
	memcpy(asking->sorted, changes, count * sizeof(changes[0]));
	robust = robust_of(asking->sorted, asking->scratch, count);
	for (size_t i = 0; i < count; i++) {
		double distance = changes[i] - robust.median, z = robust_z(&robust, changes[i]);
		double size = fabs(row->effect.scale.is_log ? expm1(distance) : distance);

		if (robust_certain_z(z, count) >= question->least_z &&
		    size >= question->least_effect)
			add_host(asking, row, series, hosts[i], paired ? changes[i] : distance, z);
	}
}

static int by_distance(const void *a, const void *b)
{
	const struct arms_host *first = a, *second = b;

	if (fabs(first->z) != fabs(second->z))
		return fabs(first->z) > fabs(second->z) ? -1 : 1;
	return (first->host > second->host) - (first->host < second->host);
}

static void find_hosts(struct asking *asking, struct arms_row *row,
                       const struct host_series *series, const struct arm_values *values)
{
	struct arms_answer *answer = asking->answer;

	row->first_host = answer->host_count;
	if (values->design == ARM_DESIGN_PAIRED) {
		find_far(asking, row, series, asking->contrasts, asking->of_host[0],
		         values->counts[0]);
	} else {
		find_far(asking, row, series, asking->y, asking->of_host[0], values->counts[0]);
		find_far(asking, row, series, asking->y + values->counts[0], asking->of_host[1],
		         values->counts[1]);
	}
	if (row->host_count > 1)
		qsort(&answer->hosts[row->first_host], row->host_count, sizeof(answer->hosts[0]),
		      by_distance);
}

static void close_series(struct asking *asking, size_t metric)
{
	struct arms_answer *answer = asking->answer;
	struct host_series *series = &asking->series[metric];
	struct arms_row row = {.metric = metric, .group = asking->group};
	struct arm_values values;
	enum arm_outcome outcome;

	host_series_sort(series);
	values = collect(asking, series);
	row.is_partial = values.lacking[0] > 0 || values.lacking[1] > 0;
	outcome = arm_effect_of(&values, asking->y, asking->contrasts, &row.effect);
	answer->series++;
	answer->by_outcome[outcome]++;
	if (outcome != ARM_TESTED)
		return;
	find_hosts(asking, &row, series, &values);
	*array_add(answer->rows, answer->count, answer->capacity) = row;
}

static void close_group(struct asking *asking)
{
	for (size_t i = 0; i < asking->open_count; i++)
		close_series(asking, asking->open[i]);
	for (size_t i = 0; i < asking->open_count; i++) {
		struct host_series *series = &asking->series[asking->open[i]];

		/* Each host of the group is in some series. */
		for (size_t k = 0; k < series->host_count; k++)
			for (unsigned arm = 0; arm < 2; arm++)
				asking->files[arm][series->hosts[k]] = 0;
		host_series_clear(series);
	}
	asking->open_count = 0;
	asking->snapshot = SIZE_MAX;
}

static void add_fact(void *context, const struct database_fact *fact)
{
	struct asking *asking = context;
	const struct arm_plan *plan = &asking->answer->plan;
	struct host_series *series = &asking->series[fact->metric];
	bool had_facts;

	if (plan->uses[fact->snapshot] == USE_NOTHING)
		return;
	if (asking->is_open && fact->group != asking->group)
		close_group(asking);
	asking->is_open = true;
	asking->group = fact->group;
	if (!series->list) {
		host_series_init(series, asking->list, plan->uses);
		series->is_level = host_series_is_level(asking->list->metrics[fact->metric]);
	}
	/* The facts of one window are together. */
	if (fact->snapshot != asking->snapshot)
		asking->files[plan->uses[fact->snapshot] == USE_LAST]
		             [asking->list->snapshots[fact->snapshot].host]++;
	asking->snapshot = fact->snapshot;
	had_facts = series->has_facts;
	host_series_add(series, fact);
	if (!had_facts)
		asking->open[asking->open_count++] = fact->metric;
}

static void correct(struct arms_answer *answer)
{
	struct p_value *p = mem_calloc(answer->count + 1, sizeof(p[0]));

	for (size_t i = 0; i < answer->count; i++)
		p[i] = (struct p_value){true, answer->rows[i].effect.p};
	p_adjust(P_ADJUST_HOLM, p, answer->count, p);
	for (size_t i = 0; i < answer->count; i++)
		answer->rows[i].p = p[i];
	free(p);
}

static void judge(const struct arm_question *question, struct arms_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++) {
		struct arms_row *row = &answer->rows[i];

		row->answer = answer->plan.failure.len > 0
		                      ? ARM_UNKNOWN
		                      : arm_effect_answer(&row->effect, row->p,
		                                          question->least_effect, question->margin);
		answer->by_answer[row->answer]++;
		for (size_t k = 0; k < row->host_count; k++) {
			struct arms_host *host = &answer->hosts[row->first_host + k];

			host->is_against = answer->plan.design == ARM_DESIGN_PAIRED &&
			                   row->answer == ARM_MOVED &&
			                   host->change * row->effect.estimate < 0;
		}
	}
}

static int by_number(double a, double b)
{
	return (a > b) - (a < b);
}

/* A p may be too small for a number; t is not. */
static int by_evidence(const void *a, const void *b)
{
	const struct arms_row *first = a, *second = b;
	int r = by_number(first->effect.p, second->effect.p);

	if (r == 0)
		r = by_number(fabs(second->effect.t), fabs(first->effect.t));
	if (r == 0)
		r = (first->metric > second->metric) - (first->metric < second->metric);
	return r != 0 ? r : (first->group > second->group) - (first->group < second->group);
}

static void make_room(struct asking *asking)
{
	size_t hosts = asking->list->host_count + 1, metrics = asking->list->metric_count + 1;

	asking->series = mem_calloc(metrics, sizeof(asking->series[0]));
	asking->open = mem_calloc(metrics, sizeof(asking->open[0]));
	for (unsigned arm = 0; arm < 2; arm++) {
		asking->files[arm] = mem_calloc(hosts, sizeof(asking->files[0][0]));
		asking->values[arm] = mem_calloc(hosts, sizeof(asking->values[0][0]));
		asking->of_host[arm] = mem_calloc(hosts, sizeof(asking->of_host[0][0]));
	}
	asking->y = mem_calloc(2 * hosts, sizeof(asking->y[0]));
	asking->contrasts = mem_calloc(hosts, sizeof(asking->contrasts[0]));
	asking->sorted = mem_calloc(hosts, sizeof(asking->sorted[0]));
	asking->scratch = mem_calloc(hosts, sizeof(asking->scratch[0]));
}

static void free_room(struct asking *asking)
{
	for (size_t m = 0; m < asking->list->metric_count; m++)
		host_series_done(&asking->series[m]);
	free(asking->series);
	free(asking->open);
	for (unsigned arm = 0; arm < 2; arm++) {
		free(asking->files[arm]);
		free(asking->values[arm]);
		free(asking->of_host[arm]);
	}
	free(asking->y);
	free(asking->contrasts);
	free(asking->sorted);
	free(asking->scratch);
}

static int find_series(struct asking *asking, struct strbuf *reterr)
{
	const struct arm_question *question = asking->question;
	struct arms_answer *answer = asking->answer;
	int r;

	make_room(asking);
	r = database_scan(asking->database, &question->filter, asking->list, answer->plan.uses,
	                  add_fact, asking);
	if (r == 0)
		close_group(asking);
	free_room(asking);
	if (r == 0 && question->filter.group_name && answer->series == 0) {
		strbuf_add_str(reterr, "no window in that time has the group");
		return -ENODATA;
	}
	return r;
}

int arms_ask(struct database *database, const struct arm_question *question,
             const struct database_list *list, struct arms_answer *ret, struct strbuf *reterr)
{
	struct asking asking = {.database = database,
	                        .question = question,
	                        .list = list,
	                        .answer = ret,
	                        .snapshot = SIZE_MAX};
	int r;

	*ret = (struct arms_answer){.count = 0};
	r = arm_plan_find(database, question, list, &ret->plan, reterr);
	if (r == 0)
		r = find_series(&asking, reterr);
	if (r < 0)
		return r;
	correct(ret);
	judge(question, ret);
	if (ret->count > 0)
		qsort(ret->rows, ret->count, sizeof(ret->rows[0]), by_evidence);
	return 0;
}
