/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* metric - the registry, compiled. The rows of registry/ expand to every enumerator, value type and table here;
 * CTPROF_METRICS_DEF and similar macros name another set of rows, for tests.
 * A value is never passed as a bare integer: a structure named after its metric type wraps it, so that adding
 * nanoseconds to bytes, or a peak to a counter, does not compile. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

#ifndef CTPROF_METRICS_DEF
#define CTPROF_METRICS_DEF "metrics.def"
#endif
#ifndef CTPROF_METRIC_TYPES_DEF
#define CTPROF_METRIC_TYPES_DEF "metric-types.def"
#endif
#ifndef CTPROF_METRIC_FALLBACKS_DEF
#define CTPROF_METRIC_FALLBACKS_DEF "metric-fallbacks.def"
#endif
#ifndef CTPROF_BPF_PLACES_DEF
#define CTPROF_BPF_PLACES_DEF "bpf-places.def"
#endif
#ifndef CTPROF_PROCESS_TOTALS_DEF
#define CTPROF_PROCESS_TOTALS_DEF "process-totals.def"
#endif
#ifndef CTPROF_EXITS_DEF
#define CTPROF_EXITS_DEF "exits.def"
#endif
#ifndef CTPROF_DERIVED_DEF
#define CTPROF_DERIVED_DEF "derived.def"
#endif

/* clang-format off */
enum metric_unit {
#define UNIT(id_, name_, suffix_, steps_) UNIT_##id_,
#include "units.def"
#undef UNIT
	UNIT_COUNT,
};

enum metric_rule_index {
#define RULE(id_, name_, text_) RULE_INDEX_##id_,
#include "rules.def"
#undef RULE
	RULE_INDEX_COUNT,
};
enum metric_rule { /* one bit each: a type admits a set of them */
#define RULE(id_, name_, text_) RULE_##id_ = 1 << RULE_INDEX_##id_,
#include "rules.def"
#undef RULE
};

enum metric_bound_index {
#define BOUND(id_, text_) BOUND_INDEX_##id_,
#include "bounds.def"
#undef BOUND
	BOUND_INDEX_COUNT,
};
enum metric_bound { /* one bit each: a type admits a set of them */
#define BOUND(id_, text_) BOUND_##id_ = 1 << BOUND_INDEX_##id_,
#include "bounds.def"
#undef BOUND
};

enum metric_encoding_index {
#define ENCODING(id_, text_) ENCODING_INDEX_##id_,
#include "encodings.def"
#undef ENCODING
	ENCODING_INDEX_COUNT,
};
enum metric_encoding { /* one bit each */
#define ENCODING(id_, text_) ENCODING_##id_ = 1 << ENCODING_INDEX_##id_,
#include "encodings.def"
#undef ENCODING
};

enum metric_source {
#define SOURCE(id_, metrics_, pass_, what_, who_) SOURCE_##id_,
#include "sources.def"
#undef SOURCE
	SOURCE_COUNT,
};

enum source_outcome {
	OUTCOME_unneeded, /* no metric of the source was requested */
#define OUTCOME(id_, text_) OUTCOME_##id_,
#include "outcomes.def"
#undef OUTCOME
	OUTCOME_COUNT,
};

enum metric_section {
#define SECTION(id_, name_, heading_, subject_, shown_, text_) SECTION_##id_,
#include "sections.def"
#undef SECTION
	SECTION_COUNT,
};

enum metric_gate {
	GATE_none,
#define GATE(id_, text_) GATE_##id_,
#include "gates.def"
#undef GATE
	GATE_COUNT,
};

enum sched_class {
#define SCHED_CLASS(id_, tag_, text_) SCHED_CLASS_##id_,
#include "sched-classes.def"
#undef SCHED_CLASS
	SCHED_CLASS_COUNT,
};

/* The representation of a value in memory. */
enum metric_representation {
	REPRESENTATION_U64,
	REPRESENTATION_I32,
	REPRESENTATION_U32,
	REPRESENTATION_TEXT,
	REPRESENTATION_LETTER,
	REPRESENTATION_FLAG,
	REPRESENTATION_CPUS,
};

