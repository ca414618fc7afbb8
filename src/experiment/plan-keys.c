// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"
#include "outcome-regex.h"
#include "plan-keys.h"

const char *const plan_order_names[PLAN_ORDER_COUNT + 1] = {"abba", "sequential", NULL};

const char *const plan_guard_names[PLAN_GUARD_COUNT + 1] = {"steal",      "psi_cpu", "psi_io",
                                                            "psi_memory", "lost",    NULL};

/* A longer time is refused as a typing error. */
#define UNIT_MAX_NS (7 * 24 * 3600 * NS_PER_SECOND)
#define SETTLE_MAX_NS (24 * 3600 * NS_PER_SECOND)
#define SEED_MAX ((UINT64_C(1) << 53) - 1)

static int refuse(struct strbuf *reterr, const char *value, const char *what)
{
	strbuf_addf(reterr, "'%s' is not %s", value, what);
	return -EINVAL;
}

static void set_text(char **text, const char *value)
{
	free(*text);
	*text = value[0] == '\0' ? NULL : mem_copy_text(value);
}

static int set_name(struct plan *plan, const char *value, struct strbuf *reterr)
{
	int r = plan_check_name("an experiment", value, reterr);

	if (r == 0)
		set_text(&plan->name, value);
	return r;
}

static int set_workload(struct plan *plan, const char *value, struct strbuf *reterr)
{
	(void)reterr;
	set_text(&plan->workload, value);
	return 0;
}

static int set_before_each(struct plan *plan, const char *value, struct strbuf *reterr)
{
	(void)reterr;
	set_text(&plan->before_each, value);
	return 0;
}

static int parse_time(const char *value, uint64_t most_ns, uint64_t *ret_ns, struct strbuf *reterr)
{
	uint64_t ns;

	if (!duration_parse(value, &ns))
		return refuse(reterr, value, "a time such as 500ms, 30s, 1.5m or 2h");
	if (ns > most_ns) {
		strbuf_addf(reterr, "'%s' is longer than %s", value,
		            most_ns == UNIT_MAX_NS ? "a week" : "a day");
		return -EINVAL;
	}
	*ret_ns = ns;
	return 0;
}

static int set_unit(struct plan *plan, const char *value, struct strbuf *reterr)
{
	static const char word[] = "window";
	uint64_t ns;
	int r;

	if (strcmp(value, "run") == 0) {
		plan->unit = PLAN_UNIT_RUN;
		return 0;
	}
	if (strncmp(value, word, sizeof(word) - 1) == 0)
		value += sizeof(word) - 1;
	value += strspn(value, " \t");
	if (!duration_parse(value, &ns))
		return refuse(reterr, value, "a time such as 10s, and not 'run'");
	r = parse_time(value, UNIT_MAX_NS, &ns, reterr);
	if (r == 0 && ns == 0)
		return refuse(reterr, value, "the length of a window");
	if (r < 0)
		return r;
	plan->unit = PLAN_UNIT_WINDOW;
	plan->window_ns = ns;
	return 0;
}

static int set_blocks(struct plan *plan, const char *value, struct strbuf *reterr)
{
	uint64_t blocks;

	if (!scan_u64(value, strlen(value), &blocks) || blocks < 2 || blocks > PLAN_BLOCKS_MAX)
		return refuse(reterr, value, "a number of blocks, from 2 to " STRINGIFY(1000));
	plan->blocks = (unsigned)blocks;
	return 0;
}
_Static_assert(PLAN_BLOCKS_MAX == 1000, "the sentence has another number");

static int set_order(struct plan *plan, const char *value, struct strbuf *reterr)
{
	for (int i = 0; plan_order_names[i]; i++)
		if (strcmp(value, plan_order_names[i]) == 0) {
			plan->order = (enum plan_order)i;
			return 0;
		}
	return refuse(reterr, value, "an order: abba, sequential");
}

static int set_seed(struct plan *plan, const char *value, struct strbuf *reterr)
{
	uint64_t seed = 0;
	bool automatic = strcmp(value, "auto") == 0;

	if (!automatic && (!scan_u64(value, strlen(value), &seed) || seed > SEED_MAX))
		return refuse(reterr, value, "a seed: auto, or a number below 2^53");
	plan->has_seed = !automatic;
	plan->seed = seed;
	return 0;
}

static int set_settle(struct plan *plan, const char *value, struct strbuf *reterr)
{
	return parse_time(value, SETTLE_MAX_NS, &plan->settle_ns, reterr);
}

