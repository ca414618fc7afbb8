/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* overview - one line for each group: what it did in a window, between two snapshots or in the lives of its threads, or how
 * much that changed. Lines are ranked by one score over all aspects. Pure: the same groups give the same lines. */
#include <stdbool.h>
#include <stddef.h>

#include "compare/rows.h"
#include "overview/aspect.h"

/* The kind of the amounts. */
enum overview_kind {
	OVERVIEW_LIVES,        /* of one snapshot: since the birth of each thread */
	OVERVIEW_WINDOW,       /* of one window: rates over its length */
	OVERVIEW_INTERVAL,     /* of the window between two snapshots: rates over its length */
	OVERVIEW_LIVES_CHANGE, /* of two: the first kind, before and after */
	OVERVIEW_CHANGE,       /* of two windows: the second kind, before and after */
};

struct overview_value {
	bool seen;
	bool partial;      /* some of the group's threads are not in it */
	bool began_before; /* waits of it began before the window; the amount has their part inside */
	bool lacks_exited; /* it lacks exited threads, see group_measure_lacks_exited() */
	uint32_t lacking;  /* how many of the group's threads have no value of a metric of it */
	double amount;     /* in the unit of the column; of lives in ns, numbers and bytes */
};

/* The totals of which a group's movement is a share. */
struct overview_scale {
	double capacity[ASPECT_COUNT]; /* of the machine, or the smaller one; 0: not known */
	double total[ASPECT_COUNT];    /* of the host; 0 where it is below the aspect's floor */
};

enum overview_mark { OVERVIEW_STAYED, OVERVIEW_NEW, OVERVIEW_GONE };

struct overview_threads {
	uint32_t before,
	        after; /* alive at the begin and the end; in a snapshot both are its threads */
	uint32_t born, gone; /* in between */
	/* Threads that were there at some time, of the sides of a change where none is alive at the ends of both; else 0. */
	uint32_t ran[SIDE_MAX];
};

struct overview_row {
	const struct row_group *group; /* borrowed from the set */
	enum overview_mark mark;
	struct overview_threads threads;
	struct overview_value values[ASPECT_COUNT]
	                            [SIDE_MAX]; /* the first side only, of one snapshot */
	double moved[ASPECT_COUNT];             /* NaN: not known */
	bool unlike[ASPECT_COUNT];              /* not known: the sides measured it differently */
	double score;                           /* 0.01 is 1 % */
	/* The score of the last known CPU time if the group ended without a record, else 0. It ranks the group among others with
	 * the same score, such as 0. */
	double last_score;
};

struct overview_unlike {
	const struct row_group *group; /* borrowed from the set */
	double size; /* the score that its amounts would have if they were alike */
};

struct overview {
	enum overview_kind kind;
	unsigned sides;            /* that values have */
	double floor;              /* rows with a lower score are noise */
	struct overview_row *rows; /* by score or by the aspect, then by name; owned */
	size_t count;
	unsigned sorted_by; /* an aspect; ASPECT_COUNT: the score */
	bool ascending;
	size_t noise; /* groups below the floor, of which some aspect but threads is known */
	/* Those of them that are new or gone, by score; owned. */
	struct overview_row *quiet;
	size_t quiet_count;
	/* Groups with unlike aspects, which count in no noise, those first whose amounts differ most; owned. */
	struct overview_unlike *unlike;
	size_t unlike_count;
	/* Groups of which no aspect but threads is known, in the set's order; owned. */
	const struct row_group **unmeasured;
	size_t unmeasured_count;
	/* Groups that the set keeps apart because the other side is of another boot, by score; owned. */
	struct overview_row *apart[SIDE_MAX];
	size_t apart_count[SIDE_MAX];
	struct overview_row *
	        own; /* the sum of ctprof's own groups, where they are not ranked; owned, or NULL */
	bool seen[ASPECT_COUNT]; /* whether any group has a value */
	struct overview_scale scale;
	struct overview_row host; /* all groups together; its group is NULL */
};

/* Returns what the amounts of a set's groups are. */
enum overview_kind overview_kind_of(const struct row_set *set);

/* Makes the lines of all groups of a set, which must outlive them. With @with_own ctprof itself is ranked like the others.
 * With an aspect, which is not ASPECT_COUNT, the lines are of all groups that the set has on both sides, and are sorted by what
 * each moved of it, unknown amounts last; threads of whole lives by their number. */
void overview_init(struct overview *overview, const struct row_set *set, bool with_own,
                   unsigned aspect, bool ascending);
/* For cleanup_(overview_done). */
void overview_done(struct overview *overview);

/* The score: over all aspects, the largest share of the machine's capacity or of the host's total, whichever is larger, times
 * the aspect's weight. An unknown amount (NaN) counts as 0. The score rises with every amount, and depends on other
 * groups only by the host's totals. */
double overview_score(const double moved[ASPECT_COUNT], const struct overview_scale *scale);

/* The aspect that gives the score, the first of equal ones; ASPECT_COUNT if nothing moved. */
unsigned overview_reason(const double moved[ASPECT_COUNT], const struct overview_scale *scale);

/* Returns whether the lines are changes between two sides. */
static inline bool overview_is_change(enum overview_kind kind)
{
	return kind == OVERVIEW_LIVES_CHANGE || kind == OVERVIEW_CHANGE;
}

/* Returns whether the amounts are those of whole lifetimes, and no rates. */
static inline bool overview_is_of_lives(enum overview_kind kind)
{
	return kind == OVERVIEW_LIVES || kind == OVERVIEW_LIVES_CHANGE;
}