enum { LABEL_TEXT_BYTES = 32, CPU_MASK_CPUS = 8192, CPU_MASK_WORDS = CPU_MASK_CPUS / 64 };

/* A NUL-terminated name. */
struct label_bytes {
	char bytes[LABEL_TEXT_BYTES];
};

/* A set of CPU numbers below CPU_MASK_CPUS; words from used_words on are not initialised. 8192 is the
 * largest NR_CPUS that x86 and arm64 kernels can be built with. */
struct cpu_mask {
	uint32_t used_words;
	uint64_t words[CPU_MASK_WORDS];
};

#define METRIC_VALUE_U64 uint64_t
#define METRIC_VALUE_I32 int32_t
#define METRIC_VALUE_U32 uint32_t
#define METRIC_VALUE_TEXT struct label_bytes
#define METRIC_VALUE_LETTER char
#define METRIC_VALUE_FLAG bool
#define METRIC_VALUE_CPUS struct cpu_mask

#define METRIC_TYPE(id_, representation_, unit_, rules_, bounds_, encodings_, text_)                        \
	struct id_ {                                                                               \
		METRIC_VALUE_##representation_ v;                                                  \
	};
#include CTPROF_METRIC_TYPES_DEF
#undef METRIC_TYPE

enum metric_type {
#define METRIC_TYPE(id_, representation_, unit_, rules_, bounds_, encodings_, text_) METRIC_TYPE_##id_,
#include CTPROF_METRIC_TYPES_DEF
#undef METRIC_TYPE
	METRIC_TYPE_COUNT,
};

enum metric_id {
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, key_, section_, class_, gates_, text_) METRIC_##id_,
#include CTPROF_METRICS_DEF
#undef METRIC
	METRIC_COUNT,
};

enum derived_id {
#define DERIVED(id_, basis_, function_, unit_, section_, formula_, text_, ...) DERIVED_##id_,
#include CTPROF_DERIVED_DEF
#undef DERIVED
	DERIVED_COUNT,
};
/* clang-format on */

/* Returns a + b, or 2^64-1 if that is larger, for counters or levels of one kind; any other type does not compile. */
#define metric_sum(a_, b_)                                        \
	_Generic((a_), struct counter_count                       \
	         : metric_sum_counter_count, struct counter_ns    \
	         : metric_sum_counter_ns, struct counter_ticks    \
	         : metric_sum_counter_ticks, struct counter_bytes \
	         : metric_sum_counter_bytes, struct level_count   \
	         : metric_sum_level_count, struct level_bytes     \
	         : metric_sum_level_bytes)((a_), (b_))

#define METRIC_SUM_(type_)                                                            \
	static inline struct type_ metric_sum_##type_(struct type_ a, struct type_ b) \
	{                                                                             \
		return (struct type_){saturating_add(a.v, b.v)};                      \
	}
METRIC_SUM_(counter_count)
METRIC_SUM_(counter_ns)
METRIC_SUM_(counter_ticks)
METRIC_SUM_(counter_bytes)
METRIC_SUM_(level_count)
METRIC_SUM_(level_bytes)
#undef METRIC_SUM_

/* Returns the increase of a counter of time; 0 if it fell. */
static inline uint64_t metric_rose(struct counter_ns before, struct counter_ns now)
{
	return now.v > before.v ? now.v - before.v : 0;
}

/* A set of metrics. */
enum { METRIC_SET_WORDS = (METRIC_COUNT + 63) / 64 };
struct metric_set {
	uint64_t words[METRIC_SET_WORDS];
};

static inline void metric_set_add(struct metric_set *set, enum metric_id metric)
{
	set->words[(unsigned)metric / 64] |= UINT64_C(1) << ((unsigned)metric % 64);
}

static inline void metric_set_remove(struct metric_set *set, enum metric_id metric)
{
	set->words[(unsigned)metric / 64] &= ~(UINT64_C(1) << ((unsigned)metric % 64));
}

