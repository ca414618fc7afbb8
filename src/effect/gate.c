// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/gate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

const char *const gate_result_names[GATE_INVALID + 1] = {"passed", "failed", "invalid"};

static int refuse(const char *text, struct strbuf *reterr)
{
	strbuf_add_char(reterr, '\'');
	text_add_escaped(reterr, text, strlen(text));
	strbuf_add_str(reterr, "' is no condition like 'moved(METRIC@KEY:GROUP) > +5%'");
	return -EINVAL;
}

/* "> +5%", "< -5 %", or nothing. */
static bool parse_limit(struct gate *gate, const char *text)
{
	char *end;

	text += strspn(text, " ");
	if (*text == '\0')
		return true;
	if (*text != '>' && *text != '<')
		return false;
	gate->sign = *text == '>' ? GATE_ABOVE : GATE_BELOW;
	text += 1 + strspn(text + 1, " ");
	if (!strchr("+-0123456789.", *text))
		return false;
	gate->percent = strtod(text, &end);
	end += strspn(end, " ");
	return end > text && isfinite(gate->percent) && *end == '%' &&
	       end[1 + strspn(end + 1, " ")] == '\0';
}

int gate_parse_condition(struct gate *gate, const char *text, struct strbuf *reterr)
{
	static const char begin[] = "moved(";
	const char *row = text + strlen(begin), *close = strrchr(text, ')');
	cleanup_(mem_freep) char *name = NULL;

	*gate = (struct gate){.kind = GATE_FAIL_IF_MOVED, .text = text};
	if (strncmp(text, begin, strlen(begin)) != 0 || !close || !parse_limit(gate, close + 1))
		return refuse(text, reterr);
	name = mem_copy(row, (size_t)(close - row));
	return row_pick_parse(&gate->pick, name, reterr);
}

int gate_parse_rows(struct gate *gate, const char *text, struct strbuf *reterr)
{
	*gate = (struct gate){.kind = GATE_FAIL_UNLESS_SAME, .text = text};
	return row_pick_parse(&gate->pick, text, reterr);
}

static bool fails(const struct gate *gate, const struct effect *effect)
{
	double percent = effect_percent(effect, effect->test.mean);

	if (gate->kind == GATE_FAIL_UNLESS_SAME)
		return effect->answer != ANSWER_SAME;
	return effect->answer == ANSWER_MOVED &&
	       (gate->sign == GATE_ANY || (gate->sign == GATE_ABOVE && percent > gate->percent) ||
	        (gate->sign == GATE_BELOW && percent < gate->percent));
}

/* Returns why there is no answer, or NULL if there is one. */
static const char *why_invalid(const struct comparison *comparison, size_t rows)
{
	if (rows == 0)
		return comparison->unlike > 0 ? "no row of this name is in all units, of a like "
		                                "share of its threads in both arms"
		                              : "no row of this name is in all units";
	if (comparison->failures.count > 0)
		return comparison->failures.entries[0];
	return comparison->doubts.count > 0 ? comparison->doubts.entries[0] : NULL;
}

enum gate_result gate_check(const struct gate *gate, const struct comparison *comparison,
                            struct strbuf *ret_reason)
{
	enum { NAMED_MOST = 3 };
	size_t rows = 0, failed = 0;
	const char *invalid;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];

		if (!row_pick_matches(&gate->pick, effect->metric, effect->by, effect->group))
			continue;
		rows++;
		if (!fails(gate, effect) || ++failed > NAMED_MOST)
			continue;
		strbuf_add_str(ret_reason, failed > 1 ? ", " : "");
		effect_add_name(effect, ret_reason);
		strbuf_addf(ret_reason, " %s (", effect_answer_names[effect->answer]);
		effect_add_change(effect, effect->test.mean, ret_reason);
		strbuf_add_char(ret_reason, ')');
	}
	if (failed > NAMED_MOST)
		strbuf_addf(ret_reason, " and %zu more", failed - NAMED_MOST);
	invalid = why_invalid(comparison, rows);
	if (invalid) {
		strbuf_clear(ret_reason);
		strbuf_add_str(ret_reason, invalid);
		return GATE_INVALID;
	}
	return failed > 0 ? GATE_FAILED : GATE_PASSED;
}

void gate_done(struct gate *gate)
{
	row_pick_done(&gate->pick);
}
