/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* history - what groups did over the time of a recording: columns of windows that follow one another, and the amounts of each group
 * in each column. Pure. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strmap.h"
#include "ctprof/metric/psi.h"
#include "overview/overview.h"

enum {
	HISTORY_COLUMNS = 240, /* that windows are put together into; gaps make some more */
	HISTORY_CELLS = 1000,  /* groups of a column that are kept, by their score */
	HISTORY_GROUPS = 40,   /* that are drawn */
};

/* Bits for what is said of a value beside its amount. */
enum history_mark {
	HISTORY_PARTIAL = 1, /* some of the group's threads are not in it */
	HISTORY_BEGAN_BEFORE =
	        2, /* waits of it began before the windows; it has their part inside */
};

struct history_column {
	uint64_t begin_ns, end_ns; /* since 1970 */
	uint64_t length_ns;        /* of its windows: without the gaps inside */
	uint64_t windows, gaps, gap_ns;
	/* Its overview has the threads that did nothing as well; else what is known of these is that of the columns before. True for the
	 * first column. */
	bool has_idle;
	uint32_t idle_since; /* the last column with has_idle; set by history_add() */
	struct overview_value host[ASPECT_COUNT];
	double pressure[PSI_RESOURCE_COUNT]; /* "some", in percent of its time; NaN: not known */
};

struct history_cell {
	uint32_t column;
	float score;
	double amounts[ASPECT_COUNT]; /* NaN: not known */
	uint8_t marks[ASPECT_COUNT];  /* enum history_mark */
};

/* The amounts of a group's living threads that are not known, or not of all of them: also in columns that have no such thread, as far as
 * they leave out threads that did nothing. */
struct history_idle {
	uint32_t column;          /* from which on */
	int64_t living;           /* threads, as far as columns showed them */
	uint32_t unseen, partial; /* a bit for each aspect */
};

struct history_group {
	char *label;                /* over all the time; safe to print; owned */
	struct history_cell *cells; /* by column; columns without one: it did nothing; owned */
	size_t count, capacity;
	struct history_idle *idle; /* by column; owned */
	size_t idle_count, idle_capacity;
	double rank;
	bool has_means;             /* history_set_means() has found it */
	double means[ASPECT_COUNT]; /* NaN: not known */
	uint8_t means_marks[ASPECT_COUNT];
};

struct history {
	struct history_column *columns; /* owned */
	size_t column_count, column_capacity;
	struct strmap
	        places; /* from the patterns of names, or from labels, to the place of the group */
	struct history_group *groups; /* owned; sorted by history_finish() */
	size_t group_count, group_capacity;
	bool seen[ASPECT_COUNT];
	double capacity[ASPECT_COUNT]; /* of the machine; 0: not known */
	uint32_t
	        idle_partial; /* bits of aspects of which some group's living threads lack values */
	uint64_t cut;         /* cells that were not kept */
	bool has_means;
	double means[ASPECT_COUNT]; /* of the host; NaN: not known */
	uint8_t means_marks[ASPECT_COUNT];
	double pressure_means[PSI_RESOURCE_COUNT];
};

/* Appends a column, whose host's values are set here, with the groups of its overview. The column is behind those before. */
void history_add(struct history *history, const struct history_column *column,
                 const struct overview *overview);
/* Sets the means over all the time, which the overview of all windows together has. The caller sets those of pressure. */
void history_set_means(struct history *history, const struct overview *overview);
/* Sorts the groups: those first that did most over all the time, or in one column. */
void history_finish(struct history *history);
/* For cleanup_(history_done); a zeroed one is good. */
void history_done(struct history *history);

/* Fills the amounts of one group, by column: 0 where it did nothing, NaN where that is not known. */
void history_amounts(const struct history *history, size_t group, unsigned aspect, double *ret);
/* Returns the marks of a group's amount in a column, and those of the host's. */
unsigned history_marks(const struct history *history, size_t group, unsigned aspect, size_t column);
unsigned history_host_marks(const struct history *history, unsigned aspect, size_t column);
/* Fills those of all groups from @first on: the host's less those before. */
void history_rest(const struct history *history, size_t first, unsigned aspect, double *ret);

/* Chooses the windows that columns begin with, for windows that ended at these times: as many in each column, and a new one
 * behind a gap. Returns an array of @count flags; the caller frees it. */
bool *history_columns_of(const uint64_t *ends_ns, size_t count);
