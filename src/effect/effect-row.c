// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "effect/effect.h"

const char *const effect_answer_names[ANSWER_COUNT] = {"moved", "same", "unknown"};
const char *const effect_role_names[ROLE_COUNT] = {"primary", "outcome", "control", "other"};

double effect_percent(const struct effect *effect, double y)
{
	return effect->is_log ? 100 * expm1(y) : 100 * y;
}

double effect_size(const struct effect *effect)
{
	return fabs(effect_percent(effect, effect->test.mean)) / 100;
}

void effect_add_name(const struct effect *effect, struct strbuf *out)
{
	text_add_escaped(out, effect->metric, strlen(effect->metric));
	if (!effect->group)
		return;
	strbuf_add_char(out, '@');
	group_by_add_name(effect->by, 0, out);
	strbuf_addf(out, ":%s", effect->group);
}

struct check_tally effects_tally(const struct comparison *comparison, size_t check_offset)
{
	struct check_tally tally = {0};

	for (size_t i = 0; i < comparison->count; i++) {
		const struct p_value *p =
		        (const void *)((const char *)&comparison->effects[i] + check_offset);

		tally.rows += p->is_defined;
		tally.low += p->is_defined && 20 * p->p <= 1;
	}
	return tally;
}

bool check_tally_is_high(const struct check_tally *tally)
{
	static const double chance = .05, z99 = 2.326;
	double rows = (double)tally->rows;

	/* The normal bound of the binomial, with the correction for whole numbers. */
	return (double)tally->low > rows * chance + z99 * sqrt(rows * chance * (1 - chance)) + .5;
}