static inline void metric_set_add_all(struct metric_set *set, const struct metric_set *other)
{
	for (unsigned i = 0; i < METRIC_SET_WORDS; i++)
		set->words[i] |= other->words[i];
}

static inline bool metric_set_is_empty(const struct metric_set *set)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < METRIC_SET_WORDS; i++)
		any |= set->words[i];
	return any == 0;
}

static inline bool metric_set_equal(const struct metric_set *a, const struct metric_set *b)
{
	uint64_t differences = 0;

	for (unsigned i = 0; i < METRIC_SET_WORDS; i++)
		differences |= a->words[i] ^ b->words[i];
	return differences == 0;
}

static inline bool metric_set_has(const struct metric_set *set, enum metric_id metric)
{
	return (set->words[(unsigned)metric / 64] >> ((unsigned)metric % 64)) & 1;
}

/* A step of a unit's ladder: a value whose magnitude reaches divisor is shown divided by it. */
struct unit_step {
	double divisor;
	const char *suffix;
};

struct unit_desc {
	const char *name;              /* in machine formats */
	const char *suffix;            /* of a value below the first step */
	const struct unit_step *steps; /* rising; ends with divisor 0 */
};

struct metric_type_desc {
	const char *name;
	const char *description;
	enum metric_representation representation;
	enum metric_unit unit;
	unsigned encodings; /* set of enum metric_encoding */
};

struct fold_cell;

/* Folds the value of one thread, of the metric's own type, into a group's cell. */
typedef void fold_function(struct fold_cell *cell, const void *value);

struct metric_desc {
	const char *name;
	const char *description;
	const char *key; /* in the source's own words */
	enum metric_type type;
	enum metric_bound bound;
	enum metric_rule rule;
	enum metric_encoding encoding;
	enum metric_source source;
	enum metric_section section;
	enum sched_class sched_class;
	enum metric_gate gates[2]; /* GATE_none if there are fewer */
	size_t offset;             /* of the value in struct thread_sample */
	fold_function *fold;
};

struct metric_fallback_desc {
	enum metric_id metric;
	enum metric_encoding encoding;
	enum metric_source source;
	const char *key;
};

struct named_desc {
	const char *name;
	const char *description;
};

/* The things that the rows of a section are about. */
enum section_subject { SUBJECT_THREADS, SUBJECT_CGROUPS, SUBJECT_PROCESSES, SUBJECT_HOST };

struct section_desc {
	const char *name;
	const char *heading;
	enum section_subject subject;
	bool only_asked; /* tables have it only on request */
	const char *description;
};

/* A metric of which the kernel also keeps a process-wide total, exited threads included. */
enum process_total {
#define PROCESS_TOTAL(metric_, source_, key_) PROCESS_TOTAL_##metric_,
#include CTPROF_PROCESS_TOTALS_DEF
#undef PROCESS_TOTAL
	PROCESS_TOTAL_COUNT,
};

/* A number of the kernel's record of an exiting thread, see registry/exit-facts.def. */
enum exit_fact {
#define EXIT_FACT(id_, unit_, bound_, text_) EXIT_FACT_##id_,
#include "exit-facts.def"
#undef EXIT_FACT
	EXIT_FACT_COUNT,
};

struct exit_fact_desc {
	const char *name;
	const char *description;
	enum metric_unit unit;
	enum metric_bound bound;
};
extern const struct exit_fact_desc exit_fact_table[EXIT_FACT_COUNT];

/* The sources of process totals and of the same values of threads: one of these may be missing where the others are there. Totals of
 * taskstats whose threads have the value in schedstat are apart. */
enum process_source {
	PROCESS_SOURCE_stat,
	PROCESS_SOURCE_io,
	PROCESS_SOURCE_taskstats,
	PROCESS_SOURCE_schedstat,
	PROCESS_SOURCE_COUNT,
};

struct process_total_desc {
	enum metric_id metric;
	enum metric_source source;
	const char *key;
};

