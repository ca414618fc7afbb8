/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* measure - the subject of a table's row: a metric of the registry, or one derived from several. Measures are numbered:
 * the metrics in display order, then the derived metrics. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/metric/metric.h"
#include "ctprof/snapshot/snapshot.h"
#include "measure/rates.h"
#include "metric/fold.h"

enum { MEASURE_COUNT = (int)METRIC_COUNT + (int)DERIVED_COUNT, DERIVED_INPUTS_MAX = 10 };

/* The form of the inputs that a derived metric is computed from, see registry/derived.def. */
enum derived_basis {
	BASIS_SUMS,
	BASIS_SHARE,
	BASIS_ADDS,
	BASIS_PARTS,
	BASIS_RATES,
	BASIS_RATE_PARTS,
	BASIS_LEVELS,
	BASIS_LIFE
};

/* Returns whether each input can only add to the result, so that a missing one is left out. */
static inline bool basis_is_of_parts(enum derived_basis basis)
{
	return basis == BASIS_PARTS || basis == BASIS_RATE_PARTS;
}

/* Returns whether the inputs are values per second. */
static inline bool basis_is_of_rates(enum derived_basis basis)
{
	return basis == BASIS_RATES || basis == BASIS_RATE_PARTS;
}

struct derived_desc {
	const char *name;
	const char *description;
	const char *formula;
	enum derived_basis basis;
	enum metric_unit unit;
	enum metric_section section;
	size_t input_count;
	size_t needed_count; /* so many of them, from the first one on, must be seen */
	enum metric_id inputs[DERIVED_INPUTS_MAX];
};
extern const struct derived_desc derived_table[DERIVED_COUNT];

/* The properties that all groups of a snapshot share. An unknown one is 0. */
struct derive_frame {
	enum snapshot_kind kind;
	uint64_t length_ns;   /* of the window */
	uint64_t shortest_ns; /* of the windows of several hosts; else the same */
	uint64_t
	        begin_ns; /* of the window, CLOCK_BOOTTIME; 0: not known, or there are gaps in it */
	enum window_exits
	        exits;       /* the source of the window's records of threads that ended there */
	unsigned exits_also; /* see struct snapshot_window */
	bool is_sum;         /* of several windows */
	uint64_t gaps;       /* between these */
	bool missed_known;
	uint64_t missed; /* the least number of threads that ended there and have no row */
	bool unaccounted_known;
	uint64_t unaccounted_ns; /* CPU time of the host that may be in no row of the window */
	bool read_skew_known;
	uint64_t read_skew_ns; /* of the window, see registry/window.def */
	/* It is merged of several hosts, and some were read by /proc: passes take time, and when they began is not known. */
	bool hides_passes;
	uint64_t clock_ticks_per_second;
	uint64_t online_cpus;
	uint64_t memory_bytes; /* of the host */
};
struct derive_frame derive_frame_of(const struct snapshot_info *info);

/* Returns whether amounts in this unit are in ticks of two clocks with different frequencies, both known: only as time they can be
 * compared. */
static inline bool measure_ticks_differ(enum metric_unit unit, uint64_t own_per_second,
                                        uint64_t other_per_second)
{
	return unit == UNIT_ticks && own_per_second > 0 && other_per_second > 0 &&
	       own_per_second != other_per_second;
}

/* Returns whether amounts in this unit are of a known length: ticks are none of a clock whose frequency is not known. */
static inline bool measure_has_length(enum metric_unit unit, const struct derive_frame *frame)
{
	return unit != UNIT_ticks || frame->clock_ticks_per_second > 0;
}

/* Returns whether amounts in this unit can be compared: ticks can, unless the frequency of one of the two clocks alone is known. */
static inline bool measure_ticks_compare(enum metric_unit unit, uint64_t own_per_second,
                                         uint64_t other_per_second)
{
	return unit != UNIT_ticks || (own_per_second > 0) == (other_per_second > 0);
}

/* Returns the number of ticks of the other clock that a tick of the own one is; 1 if they do not differ. */
static inline double measure_ticks_factor(enum metric_unit unit, uint64_t own_per_second,
                                          uint64_t other_per_second)
{
	return measure_ticks_differ(unit, own_per_second, other_per_second)
	               ? (double)other_per_second / (double)own_per_second
	               : 1;
}

/* Waits that ended in a window and are longer than their threads' lives in it: they began before. */
struct wait_before {
	fold_number
	        beyond_ns; /* the part of the sum that no state had in the window, see sample_state_inside() */
	/* The part of the sum's rate (sample_inside()) that no state had, per second. */
	struct rate_sum beyond_rate;
	uint32_t threads; /* threads with such a wait */
};

/* The time by which the delays of single threads together exceed those threads' lives. Swapin and thrashing overlap, and only the larger sum
 * counts in a group: the time is there for either. */
enum evicted { EVICTED_swapin, EVICTED_thrashing, EVICTED_COUNT };
struct delays_beyond {
	struct rate_sum rates[EVICTED_COUNT]; /* per second; see sample_delays_beyond() */
	/* The time itself, with delays that are reduced as in struct wait_before; see sample_state_delays_beyond(). */
	uint64_t ns[EVICTED_COUNT];
};