/* Digits with a dot, independent of the locale. */
static bool parse_number(const char *text, size_t len, double *ret)
{
	uint64_t whole = 0, part = 0;
	double scale = 1;
	const char *dot = memchr(text, '.', len);
	size_t before = dot ? (size_t)(dot - text) : len, after = dot ? len - before - 1 : 0;

	if (before > 12 || after > 12 || !scan_u64(text, before, &whole) ||
	    (dot && !scan_u64(dot + 1, after, &part)))
		return false;
	while (after-- > 0)
		scale *= 10;
	*ret = (double)whole + (double)part / scale;
	return true;
}

static int parse_share(const char *value, double *ret, struct strbuf *reterr)
{
	size_t len = strlen(value);
	double percent;

	if (len < 2 || value[len - 1] != '%' || !parse_number(value, len - 1, &percent) ||
	    percent >= 100)
		return refuse(reterr, value, "a percentage such as 2%");
	*ret = percent / 100;
	return 0;
}

static int set_margin(struct plan *plan, const char *value, struct strbuf *reterr)
{
	double margin;
	int r = parse_share(value, &margin, reterr);

	if (r == 0 && margin <= 0)
		return refuse(reterr, value, "a margin: nothing is that much the same");
	if (r == 0)
		plan->margin = margin;
	return r;
}

static int set_until(struct plan *plan, const char *value, struct strbuf *reterr)
{
	static const char word[] = "mde";
	const char *share = value + strlen(word);

	if (strncmp(value, word, strlen(word)) != 0)
		return refuse(reterr, value, "a detectable effect such as mde=2%");
	share += strspn(share, " \t");
	if (*share != '=')
		return refuse(reterr, value, "a detectable effect such as mde=2%");
	share++;
	share += strspn(share, " \t");
	return parse_share(share, &plan->until, reterr);
}

static int set_min_effect(struct plan *plan, const char *value, struct strbuf *reterr)
{
	return parse_share(value, &plan->min_effect, reterr);
}

static int set_guard(struct plan *plan, const char *value, struct strbuf *reterr)
{
	size_t name_len = strcspn(value, "<= \t"), unused;
	const char *limit_text = value + name_len;
	struct plan_limit limit = {.given = true};
	int r = 0;

	limit_text += strspn(limit_text, " \t");
	limit.inclusive = *limit_text == '=' || strncmp(limit_text, "<=", 2) == 0;
	unused = strspn(limit_text, "<=");
	limit_text += unused;
	limit_text += strspn(limit_text, " \t");
	for (unsigned i = 0; plan_guard_names[i]; i++) {
		if (strlen(plan_guard_names[i]) != name_len ||
		    strncmp(plan_guard_names[i], value, name_len) != 0)
			continue;
		if (unused == 0 || unused > 2)
			break;
		if (i != PLAN_GUARD_LOST)
			r = parse_share(limit_text, &limit.limit, reterr);
		else if (!parse_number(limit_text, strlen(limit_text), &limit.limit))
			r = refuse(reterr, limit_text, "a number of threads");
		if (r == 0)
			plan->guards[i] = limit;
		return r;
	}
	return refuse(reterr, value,
	              "a guard such as steal<2%, psi_cpu<50%, psi_io<20%, psi_memory<5% or lost=0");
}

static int check_row(const char *row, struct strbuf *reterr)
{
	const char *at = strchr(row, '@'), *colon = at ? strchr(at, ':') : NULL;

	if (at && at > row && strcmp(at, "@host") == 0)
		return 0;
	if (row[0] == '\0' || (at && (at == row || !colon || colon == at + 1 || colon[1] == '\0')))
		return refuse(
		        reterr, row,
		        "a row: METRIC@KEY:GROUP, such as wait_time_ns@pcomm:nginx, or an outcome");
	return 0;
}

static int add_row(struct plan_texts *texts, size_t most, const char *row, struct strbuf *reterr)
{
	int r = check_row(row, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; i < texts->count; i++)
		if (strcmp(texts->entries[i], row) == 0)
			return refuse(reterr, row, "another row: it is there already");
	if (texts->count == most) {
		strbuf_addf(reterr, "there are more than %zu rows", most);
		return -EINVAL;
	}
	plan_texts_add(texts, row, strlen(row));
	return 0;
}

/* Calls @add with each part between commas, trimmed. */
static int each_part(struct plan *plan, const char *value,
                     int (*add)(struct plan *plan, const char *part, struct strbuf *reterr),
                     struct strbuf *reterr)
{
	int r = 0;

	while (r == 0) {
		size_t len = strcspn(value, ","), from = strspn(value, PLAN_BLANKS), to = len;
		cleanup_(mem_freep) char *part = NULL;

		while (to > from && strchr(PLAN_BLANKS, value[to - 1]))
			to--;
		part = mem_copy(value + (from < to ? from : to), from < to ? to - from : 0);
		r = add(plan, part, reterr);
		if (value[len] == '\0')
			break;
		value += len + 1;
	}
	return r;
}

