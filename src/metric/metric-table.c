// SPDX-License-Identifier: GPL-2.0-or-later
/* The registry's constant tables, and the compile-time checks that keep its rows sound. A row passes five
 * locks: its type must admit its rule (claim); a fold function must exist for exactly that pair (function);
 * values are wrapped by type, so formulas over the wrong kind do not compile (use, in derive.c); a
 * value can only be stored through its metric's name, in its metric's type (presence, in sample.h); and each
 * way to read threads has a place for the metric or declares that it has none (place). */
#include "ctprof/metric/metric.h"

#include <string.h>

#include "ctprof/metric/sample.h"
#include "metric/fold.h"

/* clang-format off */

/* The rules, bounds and encodings that each type admits. A time has a bound; else only what a program counts has one. */
#define METRIC_TYPE(id_, representation_, unit_, rules_, bounds_, encodings_, text_)                        \
	enum { id_##_bounds = (bounds_) };                                                         \
	enum { id_##_rules = (rules_) };                                                           \
	enum { id_##_encodings = (encodings_) };
#include CTPROF_METRIC_TYPES_DEF
#undef METRIC_TYPE
#define METRIC_TYPE(id_, representation_, unit_, rules_, bounds_, encodings_, text_)                        \
	_Static_assert(((int)UNIT_##unit_ == (int)UNIT_ns ||                                       \
			(int)UNIT_##unit_ == (int)UNIT_ticks) ==                                   \
			       (((int)id_##_bounds & (int)BOUND_none) == 0),                       \
		       "type " #id_ ": a time has bounds, and nothing else must have one");
#include CTPROF_METRIC_TYPES_DEF
#undef METRIC_TYPE

/* Lock 1: the claim. */
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, key_, section_, class_, gates_, text_)       \
	_Static_assert(((int)type_##_rules & (int)RULE_##rule_) != 0,                              \
		       "metric " #id_ ": a " #type_ " cannot be folded with " #rule_);             \
	_Static_assert(((int)type_##_bounds & (int)BOUND_##bound_) != 0,                           \
		       "metric " #id_ ": a " #type_ " cannot have the bound " #bound_);            \
	_Static_assert(((int)type_##_encodings & (int)ENCODING_##encoding_) != 0,                  \
		       "metric " #id_ ": a " #type_ " cannot be read as " #encoding_);             \
	_Static_assert(sizeof("" text_) > 1, "metric " #id_ ": has no description");               \
	enum { encodings_of_##id_ = (int)type_##_encodings };
#include CTPROF_METRICS_DEF
#undef METRIC
#define METRIC_FALLBACK(metric_, encoding_, source_, key_)                                         \
	_Static_assert(((int)encodings_of_##metric_ & (int)ENCODING_##encoding_) != 0,             \
		       "metric " #metric_ ": its fallback cannot be read as " #encoding_);
#include CTPROF_METRIC_FALLBACKS_DEF
#undef METRIC_FALLBACK

/* Lock 5: the place. Some code reads metrics from the source. */
enum {
	STRUCT_ENCODINGS = ENCODING_STRUCT_U64 | ENCODING_STRUCT_KIB,
	TEXT_ENCODINGS = ENCODING_DECIMAL | ENCODING_PAGES | ENCODING_DOTTED_MS | ENCODING_DOTTED_MS_DIFFERENCE | ENCODING_POLICY |
			 ENCODING_LETTER | ENCODING_FLAG | ENCODING_CPU_LIST,
};
enum metrics_of_source { METRICS_KEYS, METRICS_FIELDS, METRICS_CODE, METRICS_NONE };
enum {
#define SOURCE(id_, metrics_, pass_, what_, who_) metrics_of_##id_ = METRICS_##metrics_,
#include "sources.def"
#undef SOURCE
};
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, ...)                                 \
	_Static_assert((int)metrics_of_##source_ != (int)METRICS_NONE,                             \
		       "metric " #id_ ": nothing reads metrics from " #source_);                   \
	_Static_assert((int)metrics_of_##source_ != (int)METRICS_KEYS ||                           \
			       ((int)ENCODING_##encoding_ & (int)TEXT_ENCODINGS) != 0,             \
		       "metric " #id_ ": " #source_ " is text and has nothing in " #encoding_);    \
	_Static_assert((int)metrics_of_##source_ != (int)METRICS_FIELDS ||                         \
			       ((int)ENCODING_##encoding_ & (int)STRUCT_ENCODINGS) != 0,           \
		       "metric " #id_ ": " #source_ " is a structure and has nothing in " #encoding_); \
	_Static_assert((int)ENCODING_##encoding_ != (int)ENCODING_DOTTED_MS_DIFFERENCE ||          \
			       (int)SOURCE_##source_ == (int)SOURCE_sched,                         \
		       "metric " #id_ ": only the parser of sched makes differences");
#include CTPROF_METRICS_DEF
#undef METRIC

/* Lock 2: the function. Every legal pair of type and rule has one, whether a row uses it or not; an illegal
 * pair has none, so widening a type's rules alone does not let a row through. */
#define FOLD_TYPED(type_, rule_, ...)                                                              \
	unused_ static void fold_##type_##_##rule_(struct fold_cell *cell, const void *value)      \
	{                                                                                          \
		const struct type_ *typed = value;                                                 \
		__VA_ARGS__;                                                                       \
	}
#define FOLD_SUM(type_)                                                                            \
	FOLD_TYPED(type_, SUM,                                                                     \
		   const struct type_ none = {0};                                                  \
		   cell->number += metric_sum(none, *typed).v;                                     \
		   cell->seen++)
/* clang-format on */
FOLD_SUM(counter_count)
FOLD_SUM(counter_ns)
FOLD_SUM(counter_ticks)
FOLD_SUM(counter_bytes)
FOLD_SUM(level_count)
FOLD_SUM(level_bytes)
FOLD_TYPED(peak_ns, MAX, fold_max(cell, typed->v))
FOLD_TYPED(peak_bytes, MAX, fold_max(cell, typed->v))
FOLD_TYPED(floor_ns, MIN, fold_min(cell, typed->v))
FOLD_TYPED(gauge_ns, MAX, fold_max(cell, typed->v))
FOLD_TYPED(gauge_count, MAX, fold_max(cell, typed->v))
FOLD_TYPED(ordinal_i32, RANGE, fold_range_i32(cell, typed->v))
FOLD_TYPED(ordinal_u32, RANGE, fold_range_u32(cell, typed->v))
FOLD_TYPED(label_text, MODE, fold_mode(cell, typed->v.bytes))
FOLD_TYPED(label_letter, MODE, fold_mode(cell, (const char[]){typed->v, '\0'}))
FOLD_TYPED(label_flag, MODE, fold_mode(cell, typed->v ? "true" : "false"))
FOLD_TYPED(cpu_set, AFFINITY, fold_affinity(cell, &typed->v))

/* clang-format off */
#define NO_GATES {GATE_none, GATE_none}
#define GATES1(a_) {GATE_##a_, GATE_none}
#define GATES2(a_, b_) {GATE_##a_, GATE_##b_}

const struct metric_desc metric_table[METRIC_COUNT] = {
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, key_, section_, class_, gates_, text_)       \
	[METRIC_##id_] = {                                                                         \
		.name = #id_,                                                                      \
		.description = text_,                                                              \
		.key = key_,                                                                       \
		.type = METRIC_TYPE_##type_,                                                       \
		.bound = BOUND_##bound_,                                                           \
		.rule = RULE_##rule_,                                                              \
		.encoding = ENCODING_##encoding_,                                                  \
		.source = SOURCE_##source_,                                                        \
		.section = SECTION_##section_,                                                     \
		.sched_class = SCHED_CLASS_##class_,                                               \
		.gates = gates_,                                                                   \
		.offset = offsetof(struct thread_sample, id_),                                     \
		.fold = fold_##type_##_##rule_,                                                    \
	},
#include CTPROF_METRICS_DEF
#undef METRIC
};

const struct metric_type_desc metric_type_table[METRIC_TYPE_COUNT] = {
#define METRIC_TYPE(id_, representation_, unit_, rules_, bounds_, encodings_, text_)                        \
	[METRIC_TYPE_##id_] = {.name = #id_,                                                       \
			       .description = text_,                                               \
			       .representation = REPRESENTATION_##representation_,                 \
			       .unit = UNIT_##unit_,                                               \
			       .encodings = encodings_},
#include CTPROF_METRIC_TYPES_DEF
#undef METRIC_TYPE
};

const struct unit_desc unit_table[UNIT_COUNT] = {
#define NO_STEPS
#define STEP(divisor_, suffix_) {divisor_, suffix_},
#define UNIT(id_, name_, suffix_, steps_)                                                          \
	[UNIT_##id_] = {                                                                           \
		.name = name_,                                                                     \
		.suffix = suffix_,                                                                 \
		.steps = (const struct unit_step[]){steps_ {0, NULL}},                                   \
	},
#include "units.def"
#undef UNIT
};

const struct named_desc rule_table[RULE_INDEX_COUNT] = {
#define RULE(id_, name_, text_) [RULE_INDEX_##id_] = {name_, text_},
#include "rules.def"
#undef RULE
};

const struct named_desc encoding_table[ENCODING_INDEX_COUNT] = {
#define ENCODING(id_, text_) [ENCODING_INDEX_##id_] = {#id_, text_},
#include "encodings.def"
#undef ENCODING
};

const struct source_desc source_table[SOURCE_COUNT] = {
#define SOURCE(id_, metrics_, pass_, what_, who_)                                                  \
	[SOURCE_##id_] = {#id_, what_, who_, SOURCE_PASS_##pass_},
#include "sources.def"
#undef SOURCE
};

const struct named_desc outcome_table[OUTCOME_COUNT] = {
	[OUTCOME_unneeded] = {"", ""},
#define OUTCOME(id_, text_) [OUTCOME_##id_] = {#id_, text_},
#include "outcomes.def"
#undef OUTCOME
};

const struct section_desc section_table[SECTION_COUNT] = {
#define ALWAYS false
#define ASKED true
#define SECTION(id_, name_, heading_, subject_, shown_, text_)                                     \
	[SECTION_##id_] = {name_, heading_, SUBJECT_##subject_, shown_, text_},
#include "sections.def"
#undef SECTION
#undef ALWAYS
#undef ASKED
};

const struct named_desc gate_table[GATE_COUNT] = {
	[GATE_none] = {"", ""},
#define GATE(id_, text_) [GATE_##id_] = {#id_, text_},
#include "gates.def"
#undef GATE
};

const struct named_desc sched_class_table[SCHED_CLASS_COUNT] = {
#define SCHED_CLASS(id_, tag_, text_) [SCHED_CLASS_##id_] = {tag_, text_},
#include "sched-classes.def"
#undef SCHED_CLASS
};

const struct metric_fallback_desc metric_fallback_table[] = {
#define METRIC_FALLBACK(metric_, encoding_, source_, key_)                                         \
	{METRIC_##metric_, ENCODING_##encoding_, SOURCE_##source_, key_},
#include CTPROF_METRIC_FALLBACKS_DEF
#undef METRIC_FALLBACK
};
const size_t metric_fallback_count = ARRAY_SIZE(metric_fallback_table);

const struct identity_desc identity_table[] = {
#define IDENTITY(id_, json_type_, text_) {#id_, json_type_, text_},
#include "identity.def"
#undef IDENTITY
};
const size_t identity_count = ARRAY_SIZE(identity_table);

/* The counters of an exited thread are added; its peaks are not. */
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, key_, section_, class_, gates_, text_)       \
	enum { rule_of_##id_ = (int)RULE_##rule_ };
#include CTPROF_METRICS_DEF
#undef METRIC
#define PROCESS_TOTAL(metric_, source_, key_)                                                      \
	_Static_assert((int)rule_of_##metric_ == (int)RULE_SUM,                                    \
		       "process total " #metric_ ": only a metric that is summed has one");
#include CTPROF_PROCESS_TOTALS_DEF
#undef PROCESS_TOTAL

_Static_assert((int)EXIT_FACT_COUNT <= 32, "exit_facts_seen has a bit for each");
const struct exit_fact_desc exit_fact_table[EXIT_FACT_COUNT] = {
#define EXIT_FACT(id_, unit_, bound_, text_) [EXIT_FACT_##id_] = {#id_, text_, UNIT_##unit_, BOUND_##bound_},
#include "exit-facts.def"
#undef EXIT_FACT
};

const struct process_total_desc process_total_table[PROCESS_TOTAL_COUNT] = {
#define PROCESS_TOTAL(metric_, source_, key_)                                                      \
	[PROCESS_TOTAL_##metric_] = {METRIC_##metric_, SOURCE_##source_, key_},
#include CTPROF_PROCESS_TOTALS_DEF
#undef PROCESS_TOTAL
};
/* clang-format on */

const char *metric_rule_name(enum metric_rule rule)
{
	return rule_table[__builtin_ctz((unsigned)rule)].name;
}

static bool same_text(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && memcmp(name, text, len) == 0;
}

bool metric_find(const char *name, size_t len, enum metric_id *ret_metric)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (same_text(metric_table[i].name, name, len)) {
			*ret_metric = (enum metric_id)i;
			return true;
		}
	return false;
}

bool source_find(const char *name, size_t len, enum metric_source *ret_source)
{
	for (unsigned i = 0; i < SOURCE_COUNT; i++)
		if (same_text(source_table[i].name, name, len)) {
			*ret_source = (enum metric_source)i;
			return true;
		}
	return false;
}

bool outcome_find(const char *name, size_t len, enum source_outcome *ret_outcome)
{
	for (unsigned i = OUTCOME_unneeded + 1; i < OUTCOME_COUNT; i++)
		if (same_text(outcome_table[i].name, name, len)) {
			*ret_outcome = (enum source_outcome)i;
			return true;
		}
	return false;
}

void metric_add_tags(enum metric_id metric, struct strbuf *out)
{
	const struct metric_desc *desc = &metric_table[metric];
	const char *separator = "";

	if (sched_class_table[desc->sched_class].name[0] != '\0') {
		strbuf_addf(out, "[%s]", sched_class_table[desc->sched_class].name);
		separator = " ";
	}
	for (size_t i = 0; i < ARRAY_SIZE(desc->gates) && desc->gates[i] != GATE_none; i++) {
		strbuf_addf(out, "%s[%s]", separator, gate_table[desc->gates[i]].name);
		separator = " ";
	}
}

enum process_source process_total_source(unsigned total)
{
	const struct process_total_desc *desc = &process_total_table[total];

	if (desc->source == SOURCE_process_stat)
		return PROCESS_SOURCE_stat;
	if (desc->source == SOURCE_process_io)
		return PROCESS_SOURCE_io;
	return metric_table[desc->metric].source == SOURCE_schedstat ? PROCESS_SOURCE_schedstat
	                                                             : PROCESS_SOURCE_taskstats;
}
