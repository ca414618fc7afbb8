// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "plan-keys.h"

void experiment_plan_init(struct plan *plan, const char *cgroup_root)
{
	*plan = (struct plan){
	        .unit = PLAN_UNIT_WINDOW,
	        .window_ns = 10 * NS_PER_SECOND,
	        .blocks = 12,
	        .order = PLAN_ORDER_ABBA,
	        .settle_ns = 10 * NS_PER_SECOND,
	        .margin = .02,
	        .min_effect = .01,
	        .cgroup_root = cgroup_root,
	};
}

void plan_texts_add(struct plan_texts *texts, const char *text, size_t len)
{
	*array_add(texts->entries, texts->count, texts->capacity) = mem_copy(text, len);
}

static void texts_done(struct plan_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->entries[i]);
	free(texts->entries);
	*texts = (struct plan_texts){0};
}

void experiment_plan_done(struct plan *plan)
{
	free(plan->name);
	free(plan->workload);
	free(plan->before_each);
	texts_done(&plan->primaries);
	texts_done(&plan->controls);
	for (size_t i = 0; i < plan->outcome_count; i++) {
		free(plan->outcomes[i].name);
		free(plan->outcomes[i].regex);
	}
	for (size_t i = 0; i < plan->arm_count; i++) {
		free(plan->arms[i].name);
		texts_done(&plan->arms[i].lines);
		knob_list_done(&plan->arms[i].knobs);
	}
	*plan = (struct plan){0};
}

/* Names are used in labels, tables and section headers. */
int plan_check_name(const char *what, const char *name, struct strbuf *reterr)
{
	size_t len = strlen(name);
	const char *sentence = NULL;

	if (len == 0)
		sentence = "is empty";
	else if (len > PLAN_NAME_BYTES)
		sentence = "is longer than " STRINGIFY(100) " bytes";
	else if (!text_is_utf8(name, len))
		sentence = "is no UTF-8";
	else if (strpbrk(name, "[]\n\t"))
		sentence = "has a bracket or a tab in it";
	if (!sentence)
		return 0;
	strbuf_addf(reterr, "the name of %s %s", what, sentence);
	return -EINVAL;
}
_Static_assert(PLAN_NAME_BYTES == 100, "the sentence has another number");

int plan_find_arm(struct plan *plan, const char *name, struct plan_arm **ret_arm,
                  struct strbuf *reterr)
{
	int r = plan_check_name("an arm", name, reterr);

	for (size_t i = 0; i < plan->arm_count && r == 0; i++)
		if (strcmp(plan->arms[i].name, name) == 0) {
			*ret_arm = &plan->arms[i];
			return 0;
		}
	if (r < 0)
		return r;
	if (plan->arm_count == PLAN_ARMS_MAX) {
		strbuf_addf(reterr, "there are more than %d arms", PLAN_ARMS_MAX);
		return -EINVAL;
	}
	*ret_arm = &plan->arms[plan->arm_count++];
	**ret_arm = (struct plan_arm){.name = mem_copy_text(name)};
	return 0;
}

static bool has_env(const struct plan *plan)
{
	for (size_t i = 0; i < plan->arm_count; i++)
		for (size_t k = 0; k < plan->arms[i].knobs.count; k++)
			if (plan->arms[i].knobs.entries[k].kind == KNOB_ENV)
				return true;
	return false;
}

static bool texts_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool knob_equal(const struct knob *a, const struct knob *b)
{
	bool is_file = a->kind == KNOB_SYSCTL || a->kind == KNOB_WRITE;
	bool other_is_file = b->kind == KNOB_SYSCTL || b->kind == KNOB_WRITE;

	if (is_file && other_is_file)
		return texts_equal(a->path, b->path) && texts_equal(a->value, b->value);
	return a->kind == b->kind && texts_equal(a->name, b->name) &&
	       texts_equal(a->value, b->value) && texts_equal(a->undo, b->undo);
}

/* Returns whether each line of an arm is in the other one, in any order. */
static bool list_is_in(const struct knob_list *list, const struct knob_list *other)
{
	for (size_t i = 0; i < list->count; i++) {
		bool found = false;

		for (size_t k = 0; k < other->count && !found; k++)
			found = knob_equal(&list->entries[i], &other->entries[k]);
		if (!found)
			return false;
	}
	return true;
}

static int check_arms(const struct plan *plan, struct strbuf *reterr)
{
	if (plan->arm_count < 2) {
		strbuf_add_str(reterr, "an experiment has two arms or more");
		return -EINVAL;
	}
	for (size_t i = 0; i < plan->arm_count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct plan_arm *a = &plan->arms[k], *b = &plan->arms[i];

			if (!list_is_in(&a->knobs, &b->knobs) || !list_is_in(&b->knobs, &a->knobs))
				continue;
			if (b->line > 0)
				strbuf_addf(reterr, "line %u: ", b->line);
			strbuf_addf(reterr, "the arms %s and %s are equal", a->name, b->name);
			return -EINVAL;
		}
	return 0;
}

int plan_check(const struct plan *plan, struct strbuf *reterr)
{
	const char *sentence = NULL;
	int r = check_arms(plan, reterr);

	if (r < 0)
		return r;
	if (plan->unit == PLAN_UNIT_RUN && !plan->workload)
		sentence = "a unit that is a run needs a workload";
	else if (!plan->workload && has_env(plan))
		sentence = "env is for the environment of a workload, and there is none";
	else if (!plan->workload && plan->outcome_count > 0)
		sentence = "an outcome is what a workload prints, and there is none";
	else if (plan->until > 0 && plan->order == PLAN_ORDER_SEQUENTIAL)
		sentence = "until is for tossed blocks";
	else if (plan->until > 0 && plan->unit == PLAN_UNIT_WINDOW && plan->primaries.count == 0 &&
	         plan->outcome_count == 0)
		sentence = "until needs a primary, or an outcome";
	if (!sentence)
		return 0;
	strbuf_add_str(reterr, sentence);
	return -EINVAL;
}
