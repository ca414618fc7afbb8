// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/repeats.h"

/* clang-format off */
enum {
#define METRIC(id_, ...) MEASURE_##id_,
#include CTPROF_METRICS_DEF
#undef METRIC
#define DERIVED(id_, ...) MEASURE_##id_,
#include CTPROF_DERIVED_DEF
#undef DERIVED
};

#define OF1(a_) {MEASURE_##a_}, 1
#define OF2(a_, b_) {MEASURE_##a_, MEASURE_##b_}, 2
static const struct repeat_desc repeats[MEASURE_COUNT] = {
#define REPEATS(measure_, of_, why_) [MEASURE_##measure_] = {of_, why_},
#include CTPROF_REPEATS_DEF
#undef REPEATS
};
/* clang-format on */
#undef OF1
#undef OF2

const struct repeat_desc *measure_repeat(unsigned measure)
{
	return repeats[measure].of_count > 0 ? &repeats[measure] : NULL;
}

unsigned measure_family(unsigned measure)
{
	while (repeats[measure].of_count > 0)
		measure = repeats[measure].of[0];
	return measure;
}

bool measure_is_said(unsigned measure, bool (*says)(const void *context, unsigned other),
                     const void *context)
{
	const struct repeat_desc *repeat = measure_repeat(measure);

	for (unsigned i = 0; repeat && i < repeat->of_count; i++)
		if (!says(context, repeat->of[i]) && !measure_is_said(repeat->of[i], says, context))
			return false;
	return repeat != NULL;
}
