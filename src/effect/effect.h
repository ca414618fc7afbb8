/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* effect - the result of an experiment for each row: how much arm b differs from arm a, and one of three answers. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "effect/contrast.h"
#include "effect/fact-table.h"
#include "effect/part.h"
#include "effect/row-pick.h"
#include "effect/trial.h"
#include "effect/unit-table.h"
#include "statistics/adjust.h"
#include "statistics/interval.h"
#include "statistics/p-value.h"
#include "statistics/t-test.h"
#include "statistics/tally.h"

enum effect_answer { ANSWER_MOVED, ANSWER_SAME, ANSWER_UNKNOWN, ANSWER_COUNT };
extern const char *const effect_answer_names[ANSWER_COUNT];

/* The correction of the p that a row is judged by. */
enum effect_role {
	/* Declared before, or an outcome if nothing was: Holm's correction among the primaries. */
	ROLE_PRIMARY,
	ROLE_OUTCOME, /* a number of the workload, beside primaries; corrected as ROLE_OTHER */
	ROLE_CONTROL, /* declared not to move: Holm's correction among the controls */
	ROLE_OTHER,   /* adjust_rows() */
	ROLE_COUNT
};
extern const char *const effect_role_names[ROLE_COUNT];

/* A host against the others, by the noise of all blocks (Welch's t). */
struct host_test {
	double others; /* the mean of those that have not been found to differ more */
	bool has_t;    /* false: it was found by its z */
	double t, df, p;
};

/* A host whose effect differs from that of the others. */
struct effect_host {
	size_t host;      /* its place in the parts */
	double y, others; /* its effect, and the mean of those that do not differ */
	struct host_test test;
	struct p_value
	        p; /* of the test; corrected for all hosts of all rows of the role, by Bonferroni */
	double z;  /* in robust standard deviations of the hosts' effects, from their median */
	bool is_against; /* the row moved, and this host moved the other way */
};

/* A row. Estimates and intervals are those of y, see contrast-scale.h; effect_percent() makes percentages of them, and
 * effect_difference() values. */
struct effect {
	enum effect_role role;
	unsigned measure; /* MEASURE_COUNT: an outcome or a fact */
	const char *metric;
	const char *group; /* safe to print; NULL: an outcome, or the host's */
	const struct group_by
	        *by;          /* of the group; borrowed; NULL: an outcome; without keys: the host */
	const double *values; /* by unit; borrowed */
	double *owned;        /* the same, of an outcome; NULL otherwise */
	bool is_equal;        /* all units have the same value */
	enum metric_unit unit; /* of the values */
	enum measure_per per;  /* and their divisor; PER_total if they do not scale */
	struct contrast_scale scale;
	/* The value of arm a that changes are percentages of, unless y is a logarithm; 0: none can be. */
	double base;
	double *contrasts; /* one for each block; owned */
	double *nulls;     /* the same of contrast_null(); owned; NULL: there are none */
	double means[2];   /* of the values in the units of arm a, and of arm b */
	/* Waits began before the window in a unit of arm a, and of arm b: the values have their parts inside. */
	bool began_before[2];
	double share;       /* of the change in what the host did in arm a; NaN: not known */
	struct t_test test; /* of the parts */
	/* Over hosts: the part of the sd that the noise of blocks makes. NaN: not known. */
	double noise;
	struct effect_host *apart; /* over three hosts or more: those that differ; owned */
	size_t apart_count, apart_capacity;
	bool has_interval;
	struct interval ci95;
	bool has_robust; /* the Hodges-Lehmann twin */
	double robust;
	bool has_robust_interval;
	struct interval robust_ci95;
	struct p_value flip_p; /* by the coins */
	struct p_value p;      /* corrected */
	enum effect_answer answer;
	bool is_inside_margin; /* it moved, and by less than the margin */
	double detectable; /* the smallest effect that this row would have shown with probability .8; infinite: none */
	/* For unknown: so many blocks (or other parts) would show an effect of the margin, or that there is none. 0: too many
	 * to run. */
	size_t blocks_needed;
	struct p_value null_p, drift_p, carry_p; /* of the checks */
	double drift, carry;
};

