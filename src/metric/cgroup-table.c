// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ctprof/metric/cgroup-stats.h"

/* clang-format off */

/* The rules that a form admits: a text has no sum, and only a value that can be unlimited is a limit. */
enum {
	FORM_RULES_SUM = 1 << FACT_RULE_SUM | 1 << FACT_RULE_OWN_SUM,
	FORM_RULES_NUMBER = FORM_RULES_SUM | 1 << FACT_RULE_MAX | 1 << FACT_RULE_MAX_LIMIT,
	FORM_RULES_PLACE = 1 << FACT_RULE_MAX | 1 << FACT_RULE_MAX_LIMIT,
	FORM_RULES_LIMIT = 1 << FACT_RULE_MAX_LIMIT | 1 << FACT_RULE_MIN_LIMIT,
	FORM_RULES_FIELD_LIMIT = FORM_RULES_LIMIT,
	FORM_RULES_FIELD = 1 << FACT_RULE_MAX,
	FORM_RULES_FLAT = FORM_RULES_SUM | 1 << FACT_RULE_MAX,
	FORM_RULES_DEVICES = 1 << FACT_RULE_SUM,
	FORM_RULES_CPUS = 1 << FACT_RULE_SAME,
};
#define CGROUP_VALUE(id_, version_, object_, key_, file_, file_key_, form_, rule_, window_, unit_, section_, column_, text_) \
	_Static_assert((FORM_RULES_##form_ & 1 << FACT_RULE_##rule_) != 0,                         \
		       "cgroup value " #id_ ": a " #form_ " cannot be put together by " #rule_);   \
	_Static_assert(FACT_WINDOW_##window_ == FACT_WINDOW_END ||                                 \
			       FORM_##form_ == FORM_NUMBER || FORM_##form_ == FORM_FLAT ||         \
			       FORM_##form_ == FORM_DEVICES,                                       \
		       "cgroup value " #id_ ": a " #form_ " cannot be " #window_ " in a window");  \
	_Static_assert((version_) == 1 || (version_) == 2,                                         \
		       "cgroup value " #id_ ": there is no such version of cgroups");              \
	_Static_assert(sizeof("" text_) > 1, "cgroup value " #id_ ": has no description");
#include CTPROF_CGROUP_DEF
#undef CGROUP_VALUE
#define CGROUP_LIST(id_, file_, object_, key_, section_, text_)
#define CGROUP_KEY(list_, key_, rule_, unit_)                                                      \
	_Static_assert(FACT_RULE_##rule_ == FACT_RULE_SUM || FACT_RULE_##rule_ == FACT_RULE_MAX,   \
		       "cgroup key " key_ ": cannot be put together by " #rule_);
#include CTPROF_CGROUP_LISTS_DEF
#undef CGROUP_LIST
#undef CGROUP_KEY

const struct cgroup_value_desc cgroup_value_table[CGROUP_VALUE_COUNT] = {
#define CGROUP_VALUE(id_, version_, object_, key_, file_, file_key_, form_, rule_, window_, unit_, section_, column_, text_) \
	[CGROUP_VALUE_##id_] = {                                                                   \
		.name = #id_,                                                                      \
		.version = version_,                                                               \
		.object = object_,                                                                 \
		.key = key_,                                                                       \
		.file = file_,                                                                     \
		.file_key = file_key_,                                                             \
		.form = FORM_##form_,                                                              \
		.rule = FACT_RULE_##rule_,                                                         \
		.window = FACT_WINDOW_##window_,                                                   \
		.unit = UNIT_##unit_,                                                              \
		.section = SECTION_##section_,                                                     \
		.column = column_,                                                                 \
		.description = text_,                                                              \
	},
#include CTPROF_CGROUP_DEF
#undef CGROUP_VALUE
};

const struct cgroup_list_desc cgroup_list_table[CGROUP_LIST_COUNT] = {
#define CGROUP_LIST(id_, file_, object_, key_, section_, text_)                                    \
	[CGROUP_LIST_##id_] = {#id_, file_, object_, key_, SECTION_##section_, text_},
#define CGROUP_KEY(list_, key_, rule_, unit_)
#include CTPROF_CGROUP_LISTS_DEF
#undef CGROUP_LIST
#undef CGROUP_KEY
};

const struct cgroup_key_desc cgroup_key_table[] = {
#define CGROUP_LIST(id_, file_, object_, key_, section_, text_)
#define CGROUP_KEY(list_, key_, rule_, unit_)                                                      \
	{CGROUP_LIST_##list_, key_, FACT_RULE_##rule_, UNIT_##unit_},
#include CTPROF_CGROUP_LISTS_DEF
#undef CGROUP_LIST
#undef CGROUP_KEY
};
const size_t cgroup_key_count = ARRAY_SIZE(cgroup_key_table);

enum { SCHED_EXT_LEVEL, SCHED_EXT_COUNTER };
#define SCHED_EXT(id_, form_, kind_, text_)                                                        \
	_Static_assert(FORM_##form_ == FORM_NUMBER || SCHED_EXT_##kind_ == SCHED_EXT_LEVEL,        \
		       "sched_ext value " #id_ ": a " #form_ " cannot be a " #kind_);
#include CTPROF_SCHED_EXT_DEF
#undef SCHED_EXT

const struct named_fact_desc sched_ext_table[SCHED_EXT_COUNT] = {
#define SCHED_EXT(id_, form_, kind_, text_)                                                        \
	[SCHED_EXT_##id_] = {#id_, FORM_##form_, SCHED_EXT_##kind_ == SCHED_EXT_COUNTER, text_},
#include CTPROF_SCHED_EXT_DEF
#undef SCHED_EXT
};

const struct named_desc fact_form_table[FORM_COUNT] = {
	[FORM_NUMBER] = {"number", "the whole file is one integer"},
	[FORM_PLACE] = {"place", "the whole file is one integer, a place on a scale"},
	[FORM_LIMIT] = {"limit", "the whole file is one integer, or \"max\" for no limit"},
	[FORM_FIELD_LIMIT] = {"field_limit", "the first word of the file is an integer, or \"max\" for no limit"},
	[FORM_FIELD] = {"field", "the second word of the file is an integer"},
	[FORM_FLAT] = {"flat", "the integer behind a key"},
	[FORM_CPUS] = {"cpus", "a list of CPUs"},
	[FORM_DEVICES] = {"devices", "the sum of the integers behind a device and a key"},
	[FORM_TEXT] = {"text", "the whole file, without its newline"},
};

const struct named_desc fact_rule_table[FACT_RULE_COUNT] = {
	[FACT_RULE_SUM] = {"sum", "the total over the cgroups that have it"},
	[FACT_RULE_MAX] = {"max", "the largest of the cgroups that have it"},
	[FACT_RULE_MAX_LIMIT] = {"max_limit", "the largest limit; none where a cgroup has none, missing where a cgroup lacks it"},
	[FACT_RULE_MIN_LIMIT] = {"min_limit", "the smallest limit; missing where a cgroup lacks it"},
	[FACT_RULE_SAME] = {"same", "the value where all cgroups agree"},
	[FACT_RULE_OWN_SUM] = {"own_sum", "the total over the cgroups that have it, none of which the kernel adds to the one above it"},
};
/* clang-format on */

const struct cgroup_key_desc *cgroup_key_find(enum cgroup_list_id list, const char *key)
{
	static const struct cgroup_key_desc unknown[CGROUP_LIST_COUNT] = {
	        [CGROUP_LIST_memory_stat] = {CGROUP_LIST_memory_stat, "", FACT_RULE_SUM, UNIT_none},
	        [CGROUP_LIST_memory_events] = {CGROUP_LIST_memory_events, "", FACT_RULE_SUM,
	                                       UNIT_none},
	        [CGROUP_LIST_io_stat] = {CGROUP_LIST_io_stat, "", FACT_RULE_SUM, UNIT_none},
	};
	const char *blank = list == CGROUP_LIST_io_stat ? strrchr(key, ' ') : NULL;

	if (blank)
		key = blank + 1;
	for (size_t i = 0; i < cgroup_key_count; i++)
		if (cgroup_key_table[i].list == list && strcmp(cgroup_key_table[i].key, key) == 0)
			return &cgroup_key_table[i];
	return &unknown[list];
}

void fact_clear(struct fact_value *value)
{
	free(value->text);
	*value = (struct fact_value){0};
}

void fact_set_number(struct fact_value *value, int64_t number)
{
	fact_clear(value);
	value->state = FACT_NUMBER;
	value->number = number;
}

void fact_set_unlimited(struct fact_value *value)
{
	fact_clear(value);
	value->state = FACT_UNLIMITED;
}

void fact_set_text(struct fact_value *value, const char *text, size_t len)
{
	fact_clear(value);
	value->state = FACT_TEXT;
	value->text = mem_copy(text, len);
}

void sched_ext_done(struct sched_ext *sched_ext)
{
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		fact_clear(&sched_ext->values[i]);
	sched_ext->present = false;
}

/* Returns the number in the hierarchy that has the object, or NULL. */
static const struct keyed_value *id_of(const struct cgroup_stats *stats, const char *object)
{
	const char *key = stats->is_v1 ? object : CGROUP_ID_UNIFIED;

	return keyed_values_find(&stats->ids, key, strlen(key), 0);
}

enum cgroup_place cgroup_stats_place(const struct cgroup_stats *stats, const char *object)
{
	static const enum cgroup_value_id limits[] = {
	        CGROUP_VALUE_cpu_max_quota_us, CGROUP_VALUE_memory_max, CGROUP_VALUE_pids_max};
	enum { ID_OF_ROOT = 1 };
	const struct keyed_value *id = id_of(stats, object);

	if (id)
		return id->value == ID_OF_ROOT ? CGROUP_PLACE_ROOT : CGROUP_PLACE_BELOW;
	if (stats->is_v1)
		return CGROUP_PLACE_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (stats->values[limits[i]].state != FACT_UNSEEN)
			return CGROUP_PLACE_BELOW;
	return CGROUP_PLACE_ROOT;
}

bool cgroup_stats_are_others(const struct cgroup_stats *a, const struct cgroup_stats *b,
                             const char *object)
{
	const struct keyed_value *id_a = id_of(a, object), *id_b = id_of(b, object);

	return id_a && id_b && id_a->value != id_b->value;
}

void cgroup_stats_reset(struct cgroup_stats *stats)
{
	strbuf_clear(&stats->path);
	stats->is_v1 = stats->is_gone = false;
	stats->read_boottime_ns = stats->interval_ns = 0;
	keyed_values_clear(&stats->ids);
	keyed_values_clear(&stats->unjoined);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		fact_clear(&stats->values[i]);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		stats->has_list[i] = false;
		keyed_values_clear(&stats->lists[i]);
	}
	stats->psi = (struct psi){0};
}

void cgroup_stats_done(struct cgroup_stats *stats)
{
	cgroup_stats_reset(stats);
	strbuf_done(&stats->path);
	keyed_values_done(&stats->ids);
	keyed_values_done(&stats->unjoined);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		keyed_values_done(&stats->lists[i]);
}

static void copy_value(struct fact_value *into, const struct fact_value *from)
{
	fact_clear(into);
	*into = *from;
	if (from->text)
		into->text = mem_copy_text(from->text);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

bool cgroup_list_omits_zeros(enum cgroup_list_id list)
{
	return list == CGROUP_LIST_io_stat;
}

/* A limit or a text describes the group only if all its cgroups have one. */
static void merge_limit(enum fact_rule rule, struct fact_value *into, const struct fact_value *from)
{
	bool one_is_unlimited = into->state == FACT_UNLIMITED || from->state == FACT_UNLIMITED;

	if (into->state == FACT_UNSEEN || from->state == FACT_UNSEEN)
		fact_clear(into);
	else if (rule == FACT_RULE_SAME) {
		if (into->state != from->state || into->number != from->number ||
		    (into->text && strcmp(into->text, from->text) != 0))
			fact_clear(into);
	} else if (rule == FACT_RULE_MAX_LIMIT && one_is_unlimited)
		fact_set_unlimited(into);
	else if (into->state == FACT_UNLIMITED)
		copy_value(into, from);
	else if (from->state == FACT_NUMBER)
		into->number = rule == FACT_RULE_MAX_LIMIT ? larger(into->number, from->number)
		                                           : smaller(into->number, from->number);
}

static bool is_sum(enum fact_rule rule)
{
	return rule == FACT_RULE_SUM || rule == FACT_RULE_OWN_SUM;
}

static void merge_value(enum fact_rule rule, struct fact_value *into, const struct fact_value *from)
{
	if (!is_sum(rule) && rule != FACT_RULE_MAX) {
		merge_limit(rule, into, from);
		return;
	}
	if (from->state == FACT_UNSEEN)
		return;
	if (into->state == FACT_UNSEEN)
		copy_value(into, from);
	else
		into->number = is_sum(rule) ? saturating_add_signed(into->number, from->number)
		                            : larger(into->number, from->number);
}

static void merge_list(enum cgroup_list_id list, struct keyed_values *into,
                       const struct keyed_values *from)
{
	for (size_t i = 0; i < from->count; i++) {
		const char *key = from->entries[i].key;
		uint64_t value = from->entries[i].value;
		struct keyed_value *here = keyed_values_find(into, key, strlen(key), i);

		if (!here)
			keyed_values_set(into, key, strlen(key), value);
		else if (cgroup_key_find(list, key)->rule == FACT_RULE_MAX)
			here->value = here->value > value ? here->value : value;
		else
			saturating_add_to(&here->value, value);
	}
}

/* A quota is beside its period. */
static const struct {
	enum cgroup_value_id quota, period;
} bandwidths[] = {{CGROUP_VALUE_cpu_max_quota_us, CGROUP_VALUE_cpu_max_period_us},
                  {CGROUP_VALUE_cpu_v1_quota_us, CGROUP_VALUE_cpu_v1_period_us}};

struct bandwidth {
	struct fact_value quota, period; /* have no text */
};

static struct bandwidth bandwidth_of(const struct cgroup_stats *stats, unsigned index)
{
	return (struct bandwidth){stats->values[bandwidths[index].quota],
	                          stats->values[bandwidths[index].period]};
}

static bool is_known(const struct bandwidth *bandwidth)
{
	return bandwidth->quota.state != FACT_UNSEEN && bandwidth->period.state == FACT_NUMBER;
}

/* Returns whether @a allows more than @b, or the same in a longer period. */
static bool allows_more(const struct bandwidth *a, const struct bandwidth *b)
{
	bool a_unlimited = a->quota.state == FACT_UNLIMITED;
	bool b_unlimited = b->quota.state == FACT_UNLIMITED;
	__int128 of_a = (__int128)a->quota.number * b->period.number;
	__int128 of_b = (__int128)b->quota.number * a->period.number;

	if (a_unlimited != b_unlimited)
		return a_unlimited;
	if (a_unlimited || of_a == of_b)
		return a->period.number > b->period.number;
	return of_a > of_b;
}

/* The quota of one cgroup with the period of another would be a limit that none of them has. */
static void merge_values(struct cgroup_stats *into, const struct cgroup_stats *from)
{
	struct bandwidth larger[ARRAY_SIZE(bandwidths)];
	bool known[ARRAY_SIZE(bandwidths)], unlike[ARRAY_SIZE(bandwidths)];

	for (unsigned i = 0; i < ARRAY_SIZE(bandwidths); i++) {
		const struct bandwidth a = bandwidth_of(into, i), b = bandwidth_of(from, i);

		known[i] = is_known(&a) && is_known(&b);
		/* Then no quota is known of all, and a period alone says nothing. */
		unlike[i] = (a.quota.state == FACT_UNSEEN) != (b.quota.state == FACT_UNSEEN);
		larger[i] = known[i] && allows_more(&b, &a) ? b : a;
	}
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		merge_value(cgroup_value_table[i].rule, &into->values[i], &from->values[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(bandwidths); i++) {
		if (known[i]) {
			into->values[bandwidths[i].quota] = larger[i].quota;
			into->values[bandwidths[i].period] = larger[i].period;
		} else if (unlike[i]) {
			fact_clear(&into->values[bandwidths[i].period]);
		}
	}
}

/* Several members have no such values together. */
static void keep_of_one(struct keyed_values *into, uint32_t members,
                        const struct keyed_values *from)
{
	keyed_values_clear(into);
	for (size_t i = 0; members == 0 && i < from->count; i++)
		keyed_values_set(into, from->entries[i].key, strlen(from->entries[i].key),
		                 from->entries[i].value);
}

void cgroup_stats_merge(struct cgroup_stats *into, uint32_t members,
                        const struct cgroup_stats *from)
{
	if (members == 0)
		into->is_v1 = from->is_v1;
	keep_of_one(&into->ids, members, &from->ids);
	keep_of_one(&into->unjoined, members, &from->unjoined);
	for (unsigned i = 0; members == 0 && i < CGROUP_VALUE_COUNT; i++)
		copy_value(&into->values[i], &from->values[i]);
	if (members > 0)
		merge_values(into, from);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		into->has_list[i] = into->has_list[i] || from->has_list[i];
		merge_list((enum cgroup_list_id)i, &into->lists[i], &from->lists[i]);
	}
	psi_merge(&into->psi, &from->psi);
}

/* A part of struct cgroup_stats has a bit: first the values, then the lists, then the pressure. */
enum {
	PART_LISTS = CGROUP_VALUE_COUNT,
	PART_PSI = PART_LISTS + CGROUP_LIST_COUNT,
	PART_COUNT,
};
_Static_assert(PART_COUNT <= 64, "the parts of a cgroup have a bit each");

uint64_t cgroup_stats_covered(const struct cgroup_stats *stats)
{
	uint64_t covered = 0;

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (stats->values[i].state != FACT_UNSEEN &&
		    cgroup_value_table[i].rule != FACT_RULE_OWN_SUM)
			covered |= UINT64_C(1) << i;
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		if (stats->has_list[i])
			covered |= UINT64_C(1) << (PART_LISTS + i);
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++)
			if (stats->psi.lines[resource][row].seen)
				covered |= UINT64_C(1) << PART_PSI;
	return covered;
}

void cgroup_stats_merge_nested(struct cgroup_stats *into, uint64_t covered,
                               const struct cgroup_stats *from)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *desc = &cgroup_value_table[i];
		/* Limits are those of the cgroup above. */
		bool is_usage =
		        desc->rule == FACT_RULE_SUM ||
		        (desc->rule == FACT_RULE_MAX && desc->section != SECTION_cgroup_limits);

		if (desc->rule == FACT_RULE_OWN_SUM || (is_usage && !(covered >> i & 1)))
			merge_value(desc->rule, &into->values[i], &from->values[i]);
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		if (covered >> (PART_LISTS + i) & 1)
			continue;
		into->has_list[i] = into->has_list[i] || from->has_list[i];
		merge_list((enum cgroup_list_id)i, &into->lists[i], &from->lists[i]);
	}
	if (!(covered >> PART_PSI & 1))
		psi_merge(&into->psi, &from->psi);
}
