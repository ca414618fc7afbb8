// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "effect-rows.h"
#include "statistics/power.h"

static const double alpha = .05, power = .8;

/* The detectable effects of rows. */
struct list {
	double *entries; /* owned */
	size_t count, capacity;
};

static int compare(const void *a_ptr, const void *b_ptr)
{
	const double *a = a_ptr, *b = b_ptr;

	return (*a > *b) - (*a < *b);
}

static bool has_role(const struct comparison *comparison, enum effect_role role)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (comparison->effects[i].role == role)
			return true;
	return false;
}

static void set_name(struct forecast *forecast, const struct effect *effect)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	effect_add_name(effect, &name);
	free(forecast->name);
	forecast->name = mem_copy(strbuf_str(&name), name.len);
}

static void add_rows(struct forecast *forecast, struct list *list,
                     const struct comparison *comparison, size_t blocks)
{
	size_t primaries = 0;
	double critical;

	for (size_t i = 0; i < comparison->count; i++)
		primaries += comparison->effects[i].role == ROLE_PRIMARY;
	/* Holm's correction of the smallest p. */
	critical = power_critical_t(blocks, primaries > 0 ? alpha / (double)primaries : alpha);
	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];
		struct t_test test = t_test(effect->contrasts, comparison->blocks);
		double shown;

		if (effect->role == ROLE_CONTROL || !test.has_sd || !(test.sd > 0) ||
		    !effect_has_percent(effect) ||
		    (forecast->of_primaries && effect->role != ROLE_PRIMARY))
			continue;
		shown = effect_percent(effect,
		                       test.sd * power_detectable(blocks, critical, power)) /
		        100;
		if (forecast->of_primaries &&
		    (forecast->rows == 0 || shown > forecast->detectable)) {
			forecast->detectable = shown;
			set_name(forecast, effect);
		}
		forecast->rows++;
		*array_add(list->entries, list->count, list->capacity) = shown;
	}
}

void forecast_init(struct forecast *ret, const struct effect_options *options, size_t blocks)
{
	struct list list = {0};

	*ret = (struct forecast){0};
	for (unsigned b = 1; b < options->trial->arm_count; b++) {
		struct comparison comparison = {
		        .plan = {.trial = options->trial, .a = 0, .b = b},
		        .blocks = options->trial->block_count,
		};

		effect_rows_find(&comparison, options);
		ret->of_primaries = ret->of_primaries || has_role(&comparison, ROLE_PRIMARY);
		add_rows(ret, &list, &comparison, blocks);
		comparison_done(&comparison);
	}
	if (!ret->of_primaries && list.count > 0) {
		qsort(list.entries, list.count, sizeof(list.entries[0]), compare);
		ret->detectable = list.entries[list.count / 2];
	}
	free(list.entries);
}

void forecast_done(struct forecast *forecast)
{
	free(forecast->name);
	*forecast = (struct forecast){0};
}
