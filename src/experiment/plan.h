/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* plan - the description of an experiment, from its file and the options of ctprof ab. Opens nothing and runs nothing. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "knob/knob.h"

/* The unit of measurement: a length of time, or one run of the workload. */
enum plan_unit { PLAN_UNIT_WINDOW, PLAN_UNIT_RUN };

enum plan_order {
	PLAN_ORDER_ABBA,       /* blocks, whose order is tossed */
	PLAN_ORDER_SEQUENTIAL, /* all units of the first arm, then all of the next one */
	PLAN_ORDER_COUNT,
};
extern const char *const plan_order_names[PLAN_ORDER_COUNT + 1]; /* ended by NULL */

enum {
	PLAN_ARMS_MAX = 8,
	PLAN_LINES_MAX = 64, /* of one arm */
	PLAN_PRIMARIES_MAX = 5,
	PLAN_ROWS_MAX = 64, /* controls */
	PLAN_OUTCOMES_MAX = 16,
	PLAN_BLOCKS_MAX = 1000,
	PLAN_NAME_BYTES = 100,     /* of an experiment, an arm, or an outcome */
	PLAN_TEXT_BYTES = 1 << 20, /* of a file */
};

/* Values that void a block: a unit must stay below the limit, or, with @inclusive, not exceed it. */
enum plan_guard {
	PLAN_GUARD_STEAL, /* CPU time that the hypervisor took, of all CPU time */
	PLAN_GUARD_PSI_CPU, /* share of the time in which some task waited for a CPU, as the next ones */
	PLAN_GUARD_PSI_IO,
	PLAN_GUARD_PSI_MEMORY,
	PLAN_GUARD_LOST, /* threads whose end in the window is not known */
	PLAN_GUARD_COUNT,
};
extern const char *const plan_guard_names[PLAN_GUARD_COUNT + 1]; /* ended by NULL */

struct plan_limit {
	bool given;
	bool inclusive;
	double limit; /* a share, or a number of threads */
};

/* A number that the workload prints: the last one that the first group of the regex finds, or the whole match without a
 * group. */
struct plan_outcome {
	char *name;
	char *regex; /* POSIX extended */
};

struct plan_texts {
	char **entries; /* owned, with their texts */
	size_t count, capacity;
};

struct plan_arm {
	char *name;
	unsigned line;           /* of its section; 0: from an option */
	struct plan_texts lines; /* as they were given */
	struct knob_list knobs;
};

struct plan {
	char *name;
	char *workload; /* for /bin/sh -c; NULL: what runs anyway */
	enum plan_unit unit;
	uint64_t window_ns; /* PLAN_UNIT_WINDOW */
	unsigned blocks;    /* besides the first one, which does not count */
	enum plan_order order;
	bool has_seed;
	uint64_t seed; /* at most 2^53 - 1 */
	double until; /* the detectable effect at which fewer blocks are enough, a share; 0: none */
	uint64_t settle_ns;
	char *before_each;                     /* for /bin/sh -c, or NULL */
	struct plan_texts primaries, controls; /* METRIC@KEY:GROUP, or an outcome */
	double margin, min_effect;             /* shares */
	struct plan_limit guards[PLAN_GUARD_COUNT];
	struct plan_outcome outcomes[PLAN_OUTCOMES_MAX];
	size_t outcome_count;
	struct plan_arm arms[PLAN_ARMS_MAX];
	size_t arm_count;
	uint64_t given;          /* a set of keys; plan-keys.c */
	const char *cgroup_root; /* borrowed; what the paths of cgroup lines are relative to */
};

/* Sets the defaults. */
void experiment_plan_init(struct plan *plan, const char *cgroup_root);
/* For cleanup_(experiment_plan_done). */
void experiment_plan_done(struct plan *plan);

/* The following return 0, or -EINVAL with a phrase appended to @reterr, whose bytes may come from the text. */

/* Reads the text of a file into @plan. The phrase begins with "line N: ". */
must_check_ int plan_parse(struct plan *plan, const char *text, size_t len, struct strbuf *reterr);

/* Sets a key of the section [experiment]; a list is added to. */
must_check_ int plan_set(struct plan *plan, const char *key, const char *value,
                         struct strbuf *reterr);

/* Returns whether a key was set. */
bool plan_has(const struct plan *plan, const char *key);

/* Finds an arm by its name, or adds it. */
must_check_ int plan_find_arm(struct plan *plan, const char *name, struct plan_arm **ret_arm,
                              struct strbuf *reterr);

/* Adds a line such as "sysctl kernel.sched_rt_runtime_us = -1" to an arm. */
must_check_ int plan_add_line(const struct plan *plan, struct plan_arm *arm, const char *line,
                              struct strbuf *reterr);

/* Checks the plan as a whole: too few arms, arms that are equal, a run without a workload. */
must_check_ int plan_check(const struct plan *plan, struct strbuf *reterr);

/* Appends the plan as the text of a file; plan_parse() makes the same plan of it. */
void plan_add_text(const struct plan *plan, struct strbuf *out);
/* Appends a guard as it is written: "steal<2%". */
void plan_add_guard(const struct plan *plan, enum plan_guard guard, struct strbuf *out);
