// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/host-effect.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "statistics/distribution.h"
#include "statistics/moments.h"
#include "statistics/quantile.h"
#include "statistics/robust.h"

static const double alpha = .05;

/* The least z of a host that is named by the spread of the hosts, see robust_certain_z(), and the least number of them: as in
 * "ctprof db query arms". */
static const double least_z = 6;
enum { ROBUST_HOSTS_LEAST = 5 };

/* Constant contrasts have no noise but that of rounding. */
static double variance_of(const struct t_test *test)
{
	return test->has_t ? test->se * test->se : 0;
}

/* The hosts of one row that are not yet known to differ. */
struct rest {
	const struct host_effect *hosts;
	bool *is_apart; /* by host; owned */
	size_t count;   /* of those that are not */
	double sum, variance, squares, size;
};

static void sum_up(struct rest *rest, size_t hosts)
{
	rest->sum = rest->variance = rest->squares = rest->size = 0;
	for (size_t i = 0; i < hosts; i++) {
		const struct t_test *test = &rest->hosts[i].test;
		double variance = variance_of(test);

		if (rest->is_apart[i])
			continue;
		rest->sum += test->mean;
		rest->variance += variance;
		rest->squares += test->n > 1 ? variance * variance / (double)(test->n - 1) : 0;
		rest->size = fmax(rest->size, fabs(test->mean));
	}
}

/* A host against the mean of the others, each with the variance of its own blocks; the degrees of freedom are Satterthwaite's. */
static struct host_test test_host(const struct rest *rest, size_t place)
{
	const struct t_test *test = &rest->hosts[place].test;
	double others = (double)(rest->count - 1), own = variance_of(test);
	double square = test->n > 1 ? own * own / (double)(test->n - 1) : 0;
	double variance = own + fmax(0, rest->variance - own) / (others * others);
	struct host_test result = {.others = (rest->sum - test->mean) / others};

	if (!(sqrt(variance) > 10 * DBL_EPSILON * rest->size))
		return result;
	result.has_t = true;
	result.df =
	        variance * variance / (square + fmax(0, rest->squares - square) / pow(others, 4));
	result.t = (test->mean - result.others) / sqrt(variance);
	result.p = fmin(1, 2 * t_upper_tail(fabs(result.t), result.df));
	return result;
}

static void set_z(struct host_effect *hosts, size_t count)
{
	double *sorted = mem_calloc(count, sizeof(sorted[0]));
	double *scratch = mem_calloc(count, sizeof(scratch[0]));
	struct robust robust;

	for (size_t i = 0; i < count; i++)
		sorted[i] = hosts[i].y;
	robust = robust_of(sorted, scratch, count);
	for (size_t i = 0; i < count; i++)
		hosts[i].z = robust_z(&robust, hosts[i].y);
	free(sorted);
	free(scratch);
}

static void test_blocks(const struct parts *parts, size_t blocks, const double *contrasts,
                        struct host_effect *ret)
{
	double *of_host = mem_calloc(blocks + 1, sizeof(of_host[0]));
	const size_t *block = parts->order;

	for (size_t host = 0; host < parts->count; host++) {
		size_t count = parts->blocks[host];

		for (size_t i = 0; i < count; i++)
			of_host[i] = contrasts[*block++];
		ret[host] = (struct host_effect){.test = t_test(of_host, count)};
		ret[host].y = ret[host].test.mean;
		ret[host].has_interval = t_interval(&ret[host].test, 1 - alpha, &ret[host].ci95);
	}
	free(of_host);
}

void host_effects_of(const struct comparison *comparison, const struct effect *effect,
                     struct host_effect *ret, double *ret_noise)
{
	size_t count = comparison->parts.count;
	double variance = 0;

	test_blocks(&comparison->parts, comparison->blocks, effect->contrasts, ret);
	for (size_t i = 0; i < count; i++)
		variance += ret[i].test.has_sd ? ret[i].test.se * ret[i].test.se : NAN;
	*ret_noise = sqrt(variance / (double)count);
	set_z(ret, count);
}

/* A role: its rows, times the hosts, are the tests that p is corrected for. */
struct naming {
	struct comparison *comparison;
	struct host_effect *hosts; /* of one row; owned */
	bool *is_apart;            /* owned */
	double tests;
};

static bool has_role(const struct effect *effect, enum effect_role role)
{
	return effect->role == role || (role == ROLE_OTHER && effect->role == ROLE_OUTCOME);
}

