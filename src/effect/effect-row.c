// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "effect/effect.h"
#include "metric/units.h"

const char *const effect_answer_names[ANSWER_COUNT] = {"moved", "same", "unknown"};
const char *const effect_role_names[ROLE_COUNT] = {"primary", "outcome", "control", "other"};

bool effect_has_percent(const struct effect *effect)
{
	return effect->scale.is_log || effect->base > 0;
}

const char *effect_scale_name(const struct effect *effect)
{
	return effect->scale.is_log ? "log" : effect->base > 0 ? "share-of-a" : "absolute";
}

double effect_percent(const struct effect *effect, double y)
{
	if (effect->scale.is_log)
		return 100 * expm1(y);
	if (effect->base > 0)
		return 100 * effect_difference(effect, y) / effect->base;
	return y == 0 ? 0 : copysign(INFINITY, y);
}

double effect_difference(const struct effect *effect, double y)
{
	return y * effect->scale.one;
}

void effect_add_number(const struct effect *effect, double value, bool sign, struct strbuf *out)
{
	static const double least = 0.05;

	/* A command's own outcome may be of any size: two decimals of 0.0012 say nothing. */
	if (value != 0 && fabs(value) < least)
		strbuf_addf(out, sign ? "%+.3g%s" : "%.3g%s", value,
		            unit_table[effect->unit].suffix);
	else if (sign)
		units_format_delta(effect->unit, quantity_real(value), true, out);
	else
		units_format(effect->unit, quantity_real(value), true, out);
}

void effect_add_change(const struct effect *effect, double y, struct strbuf *out)
{
	bool has_percent = effect_has_percent(effect);
	double percent = effect_percent(effect, y);

	/* Outcomes near the largest number have sums and differences that are none. */
	if (!isfinite(y) || (has_percent && !isfinite(percent))) {
		strbuf_add_char(out, '-');
	} else if (has_percent) {
		strbuf_addf(out, fabs(percent) < 100 ? "%+.1f%%" : "%+.0f%%", percent);
	} else {
		effect_add_number(effect, effect_difference(effect, y), true, out);
		strbuf_add_str(out, measure_per_table[effect->per].suffix);
	}
}

double effect_size(const struct effect *effect)
{
	return fabs(effect->scale.is_log ? expm1(effect->test.mean) : effect->test.mean);
}

void effect_add_key(const struct effect *effect, struct strbuf *out)
{
	if (effect->by && effect->by->count == 0)
		strbuf_add_str(out, "host");
	else if (effect->by)
		group_by_add_name(effect->by, 0, out);
}

void effect_add_name(const struct effect *effect, struct strbuf *out)
{
	text_add_escaped(out, effect->metric, strlen(effect->metric));
	if (!effect->by)
		return;
	strbuf_add_char(out, '@');
	effect_add_key(effect, out);
	if (effect->group)
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