/* The values of a group. Everything is borrowed; all but the cells may be NULL. */
struct derive_inputs {
	const struct fold_cell *cells; /* METRIC_COUNT of them */
	const fold_number
	        *exited; /* by enum process_total, the part of the cells that exited threads have */
	const uint32_t *covered; /* by enum process_total, threads that are in @exited as well */
	const struct rate_list *rate_list;
	const struct rate_sum *rates;     /* by the places of the list */
	const struct wait_before *before; /* by metric */
	const struct delays_beyond *delays_beyond;
	const struct derive_frame *frame;
};

/* Computes a derived metric of a group. Returns none if a needed input is unseen, if the needed inputs were seen for
 * different numbers of threads, or if a denominator is 0. If the inputs can only add (PARTS), the result is the sum
 * over those that were seen, and none if none was. */
struct quantity derive(enum derived_id derived, const struct derive_inputs *in);

/* Returns the inputs that a value of derive() lacks, by which it is too small or too large: those that were seen of fewer threads
 * than another one, or of none; in a share of a life, of other threads than the life. Empty if there is no value or all inputs are
 * needed. */
struct metric_set derive_missing(enum derived_id derived, const struct derive_inputs *in);

/* Returns whether inputs that are missing could only have added to the value. The value of others is too large without them. */
bool derive_only_adds(enum derived_id derived);

/* Returns the number of threads that have a value. A sum of parts needs one input: the result is the largest number of
 * threads that any input was seen of. Other metrics need several: the result is the smallest number. */
uint32_t derive_threads(enum derived_id derived, const struct derive_inputs *in);

/* Returns the divisor of a ratio or an average: the weight of the group's value in the host's. None if the derived
 * metric is a sum or a difference. */
struct quantity derive_weight(enum derived_id derived, const struct derive_inputs *in);

/* Computes a derived metric that is a sum (ADDS, PARTS) with its inputs per second. The part of delays (PARTS) beyond
 * the threads' lives is left out: delays overlap, as block I/O does while memory is freed. */
struct quantity derive_per_second(enum derived_id derived, const struct derive_inputs *in);

/* Returns which of these two sums counts in the sum of the delays. */
enum evicted derive_evicted(fold_number swapin, fold_number thrashing);

/* Returns a metric per second; 0 if its rate is not kept. */
double derive_rate(const struct derive_inputs *in, enum metric_id metric);

/* Returns how many threads have a wait in the metric that began before the window. */
uint32_t derive_began_before(const struct derive_inputs *in, enum metric_id metric);

/* The divisor of a measure that grows with time, or with the number of threads. */
enum measure_per { PER_total, PER_second, PER_thread, PER_cpu_second, PER_COUNT };

struct measure_per_desc {
	const char *name;   /* on the command line */
	const char *suffix; /* behind a value: "/s" */
};
extern const struct measure_per_desc measure_per_table[PER_COUNT];

/* Returns the default: windows differ in length, lives have their own. */
enum measure_per measure_per_default(enum snapshot_kind kind);

/* Returns whether a measure scales: it is a counter, or a sum of counters. */
bool measure_scales(unsigned measure);

/* Returns whether the value is an amount of its threads: it lacks something if some of them have no value. Averages and shares are of
 * the threads that have one, as are values by thread and by CPU time. */
bool measure_is_amount(unsigned measure, enum measure_per per);

/* Returns whether the value is the largest or the smallest one of a thread. */
bool measure_is_extreme(unsigned measure);

/* Returns whether the value is of the group's own threads: a share of their lives, in which exited threads have no part. */
bool measure_is_of_lives(unsigned measure);

static inline bool measure_is_derived(unsigned measure)
{
	return measure >= METRIC_COUNT;
}

static inline enum derived_id measure_derived(unsigned measure)
{
	return (enum derived_id)(measure - METRIC_COUNT);
}

const char *measure_name(unsigned measure);
enum metric_unit measure_unit(unsigned measure);
/* Returns the name of its unit in machine formats: "ns", or "ns/s" per second if it scales. */
const char *measure_unit_name(unsigned measure, enum measure_per per);

/* Returns the name of a unit of values that are divided: "ns/s". */
const char *unit_name_per(enum metric_unit unit, enum measure_per per);
enum metric_section measure_section(unsigned measure);
/* Returns "counter_ns" and so on, or "derived" for a derived metric. */
const char *measure_type(unsigned measure);
/* Returns whether the values are names, which have no differences. */
bool measure_is_label(unsigned measure);

/* Returns whether the value is no amount, so that a mean of it says nothing: nice, priorities and CPU affinity, which are
 * set, and the CPU that a thread was on. */
bool measure_is_place(unsigned measure);

/* Returns whether the measure is one of the metrics, or derived from one. */
bool measure_has_any(unsigned measure, const struct metric_set *metrics);

/* Returns the number that stands for the measure in a group, see fold_quantity(). One that scales is divided by
 * seconds, by the threads whose value is included (without the part of exited threads), or by the group's CPU time in
 * seconds; none if these are not known of the same threads. */
struct quantity measure_quantity(unsigned measure, enum measure_per per,
                                 const struct derive_inputs *in);

/* Returns the same of the part of waits that can have been in the window or interval, also where measure_quantity() has all of them:
 * totals, values by thread, and averages. */
struct quantity measure_inside(unsigned measure, enum measure_per per,
                               const struct derive_inputs *in);

/* Returns for how many threads a wait of the measure, or of the input of it that has the most, began before the window or interval. */
uint32_t measure_began_before(unsigned measure, const struct derive_inputs *in);

/* Finds a measure by name. Returns false, storing nothing if there is none. */
bool measure_find(const char *name, size_t len, unsigned *ret_measure);