static int add_primary(struct plan *plan, const char *row, struct strbuf *reterr)
{
	return add_row(&plan->primaries, PLAN_PRIMARIES_MAX, row, reterr);
}

static int add_control(struct plan *plan, const char *row, struct strbuf *reterr)
{
	return add_row(&plan->controls, PLAN_ROWS_MAX, row, reterr);
}

static int set_primary(struct plan *plan, const char *value, struct strbuf *reterr)
{
	return each_part(plan, value, add_primary, reterr);
}

static int set_control(struct plan *plan, const char *value, struct strbuf *reterr)
{
	return each_part(plan, value, add_control, reterr);
}

static int set_guards(struct plan *plan, const char *value, struct strbuf *reterr)
{
	return each_part(plan, value, set_guard, reterr);
}

/* Names of the numbers that every run has. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = {"wall_time_ns", "exit_status", "work", NULL};

	for (unsigned i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static int add_outcome(struct plan *plan, const char *name, const char *value,
                       struct strbuf *reterr)
{
	int r = plan_check_name("an outcome", name, reterr);

	if (r < 0)
		return r;
	if (is_reserved(name) || strpbrk(name, "@: ,"))
		return refuse(reterr, name, "the name of an outcome");
	for (size_t i = 0; i < plan->outcome_count; i++)
		if (strcmp(plan->outcomes[i].name, name) == 0) {
			strbuf_addf(reterr,
			            "there is an outcome of the name '%s'; more have lines outcome "
			            "NAME = REGEX in a FILE",
			            name);
			return -EINVAL;
		}
	if (plan->outcome_count == PLAN_OUTCOMES_MAX) {
		strbuf_addf(reterr, "there are more than %d outcomes", PLAN_OUTCOMES_MAX);
		return -EINVAL;
	}
	r = outcome_regex_check(value, reterr);
	if (r < 0)
		return r;
	plan->outcomes[plan->outcome_count++] =
	        (struct plan_outcome){.name = mem_copy_text(name), .regex = mem_copy_text(value)};
	return 0;
}

static int set_outcome(struct plan *plan, const char *value, struct strbuf *reterr)
{
	return add_outcome(plan, "outcome", value, reterr);
}

static const struct {
	const char *name;
	int (*set)(struct plan *plan, const char *value, struct strbuf *reterr);
	bool is_list;
} keys[] = {
        {"name", set_name, false},      {"workload", set_workload, false},
        {"unit", set_unit, false},      {"blocks", set_blocks, false},
        {"order", set_order, false},    {"seed", set_seed, false},
        {"settle", set_settle, false},  {"before-each", set_before_each, false},
        {"primary", set_primary, true}, {"control", set_control, true},
        {"margin", set_margin, false},  {"min-effect", set_min_effect, false},
        {"guard", set_guards, true},    {"outcome", set_outcome, true},
        {"until", set_until, false},
};
_Static_assert(ARRAY_SIZE(keys) < 64, "the set of keys is too small");

static size_t key_find(const char *key)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(keys) && strcmp(keys[i].name, key) != 0)
		i++;
	return i;
}

bool plan_has(const struct plan *plan, const char *key)
{
	return plan->given >> key_find(key) & 1;
}

bool plan_key_is_list(const char *key)
{
	size_t i = key_find(key);

	return i == ARRAY_SIZE(keys) || keys[i].is_list;
}

int plan_set(struct plan *plan, const char *key, const char *value, struct strbuf *reterr)
{
	static const char outcome[] = "outcome ";
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	size_t i = key_find(key);
	int r;

	if (memchr(value, '\n', strlen(value))) {
		strbuf_addf(reterr, "%s: there is a newline in it", key);
		return -EINVAL;
	}
	/* --resume reads the plan from experiment.json, and JSON texts are UTF-8. */
	if (!text_is_utf8(value, strlen(value))) {
		strbuf_addf(reterr, "%s: it is no UTF-8", key);
		return -EINVAL;
	}
	if (strncmp(key, outcome, sizeof(outcome) - 1) == 0) {
		key += sizeof(outcome) - 1;
		return add_outcome(plan, key + strspn(key, " \t"), value, reterr);
	}
	if (i == ARRAY_SIZE(keys)) {
		strbuf_addf(reterr, "'%s' is no key of an experiment", key);
		return -EINVAL;
	}
	r = keys[i].set(plan, value, &phrase);
	if (r < 0)
		strbuf_addf(reterr, "%s: %s", key, strbuf_str(&phrase));
	else
		plan->given |= UINT64_C(1) << i;
	return r;
}