static bool is_large(const struct naming *naming, const struct effect *effect, double distance)
{
	double size = fabs(effect->scale.is_log ? expm1(distance) : distance);

	return size > 0 && size >= naming->comparison->plan.trial->min_effect;
}

static void add_apart(const struct naming *naming, struct effect *effect, size_t place,
                      const struct host_test *test)
{
	const struct host_effect *host = &naming->hosts[place];

	*array_add(effect->apart, effect->apart_count,
	           effect->apart_capacity) = (struct effect_host){
	        .host = place,
	        .y = host->y,
	        .test = *test,
	        .p = {test->has_t, fmin(1, naming->tests * test->p)},
	        .z = host->z,
	        .is_against = effect->answer == ANSWER_MOVED && host->y * effect->test.mean < 0,
	};
	naming->is_apart[place] = true;
}

/* Hosts that are far from most others by the spread of the hosts themselves. */
static void find_far(const struct naming *naming, struct effect *effect, struct rest *rest)
{
	size_t count = naming->comparison->parts.count;
	static const struct host_test none = {.has_t = false};
	double *sorted = mem_calloc(count, sizeof(sorted[0]));
	double median;

	for (size_t i = 0; i < count; i++)
		sorted[i] = naming->hosts[i].y;
	values_sort(sorted, count);
	median = quantile_of_sorted(sorted, count, 0.5);
	free(sorted);
	for (size_t i = 0; count >= ROBUST_HOSTS_LEAST && i < count; i++)
		if (robust_certain_z(naming->hosts[i].z, count) >= least_z &&
		    is_large(naming, effect, naming->hosts[i].y - median)) {
			add_apart(naming, effect, i, &none);
			rest->count--;
		}
}

/* Takes the host away that differs most from the others, and again, as long as one differs by more than the noise of blocks. All at once
 * would name each host, if one is far enough away to move the mean of the others. */
static void find_noisy(const struct naming *naming, struct effect *effect, struct rest *rest)
{
	size_t count = naming->comparison->parts.count;

	while (rest->count >= HOST_EFFECT_HOSTS_LEAST) {
		struct host_test most = {.has_t = false};
		size_t place = count;

		sum_up(rest, count);
		for (size_t i = 0; i < count; i++) {
			struct host_test test;

			if (rest->is_apart[i])
				continue;
			test = test_host(rest, i);
			if (test.has_t && naming->tests * test.p <= alpha &&
			    is_large(naming, effect, naming->hosts[i].y - test.others) &&
			    (place == count || fabs(test.t) > fabs(most.t))) {
				most = test;
				place = i;
			}
		}
		if (place == count)
			return;
		add_apart(naming, effect, place, &most);
		rest->count--;
	}
}

static void name_hosts(const struct naming *naming, struct effect *effect)
{
	size_t count = naming->comparison->parts.count;
	struct rest rest = {.hosts = naming->hosts, .is_apart = naming->is_apart, .count = count};
	bool have_noise = true;

	memset(naming->is_apart, 0, count * sizeof(naming->is_apart[0]));
	host_effects_of(naming->comparison, effect, naming->hosts, &effect->noise);
	for (size_t i = 0; i < count; i++)
		have_noise = have_noise && naming->hosts[i].test.has_sd;
	find_far(naming, effect, &rest);
	if (have_noise)
		find_noisy(naming, effect, &rest);
	/* Those that stay are the others of each host that was named. */
	sum_up(&rest, count);
	for (size_t i = 0; i < effect->apart_count; i++)
		effect->apart[i].others = rest.sum / (double)rest.count;
}

void host_effects_judge(struct comparison *comparison)
{
	static const enum effect_role roles[] = {ROLE_PRIMARY, ROLE_CONTROL, ROLE_OTHER};
	size_t hosts = comparison->parts.count;
	struct naming naming = {.comparison = comparison};

	if (comparison->parts.kind != PART_HOST || hosts < HOST_EFFECT_HOSTS_LEAST)
		return;
	naming.hosts = mem_calloc(hosts, sizeof(naming.hosts[0]));
	naming.is_apart = mem_calloc(hosts, sizeof(naming.is_apart[0]));
	for (size_t r = 0; r < ARRAY_SIZE(roles); r++) {
		naming.tests = 0;
		for (size_t i = 0; i < comparison->count; i++)
			naming.tests +=
			        has_role(&comparison->effects[i], roles[r]) ? (double)hosts : 0;
		for (size_t i = 0; i < comparison->count; i++)
			if (has_role(&comparison->effects[i], roles[r]))
				name_hosts(&naming, &comparison->effects[i]);
	}
	free(naming.hosts);
	free(naming.is_apart);
}