/* The reader of a source in a capture by BPF, as registry/sources.def describes them. */
enum source_pass { SOURCE_PASS_FILES, SOURCE_PASS_THREAD, SOURCE_PASS_PROCESS };

struct source_desc {
	const char *name;
	const char *what;
	const char *who;
	enum source_pass pass;
};

struct identity_desc {
	const char *name;
	const char *json_type;
	const char *description;
};

extern const struct metric_desc metric_table[METRIC_COUNT];
extern const struct metric_type_desc metric_type_table[METRIC_TYPE_COUNT];
extern const struct unit_desc unit_table[UNIT_COUNT];
extern const struct named_desc rule_table[RULE_INDEX_COUNT];
extern const struct named_desc encoding_table[ENCODING_INDEX_COUNT];
extern const struct source_desc source_table[SOURCE_COUNT];
extern const struct named_desc outcome_table[OUTCOME_COUNT]; /* [OUTCOME_unneeded] is empty */
extern const struct section_desc section_table[SECTION_COUNT];
extern const struct named_desc gate_table[GATE_COUNT]; /* [GATE_none] is empty */
extern const struct named_desc sched_class_table[SCHED_CLASS_COUNT];

struct strbuf;

/* Appends a metric's tags, those of its scheduling class and of its gates: "[cfs-only] [SCHEDSTATS]". */
void metric_add_tags(enum metric_id metric, struct strbuf *out);
extern const struct metric_fallback_desc metric_fallback_table[]; /* metric_fallback_count rows */
extern const size_t metric_fallback_count;
extern const struct identity_desc identity_table[]; /* identity_count rows */
extern const size_t identity_count;

extern const struct process_total_desc process_total_table[PROCESS_TOTAL_COUNT];
/* Returns the source of a total, an enum process_total: that of registry/process-totals.def, or PROCESS_SOURCE_schedstat. */
enum process_source process_total_source(unsigned total);

/* Returns whether values of the metric can be impossible: it is a time, and not an open one, or counted by the program. */
static inline bool metric_is_bounded(enum metric_id metric)
{
	return (metric_table[metric].bound & (BOUND_none | BOUND_open)) == 0;
}

/* Returns whether the life of the thread bounds the metric's values. */
static inline bool metric_has_longest_time(enum metric_id metric)
{
	return metric_is_bounded(metric) && metric_table[metric].bound != BOUND_program;
}

/* Returns whether the age of a process and the number of CPUs bound its total. Any number of threads can wait at the same time, so only
 * times of running are. */
static inline bool process_total_is_bounded(enum process_total total)
{
	return metric_table[process_total_table[total].metric].bound == BOUND_running;
}

/* Returns the unit of a metric's values, by its type. */
static inline enum metric_unit metric_unit(enum metric_id metric)
{
	return metric_type_table[metric_table[metric].type].unit;
}

/* Returns whether a metric belongs to the process and is read at its leader only; the other threads of a group do not
 * count against its coverage. */
static inline bool metric_is_leader_only(enum metric_id metric)
{
	return metric == METRIC_nr_threads || metric_table[metric].type == METRIC_TYPE_level_bytes;
}

/* Returns whether a metric counts what a thread has done, so that it never falls and has a rate. The number of threads and sizes of
 * memory are added up over a group as well, but have no rate. */
static inline bool metric_is_counter(enum metric_id metric)
{
	return metric_table[metric].rule == RULE_SUM && metric != METRIC_thread_count &&
	       metric_table[metric].type != METRIC_TYPE_level_count &&
	       metric_table[metric].type != METRIC_TYPE_level_bytes;
}

/* Returns the name of a rule ("sum"). @rule is a single bit. */
const char *metric_rule_name(enum metric_rule rule);

/* Finds a metric by name. Returns false, and stores nothing if there is none. */
bool metric_find(const char *name, size_t len, enum metric_id *ret_metric);

/* Finds a source, or an outcome other than "unneeded", by name. Returns as above. */
bool source_find(const char *name, size_t len, enum metric_source *ret_source);
bool outcome_find(const char *name, size_t len, enum source_outcome *ret_outcome);
