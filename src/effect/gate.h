/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* gate - conditions of the user on the answers, for scripts: "moved(wait_time_ns@pcomm:nginx) > +5%", or rows that have to
 * be the same. */
#include "effect/effect.h"

enum gate_kind {
	GATE_FAIL_IF_MOVED, /* by more than the limit, if there is one */
	GATE_FAIL_UNLESS_SAME,
};

enum gate_sign { GATE_ANY, GATE_ABOVE, GATE_BELOW };

struct gate {
	enum gate_kind kind;
	const char *text; /* as it was given; borrowed */
	struct row_pick pick;
	enum gate_sign sign;
	double percent;
};

/* Return 0, or -EINVAL with a sentence that is safe to print. */
must_check_ int gate_parse_condition(struct gate *gate, const char *text, struct strbuf *reterr);
must_check_ int gate_parse_rows(struct gate *gate, const char *text, struct strbuf *reterr);

enum gate_result {
	GATE_PASSED,
	GATE_FAILED,
	GATE_INVALID, /* the experiment cannot answer, or no row of it is meant */
};
extern const char *const gate_result_names[GATE_INVALID + 1];

/* @ret_reason gets the rows that decide, or why there is no answer; safe to print. */
enum gate_result gate_check(const struct gate *gate, const struct comparison *comparison,
                            struct strbuf *ret_reason);

/* For cleanup_(gate_done). */
void gate_done(struct gate *gate);