/* One arm against the first one. */
struct comparison {
	struct contrast_plan plan;
	size_t blocks;          /* that have both arms */
	size_t sessions;        /* that have blocks */
	struct parts parts;     /* of which a row has one contrast each */
	size_t n;               /* their number */
	struct effect *effects; /* owned; the largest change first within a role */
	size_t count, capacity;
	size_t equal;   /* rows with the same value in all units */
	size_t rare;    /* rows that are 0 in more than half of the units: too rare to be tested */
	size_t unseen;  /* rows of groups in all units, without a value in some of them */
	size_t repeats; /* rows that repeat another one */
	size_t unlike;  /* rows of which one arm lacks more of the group's threads than the other */
	size_t by_answer[ANSWER_COUNT]; /* of rows that are no controls */
	struct adjusted_family family;
	double smallest_flip_p;
	/* Reasons why there is no other answer than unknown; sentences. Empty if the experiment is valid. */
	struct trial_texts failures;
	/* CPU time that at least is in no row of the windows of arm a, and of arm b, where 100 is a busy CPU; NaN: not known. */
	double unaccounted_percent[2];
	/* The contrasts whose truth is zero, and reasons to doubt all p: sentences as well. */
	struct tally nulls;
	struct trial_texts doubts;
};

struct effect_options {
	const struct trial *trial;
	const struct unit_table
	        *tables; /* the first one is that of the report; others have rows that were named */
	size_t table_count;
	const struct fact_table *facts; /* NULL: none */
	const struct row_pick *primaries, *controls;
	size_t primary_count, control_count;
	/* Rows of other tables that are wanted, as those of gates; they are corrected like all others. */
	const struct row_pick *wanted;
	size_t wanted_count;
};

/* Compares arm @b of the trial with its first one. comparison_done() @ret in any case. */
void comparison_init(struct comparison *ret, const struct effect_options *options, unsigned b);
void comparison_done(struct comparison *comparison);

/* Appends the key of the groups, "host", or nothing of an outcome. */
void effect_add_key(const struct effect *effect, struct strbuf *out);

/* Appends METRIC@KEY:GROUP, METRIC@host, or the name of an outcome; safe to print. */
void effect_add_name(const struct effect *effect, struct strbuf *out);

/* Returns whether changes are percentages of arm a: y is a logarithm, or no value is below 0 and most units of arm a are
 * above. */
bool effect_has_percent(const struct effect *effect);

/* Returns y as a percentage of arm a. Without one it is infinite with the sign of y, and so beyond any limit; 0 is 0. */
double effect_percent(const struct effect *effect, double y);

/* "log", "share-of-a" or "absolute": what changes of the row are, logarithms, differences with a percentage, or without. */
const char *effect_scale_name(const struct effect *effect);

/* Returns y as a difference of values; y is no logarithm. */
double effect_difference(const struct effect *effect, double y);

/* Appends a value of the row for people, with its unit, or a difference with its sign. */
void effect_add_number(const struct effect *effect, double value, bool sign, struct strbuf *out);

/* Appends y for people: a percentage, or the difference with its unit. "-" if y is not finite. */
void effect_add_change(const struct effect *effect, double y, struct strbuf *out);

/* Returns what is compared with min_effect and the margin: the size of the effect as a share, of arm a if y is a
 * logarithm, else of the mean of all units. */
double effect_size(const struct effect *effect);

/* The number of rows that have a check, and of those in which its p is at most .05. */
struct check_tally {
	size_t rows, low;
};

/* @check picks the p of a check: its offset in struct effect. */
struct check_tally effects_tally(const struct comparison *comparison, size_t check_offset);
