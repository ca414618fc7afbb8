/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* arms - the question what arm b of an experiment changed against arm a, over hosts. A series is one metric of one group, as in
 * question.h; the value of a host in an arm is its work per second over all windows of the arm, in which a group that is not in a
 * window did nothing. */
#include "database/arm-effect.h"
#include "database/arm-plan.h"

/* A host that differs from the others by more than their noise. */
struct arms_host {
	uint32_t host;
	double values[2]; /* by arm; NaN: it has none */
	double change; /* y: of a paired host its effect, of others the distance from the median of its arm */
	double z; /* in robust standard deviations, from the median of the hosts, or of its arm */
	bool is_against; /* the series moved, and this host moved the other way */
};

struct arms_row {
	size_t metric; /* its place in the list */
	int64_t group;
	struct arm_effect effect;
	struct p_value p; /* corrected for the number of series, by Holm */
	enum arm_answer answer;
	bool is_partial; /* not all threads were seen in it */
	size_t first_host,
	        host_count; /* the place of its hosts in the answer, those that are farthest off first */
};

struct arms_answer {
	struct arm_plan plan;
	struct arms_row *rows; /* those that were tested, the most certain first; owned */
	size_t count, capacity;
	struct arms_host *hosts; /* owned */
	size_t host_count, host_capacity;
	size_t series;                        /* that were looked at */
	size_t by_outcome[ARM_OUTCOME_COUNT]; /* of these */
	size_t by_answer[ARM_ANSWER_COUNT];   /* of the rows */
};

/* Returns 0, -EIO if the database cannot be read, or -ENODATA with a sentence in @reterr if nothing in it can answer.
 * arms_answer_done() @ret in any case. */
must_check_ int arms_ask(struct database *database, const struct arm_question *question,
                         const struct database_list *list, struct arms_answer *ret,
                         struct strbuf *reterr);
void arms_answer_done(struct arms_answer *answer);
